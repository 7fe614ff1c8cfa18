package awp

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/parse"
)

// call contains the HTTP request of an action.
type call struct {
	method   string
	endpoint parse.Endpoint
	// usable is true if both are valid for a request and the URL is known.
	usable bool
}

// invocation reads how to call an action (§9), directly or through one of the
// protocols (§5.5). It sets Invocation if the document has enough data for a call.
func (r *reader) invocation(entry parse.Node, c *wayfind.Capability) call {
	p, via := r.via(entry)
	operation := r.String(entry, "operation", parse.Optional, "§9")
	need := parse.Must
	if entry.Get("via").Exists() {
		need = parse.Optional
	}
	how := r.http(entry, need)
	switch {
	case via:
		c.Invocation = r.through(entry, p, operation, how)
	case how.usable:
		c.Invocation = &wayfind.Invocation{Protocol: "http", Method: how.method, URL: how.endpoint.URL, Template: how.endpoint.Template}
	}
	if !via && operation != "" {
		r.Report(ruleOperation, entry.Get("operation"), "the operation %q belongs to no protocol: there is no usable via", operation)
	}
	if c.Invocation == nil {
		keepContract(entry, how.endpoint, c)
	}
	if !via || c.Invocation == nil {
		parse.SetExtension(&c.Extensions, "via", entry.Get("via"))
		parse.SetExtension(&c.Extensions, "operation", entry.Get("operation"))
	}
	return how
}

// via returns the protocol that an action goes through. An undeclared protocol is
// reported. The action is then called directly, if it has an endpoint and a method.
func (r *reader) via(entry parse.Node) (p protocol, ok bool) {
	id := r.String(entry, "via", parse.Optional, "§5.5")
	n := entry.Get("via")
	if n.Kind() != parse.String {
		return protocol{}, false
	}
	r.later(n, "via")
	p, ok = r.protocols[strings.ToLower(id)]
	switch {
	case !ok:
		r.Report(ruleVia, n, "via names the protocol %q, which is not in protocols", id)
	case id != p.written:
		r.Report(ruleVia.AsWarning(), n, "via names the protocol %q, which protocols has as %q", id, p.written)
	}
	return p, ok
}

// through returns the invocation of an action that goes through a protocol, nil if no
// address is known. An endpoint of the action itself is used, as in an HTTP call that
// the caller pays for with x402.
func (r *reader) through(entry parse.Node, p protocol, operation string, how call) *wayfind.Invocation {
	v := &wayfind.Invocation{Protocol: p.id, Via: p.id, Operation: operation}
	if how.endpoint.Resolved() {
		v.URL, v.Template = how.endpoint.URL, how.endpoint.Template
	}
	if how.usable {
		v.Method = how.method
	}
	if !p.reached && !how.endpoint.Resolved() {
		if !entry.Get("endpoint").Exists() {
			r.Report(ruleMissing.At("§9"), entry, "required member %q is missing, and the protocol %q has none that can be used", "endpoint", p.written)
		}
		return nil
	}
	if operation == "" && (p.id == "mcp" || layerOf(p.id) == description) {
		r.Report(ruleOperation, entry.Get("via"), "the action goes through %q and names no operation there", p.written)
	}
	return v
}

// http reads endpoint and method.
func (r *reader) http(entry parse.Node, need parse.Need) call {
	var how call
	var fit, reached bool
	how.method, fit = r.Method(entry, "method", need, "§9")
	if how.method == "HEAD" || how.method == "OPTIONS" {
		r.Report(ruleMethodOther, entry.Get("method"), "the method %q is not one of the specification; the authors' validator takes it", how.method)
	}
	how.endpoint, reached = r.endpoint(entry, need)
	how.usable = fit && reached
	return how
}

// endpoint resolves the URL of a call: a path at the site that served the document, or
// a full URL. It also returns an endpoint that only lacks a site, for its variables.
func (r *reader) endpoint(entry parse.Node, need parse.Need) (e parse.Endpoint, reached bool) {
	text := r.String(entry, "endpoint", need, "§9")
	n := entry.Get("endpoint")
	if n.Kind() != parse.String {
		return parse.Endpoint{}, false
	}
	inputs := entry.Get("inputs")
	ref := paramspec.Colons(paramspec.Braces(text), func(name string) bool { return inputs.Get(name).Exists() })
	if ref != text {
		r.Report(ruleEndpointNotation, n, "the variables of endpoint %q were read as %q", text, ref)
	}
	e, err := r.in.ResolveEndpoint(ref)
	switch {
	case err != nil:
		r.Report(ruleEndpoint.At("§9"), n, "the endpoint cannot be used: %s", err)
		return parse.Endpoint{}, false
	case !e.Resolved():
		r.Report(ruleEndpointRelative.At("§9"), n, "the endpoint is relative to a site that is not known")
		return e, false
	}
	r.CheckEndpoint(n, e, "§9")
	return e, true
}

// keepContract keeps the parts of an incomplete invocation, except for a refused
// endpoint.
func keepContract(entry parse.Node, e parse.Endpoint, c *wayfind.Capability) {
	if !e.Ref.IsZero() {
		parse.SetExtension(&c.Extensions, "endpoint", entry.Get("endpoint"))
	}
	if n := entry.Get("method"); n.Kind() == parse.String {
		parse.SetExtension(&c.Extensions, "method", n)
	}
}
