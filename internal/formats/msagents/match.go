package msagents

import (
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// Kinds of documents at the same places that no format here reads.
const (
	// otherACP is a list of the Agent Communication Protocol (BeeAI).
	otherACP = "beeai-acp"
	// otherARD is a list of an ARD registry.
	otherARD = "ard"
)

// match recognises the lists, documents about one agent, and errors at the place of one of
// these. Lists of agents are common, so words that only this format has decide, or common
// words together with the place.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSON()
	if err != nil {
		return parse.Claim{}
	}
	at := placeOf(in)
	switch root.Kind() {
	case parse.Array:
		return matchArray(root, at)
	case parse.Object:
		return matchObject(in, root, at)
	}
	return parse.Claim{}
}

func matchObject(in *parse.Input, root parse.Node, at place) parse.Claim {
	agents, entities := root.Get("agents"), root.Get("entities")
	switch {
	case isRegistryList(root.Get("items")):
		return parse.Claim{Other: true, Dialect: otherARD}
	case at.route != routeList && isACP(agents):
		return parse.Claim{Other: true, Dialect: otherACP}
	case agents.Kind() == parse.Array:
		return listClaim(root, agents, agentsLevel(root, agents, at), "")
	case entities.Kind() == parse.Array:
		return listClaim(root, entities, entitiesLevel(entities, at), dialectDevUI)
	case agents.Exists() && at.route == routeList:
		return parse.Claim{Level: parse.Likely}
	case at.route == routeCard && (isMarked(root) || isBare(root) && root.Has("description", "version")):
		return parse.Claim{Level: parse.Likely, Dialect: dialectCard}
	}
	_, _, broken := problem(in, root)
	switch {
	case broken && at.list():
		return parse.Claim{Level: parse.Likely}
	case broken && at.detail(), isEntity(root), isAgent(root, at):
		return parse.Claim{Level: parse.Likely, Dialect: parse.DialectDetail}
	}
	return parse.Claim{}
}

// listClaim returns the claim on a list. A complete list that is empty declares that there are
// no agents.
func listClaim(root, list parse.Node, level parse.Level, dialect string) parse.Claim {
	if level == parse.None {
		return parse.Claim{}
	}
	more := pages(root, 0).extent
	return parse.Claim{Level: level, Dialect: dialect, Negative: list.Len() == 0 && more == complete}
}

// matchArray recognises lists without an enclosing object: the cards of AgentWebChat, which
// have only two members, and a list that lacks the object of the design.
func matchArray(root parse.Node, at place) parse.Claim {
	switch {
	case root.Len() == 0:
		return parse.Claim{}
	case at.route == routeList && root.Sampled(isNamed) > 0 && !arePeople(root):
		return parse.Claim{Level: parse.Likely}
	case isACP(root):
		return parse.Claim{Other: true, Dialect: otherACP}
	case (at.route == routeWebChat || at.route == routeUnknown) && areCards(root):
		return parse.Claim{Level: parse.Likely, Dialect: dialectWebChat}
	}
	return parse.Claim{}
}

// agentsLevel returns the certainty for a list under "agents". At the place of this format the
// list belongs to it, even with faults. Elsewhere the entries must look like AgentMetadata:
// other lists of agents have no instructions and models.
func agentsLevel(root, agents parse.Node, at place) parse.Level {
	n := min(agents.Len(), parse.MaxSampled)
	marked := agents.Sampled(isMarked)
	bare := agents.Sampled(isBare)
	switch {
	case at.route == routeList && arePeople(agents):
		return parse.None
	case at.route == routeList:
		return parse.Exact
	case n == 0:
		return parse.None
	case marked > 0 && marked+bare == n && onlyPages(root, "agents"):
		return parse.Exact
	case marked > 0 && 2*(marked+bare) >= n:
		return parse.Likely
	case bare == n && (at.route == routeWebChat || at.route == routeUnknown):
		return parse.Likely
	}
	return parse.None
}

