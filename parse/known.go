package parse

import (
	"path"
	"slices"
	"strings"
)

// Known names the kind of a document that none of the caller's formats reads. It recognises
// the marks that the specification of the kind requires, or the place of the document if the
// specification requires no marks. It returns "" for any other document. The names are the
// names of formats, and those in formats.Absences.
//
//	agentsjson        agents.json: "agentsJson", or flows over sources
//	ucp               a profile of the Universal Commerce Protocol: the object "ucp"
//	acp               a document of the Agentic Commerce Protocol: "protocol" has its name
//	apicatalog        an API catalog (RFC 9727): a linkset
//	agentskills       an index of skill files: its schema, or skills with files
//	aicatalog         an AI Catalog: entries with an identifier and a type
//	agentpermissions  agent-permissions.json: rules about resources
//	x402              a list of resources with a price: "x402Version", "payTo"
//	webmcp            tools of a page, at webmcp.json
//	webbotauth        a directory of keys for signing requests
//	jwks              a JWK Set for any other use
//	tdmrep            reservations of text and data mining
//	anp               an agent description of the Agent Network Protocol, or a list
//	oasf              a record of the Open Agentic Schema Framework
//	nlweb             nlweb.json: the place to ask questions
//	agentindex        an index of agents by their names in DNS
//	cimd              a client of OAuth at its own URL
//	erc8004           a registration of an agent on a chain: its type names the standard
//	agentfacts        facts about an agent, as NANDA writes them
//	agentstxt, aitxt  texts at agents.txt and ai.txt
//	shopagents        a shop's text for agents, which names its profile (ucp)
//	authmd            auth.md: the steps to register an agent, in prose
//	pricingmd         pricing.md: prices, in prose
//	llmsfull          llms-full.txt: the pages that llms.txt lists, in one text
//	sitemaps          a sitemap
func Known(in *Input) string {
	root, err := in.JSON()
	if err != nil {
		return knownText(in)
	}
	if root.Kind() == Array && isList(root, "tdm-reservation") {
		return "tdmrep"
	}
	if root.Kind() == Array && placeName(in) == "agents-index.json" && isList(root, "fqdn") {
		return "agentindex"
	}
	if root.Kind() != Object {
		return ""
	}
	for _, look := range []func(*Input, Node) string{knownIndex, knownOffer, knownOther} {
		if name := look(in, root); name != "" {
			return name
		}
	}
	return ""
}

// knownIndex recognises documents that list others, and profiles of shops.
func knownIndex(in *Input, root Node) string {
	switch schema, _ := root.Get("$schema").Str(); {
	case root.Get("agentsJson").Kind() == String, isList(root.Get("flows"), "actions") && isList(root.Get("sources"), "path"), liesAt(in, root, "agents.json"):
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
	case isList(root.Get("agents"), "dnsName"):
		return "agentindex"
	}
	return ""
}

// knownOffer recognises descriptions of agents, pages and payments.
func knownOffer(in *Input, root Node) string {
	place := placeName(in)
	switch kind := typeOf(root); {
	case root.Get("x402Version").Exists(), root.Get("x402_version").Exists(), root.Get("payTo").Exists(), root.Get("x402").Kind() == Object,
		isList(root.Get("accepts"), "payTo"),
		strings.HasPrefix(place, "x402") && hasList(root, "resources", "endpoints", "apis", "payable_endpoints"), liesAt(in, root, "x402", "x402.json"):
		return "x402"
	case place == "webmcp.json" && root.Get("tools").Kind() == Array, liesAt(in, root, "webmcp.json"):
		return "webmcp"
	case isRegistration(root):
		return "erc8004"
	case root.Get("agent_name").Exists() && root.Get("endpoints").Exists(), liesAt(in, root, "agent-facts", "agent-facts.json", "agentfacts.json"):
		return "agentfacts"
	case kind == "AgentDescription", kind == "CollectionPage" && isList(root.Get("items"), "@type"):
		return "anp"
	case root.Get("schema_version").Exists() && isList(root.Get("locators"), "type") && root.Get("skills").Kind() == Array:
		return "oasf"
	case place == "nlweb.json" && (root.Get("ask").Exists() || root.Get("nlweb").Exists()), liesAt(in, root, "nlweb.json"):
		return "nlweb"
	}
	return ""
}

