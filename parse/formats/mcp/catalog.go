package mcp

import (
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// isCatalogEntry recognises an entry that leads to a Server Card.
func isCatalogEntry(n parse.Node) bool {
	kind, _ := n.Get(pick(n, "type", "mediaType")).Str()
	return isString(n.Get("identifier")) && (strings.HasPrefix(kind, "application/mcp-server-card+json") || strings.HasPrefix(kind, "application/mcp-server+json"))
}

// catalog reads where the cards of a catalogue are. The first drafts call the
// type mediaType.
func (r *reader) catalog(root parse.Node) []parse.Link {
	r.Report(ruleCatalog, root, "the MCP Catalog was replaced by the AI Catalog at /.well-known/ai-catalog.json")
	var links []parse.Link
	for _, entry := range r.bounded(root.Get("entries"), r.Objects(root, "entries", parse.Must, secCatalog)) {
		if !isCatalogEntry(entry) {
			r.Report(ruleCatalogEntry, entry, "the entry is not about a Server Card; it is ignored")
			continue
		}
		u := r.URL(entry, "url", r.base, parse.Must, secCatalog)
		if u == "" {
			continue
		}
		links = append(links, parse.Link{URLs: []string{u}, Role: "mcp-server-card", Format: name})
	}
	return links
}
