package discover

import (
	"context"
	"errors"
	"fmt"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// Result is the result of a flight.
type Result struct {
	Site     *wayfind.Site
	Err      error
	Outcomes []*Outcome
	Target   resolve.Target  // that was asked
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

var ruleMixed = parse.Rule{Code: "dns.mixed", Severity: wayfind.SeverityWarning,
	Means: "The host name has private or special addresses in addition to public ones. Only the public addresses were used.",
	Mend:  "Publish addresses of a private network in its own name service only."}

var ruleIncomplete = parse.Rule{Code: "site.incomplete", Severity: wayfind.SeverityWarning,
	Means: "The site took long to answer while it held much of the memory that all calls share, and other calls waited. The findings are the ones that there were until then.",
	Mend:  "The documents need no change. Ask again when fewer calls run, or raise `Options.Limits.Bytes`."}

// Rules returns the rules of this package.
func Rules() []parse.Rule {
	return []parse.Rule{
		ruleCrossSite, ruleFiles, ruleFollowBudget, ruleFollowDepth, ruleFollowPages, ruleForbidden, ruleIncomplete, ruleMixed, rulePinAdded, rulePinMismatch, rulePinRollback, rulePinUnknown,
		rulePinUndigested, rulePinVersion, ruleRefreshFailed, ruleRobotsUnreachable, ruleStale,
	}
}

// Offline returns the error of a call that may send no request and found nothing.
func Offline(op, u string) error {
	return wayfind.NewError(op, u, wayfind.CodeOffline, errors.New("nothing that could be used is stored, and no request is allowed"))
}
