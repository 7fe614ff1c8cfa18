package client

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/merge"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/internal/work"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/robots"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// RobotsMode is the treatment of robots.txt.
type RobotsMode int

const (
	// RobotsReport asks for it and lists in the Site the places that it would
	// forbid.
	RobotsReport RobotsMode = iota
	// RobotsIgnore does not ask for it.
	RobotsIgnore
	// RobotsEnforce asks for it first and requests nothing that it forbids,
	// redirects and Describe included.
	RobotsEnforce
)

// defaultRobotsToken is the product token that rules may name.
const defaultRobotsToken = "wayfind"

// withRobots returns the formats with robots.txt among them, or without,
// regardless of the caller's list: Options.Robots decides.
func withRobots(list []*parse.Format, mode RobotsMode) []*parse.Format {
	is := func(f *parse.Format) bool { return f != nil && f.Name == places.RobotsFormat }
	switch {
	case mode == RobotsIgnore:
		return slices.DeleteFunc(list, is)
	case !slices.ContainsFunc(list, is):
		return append(list, robots.Format())
	}
	return list
}

// robotsCandidate is the place of an origin's rules.
func (a *asking) robotsCandidate(origin string) places.Candidate {
	f := a.engine.byName[places.RobotsFormat]
	return places.Candidate{
		URL: origin + robots.Path, Formats: []*parse.Format{f}, Robots: true,
		Accept: f.Locations[0].Accept, Limits: f.Limits.WithDefaults(),
	}
}

// rulebooks are the rules of the origins that one run meets, each asked for
// once.
type rulebooks struct {
	refresh bool
	mu      sync.Mutex
	of      map[string]func() *outcome
}

// newRulebooks are those of one call; refresh asks again for fresh answers.
func newRulebooks(refresh bool) *rulebooks {
	return &rulebooks{refresh: refresh, of: map[string]func() *outcome{}}
}

// rulesOf asks for the rules of an origin, once for all callers of the run.
func (a *asking) rulesOf(ctx context.Context, origin string) *outcome {
	books := a.books
	books.mu.Lock()
	once := books.of[origin]
	if once == nil {
		once = sync.OnceValue(func() *outcome {
			return a.anonymous().ask(ctx, a.robotsCandidate(origin), books.refresh)
		})
		books.of[origin] = once
	}
	books.mu.Unlock()
	return once()
}

// obey returns why a URL must not be requested under RobotsEnforce.
func (a *asking) obey(ctx context.Context, u *url.URL) error {
	o := a.rulesOf(ctx, security.Origin(u))
	switch {
	case o.Probe.Reason == resolve.ReasonForeign:
		return errForeign // without its rules no other site is asked
	case o.Probe.Verdict == wayfind.VerdictSkipped:
		return o.Err // the time was up, or the caller left
	case unreachableRules(o) && ofHost(o):
		return o.Err // the same would come of the URL, and says more
	case unreachableRules(o):
		e := wayfind.NewError("robots", u.String(), wayfind.CodeRobotsUnreachable,
			errors.New("robots.txt could not be asked for, which forbids everything"))
		if verdict.Held(o.Probe.Verdict) && o.FreshUntil.After(a.engine.opts.clock.Now()) {
			e.NotBefore = o.FreshUntil // the site named a time, or is being left alone
		}
		return e
	case o.forbids(u.String()):
		return wayfind.NewError("robots", u.String(), wayfind.CodeRobots, errors.New("robots.txt asks not to go there"))
	}
	return nil
}

// unreachableRules: a server error, and no answer at all, forbid everything
// (RFC 9309 §2.3.1.4). 429 is one of those, as all clients treat it. Any other
// 4xx means that there are no rules (§2.3.1.3).
func unreachableRules(o *outcome) bool {
	switch v := o.Probe.Verdict; {
	case verdict.Held(v):
		return true
	case v == wayfind.VerdictRefused:
		return false // a redirect that leads nowhere for us: there are no rules
	}
	return o.Probe.Status == 0 || o.Probe.Status >= 500 || o.Probe.Status == 429
}

