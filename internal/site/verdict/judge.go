package verdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/web/wall"
)

// OfStatus returns the verdict on a status and header alone. VerdictFound means that the content
// decides, also about a wall that answers 200. page is true if the content is a web page, or if there
// is none.
func OfStatus(status int, header http.Header, page bool) (v wayfind.Verdict, reason string) {
	v, reason = ofStatus(status, header)
	if v != wayfind.VerdictFound && wall.ByHeader(status, header, page).Is() {
		return wayfind.VerdictBlocked, string(wayfind.CodeFirewall)
	}
	return v, reason
}

func ofStatus(status int, header http.Header) (v wayfind.Verdict, reason string) {
	for i := range rows {
		for _, s := range rows[i].statuses {
			if s.include(status, header) {
				if s.code == wayfind.CodePayment && Price(header) != "" {
					return rows[i].Verdict, string(wayfind.CodePrice)
				}
				return rows[i].Verdict, string(s.code)
			}
		}
	}
	return wayfind.VerdictUnrecognised, string(wayfind.CodeStatus)
}

// Price returns the price that the header of a 402 names, "" if it names none: the field of Cloudflare's
// pay per crawl, the demand of x402, or the challenge of the Machine Payments Protocol. Only the first is
// for people.
func Price(header http.Header) string {
	challenge := header.Get("WWW-Authenticate")
	if scheme, _, _ := strings.Cut(challenge, " "); !strings.EqualFold(scheme, "Payment") {
		challenge = ""
	}
	return cmp.Or(header.Get("Crawler-Price"), header.Get("Payment-Required"), challenge)
}

// OfError returns the verdict on a request without a usable answer.
func OfError(err error) (v wayfind.Verdict, reason string) {
	const deadline = string(wayfind.CodeDeadline)
	e, ok := errors.AsType[*wayfind.Error](err)
	switch {
	case !ok && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return wayfind.VerdictSkipped, deadline
	case !ok:
		return wayfind.VerdictUnreachable, ""
	case e.Kind == nil, e.Code == wayfind.CodeCanceled && !answered(e):
		return wayfind.VerdictSkipped, deadline // the caller ended it, which is not a fact about the site
	case e.Code == wayfind.CodeFirewall:
		return wayfind.VerdictBlocked, string(e.Code)
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

// Elsewhere is the cause of an error if a domain redirects everything to another host, which was not
// asked for its own places.
type Elsewhere struct{ Host string }

func (e *Elsewhere) Error() string { return fmt.Sprintf("everything redirects to %q", e.Host) }

// Sibling is the cause of an error if a name has no address, and another name of the site has one. That
// was not asked.
type Sibling struct {
	Host string
	Err  error
}

func (e *Sibling) Error() string { return fmt.Sprintf("%v; %q has an address", e.Err, e.Host) }

func (e *Sibling) Unwrap() error { return e.Err }

// StatusError is the cause of an error if a live endpoint refuses with an HTTP status.
type StatusError interface {
	error
	HTTPStatus() int
}

// answered reports whether a live endpoint answered with the error. The answer is then more
// important than the code of the error.
func answered(e *wayfind.Error) bool {
	return errors.Is(e.Kind, wayfind.ErrBlocked) || errors.Is(e.Kind, wayfind.ErrNotFound) || errors.Is(e.Kind, wayfind.ErrThrottled)
}

// ofKind returns the verdict on an error by its kind.
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

// OfUnread returns the verdict on a document that cannot be read.
func OfUnread(err error) wayfind.Verdict {
	if TooLarge(err) != nil {
		return wayfind.VerdictTooLarge
	}
	return wayfind.VerdictMalformed
}

// Explain sets the error of a probe. A nil err sets nothing.
func Explain(p *wayfind.Probe, err error) {
	p.Error, p.TooLarge = "", TooLarge(err)
	if err != nil {
		p.Error = err.Error()
	}
}

// TooLarge returns the limit that a document exceeds, or nil if err has another cause.
func TooLarge(err error) *wayfind.TooLarge {
	t, _ := errors.AsType[*wayfind.TooLarge](err)
	return t
}

// read reports whether a stage reads the answer. A bug in such a stage is a fact about the
// answer. A bug in an earlier stage is not a fact about the site.
func read(op string) bool { return slices.Contains([]string{"match", "parse", "detail", "live"}, op) }
