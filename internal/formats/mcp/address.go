package mcp

import (
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// hasPlace reports whether an object has a member that may contain the place of a server.
func hasPlace(obj parse.Node) bool {
	return hasAny(obj, "endpoint", "url", "serverUrl", "server_url", "endpoints", "transport", "transports", "remotes") || speaks(obj)
}

// speaks reports whether an object names an address as an endpoint of MCP: by a word for a
// transport next to it, or by the name of its member. [reader.places] reads all these
// addresses.
func speaks(obj parse.Node) bool {
	for member, n := range obj.Members() {
		switch member {
		case "remotes", "transports", "endpoints":
			if speaksIn(n, isNamed(obj)) {
				return true
			}
		case "transport", "endpoint", "server", "serverInfo":
			if hasAddress(n) {
				return true
			}
		default:
			if _, ok := placeNamed(member, n); ok || isGroup(member, n) {
				return true
			}
		}
	}
	return hasAddress(obj) && hasOwnWord(obj) || isNamedServer(obj) && hasTransport(obj)
}

// speaksIn is speaks for places in a list, or under words for transports. Lists of other
// things contain "http" as well, so in a list a word in common use is enough only if the
// server has a name.
func speaksIn(list parse.Node, named bool) bool {
	if list.Kind() == parse.Array {
		return list.Sampled(func(n parse.Node) bool { return hasAddress(n) && (hasOwnWord(n) || named && hasTransport(n)) }) > 0
	}
	for member, n := range list.Members() {
		if _, ok := transportKey(member); ok && (isAddress(n) || hasAddress(n)) {
			return true
		}
	}
	return false
}

// transportKey reads the name of a member that contains a place: a word for a transport, or
// the protocol.
func transportKey(member string) (word string, ok bool) {
	if word, ok = transportWord(member); ok {
		return word, word != transportLocal
	}
	return addressWord(member)
}

// placeNamed reports whether a member is a place where MCP is spoken, with the word for its
// transport: an address under a telling name, or an object of any name with an address and a
// word that means MCP by itself.
func placeNamed(member string, n parse.Node) (word string, ok bool) {
	if !isAddress(n) && !hasAddress(n) {
		return "", false
	}
	if word, ok = addressWord(member); ok {
		return word, true
	}
	switch member {
	case "remotes", "transports", "endpoints", "transport", "endpoint", "server", "serverInfo": // read by their own rules
		return "", false
	}
	return "", hasOwnWord(n)
}

// isGroup reports whether a member contains places under words for transports: its name is a
// name of the protocol ("mcp", "mcp_pack"), or "connect".
func isGroup(member string, n parse.Node) bool {
	if n.Kind() != parse.Object || hasAddress(n) || !speaksIn(n, false) {
		return false
	}
	_, ok := addressWord(member)
	list := strings.HasSuffix(member, "ervers") // places by the names of servers
	return ok || member == "connect" || strings.HasPrefix(member, protocol) && !list
}

// memberMarks removes the separators between the words of a name.
var memberMarks = strings.NewReplacer("-", "", "_", "", " ", "")

// addressWord reads the name of a member that is known by its name to contain an address of
// MCP: "mcp", "mcp_server", "mcpEndpoint", "sseUrl", "streamable_http_endpoint".
func addressWord(member string) (word string, ok bool) {
	text := memberMarks.Replace(strings.ToLower(member))
	text, ours := strings.CutPrefix(text, protocol)
	text, ends := cutEnd(text)
	if text == "" {
		return "", ours
	}
	word, known := transportWord(text)
	return word, known && word != transportLocal && (ours || ends)
}

// cutEnd removes the words for an address at the end of a name.
func cutEnd(text string) (rest string, found bool) {
	for {
		before := text
		for _, end := range [...]string{"url", "uri", "endpoint", "server"} {
			text = strings.TrimSuffix(text, end)
		}
		if text == before {
			return text, found
		}
		found = true
	}
}

// addresses returns the names under which an object about one place has its address.
func addresses() []string { return []string{"url", "endpoint", "uri", "serverUrl", "server_url"} }

// hasAddress reports whether an object has the address of one place of the network.
func hasAddress(obj parse.Node) bool {
	if obj.Kind() != parse.Object {
		return false
	}
	kind, _ := obj.Get(obj.Pick("type", "transport")).Str()
	if word, _ := transportWord(kind); word == transportLocal {
		return false
	}
	for _, member := range addresses() {
		if isAddress(obj.Get(member)) {
			return true
		}
	}
	return false
}

// isNamedServer reports whether an object has an address and a name.
func isNamedServer(obj parse.Node) bool { return hasAddress(obj) && hasAny(obj, "name", "server_name") }

// hasTransport reports whether an object has a word for a transport of the network.
func hasTransport(obj parse.Node) bool {
	return hasWord(obj, func(text string) bool {
		word, known := transportWord(text)
		return known && word != transportLocal
	})
}

// hasOwnWord reports whether an object has a word that means MCP by itself.
func hasOwnWord(obj parse.Node) bool {
	return hasWord(obj, func(text string) bool {
		word, known := transportWord(text)
		return known && (word == transportHTTP || word == transportSSE) && !strings.EqualFold(text, "http") && !strings.EqualFold(text, "https")
	})
}

func hasWord(obj parse.Node, is func(string) bool) bool {
	for _, member := range [...]string{"type", "transport", "transport_type", "protocol"} {
		if text, _ := obj.Get(member).Str(); strings.EqualFold(text, protocol) || is(text) {
			return true
		}
	}
	return false
}

// isAddress reports whether a text is an address: a full URL, or a path of the site.
func isAddress(n parse.Node) bool {
	text, _ := n.Str()
	if urlref.CheckReference(text) != nil {
		return false
	}
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// leadsHome reports whether a url is the home page of the site that served the document, as in
// many documents: nothing in its host indicates that MCP is spoken there, and the address of the
// server stands next to it, or nothing next to it names a transport.
func (r *reader) leadsHome(obj parse.Node) bool {
	text, _ := obj.Get("url").Str()
	ref, err := url.Parse(text)
	if r.base == nil || err != nil || text == "" || (hasOwnWord(obj) || len(stated(obj)) > 0) && !hasEndpoint(obj) {
		return false
	}
	u := r.base.ResolveReference(ref)
	return u.Host == r.base.Host && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && !strings.Contains(u.Host, protocol)
}

// hasEndpoint reports whether an object has an address under the name of an endpoint, beside its url.
func hasEndpoint(obj parse.Node) bool {
	for member, n := range obj.Members() {
		switch member {
		case "endpoint", "serverUrl", "server_url":
			if isAddress(n) {
				return true
			}
		default:
			if _, ok := addressWord(member); ok && isAddress(n) {
				return true
			}
		}
	}
	return false
}

// stated returns the transports of the network that an object states for its addresses: in an object
// without an address ({"type": "sse"}), or in a list of words.
func stated(obj parse.Node) (words []string) {
	for _, member := range [...]string{"transport", "transports"} {
		n := obj.Get(member)
		if n.Kind() == parse.Object && !hasAny(n, addresses()...) {
			n = n.Get(n.Pick("type", "transport_type", "transport", "protocol"))
			if word, known := transportWord(textOf(n)); known && word != transportLocal {
				words = append(words, word)
			}
			continue
		}
		for i, item := range n.Items() {
			if word, known := transportWord(textOf(item)); i < maxStated && known && word != transportLocal && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// isStated reports whether a transport, or a list of them, consists of words that [stated] reads.
func isStated(n parse.Node) bool {
	if n.Kind() == parse.Object {
		_, known := transportWord(textOf(n.Get(n.Pick("type", "transport_type", "transport", "protocol"))))
		return known && !hasAny(n, addresses()...) && !isString(n.Get("command"))
	}
	all := n.Kind() == parse.Array && n.Len() > 0
	for _, item := range n.Items() {
		_, known := transportWord(textOf(item))
		all = all && known
	}
	return all
}

// maxStated bounds the words for transports in a list that are read.
const maxStated = 16

// hasOtherPlaces reports whether another member of a document contains the places of servers,
// or their installation.
func hasOtherPlaces(obj parse.Node) bool {
	for member, n := range obj.Members() {
		if _, ok := placeNamed(member, n); ok || isGroup(member, n) {
			return true
		}
	}
	return hasAny(obj, "endpoint", "serverUrl", "server_url", "transport", "remotes", "transports", "endpoints", "servers", "mcpServers", "mcp_servers", "packages")
}
