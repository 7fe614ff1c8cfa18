package verdict

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// OfStatus gives the verdict on a status and header alone. The verdict
// VerdictFound means: look at the content.
func OfStatus(status int, header http.Header, html bool) (v wayfind.Verdict, reason string) {
	if firewall(status, header, html) {
		return wayfind.VerdictBlocked, string(wayfind.CodeFirewall)
	}
	for i := range rows {
		for _, s := range rows[i].statuses {
			if s.include(status, header) {
				return rows[i].Verdict, string(s.code)
			}
		}
	}
	return wayfind.VerdictUnrecognised, string(wayfind.CodeStatus)
}

// firewall recognises the answers of a firewall in front of the site: they have
// a field of its own, or a web page where a site would send JSON.
func firewall(status int, header http.Header, html bool) bool {
	if header.Get("Cf-Mitigated") != "" {
		return true
	}
	if !html || (status != http.StatusForbidden && status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests) {
		return false
	}
	for _, name := range []string{"X-Sucuri-Id", "X-Sucuri-Block", "X-Iinfo", "X-Datadome", "X-Amzn-Waf-Action"} {
		if header.Get(name) != "" {
			return true
		}
	}
	server := strings.ToLower(header.Get("Server"))
	for _, name := range []string{"cloudflare", "akamaighost", "sucuri", "imperva", "ddos-guard"} {
		if strings.Contains(server, name) {
			return true
		}
	}
	return false
}

// OfError gives the verdict on a request that brought no usable answer.
func OfError(err error) (v wayfind.Verdict, reason string) {
	const deadline = string(wayfind.CodeDeadline)
	e, ok := errors.AsType[*wayfind.Error](err)
	switch {
	case !ok && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return wayfind.VerdictSkipped, deadline
	case !ok:
		return wayfind.VerdictUnreachable, ""
	case e.Kind == nil, e.Code == wayfind.CodeCanceled && !answered(e):
		return wayfind.VerdictSkipped, deadline // the caller's end, no fact about the site
	case answered(e):
		return ofKind(e), string(e.Code)
	case e.Code == wayfind.CodeStatus:
		if status, ok := errors.AsType[StatusError](e.Err); ok {
			v, _ := OfStatus(status.HTTPStatus(), nil, false)
			return v, string(e.Code)
		}
	}
	for i := range rows {
		if slices.Contains(rows[i].codes, e.Code) {
			return rows[i].Verdict, string(e.Code)
		}
	}
	return ofKind(e), string(e.Code)
}

// StatusError is the cause of the error of a live endpoint that refuses with an
// HTTP status.
type StatusError interface {
	error
	HTTPStatus() int
}

// answered reports whether the error is the answer of a live endpoint, which
// counts more than its code.
func answered(e *wayfind.Error) bool {
	return errors.Is(e.Kind, wayfind.ErrBlocked) || errors.Is(e.Kind, wayfind.ErrNotFound) || errors.Is(e.Kind, wayfind.ErrThrottled)
}

// ofKind is the verdict that an error is by its kind.
func ofKind(e *wayfind.Error) wayfind.Verdict {
	switch {
	case errors.Is(e.Kind, wayfind.ErrBlocked):
		return wayfind.VerdictProtected
	case errors.Is(e.Kind, wayfind.ErrNotFound):
		return wayfind.VerdictAbsent
	case errors.Is(e.Kind, wayfind.ErrThrottled):
		return wayfind.VerdictThrottled
	case errors.Is(e.Kind, wayfind.ErrRefused):
		return wayfind.VerdictRefused
	case errors.Is(e.Kind, wayfind.ErrInvalid), errors.Is(e.Kind, wayfind.ErrInternal) && read(e.Op):
		return OfUnread(e)
	}
	return wayfind.VerdictUnreachable
}

// OfUnread is the verdict on a document that cannot be read.
func OfUnread(err error) wayfind.Verdict {
	if TooLarge(err) != nil {
		return wayfind.VerdictTooLarge
	}
	return wayfind.VerdictMalformed
}

// Explain gives a probe its error, nil for none.
func Explain(p *wayfind.Probe, err error) {
	p.Error, p.TooLarge = "", TooLarge(err)
	if err != nil {
		p.Error = err.Error()
	}
}

// TooLarge is the limit that a document exceeds, nil if err has another cause.
func TooLarge(err error) *wayfind.TooLarge {
	t, _ := errors.AsType[*wayfind.TooLarge](err)
	return t
}

// read reports whether a stage reads the answer: a bug in it is a fact about
// that answer, a bug before it says nothing about the site.
func read(op string) bool { return slices.Contains([]string{"match", "parse", "detail", "live"}, op) }