// entitiesLevel returns the certainty for a list under "entities", a word that other documents
// use for persons and places.
func entitiesLevel(entities parse.Node, at place) parse.Level {
	n := min(entities.Len(), parse.MaxSampled)
	is := isEntity
	if at.route == routeEntities {
		is = hasEntityType
	}
	switch found := entities.Sampled(is); {
	case n == 0 && at.route == routeEntities, n > 0 && found == n:
		return parse.Exact
	case found > 0:
		return parse.Likely
	}
	return parse.None
}

func isString(n parse.Node) bool { return n.Kind() == parse.String }

func isNamed(entry parse.Node) bool { return isString(entry.Get("name")) }

// isMarked recognises AgentMetadata by the members that only it has. The last of the permitted
// members are those that the design mentions but does not define.
func isMarked(entry parse.Node) bool {
	return isNamed(entry) && (isString(entry.Get("instructions")) || isString(entry.Get("model"))) &&
		entry.HasOnly("name", "description", "version", "instructions", "model", "metadata",
			"structure", "id", "type", "tags", "capabilities", "endpoints", "tools")
}

// isBare recognises AgentMetadata with few members: any list may look like it.
func isBare(entry parse.Node) bool {
	return isNamed(entry) && entry.HasOnly("name", "description", "version", "metadata")
}

// areCards recognises a list of AgentDiscoveryCard.
func areCards(list parse.Node) bool {
	for _, entry := range list.Items() {
		if !isNamed(entry) || !entry.HasOnly("name", "description") {
			return false
		}
	}
	return true
}

// arePeople recognises a list of other agents, of real estate for example: entries with a
// name, with members about a person, and with none that AgentMetadata has. Other new members may
// belong to a later version.
func arePeople(list parse.Node) bool {
	n := min(list.Len(), parse.MaxSampled)
	return n > 0 && n == list.Sampled(func(entry parse.Node) bool {
		return isNamed(entry) && !isMarked(entry) &&
			entry.Has("title", "email", "phone", "mobile", "fax", "photo", "address", "office", "agency", "license", "licence", "listings", "first_name", "last_name", "firstName", "lastName", "birthday") &&
			!entry.Has("description", "version", "instructions", "model", "metadata", "structure", "capabilities", "endpoints", "tools")
	})
}

// isEntity recognises EntityInfo.
func isEntity(entry parse.Node) bool {
	return hasEntityType(entry) && isString(entry.Get("id")) && isString(entry.Get("framework"))
}

// hasEntityType reports whether a type is a type of EntityInfo.
func hasEntityType(entry parse.Node) bool {
	kind, _ := entry.Get("type").Str()
	return kind == "agent" || kind == "workflow"
}

// isAgent recognises a document about one agent. Documents of every kind have a name and a
// description.
func isAgent(root parse.Node, at place) bool {
	return isMarked(root) && isString(root.Get("instructions")) || at.route == routeDetail && isNamed(root)
}

// isACP recognises lists of the Agent Communication Protocol: the types of content that an
// agent accepts, figures about its runs, or static details that only its manifests have.
func isACP(list parse.Node) bool {
	return list.Sampled(func(entry parse.Node) bool {
		if !isNamed(entry) || entry.Get("instructions").Exists() || entry.Get("model").Exists() {
			return false
		}
		return entry.Has("input_content_types", "output_content_types") ||
			entry.Get("status").Has("avg_run_tokens", "avg_run_time_seconds", "success_rate") ||
			entry.Get("metadata").Has("programming_language", "natural_languages", "recommended_models")
	}) > 0
}

// isRegistryList recognises the entries that an ARD registry lists.
func isRegistryList(items parse.Node) bool {
	return items.Kind() == parse.Array && items.Sampled(func(entry parse.Node) bool {
		identifier, _ := entry.Get("identifier").Str()
		return strings.HasPrefix(identifier, "urn:") && isString(entry.Get("displayName")) && isString(entry.Get("type"))
	}) > 0
}
