package resolve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
)

// JudgeStatus gives the verdict on a status and header alone. The verdict
// VerdictFound means: look at the content.
func JudgeStatus(status int, header http.Header, html bool) (v wayfind.Verdict, reason string) {
	if firewall(status, header, html) {
		return wayfind.VerdictBlocked, string(wayfind.CodeFirewall)
	}
	switch status {
	case http.StatusOK, http.StatusNonAuthoritativeInfo:
		return wayfind.VerdictFound, ""
	case http.StatusNoContent, http.StatusNotFound, http.StatusGone:
		return wayfind.VerdictAbsent, ""
	case http.StatusUnauthorized, http.StatusForbidden:
		return wayfind.VerdictProtected, ""
	case http.StatusPaymentRequired:
		return wayfind.VerdictProtected, string(wayfind.CodePayment)
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return wayfind.VerdictEndpointLike, ""
	case http.StatusTooManyRequests:
		return wayfind.VerdictThrottled, ""
	case http.StatusServiceUnavailable:
		if header.Get("Retry-After") != "" {
			return wayfind.VerdictThrottled, ""
		}
		return wayfind.VerdictUnreachable, string(wayfind.CodeServerError)
	}
	if status >= 500 && status <= 599 {
		return wayfind.VerdictUnreachable, string(wayfind.CodeServerError)
	}
	return wayfind.VerdictUnrecognised, string(wayfind.CodeStatus)
}

// firewall recognises the answers of something in front of the site: it says
// so in a field of its own, or it shows a page where a site would say JSON.
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

// JudgeError gives the verdict on a request that brought no usable answer.
func JudgeError(err error) (v wayfind.Verdict, reason string) {
	var e *wayfind.Error
	if !errors.As(err, &e) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return wayfind.VerdictSkipped, ReasonDeadline
		}
		return wayfind.VerdictUnreachable, ""
	}
	if e.Kind == nil {
		return wayfind.VerdictSkipped, ReasonDeadline // the caller's end, no fact about the site
	}
	switch { // said by a live endpoint
	case errors.Is(e.Kind, wayfind.ErrBlocked):
		return wayfind.VerdictProtected, string(e.Code)
	case errors.Is(e.Kind, wayfind.ErrNotFound):
		return wayfind.VerdictAbsent, string(e.Code)
	}
	switch e.Code {
	case wayfind.CodeCanceled:
		return wayfind.VerdictSkipped, ReasonDeadline
	case wayfind.CodeRobots, wayfind.CodeRobotsUnreachable:
		return wayfind.VerdictSkipped, string(e.Code)
	case wayfind.CodeTooLarge, wayfind.CodeEncoding:
		return wayfind.VerdictMalformed, string(e.Code)
	case wayfind.CodeStatus:
		return wayfind.VerdictUnrecognised, string(e.Code)
	}
	switch {
	case errors.Is(e.Kind, wayfind.ErrThrottled):
		return wayfind.VerdictThrottled, string(e.Code)
	case errors.Is(e.Kind, wayfind.ErrRefused):
		return wayfind.VerdictRefused, string(e.Code)
	case errors.Is(e.Kind, wayfind.ErrInvalid), errors.Is(e.Kind, wayfind.ErrInternal) && read(e.Op):
		return wayfind.VerdictMalformed, string(e.Code)
	}
	return wayfind.VerdictUnreachable, string(e.Code)
}

// read reports whether a stage reads what was answered: a bug in it is a fact
// about that answer, a bug before it says nothing about the site.
func read(op string) bool { return slices.Contains([]string{"match", "parse", "detail", "live"}, op) }

// Reasons of VerdictSkipped.
const (
	ReasonDeadline = string(wayfind.CodeDeadline) // the caller's time was up
	ReasonRobots   = string(wayfind.CodeRobots)   // robots.txt forbids it
	// ReasonRobotsUnreachable: robots.txt could not be asked for, and counts.
	ReasonRobotsUnreachable = string(wayfind.CodeRobotsUnreachable)
	ReasonOffline           = string(wayfind.CodeOffline) // nobody may be asked
	ReasonBudget            = "budget"                    // too many URLs for one Resolve
	ReasonFirstMatch        = "first_match"               // something was found before
	ReasonPace              = "pace"                      // the site wants a longer pause than the caller waits for
)

