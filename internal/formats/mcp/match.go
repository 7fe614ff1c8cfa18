package mcp

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// match recognises the shapes.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSON()
	if err != nil {
		return parse.Claim{}
	}
	if in.URL != nil && path.Base(in.URL.Path) == "webmcp.json" && root.Get("tools").Kind() == parse.Array {
		return parse.Claim{Other: true, Dialect: "webmcp"} // such tools are called in a page, by its scripts
	}
	s, level := shapeOf(root, atHome(in))
	if level == parse.None {
		return parse.Claim{}
	}
	return parse.Claim{Level: level, Dialect: s.dialect(), Negative: isNegative(root, s)}
}

// atHome reports whether a document was served at a place that belongs to MCP, where common
// words are enough.
func atHome(in *parse.Input) bool {
	for _, u := range [...]*url.URL{in.URL, in.FinalURL} {
		if u == nil {
			continue
		}
		if strings.Contains(u.Path, "/.well-known/mcp") || strings.HasSuffix(u.Path, PathBelow) {
			return true
		}
	}
	return false
}

// shapeOf returns the shape of a document, and the certainty that it is one of MCP. The first
// sign that applies decides.
func shapeOf(root parse.Node, home bool) (shape, parse.Level) {
	switch root.Kind() {
	case parse.Array:
		return ofArray(root, home)
	case parse.Object:
	default:
		return shapeNone, parse.None
	}
	if inner := within(root); inner.Exists() {
		s, level := shapeOf(inner, home)
		switch {
		case home && level != parse.Exact:
			return shapeEndpoint, parse.Exact
		case level == parse.Exact:
			return s, level
		}
	}
	signs := []func(parse.Node, bool) (shape, parse.Level){ofNames, ofServers, ofSchema, ofRemotes, ofHome}
	if !isOther(root) {
		signs = append(signs, ofLists, ofEndpoint)
	}
	for _, sign := range signs {
		if s, level := sign(root, home); level != parse.None {
			return s, level
		}
	}
	return shapeNone, parse.None
}

// within returns the server that an object wraps, as the API of registries does.
func within(root parse.Node) parse.Node {
	inner := root.Get("server")
	if has(root, "name") || has(root, "serverInfo") || !hasAddress(inner) && !speaks(inner) && inner.Get("packages").Sampled(isPackage) == 0 {
		return parse.Node{}
	}
	return inner
}

// isOther reports whether a document declares another format, by the version of that format or
// by an agent's address and skills. A member with such a name and another kind of value is
// ignored.
func isOther(root parse.Node) bool {
	for _, member := range [...]string{"openapi", "swagger", "openrpc", "awp_version"} {
		n := root.Get(member)
		text, _ := n.Str()
		if n.Kind() == parse.Number || text != "" && text[0] >= '0' && text[0] <= '9' {
			return true
		}
	}
	skill := func(n parse.Node) bool { return isString(n.Get("id")) }
	return root.Get("supportedInterfaces").Sampled(hasAddress) > 0 || isString(root.Get("url")) && root.Get("skills").Sampled(skill) > 0
}

// ofNames recognises a member that no other format has.
func ofNames(root parse.Node, home bool) (shape, parse.Level) {
	info := root.Get("serverInfo")
	switch {
	case root.Get("mcpServers").Kind() == parse.Object:
		return shapeConfig, parse.Exact
	case isConfig(root.Get("servers")):
		return shapeConfig, parse.Exact
	case info.Kind() == parse.Object && (home || has(info, "name") && hasAny(root, "transport", "capabilities", "protocolVersion", "remotes", "tools")):
		return shapeInfo, parse.Exact
	case info.Kind() == parse.Object && has(info, "name"):
		return shapeInfo, parse.Likely
	case isString(root.Get("mcp_version")) && (root.Get("endpoints").Kind() == parse.Object || has(root, "server_name")):
		return shapeManifest, parse.Exact
	}
	return shapeNone, parse.None
}

// ofServers recognises a list of servers. Other formats have lists of that name with other
// entries.
func ofServers(root parse.Node, home bool) (shape, parse.Level) {
	list := listed(root)
	n, found, marks := min(list.Len(), parse.MaxSampled), list.Sampled(isServer), list.Sampled(isMarked)
	own := home || hasAny(root, "mcpVersion", "mcp_version")
	switch {
	case list.Kind() != parse.Array || isOther(root) && (marks == 0 || !home):
	case n == 0 && home && !hasPlace(root) && !saysMore(root):
		return shapeServers, parse.Exact
	case n == 0:
	case own && (found > 0 || home && (marks > 0 || list.Sampled(isNamedServer) > 0)):
		return shapeServers, parse.Exact
	case found == n && marks == n:
		return shapeServers, parse.Exact
	case found == n && marks > 0:
		return shapeServers, parse.Likely
	}
	return shapeNone, parse.None
}