// ofHost reports whether no request for any URL of the host can succeed: there is no
// such name, no address that can be connected to, or no certificate.
func ofHost(o *outcome) bool {
	e, ok := errors.AsType[*wayfind.Error](o.Err)
	if !ok || len(o.Probe.Redirects) > 0 {
		return false
	}
	switch e.Code {
	case wayfind.CodeDNSNotFound, wayfind.CodeDNS, wayfind.CodeTLS:
		return true
	case wayfind.CodeNetwork:
		if !e.NotBefore.IsZero() { // it failed a moment ago
			return true
		}
	}
	return e.Op == "dns" || e.Op == "dial" || e.Op == "proxy" || e.Op == "tls"
}

// readRules takes the rules of a robots.txt that was answered. An answer that
// is no document has none.
func (o *outcome) readRules(token string) {
	if in := o.doc.Input(); in != nil && o.Probe.Status >= 200 && o.Probe.Status <= 299 {
		o.rules = robots.RulesFor(in.Body, token)
	}
}

// forbids reports whether the rules that an outcome brought forbid to go to a
// URL.
func (o *outcome) forbids(u string) bool { return o.rules != nil && !o.rules.Allowed(u) }

var ruleRobotsUnreachable = parse.Rule{Code: "robots.unreachable", Severity: wayfind.SeverityInfo, Section: "§2.3.1.4",
	Means: "`robots.txt` could not be fetched. Crawlers treat this as a refusal of everything.",
	Mend:  "Serve a `robots.txt`, or answer with 404 where there is none."}

// robotsNotes are the rules for us in the robots.txt among some outcomes, nil
// without one.
func (eng *engine) robotsNotes(w *work.Counter, done []*outcome) *merge.Robots {
	i := slices.IndexFunc(done, func(o *outcome) bool { return o.Candidate.Robots })
	if i < 0 {
		return nil
	}
	rules := done[i]
	notes := &merge.Robots{Policies: ownPolicies(w, rules, eng.opts.Robots.Token, eng.reader), Forbids: rules.forbids}
	if rules.rules != nil {
		notes.Steps = rules.rules.Steps
	}
	if unreachableRules(rules) && rules.Probe.Verdict != wayfind.VerdictSkipped {
		d := ruleRobotsUnreachable.Diagnostic(rules.Candidate.URL, "robots.txt could not be asked for (%s); a crawler would take that for a no", rules.Probe.Verdict)
		d.Spec = &wayfind.SpecRef{Title: "RFC 9309", Section: ruleRobotsUnreachable.Section}
		notes.Diagnostics = []wayfind.Diagnostic{d}
	}
	return notes
}

// ownPolicies are the groups for Options.Robots.Token where the format does not
// list them.
func ownPolicies(w *work.Counter, rules *outcome, token string, reader *reading.Reader) []wayfind.Policy {
	if rules.doc == nil {
		return nil
	}
	if v, _, _ := rules.doc.Verdict(); v != wayfind.VerdictFound {
		return nil
	}
	return reader.Policies(w, rules.doc, robots.PoliciesFor(rules.doc.Input().Body, token), rules.Candidate.URL)
}

// noteRobots marks places that Describe learned and robots.txt forbids, as
// Resolve does with its own. Other origins have rules of their own.
func (d *drill) noteRobots(ctx context.Context) {
	if d.opts.Robots.Mode == RobotsIgnore || d.detail.Source == nil {
		return
	}
	learned := []*wayfind.Capability{d.detail.Capability}
	if d.detail.Capability == nil {
		d.detail.Service.Capabilities = slices.Clone(d.detail.Service.Capabilities)
		learned = pointers(d.detail.Service.Capabilities)
	}
	learned = slices.DeleteFunc(learned, func(c *wayfind.Capability) bool {
		return c.Invocation == nil || !strings.HasPrefix(c.Invocation.URL+c.Invocation.Template, d.site.Origin+"/")
	})
	if len(learned) == 0 {
		return
	}
	a, end := d.begin(ctx)
	defer end()
	rules := a.rulesOf(a.work, d.site.Origin)
	for _, c := range learned {
		c.RobotsDisallowed = c.RobotsDisallowed || rules.forbids(c.Invocation.URL+c.Invocation.Template)
	}
}

// pointers are those of the elements of a list.
func pointers[T any](list []T) []*T {
	all := make([]*T, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}
