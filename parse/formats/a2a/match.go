package a2a

import (
	"github.com/wayfindhq/wayfind/parse"
)

// maxSample is how many entries of a list are looked at to recognise it.
const maxSample = 20

// match recognises cards by their members. What other documents of the same
// places have too (a name, a url, capabilities) is not enough: skills and the
// media types of a whole agent are the format's own, and a card says in one way
// or another that an agent is spoken to (see isAgent).
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Claim{}
	}
	e, union := editionOf(root)
	claim := parse.Claim{Level: levelOf(root), Dialect: e.dialect()}
	switch {
	case isNegative(root):
		// Another format may read the rest, so that this one is not sure.
		return parse.Claim{Level: parse.Likely, Negative: true}
	case claim.Level == parse.None:
		return parse.Claim{}
	case union:
		claim.Dialect = dialectUnion
	}
	return claim
}

// levelOf weighs the members of a document.
func levelOf(root parse.Node) parse.Level {
	if root.Get("name").Kind() != parse.String && root.Get("skills").Kind() != parse.Array {
		return parse.None
	}
	skills, faces := root.Get("skills").Kind() == parse.Array, root.Get("supportedInterfaces").Kind() == parse.Array
	reached := faces || root.Get("url").Kind() == parse.String
	modes := hasAny(root, "defaultInputModes", "defaultOutputModes")
	switch {
	case isSkillsIndex(root), !isAgent(root):
		return parse.None
	case bindings(root.Get("supportedInterfaces")):
		return parse.Exact
	case skills && reached && (modes || faces || hasAny(root, "capabilities", "protocolVersion")):
		return parse.Exact
	case modes && reached && hasAny(root, "capabilities"):
		return parse.Exact
	case skills && modes:
		return parse.Likely
	}
	return parse.None
}

// isAgent reports what only the card of an agent has: a skill, the media types of
// both ways, or a member that is about the protocol. The profile of a company
// has none of them, and capabilities of another kind.
func isAgent(root parse.Node) bool {
	abilities := root.Get("capabilities")
	if !abilities.Exists() || abilities.Kind() == parse.Object && abilities.Len() == 0 {
		return true
	}
	for _, skill := range root.Get("skills").Items() {
		if hasAny(skill, "id", "name") {
			return true
		}
	}
	return hasAny(root, "defaultInputModes") && hasAny(root, "defaultOutputModes") ||
		hasAny(root, "protocolVersion", "preferredTransport", "additionalInterfaces", "supportedInterfaces", "signatures",
			"supportsAuthenticatedExtendedCard", "securitySchemes", "security", "securityRequirements", "authentication") ||
		hasAny(abilities, "streaming", "pushNotifications", "stateTransitionHistory", "extensions", "extendedAgentCard")
}

// bindings reports whether a list has entries as only supportedInterfaces has
// them.
func bindings(list parse.Node) bool {
	for i := range min(list.Len(), maxSample) {
		if list.Index(i).Get("protocolBinding").Kind() == parse.String {
			return true
		}
	}
	return false
}

// isSkillsIndex recognises the index of skill files, each entry of which has
// the place or the digest of a file.
func isSkillsIndex(root parse.Node) bool {
	list := root.Get("skills")
	for i := range min(list.Len(), maxSample) {
		if hasAny(list.Index(i), "digest", "sha256") {
			return !hasAny(root, "defaultInputModes", "supportedInterfaces")
		}
	}
	return false
}

// isNegative recognises documents that say that A2A is not spoken.
func isNegative(root parse.Node) bool {
	supported, ok := root.Get("a2a").Get("supported").Bool()
	return ok && !supported
}
