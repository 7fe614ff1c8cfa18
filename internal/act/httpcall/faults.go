package httpcall

import (
	"cmp"
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/parse"
)

var (
	ruleImpossible = parse.Rule{Code: "call.impossible", Severity: wayfind.SeverityError,
		Means: "No client of this module can send a request of the operation, whatever the arguments. It is offered to no model.",
		Mend:  "Describe a request that can be written: a body of JSON or a form, and no required parameter that only the client itself sets."}
	ruleUnwritten = parse.Rule{Code: "call.unwritten", Severity: wayfind.SeverityWarning,
		Means: "No value of an optional argument can be written into a request. The operation is offered without the argument.",
		Mend:  "Give the argument a style and a media type that fit its place and its schema."}
)

// Rules returns the rules about operations that cannot be called as they are described.
func Rules() []parse.Rule { return []parse.Rule{ruleImpossible, ruleUnwritten} }

// Faults returns the operations over plain HTTP of a Site that nothing can call, and the optional
// arguments that nothing can write. The definitions of the Site must be complete. An operation whose
// format has already reported an argument without a place is not reported again: said has these
// diagnostics.
func Faults(w *fuel.Counter, site *wayfind.Site, said []wayfind.Diagnostic) (list []wayfind.Diagnostic) {
	type place struct{ source, pointer string }
	unplaced := map[place]bool{}
	for i := range said {
		if strings.HasSuffix(said[i].Code, ".unplaced_input") || strings.HasSuffix(said[i].Code, ".unread_input") {
			unplaced[place{said[i].Source, said[i].Pointer}] = true
		}
	}
	for i := range site.Services {
		service := &site.Services[i]
		for j := range service.Capabilities {
			c := &service.Capabilities[j]
			if c.Lazy || c.Invocation == nil || c.Invocation.Protocol != "http" || len(c.Sources) == 0 {
				continue
			}
			auth, schemes := cmp.Or(c.Auth, service.Auth), 0
			if auth != nil {
				schemes = len(auth.Schemes)
			}
			for k := range c.Params {
				w.Text(len(c.Params[k].Schema) + each*(schemes+len(c.Invocation.Encodings)))
			}
			at := c.Sources[0]
			report := func(r parse.Rule, format string, args ...any) {
				d := r.Diagnostic(at.Source, format, args...)
				d.Pointer = at.Pointer
				list = append(list, d)
			}
			op := OperationOf(c, auth)
			if _, err := op.Callable(); err != nil {
				if e, ok := errors.AsType[*Error](err); ok && e.In != "" && !unplaced[place{at.Source, at.Pointer}] { // the formats report servers
					report(ruleImpossible, "no request of the operation can be sent: %s", faultOf(e))
				}
				continue
			}
			for k := range c.Params {
				if p := &c.Params[k]; !isRequired(p) {
					if shapes, why := op.Written(p); shapes == 0 {
						report(ruleUnwritten, "the argument %q is not offered: %s", p.Name, why.Sentence())
					}
				}
			}
		}
	}
	return list
}

// each is the work of comparing a parameter with a scheme or an encoding, in bytes of text.
const each = 64

// faultOf returns the text of an Error for a publisher.
func faultOf(e *Error) string {
	if e.Name == "" {
		return e.Code.Sentence()
	}
	return e.Name + " (" + e.In + "): " + e.Code.Sentence()
}
