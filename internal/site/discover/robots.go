package discover

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
)

// rulebooks contains the rules of the origins that one call meets, each requested once.
type rulebooks struct {
	refresh bool // request fresh rules again
	mu      sync.Mutex
	of      map[string]func() *Outcome
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

var ruleRobotsUnreachable = parse.Rule{Code: "robots.unreachable", Severity: wayfind.SeverityInfo, Section: "§2.3.1.4",
	Means: "`robots.txt` could not be fetched. Crawlers treat this as a refusal of everything.",
	Mend:  "Serve a `robots.txt`, or answer with 404 where there is none."}

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