// knownOther recognises keys, clients and wishes.
func knownOther(in *Input, root Node) string {
	place := placeName(in)
	switch {
	case root.Get("resource_rules").Kind() == Array, place == "agent-permissions.json" && root.Get("permissions").Kind() == Object, liesAt(in, root, "agent-permissions.json"):
		return "agentpermissions"
	case isKeys(root) && (place == "http-message-signatures-directory" || in.MediaType == "application/http-message-signatures-directory+json"), liesAt(in, root, "web-bot-auth.json"):
		return "webbotauth"
	case isList(root.Get("keys"), "kty"), isKeys(root) && (place == "jwks.json" || in.MediaType == "application/jwk-set+json"):
		return "jwks"
	case root.Get("tdm-reservation").Exists(), isList(root.Get("tdmrep"), "tdm-reservation"), place == "tdmrep.json" && root.Get("tdm_reservation").Exists():
		return "tdmrep"
	case root.Get("client_id").Kind() == String && root.Get("redirect_uris").Kind() == Array:
		return "cimd"
	}
	return ""
}

// knownText recognises texts by their places. The texts at ai.txt and agents.txt have no
// grammar in common; some use the grammar of robots.txt.
func knownText(in *Input) string {
	if len(in.Body) == 0 || in.HTML() {
		return ""
	}
	head := string(trimFront(in.Body[:min(len(in.Body), 4<<10)]))
	place := placeName(in)
	stem := strings.TrimSuffix(place, ".md")
	switch {
	case strings.HasPrefix(head, "<") && (strings.Contains(head, "<urlset") || strings.Contains(head, "<sitemapindex")):
		return "sitemaps"
	case head == "" || head[0] == '{' || head[0] == '[' || strings.ContainsRune(head, 0):
		return "" // broken JSON, or not a text
	case isShopText(head):
		return "shopagents"
	case stem == "auth" && stem != place:
		return "authmd"
	case stem == "pricing" && stem != place:
		return "pricingmd"
	case place == "llms-full.txt":
		return "llmsfull"
	case place == "ai.txt":
		return "aitxt"
	case place == "agents.txt":
		return "agentstxt"
	}
	return ""
}

// isShopText recognises the text for agents that shops are generated with, by its title and by
// the profile that it names.
func isShopText(head string) bool {
	return strings.HasPrefix(head, "# Agent Instructions") && strings.Contains(head, "/.well-known/ucp")
}

// placeName returns the last segment of the path at which a document was found.
func placeName(in *Input) string {
	if in.URL == nil {
		return ""
	}
	return path.Base(in.URL.Path)
}

// liesAt reports whether a document is at one of the places of a kind that every publisher
// writes differently. A document with a single member is not enough to be of the kind.
func liesAt(in *Input, root Node, names ...string) bool {
	return root.Len() > 1 && slices.Contains(names, placeName(in))
}

// typeOf returns the type of a JSON-LD node, without the prefix of its vocabulary.
func typeOf(root Node) string {
	kind, _ := root.Get("@type").Str()
	return kind[strings.LastIndexByte(kind, ':')+1:]
}

// hasList reports whether one of the members is a non-empty list.
func hasList(root Node, members ...string) bool {
	for _, member := range members {
		if n := root.Get(member); n.Kind() == Array && n.Len() > 0 {
			return true
		}
	}
	return false
}

// isRegistration recognises a registration file (ERC-8004).
func isRegistration(root Node) bool {
	kind, _ := root.Get("type").Str()
	return strings.Contains(strings.ToLower(kind), "eip-8004") || isList(root.Get("registrations"), "agentRegistry")
}

// isProfile recognises the object of a profile, and the notations that preceded it.
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

// isNamed reports whether a value is an object with this name, or a text that is the name.
func isNamed(n Node, want string) bool {
	text, ok := n.Str()
	if !ok {
		text, _ = n.Get("name").Str()
	}
	return strings.EqualFold(text, want)
}

// isSkillIndex recognises an index by its entries: each has a name, a description and files.
// At the place of an index, a name and a URL with a description, or a name and a digest, are
// enough.
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

// isKeys reports whether a document has a list of keys, which may be empty (RFC 7517 §5.1).
func isKeys(root Node) bool {
	keys := root.Get("keys")
	return keys.Kind() == Array && (keys.Len() == 0 || isList(keys, "kty"))
}

// isList reports whether a value is a list of objects, each of which has the members.
func isList(list Node, members ...string) bool {
	lacks := func(entry Node) bool {
		return slices.ContainsFunc(members, func(member string) bool { return !entry.Get(member).Exists() })
	}
	return list.Kind() == Array && list.Len() > 0 && list.Sampled(lacks) == 0
}
