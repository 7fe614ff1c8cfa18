package parse

import (
	"strings"
)

// maxKnown is how many elements of a list are looked at for its marks.
const maxKnown = 20

// Known names the kind of a document that no format reads, by the marks that
// its specification gives it; "" for any other. The names are those of
// formats.Absences.
//
//	agentsjson   agents.json: "agentsJson", or flows over sources
//	ucp          a profile of the Universal Commerce Protocol: the object "ucp"
//	acp          a document of the Agentic Commerce Protocol: "protocol" is called so
//	apicatalog   an API catalog (RFC 9727): a linkset
//	agentskills  an index of skill files: its schema, or skills with files
//	aicatalog    an AI Catalog: entries with an identifier and a type
func Known(in *Input) string {
	root, err := in.JSONObject()
	if err != nil {
		return ""
	}
	switch schema, _ := root.Get("$schema").Str(); {
	case root.Get("agentsJson").Kind() == String, isList(root.Get("flows"), "actions") && isList(root.Get("sources"), "path"):
		return "agentsjson"
	case isProfile(root):
		return "ucp"
	case isNamed(root.Get("protocol"), "acp"):
		return "acp"
	case isList(root.Get("linkset"), "anchor"):
		return "apicatalog"
	case strings.Contains(schema, "agentskills"), isSkillIndex(in, root):
		return "agentskills"
	case isList(root.Get("entries"), "identifier", "type"), isList(root.Get("entries"), "identifier", "mediaType"):
		return "aicatalog"
	}
	return ""
}

// isProfile recognises the object of a profile, and the notations that came
// before it.
func isProfile(root Node) bool {
	ucp := root.Get("ucp")
	switch ucp.Kind() {
	case Object:
		return ucp.Get("version").Exists() || ucp.Get("capabilities").Exists() || ucp.Get("services").Exists()
	case String:
		return root.Get("capabilities").Exists() || root.Get("services").Exists()
	}
	return root.Get("ucp_version").Kind() == String
}

// isNamed reports an object, or a text, with a name.
func isNamed(n Node, want string) bool {
	text, ok := n.Str()
	if !ok {
		text, _ = n.Get("name").Str()
	}
	return strings.EqualFold(text, want)
}

// isSkillIndex recognises an index by its entries: each has a text and, at the
// place of an index, leads to a file.
func isSkillIndex(in *Input, root Node) bool {
	skills := root.Get("skills")
	if isList(skills, "name", "description", "files") {
		return true
	}
	if in.URL == nil || !strings.HasSuffix(in.URL.Path, "skills/index.json") {
		return false
	}
	return isList(skills, "name", "description", "url") || isList(skills, "name", "digest")
}

// isList reports a list of objects, each of which has the members.
func isList(list Node, members ...string) bool {
	for i := range min(list.Len(), maxKnown) {
		for _, member := range members {
			if !list.Index(i).Get(member).Exists() {
				return false
			}
		}
	}
	return list.Kind() == Array && list.Len() > 0
}
