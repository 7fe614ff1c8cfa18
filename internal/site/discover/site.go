package discover

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// Merge makes the Site of some outcomes, with this Client's own diagnostics. pinned is the error of
// a Site that differs from its pins. ended is the error if w ended the work early, as in
// merge.SiteWithin.
func (eng *Engine) Merge(w *fuel.Counter, in merge.Input, outcomes []*Outcome) (site *wayfind.Site, pinned, ended error) {
	in.Outcomes, in.Cautions = Merged(outcomes), eng.cautions(outcomes)
	if eng.Opts.Trust.Pins != nil {
		in.Pins = func(site *wayfind.Site) []wayfind.Diagnostic {
			report, _ := eng.Opts.Trust.Pins.CheckContext(w.Context(), site) // it ends with the merge
			pinned = eng.Opts.Trust.Refuse("resolve", site.Origin, report)
			return sitePins(site, report)
		}
	}
	_ = w.Do(func() { in.Robots = eng.robotsNotes(w, outcomes) }) // if the call ends here, so does the merge
	site, ended = merge.SiteWithin(w, in)
	eng.Worked.Add(uint64(w.Steps()))
	return site, pinned, ended
}

// Result is the result of a flight.
type Result struct {
	Site     *wayfind.Site
	Err      error
	Outcomes []*Outcome
	Leader   context.Context // the context that Observe has for the call that began the work
}

// CutShort returns the error of a call that ended before anything was found.
func CutShort(target resolve.Target, cause error) error {
	return EndedBy(cause, target, "nothing was found before the time was up")
}

func EndedBy(cause error, target resolve.Target, what string) error {
	code := wayfind.CodeTimeout
	if errors.Is(cause, context.Canceled) {
		code = wayfind.CodeCanceled
	}
	return wayfind.NewError("resolve", target.Origin, code, fmt.Errorf("%s: %w", what, cause))
}

// cautions returns the Site's diagnostics on the caller's choices.
func (eng *Engine) cautions(done []*Outcome) (diags []wayfind.Diagnostic) {
	diags = slices.Clone(eng.Opts.Unsafe)
	for _, host := range eng.mixedAmong(done) {
		diags = append(diags, ruleMixed.Diagnostic("https://"+host,
			"the name has addresses that the policy refuses beside those that it allows; only these were used"))
	}
	return diags
}

// mixedAmong returns the hosts of some outcomes, redirects included, whose name has addresses that
// the policy refuses (Policy.AllowMixedDNS), in order and each once.
func (eng *Engine) mixedAmong(done []*Outcome) []string {
	if !eng.Opts.Policy.AllowMixedDNS {
		return nil
	}
	var found []string
	for _, o := range done {
		for _, ref := range append([]string{o.Candidate.URL}, o.Probe.Redirects...) {
			u, err := url.Parse(ref)
			if err == nil && !slices.Contains(found, u.Host) && (eng.Conns.Mixed(u.Host) || eng.liveCalls.Mixed(u.Host)) {
				found = append(found, u.Host)
			}
		}
	}
	return found
}

var ruleMixed = parse.Rule{Code: "dns.mixed", Severity: wayfind.SeverityWarning,
	Means: "The host name has private or special addresses in addition to public ones. Only the public addresses were used.",
	Mend:  "Publish addresses of a private network in its own name service only."}

var ruleIncomplete = parse.Rule{Code: "site.incomplete", Severity: wayfind.SeverityWarning,
	Means: "The site took long to answer while it held much of the memory that all calls share, and other calls waited. The findings are the ones that there were until then.",
	Mend:  "The documents need no change. Ask again when fewer calls run, or raise `Options.Limits.Bytes`."}

// Rules returns the rules of this package.
func Rules() []parse.Rule {
	return []parse.Rule{
		ruleCrossSite, ruleFiles, ruleFollowBudget, ruleFollowDepth, ruleIncomplete, ruleMixed, rulePinAdded, rulePinMismatch, rulePinRollback, rulePinUnknown,
		rulePinUndigested, rulePinVersion, ruleRefreshFailed, ruleRobotsUnreachable, ruleStale,
	}
}

// Offline returns the error of a call that may send no request and found nothing.
func Offline(op, u string) error {
	return wayfind.NewError(op, u, wayfind.CodeOffline, errors.New("nothing that could be used is stored, and no request is allowed"))
}
