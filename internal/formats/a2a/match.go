package a2a

import (
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// match recognises cards by their members. Members that other documents at the same
// paths share (a name, a url, capabilities) are not enough. Only cards have skills and
// media types of a whole agent, and a card always shows that an agent takes messages
// (see isAgent).
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Claim{}
	}
	e, union := editionOf(root)
	claim := parse.Claim{Level: levelOf(root), Dialect: e.dialect()}
	switch {
	case isForeignPlace(in) && !hasOwnMember(root):
		return parse.Claim{}
	case isNegative(root):
		// Another format may read the rest of the document, so the claim is not
		// certain.
		return parse.Claim{Level: parse.Likely, Negative: true}
	case claim.Level == parse.None:
		return parse.Claim{}
	case union:
		claim.Dialect = dialectUnion
	}
	return claim
}

// levelOf returns how well the members of a document match a card.
func levelOf(root parse.Node) parse.Level {
	if root.Get("name").Kind() != parse.String && root.Get("skills").Kind() != parse.Array {
		return parse.None
	}
	skills, faces := root.Get("skills").Kind() == parse.Array, root.Get("supportedInterfaces").Kind() == parse.Array
	reached := faces || root.Get("url").Kind() == parse.String
	modes := root.Has("defaultInputModes", "defaultOutputModes")
	switch {
	case isSkillsIndex(root), isServer(root), !isAgent(root):
		return parse.None
	case root.Get("supportedInterfaces").Sampled(isBound) > 0:
		return parse.Exact
	case skills && reached && (modes || faces || root.Has("capabilities", "protocolVersion")):
		return parse.Exact
	case modes && reached && root.Has("capabilities"):
		return parse.Exact
	case skills && modes:
		return parse.Likely
	}
	return parse.None
}

// isAgent reports whether a document has a part that only the card of an agent has: a
// skill, the media types of both directions, or a member of the protocol. It is also
// true if capabilities is missing or empty. The profile of a company has no such part,
// and its capabilities are of another kind.
func isAgent(root parse.Node) bool {
	abilities := root.Get("capabilities")
	if !abilities.Exists() || abilities.Kind() == parse.Object && abilities.Len() == 0 {
		return true
	}
	for _, skill := range root.Get("skills").Items() {
		if skill.Has("id", "name") {
			return true
		}
	}
	return root.Has("defaultInputModes") && root.Has("defaultOutputModes") ||
		root.Has("protocolVersion", "preferredTransport", "additionalInterfaces", "supportedInterfaces", "signatures",
			"supportsAuthenticatedExtendedCard", "securitySchemes", "security", "securityRequirements", "authentication") ||
		abilities.Has("streaming", "pushNotifications", "stateTransitionHistory", "extensions", "extendedAgentCard")
}

// isBound reports whether an entry has a member that only entries of supportedInterfaces have.
func isBound(entry parse.Node) bool { return entry.Get("protocolBinding").Kind() == parse.String }

// isSkillsIndex recognises the index of skill files by its schema, or by an entry
// with the digest or the files of a skill.
func isSkillsIndex(root parse.Node) bool {
	if hasOwnMember(root) {
		return false
	}
	schema, _ := root.Get("$schema").Str()
	list := root.Get("skills")
	filed := func(skill parse.Node) bool {
		return skill.Has("digest", "sha256") || skill.Get("files").Kind() == parse.Array
	}
	return list.Sampled(filed) > 0 || list.Kind() == parse.Array && strings.Contains(schema, "agentskills")
}

// isServer recognises the document of an MCP server by a member that no card has.
func isServer(root parse.Node) bool {
	if hasOwnMember(root) {
		return false
	}
	schema, _ := root.Get("$schema").Str()
	return strings.Contains(schema, "modelcontextprotocol") || root.Get("serverInfo").Kind() == parse.Object ||
		root.Get("remotes").Index(0).Exists() || root.Get("tools").Index(0).Get("inputSchema").Exists()
}

// isForeignPlace reports whether the URL is a place for documents of MCP servers or
// indexes of skills. These documents share members with cards.
func isForeignPlace(in *parse.Input) bool {
	return in.URL != nil && (strings.Contains(in.URL.Path, "/.well-known/mcp") || strings.HasSuffix(in.URL.Path, "skills/index.json"))
}

// hasOwnMember reports whether the document has a member that only the card of an
// agent has.
func hasOwnMember(root parse.Node) bool {
	return root.Has("defaultInputModes", "defaultOutputModes", "preferredTransport", "additionalInterfaces") || root.Get("supportedInterfaces").Len() > 0
}

// isNegative recognises documents that state that A2A is not supported.
func isNegative(root parse.Node) bool {
	supported, ok := root.Get("a2a").Get("supported").Bool()
	return ok && !supported
}
