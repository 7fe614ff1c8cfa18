// Package formats is the list of discovery formats that this module reads.
//
// Each format is a folder below this one and a line in [All]. [Absences] names the kinds of
// document that are left out, each with the reason. A caller that needs fewer or more formats
// edits the slice:
//
//	list := append(formats.All(), mine.Format())
//
// Promises: the order of All is the order of authority, names are never reused for anything
// else, and every call returns fresh values.
package formats

import (
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/acp"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/agentskills"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/formats/aicatalog"
	"github.com/wayfindhq/wayfind/internal/formats/aid"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/internal/formats/aiplugin"
	"github.com/wayfindhq/wayfind/internal/formats/apicatalog"
	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/internal/formats/integrations"
	"github.com/wayfindhq/wayfind/internal/formats/links"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/formats/tdmrep"
	"github.com/wayfindhq/wayfind/internal/formats/ucp"
	"github.com/wayfindhq/wayfind/parse"
)

// All returns every format, in order of authority with the highest first. The slice and the
// values in it belong to the caller.
func All() []*parse.Format {
	return []*parse.Format{
		adp.Format(),
		aidiscovery.Format(),
		awp.Format(),
		agentsmd.Format(),
		msagents.Format(),
		a2a.Format(),
		mcp.Format(),
		aiplugin.Format(),
		openapi.Format(),
		openrpc.Format(),
		oauth.Format(),
		apicatalog.Format(),
		agentskills.Format(),
		ucp.Format(),
		acp.Format(),
		aicatalog.Format(),
		integrations.Format(),
		aid.Format(),
		llmstxt.Format(),
		links.Format(),
		robots.Format(), // wishes, not offers: last
	}
}

// OnRequest returns the formats that are read only if a caller names them: their documents
// cost a request, and do not describe the offers of a site. The slice and the values in it
// belong to the caller.
func OnRequest() []*parse.Format {
	return []*parse.Format{
		tdmrep.Format(),
	}
}

// Absence is a kind of document that no format here reads.
type Absence struct {
	// Name is a name like the name of a format: the word after --formats.
	Name string `json:"name"`
	// Title describes the format for people, in one line.
	Title string `json:"title"`
	// Reason is the reason why it is not read, a clause in lower case.
	Reason string `json:"reason"`
}

// Absences returns the kinds of document that are left out, with the reasons: first the
// formats that have a place in the order of authority, in that order, then the others. Most
// are recognised: the verdict on such a document is other_format, and its reason is the name
// ([parse.Known]).
func Absences() []Absence {
	const later = "not read yet"
	const known = later + "; it is recognised as another format"
	const noShape = "no specification defines it, and no two publishers write it alike"
	return []Absence{
		{"agentjson", "agent.json 1.0 to 1.4, another format of that name", known},
		{"agentsjson", "agents.json", known + " by its members; documents at its path agree on no one shape"},
		{"erc8004", "ERC-8004: registration of an agent on a chain", "the chain proves who owns it, which is not looked at here; it is recognised as another format"},
		{"agentfacts", "agent-facts (NANDA)", "almost no site publishes one; it is recognised as another format"},
		{"agentstxt", "agents.txt", "at least four authors have defined it, each with a grammar of their own"},
		{"aitxt", "ai.txt", "one family has the grammar of robots.txt with another meaning, another is free text; it is never read as robots.txt"},
		{"agentpermissions", "agent-permissions.json", "its rules are about clicks in a browser, and hardly any document at its path follows its schema"},
		{"nlweb", "NLWeb (/ask, nlweb.json)", "asking is a call, not a look, and no document of discovery is defined; MCP documents and catalogues lead to it"},
		{"anp", "Agent Network Protocol: agent descriptions", "almost no site publishes one; it is recognised as another format"},
		{"oasf", "Open Agentic Schema Framework: records of agents", "they lie in directories, not on the domain that they are about; catalogues lead to them"},
		{"agentindex", "agent-index.json: agents by their names in DNS", "part of a draft whose names still change"},
		{"shopagents", "agents.md of a shop", "it is prose that names the shop's profile: see /.well-known/ucp, which is read"},
		{"authmd", "auth.md: registration of agents, in prose", "it is an instruction by a stranger; agent_auth in the metadata of the authorization server is read"},
		{"pricingmd", "pricing.md", "it is prose; prices of calls are read where a description has them as data"},
		{"llmsfull", "llms-full.txt", "it repeats the pages that llms.txt lists, and has no structure"},
		{"x402", "x402 manifests (/.well-known/x402, x402.json)", noShape + "; nothing here pays"},
		{"webmcp", "WebMCP manifests (/.well-known/webmcp.json)", "the tools exist in a page, so that only a browser can call them; " + noShape},
		{"webbotauth", "Web Bot Auth: directory of the keys that a bot signs with", "it is about the requests that a domain sends, not about its offers"},
		{"jwks", "JSON Web Key Sets", "keys offer nothing; those that sign Agent Cards are fetched by their URL"},
		{"cimd", "OAuth Client ID Metadata Documents", "they describe callers, not services"},
		{"dnsaid", "DNS-AID and ARD in DNS", "needs records of DNS that resolvers of this library do not give; its names still change"},
		{"graphql", "GraphQL introspection", "needs a query to a live endpoint; there is no document to fetch"},
		{"grpc", "gRPC server reflection", "needs a live gRPC connection; there is no document to fetch"},
		{"sitemaps", "sitemaps", "lists pages for crawlers and declares nothing for agents"},
	}
}
