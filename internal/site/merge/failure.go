package merge

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
)

// Failure returns the error of a Site without usable findings, else nil: see [Judge].
func Failure(site *wayfind.Site, outcomes []*Outcome) error {
	return Judge(site.Origin, site.Host, outcomes).Err
}

// failure returns the error of the place that decides. If none does, nothing was found, or robots.txt
// forbade the requests. If an origin only redirects to another host, the error names that host.
func (j *Judgement) failure(s *sum) error {
	kind, chosen := wayfind.ErrNotFound, firstHand(s.chosen, s.outcomes)
	if s.chosen != nil {
		kind = s.kind
	}
	if !j.Known && (kind == wayfind.ErrNotFound || kind == wayfind.ErrInvalid || s.isUnasked()) {
		if err := forbidden(s.origin, s.outcomes); err != nil {
			return err
		}
	}
	if chosen == nil {
		return wayfind.NewError("resolve", s.origin, "", s.nowhere()).WithKind(kind)
	}
	e := wayfind.NewError("resolve", s.origin, "", chosen.Err)
	if kind != wayfind.ErrNotFound { // of a site that has nothing, one place of many says nothing
		e.Err, j.Place = chosen.Cause(), chosen.Candidate.URL
	}
	if cause, ok := errors.AsType[*wayfind.Error](chosen.Err); ok {
		e.Code = cause.Code
		if errors.Is(cause.Kind, wayfind.ErrInternal) {
			kind = wayfind.ErrInternal // a fault of this module, not of the site
		}
	}
	if e.Code == "" && chosen.Probe.Verdict != wayfind.VerdictOtherFormat {
		e.Code = wayfind.Code(chosen.Probe.Reason)
	}
	if kind == wayfind.ErrNotFound {
		e.Err = cmp.Or(s.nowhere(), e.Err)
	}
	e.NotBefore = notBefore(s.outcomes, kind)
	return e.WithKind(kind)
}

// nowhere returns the reason why an origin without documents has none, if it leads to another host: to
// the site's own host, or to an alias, which was not asked for its own places.
func (s *sum) nowhere() error {
	switch {
	case s.alias != "":
		return &verdict.Elsewhere{Host: s.alias}
	case s.host != "":
		return fmt.Errorf("it redirects to %q, where nothing was found", s.host)
	}
	return nil
}

// isUnasked reports whether a place decides that was not asked.
func (s *sum) isUnasked() bool {
	return s.chosen != nil && s.chosen.Probe.Verdict == wayfind.VerdictSkipped
}

// Cause returns the reason why there is no document: the error, or the status of the answer. It
// returns nil if there is neither.
func (o *Outcome) Cause() error {
	if o.Err == nil && o.Probe.Status != 0 && o.Probe.Status != http.StatusOK {
		return &answered{o.Probe.Status, o.problem()}
	}
	return o.Err
}

// problem returns the site's description of its own error (RFC 9457), or "" if there is none.
func (o *Outcome) problem() string {
	for i := range o.Diagnostics {
		if d := &o.Diagnostics[i]; d.Code == reading.CodeProblem {
			return d.Message
		}
	}
	return ""
}

// answered is the error of a status, with the site's description of it, which is quoted.
type answered struct {
	status  int
	problem string
}

// Error implements error.
func (e *answered) Error() string {
	return cmp.Or(e.problem, fmt.Sprintf("the site answers %d", e.status))
}

// Foreign returns the part of the error that a site wrote: see prompt.Prompt.Error.
func (e *answered) Foreign() string { return e.problem }

// leadsAway reports whether the answer was a redirect that the format of the place forbids.
func leadsAway(o *Outcome) bool {
	e, ok := errors.AsType[*wayfind.Error](o.Err)
	return ok && e.Op == "redirect" && o.Probe.Verdict == wayfind.VerdictAbsent
}

// elsewhere returns the host that every place of the origin redirects to. It returns "" if there are
// several hosts or if one place answered. Such a domain is one of several names of a site: it has
// no documents, and none of its requests was refused.
func (s *sum) elsewhere() string {
	there, own := "", cmp.Or(s.host, authorityOf(s.origin))
	for _, o := range s.outcomes {
		kind, ok := s.placeOf(o.Candidate)
		if !ok || kind == verdict.Canary || kind == verdict.RobotsTxt || o.Probe.Verdict == wayfind.VerdictSkipped || leadsAway(o) && o.Away == "" {
			continue
		}
		host := cmp.Or(o.Away, own)
		for _, u := range o.Probe.Redirects {
			host = authorityOf(u)
		}
		if host == own || there != "" && host != there {
			return ""
		}
		there = host
	}
	return there
}

// authorityOf returns the host of a URL, with its port.
func authorityOf(u string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// telling ranks the errors of outcomes with the same verdict by their information. The refusal of
// an address is reported only if there is no other refusal, so that a private name that a site
// redirects to looks the same as a name that does not exist. A redirect that a format forbids
// tells only about that format.
func telling(o *Outcome) int {
	switch {
	case ofAddress(o), leadsAway(o):
		return 0
	case isHeld(o):
		return 1
	}
	return 2
}

// isHeld reports whether no request was sent because an earlier one had failed or had been
// throttled. Then only a word is left of the reason.
func isHeld(o *Outcome) bool {
	e, ok := errors.AsType[*wayfind.Error](o.Err)
	return ok && e.Op == "resolve" && !e.NotBefore.IsZero()
}

// firstHand returns the outcome of the earlier request because of which another was held, for its
// error or its status. It may be an outcome of any place, including robots.txt. If there is none,
// it returns held itself.
func firstHand(held *Outcome, outcomes []*Outcome) *Outcome {
	if held == nil || !isHeld(held) {
		return held
	}
	said, _ := errors.AsType[*wayfind.Error](held.Err)
	for _, o := range outcomes {
		if o.Probe.Verdict != held.Probe.Verdict || isHeld(o) {
			continue
		}
		e, failed := errors.AsType[*wayfind.Error](o.Err)
		if failed && e.Code == said.Code || o.Err == nil && o.Probe.Verdict == wayfind.VerdictThrottled {
			return o
		}
	}
	return held
}

// ofAddress reports whether an outcome is a refusal of an address.
func ofAddress(o *Outcome) bool {
	e, ok := errors.AsType[*wayfind.Error](o.Err)
	return ok && e.Code == wayfind.CodeBlockedAddress
}

// forbidden returns the error of a Site if robots.txt forbade one of its places. If the Site's own
// robots.txt could not be requested, the error is the failure of the site: a reset, a time-out, a
// status.
func forbidden(origin string, outcomes []*Outcome) error {
	for _, o := range outcomes {
		var e *wayfind.Error
		if o.Probe.Verdict == wayfind.VerdictSkipped && !o.Candidate.Canary && !o.Candidate.Aside && errors.As(o.Err, &e) && e.Op == "robots" {
			failure := wayfind.NewError("resolve", origin, e.Code, e.Err)
			if root, ok := errors.AsType[*wayfind.Error](e.Err); ok && strings.HasPrefix(e.URL, origin+"/") {
				failure = wayfind.NewError("resolve", origin, root.Code, root.Err).WithKind(root.Kind)
			}
			failure.NotBefore = e.NotBefore
			return failure
		}
	}
	return nil
}

// notBefore returns the earliest time at which a request makes sense again, for the kinds of errors
// that have one.
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
