package aicatalog

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// protocolARD is the protocol of registries that clients can search.
const protocolARD = "ard"

// lead adds the use that clients can make of an entry: a link to a document of a
// format, a file, or a registry.
func (r *reader) lead(doc *wayfind.Document, sum string, sound bool) {
	kind := mediaType(doc.MediaType)
	switch {
	case isSkill(doc.MediaType):
		r.skill(doc, sum, sound)
	case kind == "application/ai-registry+json":
		r.registry(doc)
	case sound:
		link := parse.Link{URLs: []string{doc.URL}, Role: relEntry, Subject: doc.Identifier, SHA256: sum}
		format, ok := formatOf(kind, doc.URL)
		switch link.Format = format; {
		case ok:
			r.made.Links = append(r.made.Links, link)
		case isOpen(kind):
			r.open = append(r.open, link)
		}
	}
}

// mediaType returns a media type in lower case without parameters.
func mediaType(text string) string {
	kind, _, _ := strings.Cut(text, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// formatOf returns the format that the media type names, and otherwise checks the URL.
// format is "" if the content may have any of several formats. ok is false if there is
// no reason for a request.
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

// isOpen reports whether a media type says only how the content is written, so that the content decides which
// format it is. "type is an open text format" (Catalog Entry), and clients "SHOULD use the entries' url values to
// retrieve individual artifacts" (Discovery).
func isOpen(kind string) bool {
	switch kind {
	case "", "json", "yaml", "application/json", "text/json", "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml":
		return true
	}
	return false
}

// namesDocument reports whether a path ends in the usual name of a document of a
// format.
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

// isSkill recognises the types of skills. The types for plugins and for descriptions
// of skills are not included, because their content cannot be used as a skill.
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

// skill adds a capability for a file of instructions.
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

// id returns the identifier of an entry, with its version if several entries have the
// identifier. An entry without an identifier has its URL as ID.
func (r *reader) id(doc *wayfind.Document) string {
	switch {
	case doc.Identifier == "":
		return doc.URL
	case r.versions[doc.Identifier] > 1 && doc.Version != "":
		return doc.Identifier + "@" + doc.Version
	}
	return doc.Identifier
}

// registry adds a service that callers can search when they name it.
func (r *reader) registry(doc *wayfind.Document) {
	r.made.Services = append(r.made.Services, wayfind.Service{
		ID: r.id(doc), Name: doc.Title, Description: doc.Description, Tags: doc.Tags, Sources: doc.Sources, Provider: doc.Publisher,
		Interfaces: []wayfind.Interface{{Protocol: protocolARD, URL: doc.URL, Sources: doc.Sources}},
	})
}

// detail returns a capability for the file of a skill without a look at its content.
// The format of skills reads the files in its own lists.
func detail(_ *parse.Input, subject parse.Subject) (*parse.Reading, error) {
	c := wayfind.Capability{ID: "file", Kind: wayfind.KindSkillFile, Claimed: true}
	if subject.Capability != nil && subject.Capability.ID != "" {
		c.ID, c.Name = subject.Capability.ID, subject.Capability.Name
	}
	return &parse.Reading{Dialect: parse.DialectDetail, Services: []wayfind.Service{{Capabilities: []wayfind.Capability{c}}}}, nil
}
