package merge

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
)

// Failure returns the error for a Site without usable findings, else nil. It ignores canaries,
// robots.txt and pages that were requested only for the things beside documents. If robots.txt
// forbade the requests, that is the error. If an origin only redirects to another host, it has no
// documents, and the error names that host.
func Failure(site *wayfind.Site, outcomes []*Outcome) error {
	kinds := verdict.Kinds()
	best := len(kinds)
	var chosen *Outcome
	alias := elsewhere(site.Origin, outcomes)
	known := knowsAbsence(outcomes)
	for _, o := range outcomes {
		if !isAsked(o) {
			continue
		}
		if o.Probe.Verdict == wayfind.VerdictFound {
			return nil
		}
		if alias != "" && leadsAway(o) || known && !decides(o, outcomes) {
			continue // as all other places do, or for itself alone
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
		return wayfind.NewError("resolve", site.Origin, "", nowhere(site.Host, alias)).WithKind(kind)
	}
	e := wayfind.NewError("resolve", site.Origin, "", chosen.Err)
	if kind != wayfind.ErrNotFound { // of a site that has nothing, one place of many says nothing
		e.Err = chosen.Cause()
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
		e.Err = cmp.Or(nowhere(site.Host, alias), e.Err)
	}
	e.NotBefore = notBefore(outcomes, kinds[best].Err)
	return e.WithKind(kind)
}

// nowhere returns the reason why an origin without documents has none, if it leads to another host: to
// the site's own host, or to an alias, which was not asked for its own places.
func nowhere(host, alias string) error {
	switch {
	case host != "":
		return fmt.Errorf("it redirects to %q, where nothing was found", host)
	case alias != "":
		return &verdict.Elsewhere{Host: alias}
	}
	return nil
}

// knowsAbsence reports whether a place that is meant for agents has no document: then the answers of
// other paths are not needed to know what the domain offers.
func knowsAbsence(outcomes []*Outcome) bool {
	return slices.ContainsFunc(outcomes, func(o *Outcome) bool {
		return isAsked(o) && !o.Candidate.IsOrdinary() && o.Probe.Verdict.Kind() == wayfind.ErrNotFound && !leadsAway(o)
	})
}

func isAsked(o *Outcome) bool {
	return !o.Candidate.Canary && !o.Candidate.Robots && !o.Candidate.Aside && !o.Candidate.Lead
}

// decides reports whether the answer of a place may be that of the domain although other places have
// no document. An ordinary path is the business of an application. A wall stands before more than one
// place.
func decides(o *Outcome, outcomes []*Outcome) bool {
	if o.Candidate.IsOrdinary() {
		return false
	}
	if o.Probe.Verdict != wayfind.VerdictBlocked {
		return true
	}
	walls := 0
	for _, other := range outcomes {
		if other.Probe.Verdict == wayfind.VerdictBlocked {
			walls++
		}
	}
	return walls > 1
}

// Cause returns the reason why there is no document: the error, or the status of the answer. It
// returns nil if there is neither.
func (o *Outcome) Cause() error {
	if o.Err == nil && o.Probe.Status != 0 && o.Probe.Status != http.StatusOK {
		return fmt.Errorf("the site answers %d", o.Probe.Status)
	}
	return o.Err
}

// leadsAway reports whether the answer was a redirect that the format of the place forbids.
func leadsAway(o *Outcome) bool {
	e, ok := errors.AsType[*wayfind.Error](o.Err)
	return ok && e.Op == "redirect" && o.Probe.Verdict == wayfind.VerdictAbsent
}

// elsewhere returns the host that every place of an origin redirects to. It returns "" if there are
// several hosts or if one place answered. Such a domain is one of several names of a site: it has
// no documents, and none of its requests was refused.
func elsewhere(origin string, outcomes []*Outcome) string {
	there := ""
	for _, o := range outcomes {
		if !isAsked(o) || o.Probe.Verdict == wayfind.VerdictSkipped || leadsAway(o) && o.Away == "" {
			continue
		}
		host := cmp.Or(o.Away, authorityOf(origin))
		for _, u := range o.Probe.Redirects {
			host = authorityOf(u)
		}
		if host == authorityOf(origin) || there != "" && host != there {
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
