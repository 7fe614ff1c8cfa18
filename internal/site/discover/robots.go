package discover

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// robotsCandidate returns the place of an origin's rules.
func (s *Session) robotsCandidate(origin string) *places.Candidate {
	f := s.Engine.ByName[places.RobotsFormat]
	return &places.Candidate{
		URL: origin + robots.Path, Formats: []*parse.Format{f}, Robots: true,
		Accept: f.Locations[0].Accept, Limits: f.Limits.WithDefaults(),
	}
}

// rulebooks contains the rules of the origins that one call meets, each requested once.
type rulebooks struct {
	refresh bool // request fresh rules again
	mu      sync.Mutex
	of      map[string]func() *Outcome
}

// RulesOf requests the rules of an origin, once for all callers of the run.
func (s *Session) RulesOf(ctx context.Context, origin string) *Outcome {
	books := s.Books
	books.mu.Lock()
	once := books.of[origin]
	if once == nil {
		once = sync.OnceValue(func() *Outcome {
			return s.anonymous().Ask(ctx, s.robotsCandidate(origin), books.refresh)
		})
		books.of[origin] = once
	}
	books.mu.Unlock()
	return once()
}

// obey returns the reason why a URL must not be requested under RobotsEnforce, or nil.
func (s *Session) obey(ctx context.Context, u *url.URL) error {
	o := s.RulesOf(ctx, security.Origin(u))
	switch {
	case o.Probe.Reason == resolve.ReasonForeign:
		return errForeign // no other site is asked without its rules
	case o.Probe.Verdict == wayfind.VerdictSkipped:
		return o.Err // the time ran out, or the caller left
	case unreachableRules(o) && ofHost(o):
		return o.Err // a request for the URL would fail the same way
	case unreachableRules(o):
		e := wayfind.NewError("robots", u.String(), wayfind.CodeRobotsUnreachable, whyNoRules(o))
		if verdict.Held(o.Probe.Verdict) && o.FreshUntil.After(s.Engine.Opts.Clock.Now()) {
			e.NotBefore = o.FreshUntil // the site named a time, or is being left alone
		}
		return e
	case o.Forbids(u.String()):
		return wayfind.NewError("robots", u.String(), wayfind.CodeRobots, errors.New("robots.txt asks not to go there"))
	}
	return nil
}

// whyNoRules returns an error with the reason why the rules could not be requested. The reason is
// the failure of the site, which a caller wants to know before its consequence. If robots.txt
// redirects, the error has no reason of the site, because the site itself may be sound.
func whyNoRules(o *Outcome) error {
	const consequence = "robots.txt could not be asked for, which forbids everything"
	if len(o.Probe.Redirects) > 0 {
		return errors.New(consequence)
	}
	code, why := wayfind.Code(o.Probe.Reason), error(nil)
	if e, ok := errors.AsType[*wayfind.Error](o.Err); ok {
		code, why = e.Code, e.Err
	}
	switch {
	case o.Probe.Status != 0 && o.Probe.Status != http.StatusOK:
		why = fmt.Errorf("the site answers %d for robots.txt, which forbids everything", o.Probe.Status)
	case why == nil:
		why = errors.New(consequence)
	default:
		why = fmt.Errorf("%w; %s", why, consequence)
	}
	e := wayfind.NewError("robots", o.Candidate.URL, code, why)
	if o.Probe.Verdict == wayfind.VerdictThrottled {
		return e.WithKind(wayfind.ErrThrottled)
	}
	return e
}

// unreachableRules reports whether robots.txt forbids everything: because of a server error or
// because there is no answer (RFC 9309 §2.3.1.4). The status 429 belongs here as well, as in all
// clients. Any other 4xx means that there are no rules (§2.3.1.3).
func unreachableRules(o *Outcome) bool {
	switch v := o.Probe.Verdict; {
	case verdict.Held(v):
		return true
	case v == wayfind.VerdictRefused:
		return false // a redirect whose target is refused: there are no rules
	}
	return o.Probe.Status == 0 || o.Probe.Status >= 500 || o.Probe.Status == 429
}

// ofHost reports whether no request for any URL of the host can succeed, because the name does not
// exist, no address can be connected to, or the certificate is invalid.
func ofHost(o *Outcome) bool {
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

// readRules reads the rules of a robots.txt that was answered. An answer that is no document has no
// rules.
func (o *Outcome) readRules(token string) {
	if in := o.Doc.Input(); in != nil && o.Probe.Status >= 200 && o.Probe.Status <= 299 {
		o.rules = robots.RulesFor(in.Body, token)
	}
}

// Forbids reports whether the rules of an outcome forbid a request for a URL.
func (o *Outcome) Forbids(u string) bool { return o.rules != nil && !o.rules.Allowed(u) }

var ruleRobotsUnreachable = parse.Rule{Code: "robots.unreachable", Severity: wayfind.SeverityInfo, Section: "§2.3.1.4",
	Means: "`robots.txt` could not be fetched. Crawlers treat this as a refusal of everything.",
	Mend:  "Serve a `robots.txt`, or answer with 404 where there is none."}

// robotsNotes returns the rules for this Client in the robots.txt among some outcomes, or nil if
// there is no robots.txt.
func (eng *Engine) robotsNotes(w *fuel.Counter, done []*Outcome) *merge.Robots {
	i := slices.IndexFunc(done, func(o *Outcome) bool { return o.Candidate.Robots })
	if i < 0 {
		return nil
	}
	rules := done[i]
	notes := &merge.Robots{Policies: ownPolicies(w, rules, eng.Opts.Robots.Token, eng.Reader), Forbids: rules.Forbids}
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

// ownPolicies returns the groups for Options.Robots.Token, if the format does not list them.
func ownPolicies(w *fuel.Counter, rules *Outcome, token string, reader *reading.Reader) []wayfind.Policy {
	if rules.Doc == nil {
		return nil
	}
	if v, _, _ := rules.Doc.Verdict(); v != wayfind.VerdictFound {
		return nil
	}
	return reader.Policies(w, rules.Doc, robots.PoliciesFor(rules.Doc.Input().Body, token), rules.Candidate.URL)
}
