// Package msagents reads lists of the agents that an application hosts: the lists of the
// agent-framework design "Agent Discovery: Simplified App-Scoped Design" at /agents/v1, and
// the two shapes that its authors ship instead.
//
//	f := msagents.Format()
//	reading, err := f.Parse(&parse.Input{FinalURL: u, Body: list})
//
// The dialects, which differ in their content:
//
//	""             {"agents": [AgentMetadata]} at /agents/v1, as designed
//	"agentwebchat" [{"name", "description"}] at /agents
//	"devui"        {"entities": [EntityInfo]} at /v1/entities
//	"card"         AgentMetadata, or a part of it, of the one agent whose card is
//	               requested: /.well-known/agent-card, /v1/card
//
// Sections in diagnostics are headings of the design; for the shipped shapes they name the
// shape.
//
// # Promises
//
// Each agent is a service of its own, with one capability of kind agent that has the same ID,
// and one of kind tool ("<agent>/<tool>") for each tool that it lists. Its address is an
// interface. The specification defines it, not the document, so all its fields are defaulted.
// It is on the origin that served the list, below the same path prefix:
//
//	protocol "ms-actors": POST {"method": "run", "params": [{"$type": "text",
//	"content": "…"}]} to the template. The template contains the name of the agent;
//	actorKey and messageId are GUIDs that the caller makes.
//
//	protocol "openai-responses": POST to the URL. The parameter metadata of
//	the agent's capability names the agent.
//
// A card does not name the address of its agent, so the agent has no interface.
//
// Instructions, models and metadata are data: they are in the Extensions of the service and
// are never followed. The design models no authentication, so it is unknown. A detail document
// has the same facts about one agent, and some servers have tools and schemas only there.
//
// # Not supported
//
// The design leaves room for queries (q, tag, include), which are sent if the caller names them in a
// target ("https://shop.example/agents/v1?q=pirate"). It leaves room for pages, too: the next page is
// requested if a member (next, or page with the number of agents or pages) or a Link field names it,
// at the path of the list. Any other list that declares that there is more is reported as partial. The prototype of the actor
// endpoints had no "/messages" in its paths; it was never released. Other lists of agents at
// the same places are recognised and not read: lists of the Agent Communication Protocol and
// of ARD registries.
package msagents

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// The places of lists.
const (
	// Path is the place of the design.
	Path = "/agents/v1"
	// PathWebChat and PathDevUI are the places of the shipped dialects.
	PathWebChat = "/agents"
	PathDevUI   = "/v1/entities"
)

// The dialects other than the design's own, which is "".
const (
	dialectWebChat = "agentwebchat"
	dialectDevUI   = "devui"
	dialectCard    = "card"
)

// name is the name of the format.
const name = "msagents"

// The sections: headings of the design, and the shapes that are shipped.
const (
	secList      = "Discovery endpoints"
	secModel     = "Minimal Data Model"
	secEndpoints = "Communication endpoints"
	secCaching   = "Security, Caching, and Performance"
	secErrors    = "Error Model"
	secEntity    = "EntityInfo (DevUI)"
	secCard      = "AgentDiscoveryCard (AgentWebChat)"
)

// spec returns the specification.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{
		Title: "Agent Discovery: Simplified App-Scoped Design",
		URL:   "https://github.com/microsoft/agent-framework/pull/454",
	}
}

// Format returns the format.
func Format() *parse.Format {
	const accept = "application/json"
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "agent-framework lists: the agents that an application hosts",
		Marks: []string{"agents"},
		Locations: []parse.Location{
			{Path: Path, Section: secList, Accept: accept, Note: "the list as designed; /agents/v1/{name} is about one agent"},
			{Path: PathWebChat, After: Path, Section: secCard, Accept: accept, Note: "the list as the AgentWebChat sample serves it"},
			{Path: PathDevUI, After: Path, Section: secEntity, Accept: accept, Note: "the list as DevUI serves it; /v1/entities/{id}/info is about one agent"},
		},
		PerSource: true,
		Match:     match,
		Parse:     parseList,
		Rules:     rules(),
		Examples:  examples(),
		Detail:    parseDetail,
	}
}
