package mcp

import (
	"bytes"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// parseDocument reads a document of any shape.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSON()
	if err != nil {
		return nil, err
	}
	if root.Kind() != parse.Object && root.Kind() != parse.Array {
		return nil, parse.Invalid("the document is %v where a server or a list belongs", root.Kind())
	}
	s, _ := shapeOf(root, atHome(in))
	switch {
	case s == shapeNone && root.Kind() == parse.Array:
		s = shapeTools
	case s == shapeNone:
		s = shapeEndpoint
	}
	if isNegative(root, s) {
		return &parse.Reading{Dialect: s.dialect(), Unusable: "it says that there is no server"}, nil
	}
	r := newReader(in, s)
	r.mediaType(in, root)
	outer := root
	if inner := within(root); inner.Exists() && s != shapeConfig {
		root = inner
	}
	reading := &parse.Reading{Dialect: s.dialect(), Version: r.version(root)}
	r.read(root, reading)
	if root.Pointer() != outer.Pointer() && len(reading.Services) > 0 {
		r.rest(outer, &reading.Services[0].Extensions, "server")
	}
	if !r.isUsable(reading) {
		reading.Unusable = "it names no place where a server is spoken to, no tool and nothing to install"
	}
	reading.Links = append(reading.Links, r.links...)
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// read reads the members that the shape has.
func (r *reader) read(root parse.Node, reading *parse.Reading) {
	switch r.shape {
	case shapeTools:
		reading.Services = []wayfind.Service{r.tooling(root)}
	case shapeConfig:
		reading.Services = r.config(root)
	case shapeServers:
		reading.Services = r.servers(root, reading)
	default:
		reading.Services = []wayfind.Service{r.server(root, "")}
	}
}

// isUsable reports whether a reading leads somewhere, or identifies a server in a document
// that need not name a place. Such a document may have nothing to call.
func (r *reader) isUsable(reading *parse.Reading) bool {
	quiet := (r.shape == shapeCard || r.shape == shapeRegistry) && !r.refused
	for i := range reading.Services {
		if s := &reading.Services[i]; quiet && s.Name != "" || len(s.Interfaces)+len(s.Capabilities)+len(s.LocalInstall) > 0 {
			return true
		}
	}
	return len(reading.Links) > 0
}

// mediaType reports media types other than those of JSON and of Server Cards. Only Server
// Cards should have the latter.
func (r *reader) mediaType(in *parse.Input, root parse.Node) {
	switch {
	case in.MediaType == "" && in.Header == nil, in.MediaType == "application/json", in.MediaType == "application/mcp-server-card+json":
	default:
		r.Report(ruleMediaType.At(secDiscovery).AsWarning(), root, "the media type is %q where application/json or application/mcp-server-card+json belongs", in.MediaType)
	}
}

// version returns the version of the format, as the document writes it.
func (r *reader) version(root parse.Node) string {
	schema, _ := root.Get("$schema").Str()
	switch r.shape {
	case shapeCard:
		r.declared = isCardSchema(schema)
		return r.cardSchema(root, schema)
	case shapeRegistry:
		// …/schemas/2025-12-11/server.schema.json
		if before, ok := strings.CutSuffix(schema, "/server.schema.json"); ok {
			return before[strings.LastIndexByte(before, '/')+1:]
		}
	case shapeInfo:
		// Without a $schema, most documents have the version of the server here.
		version, _ := root.Get("version").Str()
		if schema != "" && has(root, "serverInfo") {
			return version
		}
	case shapeManifest:
		return r.text(root, parse.Must, "mcp_version")
	}
	return ""
}

// cardSchema checks the $schema of a Server Card, which is required.
func (r *reader) cardSchema(root parse.Node, schema string) (version string) {
	version = cardVersion(schema)
	switch n := root.Get("$schema"); {
	case n.Kind() != parse.String:
		r.String(root, "$schema", parse.Must, secCard)
	case version == "":
		r.Report(ruleSchema, n, "the $schema %.200q is not that of a Server Card", schema)
	case version != "v1":
		r.Report(ruleSchema.AsInfo(), n, "the Server Card is of version %q; it was read as one of v1", version)
	}
	return version
}

// server reads one server. In a document about several, id distinguishes it from the others.
func (r *reader) server(obj parse.Node, id string) wayfind.Service {
	s := r.entity(obj, id)
	if len(s.Interfaces) == 0 {
		r.noPlace(obj, &s)
	}
	return s
}

// entity reads all members that describe a server.
func (r *reader) entity(obj parse.Node, id string) wayfind.Service {
	s := wayfind.Service{ID: id, Sources: parse.SourcesAt(obj)}
	r.identity(obj, &s)
	f := &faces{}
	r.places(obj, f, &s)
	s.Interfaces = f.list
	r.packages(obj, &s)
	s.Auth = r.serviceAuth(obj, &s)
	r.primitives(obj, &s)
	r.strange(obj)
	r.required(obj)
	known := slices.DeleteFunc(members(), func(member string) bool { return !r.isRead(obj, member, &s) })
	r.rest(obj, &s.Extensions, slices.Concat(known, []string{"capabilities"}, taken(obj), r.described(obj, id))...)
	return s
}

// isRead reports whether a member that some shapes have was read in this shape. If one thing
// has several names, the first is used.
func (r *reader) isRead(obj parse.Node, member string, s *wayfind.Service) bool {
	switch text := textOf(obj.Get(member)); member {
	case "$comment", "mcpVersion", "mcpServerCardVersion":
		return false
	case "$schema":
		return isOwnSchema(text)
	case "mcp_version":
		return r.shape == shapeManifest
	case "protocol":
		return strings.EqualFold(text, protocol)
	case "name", "server_name":
		return text == s.Name || bytes.Equal(rawjson.Quote(text), s.Extensions["name"])
	case "version", "server_version":
		return text == s.Version || !isString(obj.Get(member)) || r.shape == shapeInfo && has(obj, "$schema") // the version of the format
	case "variables":
		return slices.ContainsFunc(s.Interfaces, func(f wayfind.Interface) bool { return f.Template != "" })
	}
	return true
}

// described reads the links to descriptions of the API of a site, which are documents worth
// reading too. It returns the members with these links.
func (r *reader) described(obj parse.Node, id string) []string {
	var read []string
	for _, member := range [...]string{"openapi", "swagger"} {
		holder, at := obj, member
		if obj.Get(member).Kind() == parse.Object {
			holder, at = obj.Get(member), "url"
		}
		if n := holder.Get(at); !isAddress(n) || n.Pointer() != obj.Get(member).Pointer() && holder.Len() > 1 || r.base == nil && textOf(n)[0] == '/' {
			continue
		}
		if u := r.URL(holder, at, r.base, parse.Optional, r.shape.section()); u != "" {
			r.links = append(r.links, parse.Link{URLs: []string{u}, Role: "openapi", Format: "openapi", Subject: id})
			read = append(read, member)
		}
	}
	return read
}

// taken returns the members of an object that were read as places by their names.
func taken(obj parse.Node) []string {
	var list []string
	for member, n := range obj.Members() {
		if _, ok := placeNamed(member, n); ok || isGroup(member, n) {
			list = append(list, member)
		}
	}
	return list
}

// noPlace reports that the document names no place on the network where the server is spoken
// to.
func (r *reader) noPlace(obj parse.Node, s *wayfind.Service) {
	switch {
	case isString(obj.Get(obj.Pick(cardMembers()...))): // its card may name one
	case len(s.LocalInstall) > 0:
		r.Report(ruleLocalOnly.At(r.shape.section()), obj, "the server runs on the caller's machine only; nothing of it was run")
	case r.shape == shapeCard && !has(obj, "remotes"):
		r.Report(ruleNoInterface.AsInfo(), obj, "the card names no place where the server is spoken to")
	default:
		r.Report(ruleNoInterface.At(r.shape.section()), obj, "the document names no place where the server is spoken to")
	}
}

// members returns the members of a server that are read, in all shapes.
func members() []string {
	return []string{
		"$schema", "$comment", "name", "server_name", "title", "description", "version", "server_version", "version_detail",
		"websiteUrl", "website", "homepage", "documentationUrl", "documentation", "icon", "iconUrl", "icons",
		"provider", "publisher", "vendor", "owner", "tags", "keywords", "categories", "available",
		"serverInfo", "mcp_version", "mcpVersion", "mcpServerCardVersion", "protocol", "protocolVersion", "protocolVersions", "supportedProtocolVersions",
		"remotes", "transport", "transports", "endpoint", "endpoints", "url", "serverUrl", "server_url", "type", "headers", "variables",
		"servers", "mcpServers", "mcp_servers", "packages", "package", "command", "args", "env", "installCommand", "install_command",
		"authentication", "auth", "tools", "resources", "resourceTemplates", "resource_templates", "prompts",
	}
}

// strange reports members that a Server Card must not have: it is only about connections.
func (r *reader) strange(obj parse.Node) {
	if r.shape != shapeCard {
		return
	}
	for _, member := range [...]string{
		"tools", "resources", "resourceTemplates", "prompts", "capabilities", "packages", "authentication", "transport",
		"serverInfo", "endpoint", "endpoints", "protocolVersion",
	} {
		switch n := obj.Get(member); {
		case !n.Exists():
		case r.declared:
			r.Report(ruleCardMember, n, "a Server Card has no %s; it was read", member)
		default:
			r.Report(ruleCardMember.AsInfo(), n, "a Server Card has no %s; it was read", member)
		}
	}
}

// required reports missing members that the expired drafts require of a document, if no other
// member replaces them.
func (r *reader) required(obj parse.Node) {
	var members []string
	switch r.shape {
	case shapeInfo:
		members = []string{"$schema", "version", "protocolVersion", "transport", "capabilities"}
	case shapeManifest:
		members = []string{"endpoints"}
	}
	for _, member := range members {
		if !has(obj, member) {
			r.Missing(obj, member, parse.Must, r.shape.section())
		}
	}
}

// servers returns the servers of a client configuration: mcpServers, or servers as editors
// call it.
func servers(root parse.Node) parse.Node {
	if n := root.Get("mcpServers"); n.Kind() == parse.Object {
		return n
	}
	return root.Get("servers")
}

// config reads a client configuration: a part of the settings of a client, which sites publish
// so that people can copy it.
func (r *reader) config(root parse.Node) []wayfind.Service {
	list := servers(root)
	r.Report(ruleClientConfig, list, "this is the configuration of a client; only its URLs were read as places, and no command was run")
	return r.around(root, r.byName(list))
}

// byName reads servers whose names are the names of the members.
func (r *reader) byName(list parse.Node) []wayfind.Service {
	var found []wayfind.Service
	for name, entry := range list.Members() {
		if entry.Kind() != parse.Object {
			r.Report(ruleWrongType.At(secConfig).AsWarning(), entry, "the server %.100q is %v where object belongs; it is ignored", name, entry.Kind())
			continue
		}
		if len(found) == parse.DefaultItems {
			r.Report(ruleTruncated, list, "of %d servers the first %d were read", list.Len(), len(found))
			break
		}
		s := r.server(entry, name)
		if s.Name == "" {
			s.Name = name
		}
		found = append(found, s)
	}
	return found
}

// servers reads a list of servers. The members next to the list describe all of them, or one
// more server that the list does not have.
func (r *reader) servers(root parse.Node, reading *parse.Reading) []wayfind.Service {
	var found []wayfind.Service
	twice := map[string]parse.Node{}
	for _, entry := range r.listing(root) {
		if inner := entry.Get("server"); inner.Kind() == parse.Object { // as registries wrap it
			entry = inner
		}
		id := idOf(entry)
		if before, ok := twice[id]; ok && id != "" {
			r.Report(ruleDuplicateServer, entry, "the server %.100q stands twice: %s", id, before.Pointer())
		} else if id != "" {
			twice[id] = entry
		}
		s := r.server(entry, id)
		links := r.cardLinks(entry, id)
		reading.Links = append(reading.Links, links...)
		if id == "" && len(links)+len(s.Capabilities)+len(s.Interfaces)+len(s.LocalInstall) == 0 {
			continue // reported above
		}
		found = append(found, s)
	}
	return r.around(root, found)
}

// listing returns the entries of a list of servers, which may be the document.
func (r *reader) listing(root parse.Node) []parse.Node {
	if root.Kind() == parse.Array {
		var entries []parse.Node
		for _, entry := range root.Items() {
			entries = append(entries, entry)
		}
		return r.bounded(root, entries)
	}
	member := "servers"
	for _, other := range [...]string{"mcpServers", "mcp_servers"} {
		if root.Get(member).Kind() != parse.Array && root.Get(other).Kind() == parse.Array {
			member = other
		}
	}
	return r.bounded(root.Get(member), r.Objects(root, member, parse.Must, secServers))
}

// idOf returns the ID that distinguishes an entry of a list from the others: its name, or its
// place if it has no name.
func idOf(entry parse.Node) string {
	for _, n := range [...]parse.Node{entry.Get("name"), entry.Get("server_name"), entry.Get("serverInfo").Get("name"), entry.Get("url"), entry.Get("endpoint")} {
		if text, ok := n.Str(); ok && strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// roleCard is the role of a link to a card.
const roleCard = "mcp-server-card"

// cardMembers returns the names under which lists have the address of a card.
func cardMembers() []string {
	return []string{"serverCard", "server_card", "card", "cardUrl", "card_url"}
}

// cardLinks returns the cards that an entry of a list points to.
func (r *reader) cardLinks(entry parse.Node, id string) []parse.Link {
	member := entry.Pick(cardMembers()...)
	if !isString(entry.Get(member)) {
		return nil
	}
	u := r.URL(entry, member, r.base, parse.Optional, secServers)
	if u == "" {
		return nil
	}
	return []parse.Link{{URLs: []string{u}, Role: roleCard, Format: name, Subject: id}}
}
