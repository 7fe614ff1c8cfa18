package httpcall

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/callable"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/schema"
)

var (
	ruleImpossible = parse.Rule{Code: "call.impossible", Severity: wayfind.SeverityError,
		Means: "No client of this module can send a request of the operation, whatever the arguments. It is offered to no model.",
		Mend:  "Describe a request that can be written: a server with a full https URL and a public host name, a method that calls an API, a body of JSON, XML or a form, a value that each required argument can have, no required parameter that only the client itself sets, and a credential that can be sent (a key, HTTP Basic, a token, OAuth or a client certificate)."}
	ruleUnwritten = parse.Rule{Code: "call.unwritten", Severity: wayfind.SeverityWarning,
		Means: "No value of an optional argument can be written into a request. The operation is offered without the argument.",
		Mend:  "Give the argument a style and a media type that fit its place and its schema."}
)

// Rules returns the rules about operations that cannot be called as they are described.
func Rules() []parse.Rule { return []parse.Rule{ruleImpossible, ruleUnwritten} }

// Faults returns the operations of a Site that nothing can call, and the optional arguments of those
// over plain HTTP that nothing can write. The definitions of the Site must be complete. An operation whose
// format has already reported an argument without a place is not reported again: said has these
// diagnostics.
func Faults(w *fuel.Counter, site *wayfind.Site, said []wayfind.Diagnostic) []wayfind.Diagnostic {
	f := &faults{work: w, unplaced: map[place]bool{}, dead: map[place]*wayfind.Diagnostic{}, told: map[place]bool{}, origin: site.Origin, text: maxText}
	for i := range said {
		at := place{said[i].Source, said[i].Pointer}
		switch _, code, _ := strings.Cut(said[i].Code, "."); code {
		case "unplaced_input", "unread_input":
			f.unplaced[at] = true
		case "method":
			f.dead[at] = &said[i]
		}
		if callable.AboutNoServer(&said[i]) {
			f.servers = append(f.servers, said[i])
		}
	}
	for i := range site.Services {
		service := &site.Services[i]
		f.agent(service)
		for j := range service.Capabilities {
			if c := &service.Capabilities[j]; !c.Lazy && len(c.Sources) > 0 {
				f.find(c, service)
			}
		}
	}
	return f.list
}

// faults finds the faults of a Site.
type faults struct {
	work     *fuel.Counter
	unplaced map[place]bool
	servers  []wayfind.Diagnostic          // about servers of which none can be called
	dead     map[place]*wayfind.Diagnostic // about methods that call no API, by the place of the operation
	told     map[place]bool                // places of servers that are reported
	origin   string                        // of the Site
	text     int                           // bytes that are left for the schemas of all arguments
	list     []wayfind.Diagnostic
}

type place struct{ source, pointer string }

// maxText is the maximum size of the schemas of arguments that are checked for a Site, in bytes. Those
// of the largest published descriptions take more: of the rest of their operations only the places and
// media types are judged.
const maxText = 4 << 20

// agent reports an agent that takes no credential that can be sent. Its skills have no requests of their own.
func (f *faults) agent(service *wayfind.Service) {
	for _, protocol := range [...]string{callable.A2A, callable.Actors} {
		if e, ok := errors.AsType[*Error](locked(service, nil, protocol)); ok && len(service.Sources) > 0 {
			f.reportAt(service.Sources[0], ruleImpossible, "no message to the agent can be sent: %s", faultOf(e))
			return
		}
	}
}

// locked returns the reason why no caller can meet the authentication of any interface for a protocol, or
// nil. own is the authentication of a capability; it may be nil.
func locked(service *wayfind.Service, own *wayfind.Auth, protocol string) (why error) {
	for i := range service.Interfaces {
		if at := &service.Interfaces[i]; at.Protocol == protocol {
			if why = Locked(cmp.Or(own, at.Auth, service.Auth)); why == nil {
				return nil
			}
		}
	}
	return why
}

// lockedCall returns the same reason for a capability that is not called over plain HTTP.
func lockedCall(c *wayfind.Capability, service *wayfind.Service) error {
	switch {
	case c.Invocation == nil:
		return nil
	case c.Invocation.URL != "": // a method with servers of its own
		return Locked(cmp.Or(c.Auth, service.Auth))
	}
	return locked(service, c.Auth, c.Invocation.Protocol)
}