// How long answers are remembered (DESIGN's table of verdicts).
const (
	// MinNegative and MaxNegative bound how long a "no" counts.
	MinNegative = 10 * time.Minute
	MaxNegative = 24 * time.Hour
	// KeepUnknown is how long "they do not let us see" counts, and how long
	// a redirect that policy refuses.
	KeepUnknown = 10 * time.Minute
	// KeepEndpoint is for places that want another method.
	KeepEndpoint = time.Hour
	// ThrottleFirst doubles with each 429 without Retry-After, up to
	// ThrottleMax, which also caps Retry-After.
	ThrottleFirst = 60 * time.Second
	ThrottleMax   = 24 * time.Hour
	// FailureFirst doubles with each failure to reach, up to FailureMax.
	FailureFirst = 30 * time.Second
	FailureMax   = 10 * time.Minute
	// KeepNXDomain is for names that do not exist.
	KeepNXDomain = 5 * time.Minute
)

// Lifetime is a freshness lifetime and whether the response gave it.
type Lifetime struct {
	For      time.Duration
	Explicit bool
}

// Keep returns how long an answer counts. response is what the response gives
// by RFC 9111, format the default of the format and negative its word on
// absence (both 0 without one).
func Keep(v wayfind.Verdict, response Lifetime, format, negative time.Duration) time.Duration {
	switch v {
	case wayfind.VerdictFound:
		if !response.Explicit && format > 0 {
			return format
		}
		return response.For
	case wayfind.VerdictAbsent:
		switch {
		case negative > 0:
			return negative
		case response.Explicit:
			return min(max(response.For, MinNegative), MaxNegative)
		}
		return MaxNegative
	case wayfind.VerdictSoft404, wayfind.VerdictUnrecognised, wayfind.VerdictOtherFormat:
		return min(max(response.For, MinNegative), MaxNegative)
	case wayfind.VerdictMalformed, wayfind.VerdictProtected, wayfind.VerdictBlocked, wayfind.VerdictRefused:
		return KeepUnknown
	case wayfind.VerdictEndpointLike:
		return KeepEndpoint
	}
	return 0
}

// kinds in the order of precedence when nothing was found: what hides most
// comes first.
var kinds = [...]error{
	wayfind.ErrRefused, wayfind.ErrThrottled, wayfind.ErrBlocked,
	wayfind.ErrUnreachable, wayfind.ErrInvalid, wayfind.ErrNotFound,
}

// Failure returns the error for a Site in which nothing usable was found, nil
// when something was. Canaries and robots.txt never count. Where nothing was
// found because robots.txt forbade to look, that is the error.
func Failure(site *wayfind.Site, outcomes []*Outcome) error {
	best := len(kinds)
	var chosen *Outcome
	for _, o := range outcomes {
		if o.Candidate.Canary || o.Candidate.Robots {
			continue
		}
		if o.Probe.Verdict == wayfind.VerdictFound {
			return nil
		}
		for rank, kind := range kinds {
			if rank < best && o.Probe.Verdict.Kind() == kind {
				best, chosen = rank, o
			}
		}
	}
	e := &wayfind.Error{Op: "resolve", URL: site.Origin, Kind: wayfind.ErrNotFound}
	if chosen == nil || kinds[best] == wayfind.ErrNotFound || kinds[best] == wayfind.ErrInvalid {
		if err := forbidden(site.Origin, outcomes); err != nil {
			return err
		}
	}
	if chosen == nil {
		return e
	}
	e.Kind, e.NotBefore = kinds[best], notBefore(outcomes, kinds[best])
	var cause *wayfind.Error
	switch {
	case errors.As(chosen.Err, &cause):
		e.Code, e.Err = cause.Code, chosen.Err
		if errors.Is(cause.Kind, wayfind.ErrInternal) {
			e.Kind = wayfind.ErrInternal // ours, not theirs
		}
	case chosen.Err != nil:
		e.Err = chosen.Err
	}
	if e.Code == "" && chosen.Probe.Verdict != wayfind.VerdictOtherFormat {
		e.Code = wayfind.Code(chosen.Probe.Reason)
	}
	return e
}

// forbidden returns the error of a Site of which something was not looked at
// because of robots.txt.
func forbidden(origin string, outcomes []*Outcome) error {
	for _, o := range outcomes {
		var e *wayfind.Error
		if o.Probe.Verdict == wayfind.VerdictSkipped && !o.Candidate.Canary && errors.As(o.Err, &e) && e.Op == "robots" {
			return &wayfind.Error{Op: "resolve", URL: origin, Kind: e.Kind, Code: e.Code, Err: e.Err}
		}
	}
	return nil
}

// notBefore returns the earliest time at which asking makes sense again, for
// the kinds that have one.
func notBefore(outcomes []*Outcome, kind error) (t time.Time) {
	if kind != wayfind.ErrThrottled {
		return t
	}
	for _, o := range outcomes {
		if o.Probe.Verdict == wayfind.VerdictThrottled && (t.IsZero() || o.FreshUntil.Before(t)) {
			t = o.FreshUntil
		}
	}
	return t
}
