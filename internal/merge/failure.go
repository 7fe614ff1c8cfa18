package merge

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/verdict"
)

// Failure returns the error for a Site in which nothing usable was found, else
// nil. Canaries, robots.txt and pages that were asked for only for the things
// beside documents never count. Where robots.txt forbade the requests, that is
// the error. An origin that only redirects to another host has nothing, and the
// error names that host.
func Failure(site *wayfind.Site, outcomes []*Outcome) error {
	kinds := verdict.Kinds()
	best := len(kinds)
	var chosen *Outcome
	alias := elsewhere(site.Origin, outcomes)
	for _, o := range outcomes {
		if o.Candidate.Canary || o.Candidate.Robots || o.Candidate.Aside {
			continue
		}
		if o.Probe.Verdict == wayfind.VerdictFound {
			return nil
		}
		if alias != "" && leadsAway(o) {
			continue // as everything else does
		}
		rank := verdict.Rank(o.Probe.Verdict)
		if rank < best || rank == best && chosen != nil && telling(o) > telling(chosen) {
			best, chosen = rank, o
		}
	}
	chosen = firstHand(chosen, outcomes)
	kind := wayfind.ErrNotFound
	if chosen != nil {
		kind = kinds[best].Err
	}
	if kind == wayfind.ErrNotFound || kind == wayfind.ErrInvalid {
		if err := forbidden(site.Origin, outcomes); err != nil {
			return err
		}
	}
	if chosen == nil {
		return wayfind.NewError("resolve", site.Origin, "", nil).WithKind(kind)
	}
	e := wayfind.NewError("resolve", site.Origin, "", chosen.Err)
	if cause, ok := errors.AsType[*wayfind.Error](chosen.Err); ok {
		e.Code = cause.Code
		if errors.Is(cause.Kind, wayfind.ErrInternal) {
			kind = wayfind.ErrInternal // ours, not theirs
		}
	}
	if e.Code == "" && chosen.Probe.Verdict != wayfind.VerdictOtherFormat {
		e.Code = wayfind.Code(chosen.Probe.Reason)
	}
	if alias != "" && kind == wayfind.ErrNotFound {
		e.Err = fmt.Errorf("everything redirects to %q, where there is nothing either", alias)
	}
	e.NotBefore = notBefore(outcomes, kinds[best].Err)
	return e.WithKind(kind)
}

// leadsAway reports whether the answer was a redirect to another site, at a
// place whose format forbids to follow it.
func leadsAway(o *Outcome) bool {
	e, ok := errors.AsType[*wayfind.Error](o.Err)
	return ok && e.Op == "redirect" && e.Code == wayfind.CodeRedirectCrossSite
}

// elsewhere is the host that every place of an origin redirects to, "" when
// there are several or one place answered. Such a domain is one of several
// names of a site: it has nothing, and none of its requests was refused.
func elsewhere(origin string, outcomes []*Outcome) string {
	there := ""
	for _, o := range outcomes {
		if o.Candidate.Canary || o.Candidate.Robots || o.Candidate.Aside || o.Probe.Verdict == wayfind.VerdictSkipped || leadsAway(o) {
			continue
		}
		host := hostOf(origin)
		for _, u := range o.Probe.Redirects {
			host = hostOf(u)
		}
		if host == hostOf(origin) || there != "" && host != there {
			return ""
		}
		there = host
	}
	return there
}

// hostOf is the host of a URL, with its port.
func hostOf(u string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// telling is how much the error of an outcome says, beside others with its verdict.
// The refusal of an address is reported only if there is no other refusal. So a
// private name that a site redirects to reads like one that does not exist.
func telling(o *Outcome) int {
	switch {
	case ofAddress(o):
		return 0
	case isHeld(o):
		return 1
	}
	return 2
}

// isHeld reports whether no request was sent, because one before had failed or had
// been throttled: by then the reason has become a word.
func isHeld(o *Outcome) bool {
	e, ok := errors.AsType[*wayfind.Error](o.Err)
	return ok && e.Op == "resolve" && !e.NotBefore.IsZero()
}

// firstHand is the outcome of the request because of which another was held, for
// its error: that of any place, robots.txt included. Without one it is the outcome
// itself.
func firstHand(held *Outcome, outcomes []*Outcome) *Outcome {
	if held == nil || !isHeld(held) {
		return held
	}
	said, _ := errors.AsType[*wayfind.Error](held.Err)
	for _, o := range outcomes {
		e, ok := errors.AsType[*wayfind.Error](o.Err)
		if ok && o.Probe.Verdict == held.Probe.Verdict && e.Code == said.Code && !isHeld(o) {
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

// forbidden returns the error of a Site of which robots.txt forbade a place. If its own
// robots.txt could not be asked for, that is the failure of the site: a reset, a time-out,
// a status.
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
