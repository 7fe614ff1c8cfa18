package sitecheck

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// described is a line of the table of descriptions.
type described struct {
	format, title, asks, gain, mend, scanners string
	copy                                      func(*facts) *Document
	judge                                     func(*facts) finding
}

// sharedPlace is the remark on formats whose places are those of other documents too.
const sharedPlace = "Other documents stand at these places too, such as instructions for coding agents. One that this format does not read is no fault."

// descriptions is the table of formats that describe services.
var descriptions = [...]described{
	{"openapi", "OpenAPI description", "where other documents link to one; /openapi.json; /.well-known/openapi.json and /openapi.yaml beside another document, or with --full", "Each operation becomes a tool with typed arguments.",
		"Publish the description of the API, and link to it from /.well-known/api-catalog.",
		"Scanners that look at /openapi.json pass a description that nothing links to. So does this rule, but tools from it say that it is not offered to agents.", copyOpenAPI, judgeOpenAPI},
	{"openrpc", "OpenRPC description", "where other documents link to one", "Each method becomes a tool with typed arguments.",
		"Publish the description of the JSON-RPC API, and link to it.", "", nil, nil},
	{"mcp", "MCP server card", "/.well-known/mcp/server-card.json, /.well-known/mcp.json, /mcp/server-card", "An agent finds the MCP server and how to speak with it.",
		"If the site runs an MCP server, publish its card at /.well-known/mcp/server-card.json.",
		"mcpServerCard: wants serverInfo.name and a transport, the shape of SEP-1649. Here the shape of SEP-2127 passes too.", copyServerCard, nil},
	{"a2a", "A2A agent card", "/.well-known/agent-card.json, /.well-known/agent.json", "An agent sends messages to the agent of the site, and knows its skills.",
		"If the site runs an A2A agent, publish its card at /.well-known/agent-card.json.",
		"a2aAgentCard: wants supportedInterfaces, so cards of A2A 0.3 fail. Here they pass: clients read them.", copyAgentCard, nil},
	{"agentskills", "Agent Skills index", "/.well-known/agent-skills/index.json", "An agent finds instructions for tasks, with a digest of each file.",
		"Publish /.well-known/agent-skills/index.json with a digest for each file.", "", copySkills, nil},
	{"adp", "Agent Discovery Protocol", "/.well-known/agent", "An agent sees all capabilities, and fetches the details of those that it needs.",
		"Publish a manifest at /.well-known/agent.", sharedPlace, nil, readsAtSharedPlace("adp")},
	{"aidiscovery", "AI Discovery Endpoint", "/.well-known/ai, /ai", "An agent reads the service and its capabilities in one compact document.",
		"Publish the document at /.well-known/ai.", sharedPlace, nil, readsAtSharedPlace("aidiscovery")},
	{"awp", "Agent Web Protocol", "/agent.json, /.well-known/agent.json", "An agent sees actions with their effects and how to recover.",
		"Publish /agent.json.", sharedPlace, nil, readsAtSharedPlace("awp")},
	{"agentsmd", "agents.md", "/.well-known/agents.md, /agents.md", "An agent reads its limits on the site.",
		"Publish /.well-known/agents.md.", sharedPlace, nil, readsAtSharedPlace("agentsmd")},
	{"msagents", "agent-framework list", "/agents/v1, /agents, /v1/entities", "A client sends messages to the agents of an application.",
		"Serve the list at /agents/v1.", sharedPlace, nil, readsAtSharedPlace("msagents")},
	{"integrations", "integrations.json", "/.well-known/integrations.json", "An agent finds APIs, servers and programs, and where a person gets the credential for each.",
		"Publish an API catalogue and the card of each server first: more clients read them.", "", nil, readsIfThere("integrations", "other formats can say the same", isStranger)},
	{"aid", "Agent Identity & Discovery record", "/.well-known/agent", "A client that knows only the host finds its one endpoint.",
		"Publish the card of the server or agent first: more clients read it.", sharedPlace, nil, readsIfThere("aid", "other formats can say the same", none)},
	{"aiplugin", "Plugin manifest", "/.well-known/ai-plugin.json", "Older clients find the OpenAPI description and the way to authenticate.",
		"Publish an API catalogue instead: the manifest is retired by its author.", "", nil, nil},
}

func describeRules() []Rule {
	all := formats.All()
	var list []Rule
	for _, d := range descriptions {
		judge := d.judge
		if judge == nil {
			judge = reads(d.format)
		}
		list = append(list, Rule{ID: d.format, Group: groupDescribe, Title: d.title, Spec: specOf(all, d.format), Asks: d.asks,
			Passes: "one is read, and keeps its MUSTs", Gain: d.gain, Mend: d.mend, Scanners: d.scanners, judge: judge, copy: d.copy})
	}
	return append(list, Rule{
		ID: "webmcp", Group: groupDescribe, Title: "WebMCP tools of a page", Spec: wayfind.SpecRef{Title: "WebMCP", URL: "https://webmachinelearning.github.io/webmcp/"},
		Asks: "/ in a browser", Passes: "a script of the page registers a tool", Gain: "An agent in the browser of a person calls functions of the page.",
		Mend: "Describe the same operations in OpenAPI too: agents outside of a browser see no scripts.", Scanners: "webMcp: runs a browser.",
		judge: never("only a browser can tell"),
	})
}

// judgeOpenAPI names a description that nothing links to and that discovery did not ask for.
func judgeOpenAPI(f *facts) finding {
	found := f.reading("openapi", isStranger)
	if place, _ := f.extraOpenAPI(); place != "" && !slices.Contains([]Status{Pass, Fail, Unasked}, found.status) {
		return fails(place+" is an OpenAPI description, and no document links to it", f.at(place))
	}
	if _, extra := f.Extra[placeOpenAPI]; found.status == Absent && !extra && !f.isPlanned(placeOpenAPI) {
		return unasked("a list of the site's APIs was read, so discovery does not ask for " + placeOpenAPI + "; --full asks")
	}
	return found
}
