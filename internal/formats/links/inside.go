package links

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxDepth is the depth of a JSON document down to which addresses are searched.
const maxDepth = 4

// document reads the addresses in a document. The document was not written for this purpose,
// so its addresses are only weak hints.
func (r *reader) document(in *parse.Input) {
	before := len(r.reading.Documents)
	if root, err := in.JSON(); err == nil {
		r.inside(root, "", 0)
	}
	if len(r.reading.Documents) > before {
		r.reading.Authority = wayfind.AuthorityProse
	}
}

// inside lists the addresses of MCP, A2A and OpenAPI that are in an object of a JSON document,
// such as a home-made one, a registration of an agent (ERC-8004) or agent facts. They are only
// links: the document makes no service. rel is the protocol that the object is about, or "" if
// it is unknown.
func (r *reader) inside(obj parse.Node, rel string, depth int) {
	for member, n := range obj.Members() {
		own := protocolOf(member)
		if own == "" && isAddressName(member) {
			own = rel
		}
		switch n.Kind() {
		case parse.String:
			r.address(n, own)
		case parse.Object:
			r.within(n, protocolOf(member), depth)
		case parse.Array:
			for _, item := range n.Items() {
				r.address(item, own)
				r.within(item, protocolOf(member), depth)
			}
		}
	}
}

// within reads an object of a document. If its name does not identify a protocol, its members
// may do so.
func (r *reader) within(obj parse.Node, rel string, depth int) {
	if obj.Kind() != parse.Object || depth == maxDepth {
		return
	}
	for _, member := range [...]string{"name", "type", "protocol"} {
		if text, ok := obj.Get(member).Str(); ok && rel == "" {
			rel = protocolOf(text)
		}
	}
	r.inside(obj, rel, depth+1)
}

// address lists an address, and follows it if a document may be there. An endpoint of MCP or
// A2A is not followed: some return an endless stream for a GET.
func (r *reader) address(n parse.Node, rel string) {
	text, ok := n.Str()
	full := strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
	if !ok || rel == "" || !full && !strings.HasPrefix(text, "/") {
		return
	}
	if u, err := resolve(text, r.in.FinalURL); err == nil {
		d := wayfind.Document{Rel: rel, URL: u.String(), Sources: parse.SourcesAt(n)}
		r.link(d, rel, rel == "openapi" || isFile(u))
	}
}

// isFile reports whether a URL has the name of a file, or of a well-known document.
func isFile(u *url.URL) bool {
	return slices.Contains([]string{".json", ".yaml", ".yml"}, strings.ToLower(path.Ext(u.Path))) || strings.Contains(u.Path, "/.well-known/") ||
		path.Base(u.Path) == "server-card"
}

// memberMarks removes the separators between the words of a name.
var memberMarks = strings.NewReplacer("-", "", "_", "", " ", "")

// protocolOf reads a word for a protocol, alone or in the name of an address: "mcp",
// "mcp_endpoint", "sseUrl", "A2A", "agent_card", "openapi-url". The words are also the names
// of the formats.
func protocolOf(word string) string {
	word = memberMarks.Replace(strings.ToLower(word))
	for _, is := range [...]struct{ word, protocol string }{
		{"openapi", "openapi"}, {"swagger", "openapi"}, {"a2aagentcard", "a2a"}, {"a2a", "a2a"}, {"agentcard", "a2a"},
		{"mcp", "mcp"}, {"sseendpoint", "mcp"}, {"sseurl", "mcp"}, {"streamablehttp", "mcp"},
	} {
		rest, ok := strings.CutPrefix(word, is.word)
		for cut := true; ok && cut; {
			rest, cut = cutAddress(rest)
		}
		if ok && rest == "" {
			return is.protocol
		}
	}
	return ""
}

// cutAddress removes a word for an address from the end of a name.
func cutAddress(word string) (rest string, found bool) {
	for _, end := range [...]string{"endpoint", "url", "uri", "server", "manifest", "card", "json", "yaml", "spec", "sse", "http", "wellknown", "pack"} {
		if rest, found = strings.CutSuffix(word, end); found {
			return rest, true
		}
	}
	return word, false
}

// isAddressName reports whether a member of an object about one protocol is an address, by its
// name.
func isAddressName(member string) bool {
	return slices.Contains([]string{"endpoint", "url", "uri", "href", "server", "http", "sse", "sse_endpoint"}, member)
}
