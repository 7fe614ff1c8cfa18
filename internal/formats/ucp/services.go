package ucp

import (
	"iter"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// object yields the members of an object, and reports a value that is not an object.
func (r *reader) object(n parse.Node, member string) iter.Seq2[string, parse.Node] {
	if n.Exists() && n.Kind() != parse.Object {
		r.Report(parse.ReaderRule("wrong_type").At(structure), n, "member %q is %v where object belongs; it is ignored", member, n.Kind())
		return func(func(string, parse.Node) bool) {}
	}
	return n.Members()
}

// entries returns the entries of an entity: an array of objects, or one object.
func (r *reader) entries(value parse.Node) []parse.Node {
	if value.Kind() == parse.Object {
		r.Report(ruleArray, value, "an object stands where an array of objects belongs; it was read as its only element")
		return []parse.Node{value}
	}
	if value.Kind() != parse.Array {
		r.Report(parse.ReaderRule("wrong_type").At(structure), value, "the value is %v where array belongs; it is ignored", value.Kind())
		return nil
	}
	var list []parse.Node
	for _, item := range value.Items() {
		if item.Kind() != parse.Object {
			r.Report(parse.ReaderRule("wrong_type").At(structure), item, "the element is %v where object belongs; it is ignored", item.Kind())
			continue
		}
		list = append(list, item)
	}
	return list
}

// services reads the services of the shop.
func (r *reader) services(services parse.Node) {
	for entity, value := range r.object(services, "services") {
		if !r.entityName(entity, value) {
			continue
		}
		if value.Kind() == parse.Object && !value.Get("transport").Exists() {
			r.transports(entity, value)
			continue
		}
		for _, entry := range r.entries(value) {
			transport := r.String(entry, "transport", parse.Must, "Service")
			r.Text(entry, "version", parse.Must, "Service")
			r.specURL(entry)
			r.binding(entity, transport, entry, entry)
		}
	}
}

// transports reads a service in the notation of the first releases: a member for each
// transport.
func (r *reader) transports(entity string, service parse.Node) {
	if r.reading.Dialect == DialectArrays {
		r.Report(ruleArray, service, "an object stands where an array of objects belongs")
	}
	r.specURL(service)
	read := []string{"version", "spec"}
	for _, transport := range []string{"rest", "mcp", "a2a", "embedded"} {
		if n := service.Get(transport); n.Kind() == parse.Object {
			read = append(read, transport)
			r.binding(entity, transport, n, service)
		}
	}
	if len(read) == 2 {
		r.Report(ruleNoTransport, service, "the service %q has no transport", entity)
		read = nil
	}
	var more []rawjson.Member
	for member, value := range r.UnknownMembers(service, read...) {
		more = append(more, rawjson.Member{Name: member, Value: r.public(value)})
	}
	if more != nil {
		r.extend("service:"+entity, rawjson.Obj(more...))
	}
}

// binding reads one transport of a service. around is the entry that contains it.
func (r *reader) binding(entity, transport string, n, around parse.Node) {
	if !r.isBound(entity, n) {
		return
	}
	if len(r.service.Interfaces) == maxInterfaces {
		r.Report(ruleTruncated, n, "there are more than %d interfaces; the others are ignored", maxInterfaces)
		return
	}
	f := wayfind.Interface{Protocol: protocolOf(transport), Sources: parse.SourcesAt(n)}
	if f.Protocol == "" {
		if transport != "" {
			r.Report(ruleTransport, n, "the transport %q is none of %q, %q, %q and %q", transport, "rest", "mcp", "a2a", "embedded")
		}
		f.Protocol = "ucp-" + transport
		if transport == "" {
			f.Protocol = "ucp"
		}
	}
	if version, ok := around.Get("version").Str(); ok {
		f.Versions = []string{version}
	}
	known := []string{"transport", "version", "endpoint"}
	if transport != "a2a" {
		f.SpecURL = text(n, "schema")
		known = append(known, "schema")
	}
	r.endpoint(&f, transport, n)
	r.link(f, transport)
	f.Extensions = map[string]parse.Raw{"service": rawjson.Quote(entity)}
	if n != around { // it is about all transports
		parse.SetExtension(&f.Extensions, "spec", around.Get("spec"))
	}
	for member, value := range r.UnknownMembers(n, known...) {
		if member != "service" {
			f.Extensions[member] = r.public(value)
		}
	}
	r.service.Interfaces = append(r.service.Interfaces, f)
}

// protocolOf returns the model's word for a transport.
func protocolOf(transport string) string {
	switch transport {
	case "rest":
		return "http"
	case "mcp", "a2a":
		return transport
	case "embedded":
		return "ucp-embedded"
	}
	return ""
}

// endpoint reads the address of a transport. The address of an agent is its card, which
// contains the address of the agent.
func (r *reader) endpoint(f *wayfind.Interface, transport string, n parse.Node) {
	if transport == "embedded" && !n.Get("endpoint").Exists() {
		return
	}
	const section = "Endpoint Resolution"
	written := r.String(n, "endpoint", parse.Must, section)
	at := n.Get("endpoint")
	if at.Kind() != parse.String {
		return
	}
	e, err := r.in.ResolveEndpoint(written)
	if err != nil || !e.Resolved() {
		r.Report(parse.ReaderRule("bad_url").At(section), at, "the endpoint %q is not an absolute URL; it is ignored", written)
		return
	}
	if e.Form != parse.FormAbsolute {
		r.Report(ruleRelative, at, "the endpoint %q is relative; it was resolved against the profile", written)
	}
	if e.Form == parse.FormAbsolute && !strings.HasPrefix(strings.ToLower(written), "https://") { // a MUST here
		r.Report(parse.ReaderRule("endpoint_scheme").At(section), at, "the endpoint does not start with https://")
	}
	r.CheckEndpoint(at, e, section)
	if strings.HasSuffix(written, "/") {
		r.Report(ruleSlash, at, "the endpoint %q ends in a slash", written)
	}
	if transport != "a2a" {
		f.URL, f.Template = e.URL, e.Template
		return
	}
	if e.URL == "" {
		r.Report(parse.ReaderRule("bad_url").At(section), at, "the agent card %q is no URL; it is ignored", written)
		return
	}
	f.SpecURL = e.URL
	r.reading.Links = append(r.reading.Links, parse.Link{URLs: []string{e.URL}, Role: "agent-card", Format: "a2a"})
}

// link adds a link to the description of a service if it is on the host of the profile.
// Otherwise the description is only named. Its paths are appended to the endpoint (Endpoint
// Resolution), not to the place of the description.
func (r *reader) link(f wayfind.Interface, transport string) {
	format := map[string]string{"rest": "openapi", "mcp": "openrpc", "embedded": "openrpc"}[transport]
	if f.SpecURL == "" || format == "" || r.isListed(f.SpecURL) {
		return
	}
	if u, err := urlref.AbsoluteURL(f.SpecURL); err == nil && r.base != nil && u.Host == r.base.Host && u.Scheme == r.base.Scheme {
		r.reading.Links = append(r.reading.Links, parse.Link{URLs: []string{f.SpecURL}, Role: "schema", Format: format, Placed: f.URL != "" || f.Template != ""})
	}
}

// isListed reports whether there is already a link to the URL.
func (r *reader) isListed(u string) bool {
	for _, l := range r.reading.Links {
		if l.URLs[0] == u {
			return true
		}
	}
	return false
}
