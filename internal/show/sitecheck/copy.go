package sitecheck

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// The documents to copy. They have the facts of the site where these are known, and
// values that keep the specification elsewhere.

// written is a document in JSON.
func written(place, mediaType, decide string, content any) *Document {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(content); err != nil {
		return nil
	}
	return &Document{Place: place, MediaType: mediaType, Content: b.String(), Decide: decide}
}

// name is the name of the first service that has one, else the host.
func (f *facts) name() string {
	for i := range f.Site.Services {
		if name := f.Site.Services[i].Name; name != "" {
			return name
		}
	}
	return f.host()
}

// domain is the host without its port. Of an address it is the name that documents need.
func (f *facts) domain() string {
	u, err := url.Parse(f.Site.Asked())
	if err != nil {
		return addressName
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return addressName
	}
	return u.Hostname()
}

// addressName stands for the name of a site that has only an address.
const addressName = "localhost"

// label is the domain as a name in reverse order: "example.shop".
func (f *facts) label() string {
	labels := strings.Split(f.domain(), ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// descriptionURL is the address of the OpenAPI description: the one that was read, else the
// place where generators serve it.
func (f *facts) descriptionURL() (u, decide string) {
	if list := f.sources("openapi"); len(list) > 0 {
		return list[0].URL, ""
	}
	if place, _ := f.extraOpenAPI(); place != "" {
		return f.at(place), ""
	}
	return f.at(placeOpenAPI), "the address of the description, unless it is /openapi.json"
}

type link struct {
	Href string `json:"href"`
	Type string `json:"type,omitempty"`
}

type linkContext struct {
	Anchor string `json:"anchor"`
	Desc   []link `json:"service-desc"`
}

func copyCatalog(f *facts) *Document {
	u, decide := f.descriptionURL()
	return written("/.well-known/api-catalog", `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`, decide, struct {
		Linkset []linkContext `json:"linkset"`
	}{[]linkContext{{f.at("/"), []link{{u, "application/vnd.oai.openapi+json"}}}}})
}

type catalogHost struct {
	Name string `json:"displayName"`
}

type catalogEntry struct {
	Identifier string `json:"identifier"`
	Name       string `json:"displayName"`
	Type       string `json:"type"`
	URL        string `json:"url"`
}

// catalogTypes are the media types of entries, by format.
var catalogTypes = [...]struct{ format, mediaType string }{
	{"mcp", "application/mcp-server-card+json"},
	{"a2a", "application/a2a-agent-card+json"},
	{"openapi", "application/vnd.oai.openapi+json"},
	{"agentskills", "application/agentskills+json"},
	{"llmstxt", "text/markdown"},
}

func copyAICatalog(f *facts) *Document {
	host := f.domain()
	var entries []catalogEntry
	for _, t := range catalogTypes {
		for i, s := range f.sources(t.format) {
			id := fmt.Sprintf("urn:air:%s:%s", host, t.format)
			if i > 0 {
				id += fmt.Sprint(i + 1)
			}
			entries = append(entries, catalogEntry{id, f.name(), t.mediaType, s.URL})
		}
	}
	decide := ""
	if len(entries) == 0 {
		decide = "the entries"
		entries = []catalogEntry{{"urn:air:" + host + ":agent", f.name(), "application/a2a-agent-card+json", f.at("/.well-known/agent-card.json")}}
	}
	return written("/.well-known/ai-catalog.json", "application/ai-catalog+json", decide, struct {
		Version string         `json:"specVersion"`
		Host    catalogHost    `json:"host"`
		Entries []catalogEntry `json:"entries"`
	}{"1.0", catalogHost{f.host()}, entries})
}

// copyIndex is a catalogue of the documents that were found.
func copyIndex(f *facts) *Document {
	if len(f.sources("openapi")) > 0 && len(f.sources("mcp"))+len(f.sources("a2a")) == 0 {
		return copyCatalog(f)
	}
	return copyAICatalog(f)
}

// copyLLMs is an llms.txt of the title, the description and the links of the home page.
func copyLLMs(f *facts) *Document {
	h := f.homePage()
	name, about, decide := f.name(), h.about, ""
	if name == f.host() && h.title != "" {
		name = h.title
	}
	if about == "" {
		about, decide = "One sentence about the site.", "the summary"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> %s\n\n## Pages\n\n- [Home](%s)\n", name, about, f.at("/"))
	for _, p := range h.links {
		fmt.Fprintf(&b, "- [%s](%s)\n", linkText.Replace(p.name), linkURL.Replace(p.url))
	}
	if len(h.links) == 0 {
		decide = strings.TrimPrefix(decide+" and the pages that matter", " and ")
	}
	return &Document{Place: "/llms.txt", MediaType: "text/markdown; charset=utf-8", Decide: decide, Content: b.String()}
}

var (
	linkText = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)
	linkURL  = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20")
)

// copyFirst is the document that a site like this one begins with.
func copyFirst(f *facts) *Document {
	switch f.kind() {
	case kindServer:
		return copyServerCard(f)
	case kindAgent:
		return copyAgentCard(f)
	case kindPages:
		return copyLLMs(f)
	default:
		return copyCatalog(f)
	}
}

func copyRobots(f *facts) *Document {
	rules := "User-agent: *\nAllow: /\n"
	if a, known := f.Answers[f.at("/robots.txt")]; known && f.status("robots") == Pass && len(a.Body) > 0 && !bytes.Contains(a.Body, []byte{'\r'}) {
		rules = strings.TrimRight(string(a.Body), "\n") + "\n"
		if len(f.policies("robots")) == 0 {
			rules += "\nUser-agent: *\nAllow: /\n"
		}
	}
	decide := ""
	if len(f.policies("content_signal"))+len(f.policies("content_usage")) == 0 {
		rules = strings.Replace(rules, "User-agent: *\n", "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\n", 1)
		decide = "the values of Content-Signal"
	}
	return &Document{Place: "/robots.txt", MediaType: "text/plain; charset=utf-8", Content: rules, Decide: decide}
}

// filled is a template of JSON with strings in the places of %s.
func filled(template string, values ...string) any {
	var b bytes.Buffer
	for _, v := range values {
		before, after, _ := strings.Cut(template, "%s")
		quoted, _ := json.Marshal(v) // a string is always written
		b.WriteString(before)
		b.Write(quoted)
		template = after
	}
	b.WriteString(template)
	return json.RawMessage(b.Bytes())
}

func copyOpenAPI(f *facts) *Document {
	if place, _ := f.extraOpenAPI(); f.kind() == kindPages || len(f.sources("openapi")) > 0 || place != "" || len(f.Offer.NotTools) > 0 {
		return nil // it has no API; or something is there, and a link or a mend is missing
	}
	return written(placeOpenAPI, "application/vnd.oai.openapi+json;version=3.1", "the operations", filled(`{"openapi": "3.1.0",
		"info": {"title": %s, "version": "1.0.0"}, "servers": [{"url": %s}], "security": [{}],
		"paths": {"/items/{id}": {"get": {"operationId": "get_item", "summary": "Show an item",
		"parameters": [{"name": "id", "in": "path", "required": true, "description": "The number of the item", "schema": {"type": "integer"}}],
		"responses": {"200": {"description": "The item", "content": {"application/json": {"schema": {"type": "object"}}}}}}}}}`, f.name(), f.Site.Asked()))
}

func copyServerCard(f *facts) *Document {
	return written("/.well-known/mcp/server-card.json", "application/mcp-server-card+json", "the name and the address of the server", filled(`{
		"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": %s, "title": %s,
		"description": "One sentence about the server.", "version": "1.0.0", "remotes": [{"type": "streamable-http", "url": %s}]}`,
		f.label()+"/server", f.name(), f.at("/mcp")))
}

func copyAgentCard(f *facts) *Document {
	return written("/.well-known/agent-card.json", "application/a2a+json", "the address, the security schemes and the skills of the agent", filled(`{
		"name": %s, "description": "One sentence about the agent.", "version": "1.0.0",
		"supportedInterfaces": [{"url": %s, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
		"capabilities": {"streaming": false, "pushNotifications": false},
		"securitySchemes": {"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}}, "securityRequirements": [{"schemes": {"bearer": {"list": []}}}],
		"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
		"skills": [{"id": "answer", "name": "Answer a question", "description": "Answers questions about the site.", "tags": ["questions"]}]}`,
		f.name(), f.at("/a2a")))
}

func copySkills(f *facts) *Document {
	return written("/.well-known/agent-skills/index.json", "application/json", "the skills, with the digest of each file", filled(`{
		"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [{"name": "first-steps", "type": "skill-md",
		"description": "One sentence about the task.", "url": %s,
		"digest": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}`,
		f.at("/.well-known/agent-skills/first-steps/SKILL.md")))
}

func copyResource(f *facts) *Document {
	server := f.Site.Asked()
	if list := f.sources("oauth"); len(list) > 0 {
		server, _, _ = strings.Cut(list[0].URL, "/.well-known/")
	}
	return written("/.well-known/oauth-protected-resource", "application/json", "the authorization server and the scopes", filled(`{
		"resource": %s, "authorization_servers": [%s], "bearer_methods_supported": ["header"]}`, f.Site.Asked(), cmp.Or(server, f.Site.Asked())))
}
