package mcp

import (
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// transportMarks removes the separators between the words of a transport.
var transportMarks = strings.NewReplacer("-", "", "_", "", " ", "", "+", "")

// transportWord reads a word for a transport, in any of the spellings in use. Some documents
// use words for installing software as transports: these are local.
func transportWord(text string) (word string, known bool) {
	switch transportMarks.Replace(strings.ToLower(text)) {
	case "streamablehttp", "http", "https", "httpstream", "httpstreamable", "streamhttp", "streamable":
		return transportHTTP, true
	case "sse", "httpsse":
		return transportSSE, true
	case "websocket", "ws", "wss":
		return transportWebSocket, true
	case "stdio", "local", "npm", "npx", "pypi", "uvx", "pip", "docker", "oci":
		return transportLocal, true
	}
	return text, false
}

// transport reads the transport of a place. It returns "" if none is declared.
func (r *reader) transport(obj parse.Node, member string, need parse.Need) string {
	if need == parse.Optional {
		obj = obj.IfSet(member)
	}
	text := r.String(obj, member, need, r.shape.section())
	if text == "" {
		return ""
	}
	n := obj.Get(member)
	word, known := transportWord(text)
	unknown := ruleTransport.At(r.shape.section())
	if need != parse.Must { // otherwise the schemas list the words
		unknown = unknown.AsWarning()
	}
	switch {
	case !known:
		r.Report(unknown, n, "the transport %.100q is not known", text)
	case word == transportLocal && (r.shape == shapeCard || member == "transport_type"):
		r.Report(ruleTransport.At(r.shape.section()), n, "the transport %.100q is not one of a remote server", text)
	case text == word, word == transportLocal, r.shape == shapeConfig && text == "http": // as clients write it
	default:
		r.Report(unknown, n, "the transport %.100q was read as %q", text, word)
	}
	return word
}