// saysMore reports whether the other members of a document with an empty list of servers
// describe a server.
func saysMore(root parse.Node) bool {
	for _, sign := range [...]func(parse.Node, bool) (shape, parse.Level){ofSchema, ofRemotes, ofLists} {
		if _, level := sign(root, true); level != parse.None {
			return true
		}
	}
	return false
}

// listed returns the list of servers of a document.
func listed(root parse.Node) parse.Node {
	for _, member := range [...]string{"servers", "mcpServers", "mcp_servers"} {
		if list := root.Get(member); list.Kind() == parse.Array {
			return list
		}
	}
	return parse.Node{}
}

// ofSchema recognises a $schema of the project, or members that only server.json has.
func ofSchema(root parse.Node, home bool) (shape, parse.Level) {
	schema, _ := root.Get("$schema").Str()
	packages := root.Get("packages").Sampled(isPackage) > 0
	named, ours := namesItself(root), strings.Contains(schema, "modelcontextprotocol")
	switch {
	case isCardSchema(schema), ours && strings.Contains(schema, "server-card"):
		return shapeCard, parse.Exact
	case ours && (named || packages || root.Get("remotes").Sampled(isRemote) > 0):
		return shapeRegistry, parse.Exact
	case (named || home) && packages, named && root.Get("version_detail").Kind() == parse.Object && hasAny(root, "remotes", "packages"):
		return shapeRegistry, parse.Exact
	}
	return shapeNone, parse.None
}

// ofRemotes recognises addresses with their transports, as Server Cards list them.
func ofRemotes(root parse.Node, _ bool) (shape, parse.Level) {
	if namesItself(root) && root.Get("remotes").Sampled(isRemote) > 0 {
		return shapeCard, parse.Exact
	}
	return shapeNone, parse.None
}

// ofHome recognises, at MCP's own places, an address that the document declares as an endpoint
// of MCP, whatever else the document contains.
func ofHome(root parse.Node, home bool) (shape, parse.Level) {
	if home && speaks(root) {
		return shapeEndpoint, parse.Exact
	}
	return shapeNone, parse.None
}

// ofLists recognises a list of tools: a result, a response, or an object that contains such a
// list among other members.
func ofLists(root parse.Node, home bool) (shape, parse.Level) {
	list := root
	if result := list.Get("result"); result.Kind() == parse.Object && (has(list, "jsonrpc") || has(result, "tools")) {
		list = list.Get("result")
	}
	tools := list.Get("tools")
	found := tools.Sampled(isTool)
	all := found == min(tools.Len(), parse.MaxSampled)
	switch {
	case isString(root.Get("name")) && hasSchema(root):
		return shapeTools, parse.Likely // one tool
	case isKeyed(tools) && !hasPlace(list) && withSchemas(tools):
		if home || list.HasOnly("tools", "nextCursor", "ttlMs", "cacheScope", "resultType", "_meta") {
			return shapeTools, parse.Exact
		}
		return shapeTools, parse.Likely
	case found > 0 && home && (isNamed(list) || leadsToMCP(list)) && hasPlace(list) && !leadsElsewhere(list):
		return shapeEndpoint, parse.Exact
	case found == 0 || hasPlace(list) && !(home && all && list.Get("endpoints").Len() == 0):
		return shapeNone, parse.None
	case all && (home || list.HasOnly("tools", "nextCursor", "ttlMs", "cacheScope", "resultType", "_meta") || hasAny(list, "protocolVersion", "metadata")):
		return shapeTools, parse.Exact
	}
	return shapeTools, parse.Likely
}

// ofArray recognises a list of tools without an enclosing object, or a list of servers.
func ofArray(root parse.Node, home bool) (shape, parse.Level) {
	n, found := min(root.Len(), parse.MaxSampled), root.Sampled(isTool)
	servers := func(entry parse.Node) bool {
		s, level := shapeNone, parse.None
		if entry.Kind() == parse.Object {
			s, level = shapeOf(entry, home)
		}
		return level == parse.Exact && (s == shapeCard || s == shapeRegistry || s == shapeInfo || home && s == shapeEndpoint && speaks(entry))
	}
	switch {
	case n > 0 && found == n && root.Sampled(hasSchema) == n:
		return shapeTools, parse.Exact
	case found > 0 && (root.Sampled(isNamed) == n || 2*found > n):
		return shapeTools, parse.Likely
	case n > 0 && root.Sampled(servers) == n:
		return shapeServers, parse.Exact
	}
	return shapeNone, parse.None
}

// ofEndpoint recognises a name with an address, if it is marked as an address of MCP.
func ofEndpoint(root parse.Node, home bool) (shape, parse.Level) {
	if !isNamed(root) || !hasPlace(root) {
		return shapeNone, parse.None
	}
	spoken, _ := root.Get("protocol").Str()
	switch {
	case strings.EqualFold(spoken, protocol), has(root, "mcpVersion"),
		home && (root.HasOnly(members()...) && !leadsElsewhere(root) || leadsToMCP(root)),
		isKnownTransport(root.Get("transport")) && hasAny(root, "tools", "capabilities", "protocolVersion", "authentication"):
		return shapeEndpoint, parse.Exact
	case isKnownTransport(root.Get("transport")), root.Get("transports").Sampled(isRemote) > 0:
		return shapeEndpoint, parse.Likely
	}
	return shapeNone, parse.None
}