func (f *faults) find(c *wayfind.Capability, service *wayfind.Service) {
	auth := cmp.Or(c.Auth, service.Auth)
	if f.unplaced[place{c.Sources[0].Source, c.Sources[0].Pointer}] {
		return
	}
	if to := c.Invocation; to == nil || to.URL == "" && to.Template == "" {
		if f.nowhere(c) {
			return
		}
	}
	op := &Operation{}
	if c.Invocation != nil && c.Invocation.Protocol == "http" {
		schemes := 0
		if auth != nil {
			schemes = len(auth.Schemes)
		}
		f.work.Text(each * schemes)
		for k := range c.Params {
			f.work.Text(len(c.Params[k].Schema) + each*(schemes+len(c.Invocation.Encodings)))
		}
		op = OperationOf(c, auth)
		origin, err := op.Callable()
		if e, ok := errors.AsType[*Error](err); ok && e.OfRequest() {
			f.report(c, ruleImpossible, "no request of the operation can be sent: %s", faultOf(e))
			return
		}
		if err != nil || callable.Refused(f.origin, origin) != nil {
			f.nowhere(c)
			return
		}
	} else if e, ok := errors.AsType[*Error](lockedCall(c, service)); ok {
		f.report(c, ruleImpossible, "no request of the operation can be sent: %s", faultOf(e))
		return
	}
	limits, required, never := f.arguments(c, op)
	if never {
		f.report(c, ruleImpossible, "no arguments are valid: an argument that is required can have no value")
		return
	}
	for k := range c.Params {
		p := &c.Params[k]
		name := cmp.Or(p.Argument, p.Name)
		shapes, why := op.Written(p)
		if limit, limited := limits[name]; limited {
			shapes = limit.Shapes
		}
		switch {
		case shapes != 0:
		case isRequired(p) || slices.Contains(required, name):
			f.report(c, ruleImpossible, "no request of the operation can be sent: %s", faultOf(&Error{Code: why, In: p.In, Name: p.Name}))
		default:
			f.report(c, ruleUnwritten, "the argument %q is not offered: %s", p.Name, why.Sentence())
		}
	}
}

// nowhere reports an operation without an address that can be called: its method is none for calls, or no
// server is. Servers are reported once for all their operations. Other reasons are reported by the formats.
func (f *faults) nowhere(c *wayfind.Capability) bool {
	at := c.Sources[0]
	if d := f.dead[place{at.Source, at.Pointer}]; d != nil {
		f.report(c, ruleImpossible, "no request of the operation can be sent: %s", d.Message)
		return true
	}
	f.work.Text(each * len(f.servers))
	d := callable.NoServer(f.servers, at)
	if d == nil {
		return false
	}
	if servers := (place{d.Source, d.Pointer}); !f.told[servers] {
		f.told[servers] = true
		f.reportAt(wayfind.Ref{Source: d.Source, Pointer: d.Pointer}, ruleImpossible, "no request of the operations can be sent: %s", d.Message)
	}
	return true
}

// arguments returns the limits of the arguments and the names of those that are required. never is true
// if no arguments are valid.
func (f *faults) arguments(c *wayfind.Capability, op *Operation) (limits map[string]Limit, required []string, never bool) {
	input := []byte(paramspec.ByName(c))
	if f.text -= len(input); f.text < 0 {
		return nil, nil, false
	}
	doc, err := jsonscan.Scan(input)
	if err != nil {
		return nil, nil, false
	}
	for list, i := doc.Root().Get("required"), 0; i < list.Len(); i++ {
		if name, ok := list.Child(i).Str(); ok {
			required = append(required, name)
		}
	}
	s, err := schema.Check(input, DialectOf(c), nil)
	if err != nil {
		f.work.Text(schemaWork * len(input))
		return nil, required, false // the formats report schemas that are refused
	}
	var filled []string
	for k := range c.Params {
		if op.Filled(&c.Params[k]) {
			filled = append(filled, cmp.Or(c.Params[k].Argument, c.Params[k].Name))
		}
	}
	s = s.Filled(filled)
	limits, taken := op.Limits(c.Params, s, jsonschema.MaxSteps)
	f.work.Add(int(s.Steps() + taken))
	return limits, required, s.Never()
}

// schemaWork is the work of a schema that is refused, in relation to its text.
const schemaWork = 8

func (f *faults) report(c *wayfind.Capability, r parse.Rule, format string, args ...any) {
	f.reportAt(c.Sources[0], r, format, args...)
}

func (f *faults) reportAt(at wayfind.Ref, r parse.Rule, format string, args ...any) {
	d := r.Diagnostic(at.Source, format, args...)
	d.Pointer = at.Pointer
	f.list = append(f.list, d)
}

// each is the work of comparing a parameter with a scheme or an encoding, in bytes of text.
const each = 64

// faultOf returns the text of an Error for a publisher.
func faultOf(e *Error) string {
	switch {
	case e.Name == "":
		return e.Code.Sentence()
	case e.In == "":
		return e.Name + ": " + e.Code.Sentence()
	}
	return e.Name + " (" + e.In + "): " + e.Code.Sentence()
}
