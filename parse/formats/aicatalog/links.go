package aicatalog

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// protocolARD is the protocol of registries that are searched.
const protocolARD = "ard"

// lead makes of an entry what clients can do with it: a link to a document of a
// format, a file, or a registry.
func (r *reader) lead(doc *wayfind.Document, sum string, sound bool) {
	kind := mediaType(doc.MediaType)
	switch {
	case isSkill(doc.MediaType):
		r.skill(doc, sum, sound)
	case kind == "application/ai-registry+json":
		r.registry(doc)
	case sound:
		if format, ok := formatOf(kind, doc.URL); ok {
			r.made.Links = append(r.made.Links, parse.Link{URLs: []string{doc.URL}, Role: relEntry, Format: format, Subject: doc.Identifier, SHA256: sum})
		}
	}
}

// mediaType is a type in lower case without parameters.
func mediaType(text string) string {
	kind, _, _ := strings.Cut(text, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// formatOf is the format that a type, or else a URL, names; "" is that of content
// which several formats may have. ok is false where there is no reason to ask.
func formatOf(kind, ref string) (format string, ok bool) {
	switch kind {
	case "application/a2a-agent-card+json":
		return "a2a", true
	case "application/mcp-server-card+json", "application/mcp-server+json", "mcp-server", "mcp":
		return "mcp", true
	case "application/ai-catalog+json", "application/ard+json":
		return name, true
	case "application/linkset+json":
		return "apicatalog", true
	case "application/openrpc+json":
		return "openrpc", true
	case "application/vnd.oai.openapi+json", "application/vnd.oai.openapi", "application/vnd.oai.openapi+yaml",
		"application/openapi+json", "application/openapi+yaml", "openapi":
		return "openapi", true
	}
	u, err := url.Parse(ref)
	if err != nil {
		return "", false
	}
	return "", namesDocument(u.Path)
}

// namesDocument reports paths by which documents of formats go.
func namesDocument(path string) bool {
	file := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	switch file {
	case "agent-card.json", "agent.json", "server-card", "server-card.json", "mcp.json", "openapi.json", "openapi.yaml", "openapi.yml",
		"swagger.json", "openrpc.json", "ai-plugin.json", "ai-catalog.json", "ard.json", "api-catalog":
		return true
	}
	return strings.HasSuffix(path, "/.well-known/ucp") || strings.HasSuffix(path, "/.well-known/acp.json") ||
		strings.HasSuffix(path, "skills/index.json") && strings.Contains(path, "/.well-known/")
}

// isSkill recognises the types of skills. Of a description of skills, and of
// plugins, nothing can be used as a skill.
func isSkill(text string) bool {
	switch kind := mediaType(text); kind {
	case "application/agent-skills+md", "application/agent-skills+zip", "application/agent-skills+gzip", "application/agentskill+zip",
		"application/ai-skill", "application/ai-skill+md":
		return true
	case "text/markdown":
		return strings.Contains(text, "urn:air:agent-skills")
	}
	return false
}

// skill is a file of instructions.
func (r *reader) skill(doc *wayfind.Document, sum string, sound bool) {
	c := wayfind.Capability{
		ID: r.id(doc), Name: doc.Title, Description: doc.Description, Tags: doc.Tags, Kind: wayfind.KindSkillFile, Claimed: true,
		Sources: doc.Sources,
	}
	if sound {
		c.Lazy, c.DetailURLs = true, []string{doc.URL}
		c.Artifact = &wayfind.Artifact{URL: doc.URL, MediaType: mediaType(doc.MediaType), SHA256: sum}
	}
	r.service.Capabilities = append(r.service.Capabilities, c)
}

// id is the identifier, with the version if it stands for several. An entry that
// has none goes by its URL.
func (r *reader) id(doc *wayfind.Document) string {
	switch {
	case doc.Identifier == "":
		return doc.URL
	case r.versions[doc.Identifier] > 1 && doc.Version != "":
		return doc.Identifier + "@" + doc.Version
	}
	return doc.Identifier
}

// registry is a service that can be searched, by callers who name it.
func (r *reader) registry(doc *wayfind.Document) {
	r.made.Services = append(r.made.Services, wayfind.Service{
		ID: r.id(doc), Name: doc.Title, Description: doc.Description, Tags: doc.Tags, Sources: doc.Sources, Provider: doc.Publisher,
		Interfaces: []wayfind.Interface{{Protocol: protocolARD, URL: doc.URL, Sources: doc.Sources}},
	})
}

// detail stands for the file of a skill, of which nothing is interpreted here: the
// format of skills does so, for those that its own lists name.
func detail(_ *parse.Input, subject parse.Subject) (*parse.Reading, error) {
	c := wayfind.Capability{ID: "file", Kind: wayfind.KindSkillFile, Claimed: true}
	if subject.Capability != nil && subject.Capability.ID != "" {
		c.ID, c.Name = subject.Capability.ID, subject.Capability.Name
	}
	return &parse.Reading{Dialect: parse.DialectDetail, Services: []wayfind.Service{{Capabilities: []wayfind.Capability{c}}}}, nil
}