// leadsToMCP reports whether the one place of a document has a name that is specific to MCP.
func leadsToMCP(root parse.Node) bool {
	for _, member := range [...]string{"endpoint", "url", "serverUrl", "server_url"} {
		if text, ok := root.Get(member).Str(); ok && strings.Contains(strings.ToLower(text), protocol) {
			return true
		}
	}
	return isString(root.Get("endpoints").Get("mcp"))
}

// leadsElsewhere reports whether a document names endpoints, but none as an endpoint of MCP.
func leadsElsewhere(root parse.Node) bool {
	endpoints := root.Get("endpoints")
	return endpoints.Kind() == parse.Object && !isString(endpoints.Get("mcp"))
}

// isNegative reports whether a document declares that there is no server.
func isNegative(root parse.Node, s shape) bool {
	switch s {
	case shapeInfo:
		available, ok := root.Get("serverInfo").Get("available").Bool()
		return ok && !available && !hasPlace(root)
	case shapeConfig:
		return servers(root).Len() == 0 && !hasPlace(root)
	case shapeServers:
		return root.Kind() == parse.Object && listed(root).Len() == 0 && !hasPlace(root)
	}
	return false
}

func hasAny(obj parse.Node, members ...string) bool {
	return slices.ContainsFunc(members, func(m string) bool { return has(obj, m) })
}

func textOf(n parse.Node) string {
	text, _ := n.Str()
	return text
}

func isString(n parse.Node) bool { return n.Kind() == parse.String }

func isNamed(n parse.Node) bool { return isString(n.Get("name")) }

// namesItself reports whether an object has a name, even one of another kind than text.
func namesItself(n parse.Node) bool {
	return slices.Contains([]parse.Kind{parse.String, parse.Number, parse.Bool}, n.Get("name").Kind())
}

func hasSchema(n parse.Node) bool { return n.Get("inputSchema").Kind() == parse.Object }

// isTool recognises a tool by members that only tools have.
func isTool(n parse.Node) bool {
	arguments := n.Get("arguments")
	return isNamed(n) && (hasSchema(n) || n.Get("annotations").Kind() == parse.Object ||
		arguments.Kind() == parse.Array && (arguments.Len() == 0 || arguments.Sampled(isArgument) > 0))
}

// isArgument recognises an argument as catalogues of tools write them.
func isArgument(n parse.Node) bool { return isNamed(n) && hasAny(n, "type", "desc") }

// isRemote recognises a place with a transport.
func isRemote(n parse.Node) bool {
	return isString(n.Get("url")) && (isKnownTransport(n.Get("type")) || isKnownTransport(n.Get("transport_type")) || isKnownTransport(n.Get("transport")))
}

// isPackage recognises a package of server.json, in the words of all versions.
func isPackage(n parse.Node) bool {
	return n.Kind() == parse.Object && (hasAny(n, "registryType", "registry_type", "registry_name", "registryBaseUrl") ||
		hasAny(n, "identifier", "name") && hasAny(n, "transport", "type"))
}

// isServer recognises an entry of a list of servers.
func isServer(n parse.Node) bool {
	return hasAny(n, "name", "server_name", "url", "endpoint", "serverInfo", "server") &&
		(isMarked(n) || hasAny(n, "authentication", "capabilities", "tools", "command"))
}

// isMarked recognises an entry of a list of servers that cannot be anything else.
func isMarked(n parse.Node) bool {
	kind, _ := n.Get("transport").Str()
	_, known := transportWord(kind)
	return known || isKnownTransport(n.Get("type")) || hasAny(n, "serverInfo", "mcpVersion") || isKnownTransport(n.Get("transport").Get("type")) ||
		n.Get("remotes").Sampled(isRemote) > 0 || n.Get("packages").Sampled(isPackage) > 0 || n.Get("server").Kind() == parse.Object
}

// isKnownTransport reports whether a value is the word for a transport of MCP,
// other than words in common use.
func isKnownTransport(n parse.Node) bool {
	text, _ := n.Str()
	_, known := transportWord(text)
	return known
}

// isConfig recognises the servers of a client configuration under the name
// that editors use.
func isConfig(servers parse.Node) bool {
	if servers.Kind() != parse.Object {
		return false
	}
	n := 0
	for _, entry := range servers.Members() {
		if n++; n > parse.MaxSampled {
			break
		}
		if !isString(entry.Get("command")) && !(isString(entry.Get("url")) && (isKnownTransport(entry.Get("type")) || has(entry, "headers"))) {
			return false
		}
	}
	return n > 0
}
