package agentsmd

import (
	"errors"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// place contains the description of the MCP gateway at one place in a document.
type place struct {
	endpoint, transport, auth parse.YAML
	// inSection is true if the place is a section, and false if it is the front
	// matter.
	inSection bool
}

func placeOf(fields parse.YAML, inSection bool) place {
	return place{fields.Get("endpoint"), fields.Get("transport"), fields.Get("auth"), inSection}
}

// same reports whether two places describe the same gateway.
func (p place) same(q place) bool {
	for _, pair := range [...][2]parse.YAML{{p.endpoint, q.endpoint}, {p.transport, q.transport}, {p.auth, q.auth}} {
		a, _ := pair[0].Str()
		b, _ := pair[1].Str()
		if a != b {
			return false
		}
	}
	return true
}

// gateways reads the MCP gateway (§3) from the front matter, or else from the first
// section that has one.
func (r *reader) gateways() {
	var places []place
	if p, ok := r.frontGateway(); ok {
		places = append(places, p)
	}
	for _, g := range r.outline.with(gateway) {
		if p, ok := r.sectionGateway(&g); ok {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		return
	}
	first := places[0]
	for _, p := range places[1:] {
		switch {
		case !first.same(p):
			r.ReportLine(ruleMCPConflict, p.endpoint.Line(), "another MCP gateway than on line %d; that one counts", first.endpoint.Line())
		case first.inSection:
			r.ReportLine(ruleMCPTwice, p.endpoint.Line(), "the MCP gateway of line %d again", first.endpoint.Line())
		}
	}
	r.gateway(first)
}

// isFlat reports whether the front matter lost its indentation, which happens when a
// publisher copies it from a page: "mcp:" is empty and its fields are on the same
// level.
func (r *reader) isFlat() bool {
	return r.front.Get("mcp").Kind() == parse.Null && r.front.Get("endpoint").Exists()
}

// gatewayKeys are the keys of the description of a gateway.
func gatewayKeys() []string { return []string{"endpoint", "transport", "auth"} }

// frontGateway reads the gateway from the front matter.
func (r *reader) frontGateway() (place, bool) {
	mcp := r.front.Get("mcp")
	line := mcp.Line()
	switch mcp.Kind() {
	case parse.Missing:
		return place{}, false
	case parse.Object:
		more, meant := r.UnknownKeys(mcp, []string{"endpoint"}, gatewayKeys()...)
		if more != nil {
			parse.Keep(&r.service.Extensions, "mcp", mcp.Raw())
		}
		if !mcp.Get("endpoint").Exists() && meant["endpoint"] == "" {
			r.ReportLine(ruleMissing.At("App. B"), line, "mcp has no endpoint")
		}
		return placeOf(mcp, false), mcp.Get("endpoint").Exists()
	case parse.String:
		r.ReportLine(ruleWrongType.At("App. B"), line, "mcp is a string where a mapping belongs; it was read as its endpoint")
		return place{endpoint: mcp}, true
	}
	if r.isFlat() {
		r.ReportLine(ruleFlatFrontMatter, line, "the fields of mcp are not indented; they were read as its own")
		return placeOf(r.front, false), true
	}
	r.ReportLine(ruleWrongType.At("App. B"), line, "mcp is %v where a mapping with an endpoint belongs", mcp.Kind())
	parse.Keep(&r.service.Extensions, "mcp", mcp.Raw())
	return place{}, false
}

// sectionGateway reads the gateway from a section, whose content must be YAML (§3).
func (r *reader) sectionGateway(g *group) (place, bool) {
	head := g.head()
	fields, odd, err := sectionFields(r.text, head)
	if err != nil {
		line, reason := head.Line, err.Error()
		if at, why := parse.SyntaxCause(err); at > 0 {
			line, reason = at, why
		}
		r.ReportLine(ruleMCPSection, line, "the section %q is no YAML of keys and values: %q; it was not read", head.Title, reason)
		r.extend(g.sections...)
		return place{}, false
	}
	if nested := fields.Get("mcp"); nested.Kind() == parse.Object && !fields.Get("endpoint").Exists() {
		fields = nested
	}
	if odd {
		r.ReportLine(ruleMCPSection, head.Line, "the fields of the section %q do not stand there as plain YAML", head.Title)
	}
	more, meant := r.UnknownKeys(fields, []string{"endpoint"}, gatewayKeys()...)
	if !fields.Get("endpoint").Exists() {
		if meant["endpoint"] == "" {
			r.ReportLine(ruleMissing.At("§3"), head.Line, "the section %q has no endpoint", head.Title)
		}
		r.extend(g.sections...)
		return place{}, false
	}
	if more != nil || len(g.sections) > 1 {
		r.extend(g.sections...)
	}
	return placeOf(fields, true), true
}

// gateway adds the interface that a place describes.
func (r *reader) gateway(p place) {
	f := wayfind.Interface{Protocol: "mcp", Sources: r.at(p.endpoint.Line())}
	if !r.endpoint(p.endpoint, &f) {
		return
	}
	r.transport(p.transport, &f)
	r.auth(p.auth, &f)
	r.service.Interfaces = []wayfind.Interface{f}
}

// endpoint reads the URL of the gateway. The caller checks whether it belongs to the
// same site (§5).
func (r *reader) endpoint(n parse.YAML, f *wayfind.Interface) bool {
	text, ok := n.Str()
	if !ok {
		r.ReportLine(ruleWrongType.At("App. B"), n.Line(), "endpoint is %v where a URL belongs", n.Kind())
		return false
	}
	e, err := r.in.ResolveEndpoint(paramspec.Braces(text))
	if err == nil && e.Form == parse.FormOther {
		err = errors.New("it is neither a URL nor a path that begins with a slash")
	}
	switch {
	case err != nil:
		r.ReportLine(ruleEndpoint, n.Line(), "the endpoint cannot be used: %s", err)
		return false
	case !e.Resolved():
		r.ReportLine(ruleEndpointRelative, n.Line(), "the endpoint is relative, and the place of the document is unknown")
		parse.Keep(&r.service.Extensions, "endpoint", n.Raw())
		return false
	}
	f.URL, f.Template = e.URL, e.Template
	for _, v := range e.Ref.Names() {
		f.Variables = append(f.Variables, wayfind.Variable{Name: v})
	}
	r.checkEndpoint(n, text, e)
	return true
}

// checkEndpoint reports oddities of a usable endpoint.
func (r *reader) checkEndpoint(n parse.YAML, text string, e parse.Endpoint) {
	if e.Form != parse.FormAbsolute {
		r.ReportLine(ruleEndpointRelative, n.Line(), "the endpoint %q is no full URL; it was resolved against the document", text)
		return
	}
	u, err := url.Parse(e.Ref.Filled())
	if err != nil {
		return
	}
	switch {
	case u.Scheme != "https":
		r.ReportLine(ruleEndpointScheme.At("§5"), n.Line(), "the endpoint does not start with https://; MCP endpoints must use HTTPS")
	case e.HostVaries:
		r.ReportLine(ruleEndpointHost.At("§5"), n.Line(), "the endpoint is doubtful: its host has a variable")
	case urlref.OddHost(u) != nil:
		r.ReportLine(ruleEndpointHost.At("§5"), n.Line(), "the endpoint is doubtful: %s", urlref.OddHost(u))
	case urlref.ClimbsUp(text):
		r.ReportLine(ruleDotSegments.At("§3"), n.Line(), "the endpoint %q leads upwards", text)
	}
}

// transportMarks removes the characters that separate the words of a transport.
var transportMarks = strings.NewReplacer("-", "", "_", "", " ", "")

// transport reads the transport. The default is streamable-http (§3). Other spellings
// of the two transports are corrected, and other words are kept.
func (r *reader) transport(n parse.YAML, f *wayfind.Interface) {
	text, ok := n.Str()
	switch {
	case !n.Exists():
		f.Transport, f.Defaulted = "streamable-http", append(f.Defaulted, "transport")
		return
	case !ok || text == "":
		r.ReportLine(ruleWrongType.At("App. B").AsWarning(), n.Line(), "transport is %v where a word belongs; it is unknown", n.Kind())
		return
	case text == "streamable-http" || text == "sse":
		f.Transport = text
		return
	}
	f.Transport = text
	switch transportMarks.Replace(lower(text)) {
	case "streamablehttp":
		f.Transport = "streamable-http"
	case "sse":
		f.Transport = "sse"
	}
	r.ReportLine(ruleTransport, n.Line(), "transport %q is neither streamable-http nor sse; it was read as %q", text, f.Transport)
}

// auth reads the authentication method. No authentication is needed if the member is
// missing (§3). Only the exact words of the specification are valid: a value that YAML
// reads as false or null does not mean "none", and neither does "none" in capitals.
func (r *reader) auth(n parse.YAML, f *wayfind.Interface) {
	text, ok := n.Str()
	if !n.Exists() {
		text, ok, f.Defaulted = "none", true, append(f.Defaulted, "auth")
	}
	if !ok || text == "" {
		r.ReportLine(ruleWrongType.At("App. B").AsWarning(), n.Line(), "auth is %v where a word belongs; it is unknown", n.Kind())
		f.Auth = &wayfind.Auth{Unknown: true}
		return
	}
	kind, known := authkind.Read(authkind.AgentsMD, text)
	if !known {
		r.ReportLine(ruleAuth, n.Line(), "auth %q is none of none, api_key and oauth2", text)
		kind, known = authkind.Read(authkind.AgentsMDOther, authkind.Fold(text, "-_ ."))
	}
	if !known {
		f.Auth = &wayfind.Auth{Unknown: true}
		parse.Keep(&f.Extensions, "auth", n.Raw())
		return
	}
	f.Auth = authkind.Only(kind.Name(), kind.Scheme())
}
