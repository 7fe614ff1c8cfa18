package mcp

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// Contents returns the text of the contents of a resource. If there is one text, mime is its
// type. Otherwise said contains all contents in turn.
func Contents(list parse.Node) (mime, said string) {
	if only := list.Index(0); list.Len() == 1 {
		if said, ok := only.Get("text").Str(); ok {
			mime, _ = only.Get("mimeType").Str()
			return cmp.Or(mime, "text/plain"), said
		}
	}
	var texts []string
	for _, c := range list.Items() {
		texts = append(texts, resourceText(c))
	}
	return "text/plain", strings.Join(texts, "\n")
}

// Text returns a block of content for a model: text unchanged, links and embedded resources by
// their address, and binary data by its properties.
func Text(c parse.Node) string {
	if said, ok := c.Get("text").Str(); ok {
		return said
	}
	kind, _ := c.Get("type").Str()
	switch kind {
	case "resource":
		return resourceText(c.Get("resource"))
	case "resource_link":
		uri, _ := c.Get("uri").Str()
		name, _ := c.Get("name").Str()
		return fmt.Sprintf("(a link to the resource %s, %s%s)", oneLine(name), oneLine(uri), mimeOf(c))
	}
	if data, ok := c.Get("data").Str(); ok {
		return octets(text.PlainWord(kind), data, c)
	}
	return "(content of a kind that is not shown: " + text.PlainWord(kind) + ")"
}

// resourceText returns the text of a resource in a result.
func resourceText(c parse.Node) string {
	if said, ok := c.Get("text").Str(); ok {
		return said
	}
	uri, _ := c.Get("uri").Str()
	data, _ := c.Get("blob").Str()
	return octets("the resource "+oneLine(uri), data, c)
}

// Octets returns the binary data of a block of content that is not text, with the type and the
// address that the server gives. It returns nil for any other block.
func Octets(c parse.Node) (mime, uri string, raw []byte) {
	data, ok := c.Get("data").Str()
	if resource := c.Get("resource"); resource.Exists() {
		c = resource
	}
	if !ok {
		data, _ = c.Get("blob").Str()
		uri, _ = c.Get("uri").Str()
	}
	mime, _ = c.Get("mimeType").Str()
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "", "", nil
	}
	return mime, oneLine(uri), raw
}

// octets describes binary data by its size, type and digest.
func octets(what, data string, c parse.Node) string {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "(" + what + mimeOf(c) + ", which is not base64)"
	}
	sum := sha256.Sum256(raw)
	return fmt.Sprintf("(%s%s, %d bytes, sha256 %s)", what, mimeOf(c), len(raw), hex.EncodeToString(sum[:]))
}

func mimeOf(c parse.Node) string {
	mime, _ := c.Get("mimeType").Str()
	if mime == "" {
		return ""
	}
	return ", " + oneLine(mime)
}

// oneLine returns foreign text for a line of ours.
func oneLine(s string) string {
	return secret.Veil(nil).Show(s, secret.Line, 256)
}
