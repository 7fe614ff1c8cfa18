package awp

import (
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/parse"
)

// protocol is an entry of protocols (§5.5), which actions refer to.
type protocol struct {
	// id is the identifier in lower case, and written is the identifier in the
	// document.
	id, written string
	// reached is true if the entry has a valid endpoint.
	reached bool
}

// layer is the purpose of a protocol.
type layer uint8

const (
	custom      layer = iota
	transport         // messages or tools: the endpoint is required
	description       // an API description: there is a document to fetch
	payment           // possibly only a declaration
)

// layerOf returns the layer of a registered identifier (§5.5), and custom for any
// other.
func layerOf(id string) layer {
	switch id {
	case "a2a", "mcp", "acp":
		return transport
	case "openapi", "graphql":
		return description
	case "ap2", "x402", "skyfire", "payment":
		return payment
	}
	return custom
}

// readProtocols adds an interface for each protocol (§5.5), and links to the documents
// that registered protocols name.
func (r *reader) readProtocols(root parse.Node, reading *parse.Reading, service *wayfind.Service) {
	obj := r.Object(root, "protocols", parse.Optional, "§5.5")
	if !obj.Exists() {
		return
	}
	r.later(obj, "protocols")
	r.protocols = make(map[string]protocol)
	lost := false
	for written, entry := range obj.Members() {
		if len(service.Interfaces) == parse.DefaultItems {
			r.Report(ruleTruncated.At("§5.5"), obj, "of %d protocols the first %d were read", obj.Len(), parse.DefaultItems)
			break
		}
		if entry.Kind() != parse.Object {
			r.wrongType(entry, "§5.5", parse.Object)
			lost = true
			continue
		}
		p := protocol{id: strings.ToLower(written), written: written}
		if !r.checkID(entry, p) {
			lost = true
			continue
		}
		face := r.face(entry, &p)
		r.protocols[p.id] = p
		service.Interfaces = append(service.Interfaces, face)
		reading.Links = append(reading.Links, r.links(entry, &face)...)
	}
	if lost {
		parse.SetExtension(&service.Extensions, "protocols", obj)
	}
}

// checkID reports identifiers that break §5.5. It returns false if no action can refer
// to the entry.
func (r *reader) checkID(entry parse.Node, p protocol) bool {
	_, twice := r.protocols[p.id]
	switch {
	case p.id == "":
		r.Report(ruleProtocolID, entry, "the identifier of the protocol is empty; it is ignored")
		return false
	case twice:
		r.Report(ruleProtocolID.AsWarning(), entry, "the protocol %q stands twice in different case; the second is ignored", p.written)
		return false
	case p.id != p.written || strings.Trim(p.id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		r.Report(ruleProtocolID.AsWarning(), entry, "the identifier %q is not in lower case with hyphens", p.written)
	case layerOf(p.id) == custom && !strings.HasPrefix(p.id, "x-"):
		r.Report(ruleProtocolID.AsInfo(), entry, "the identifier %q is neither registered nor marked as custom with x-", p.written)
	}
	return true
}

// face returns the interface of a protocol. Members that the protocol defines itself
// are kept.
func (r *reader) face(entry parse.Node, p *protocol) wayfind.Interface {
	f := wayfind.Interface{Protocol: p.id, Sources: parse.SourcesAt(entry)}
	known := []string{"version", "endpoint"}
	if version := r.Text(entry, "version", parse.Must, "§5.5"); version != "" {
		f.Versions = []string{version}
	}
	if transport, ok := entry.Get("transport").Str(); ok {
		f.Transport, known = transport, append(known, "transport")
	}
	f.Extensions = r.Extensions(entry, known...)
	need := parse.Optional
	switch layerOf(p.id) {
	case transport:
		need = parse.Must
	case description:
		need = parse.Should
	}
	text := r.String(entry, "endpoint", need, "§5.5")
	n := entry.Get("endpoint")
	if n.Kind() != parse.String {
		return f
	}
	e, err := r.in.ResolveEndpoint(paramspec.Braces(text))
	if err == nil && e.Form == parse.FormOther {
		// A person takes "mcp.shop.example" for a host, and a program takes it for a
		// path.
		err = errors.New("it is neither a full URL nor a path that begins with a slash")
		parse.SetExtension(&f.Extensions, "endpoint", n)
	}
	p.reached = err == nil
	switch {
	case err != nil:
		r.Report(ruleEndpoint, n, "the endpoint of protocol %q cannot be used: %s", p.written, err)
		return f
	case !e.Resolved():
		r.Report(ruleEndpointRelative, n, "the endpoint is relative to a site that is not known")
		parse.SetExtension(&f.Extensions, "endpoint", n)
	case e.Form != parse.FormAbsolute:
		r.Report(ruleEndpointURL, n, "the endpoint %q is no full URL; it was resolved against the site that served the document", text)
	}
	if e.Resolved() {
		r.CheckEndpoint(n, e, "§5.5")
	}
	f.URL, f.Template = e.URL, e.Template
	for _, v := range e.Ref.Names() {
		f.Variables = append(f.Variables, wayfind.Variable{Name: v})
	}
	return f
}

// links returns links to the documents that the entry of a protocol names: the card of
// an agent, or the description of an API.
func (r *reader) links(entry parse.Node, f *wayfind.Interface) []parse.Link {
	switch f.Protocol {
	case "a2a":
		if card := r.URL(entry, "agent_card", r.base, parse.Optional, "§5.5"); card != "" {
			return []parse.Link{{URLs: []string{card}, Role: "agent_card", Format: "a2a"}}
		}
	case "openapi":
		if f.URL != "" {
			return []parse.Link{{URLs: []string{f.URL}, Role: "openapi", Format: "openapi"}}
		}
	}
	return nil
}

// addOrigin adds the interface for actions without via: plain HTTP at the site that
// served the document (§5.5, §9).
func (r *reader) addOrigin(root parse.Node, service *wayfind.Service) {
	if r.base == nil {
		return
	}
	for i := range service.Capabilities {
		if v := service.Capabilities[i].Invocation; v != nil && v.Protocol == "http" {
			service.Interfaces = append([]wayfind.Interface{{
				Protocol: "http", URL: r.base.Scheme + "://" + r.base.Host, Sources: parse.SourcesAt(root),
			}}, service.Interfaces...)
			return
		}
	}
}
