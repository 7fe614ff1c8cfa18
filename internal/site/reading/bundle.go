package reading

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/parse"
)

// Outside returns the URLs of other documents that references in a value lead to, each once,
// without fragments. base is the URL at which the value was found.
func Outside(root parse.Node, base *url.URL) (list []string) {
	seen := map[string]bool{whole(base): true}
	b := &bundler{base: base, place: func(u string) (string, bool) {
		if !seen[u] {
			seen[u] = true
			list = append(list, u)
		}
		return "", false
	}}
	b.value(root, false)
	return list
}

// whole returns the text of a URL without its fragment.
func whole(u *url.URL) string {
	if u == nil {
		return ""
	}
	own := *u
	own.Fragment, own.RawFragment = "", ""
	return own.String()
}

// bundle writes a document and others as one, in which the references between them lead to members.
// It returns nil if the result has more than most bytes.
func bundle(root parse.Node, in *parse.Input, files []File, most int) []byte {
	places := map[string]string{whole(in.FinalURL): "", whole(in.URL): ""}
	var read []File
	for _, file := range files {
		if _, known := places[file.URL]; file.Root.Exists() && !known {
			read = append(read, file)
			places[file.URL] = "/" + parse.FilesMember + "/" + reftoken.Escape(file.URL)
		}
	}
	b := &bundler{base: in.FinalURL, most: most, place: func(u string) (string, bool) {
		at, ok := places[u]
		return at, ok
	}}
	b.out = append(b.out, '{')
	for name, value := range root.Members() {
		if name != parse.FilesMember {
			b.name(name)
			b.member(name, value)
		}
	}
	b.name(parse.FilesMember)
	b.out = append(b.out, '{')
	for _, file := range read {
		b.base, b.own = file.Final, places[file.URL]
		b.name(file.URL)
		b.value(file.Root, false)
	}
	if b.full() {
		return nil
	}
	return append(b.out, "}}"...)
}

// bundler writes values whose references lead to other places.
type bundler struct {
	base *url.URL
	// own is the pointer of the document that is written. place returns the pointer of any document
	// by its URL.
	own   string
	place func(url string) (pointer string, ok bool)
	out   []byte
	most  int // bytes; 0 for any number
}

func (b *bundler) full() bool { return b.most > 0 && len(b.out) > b.most }

// name writes the name of a member, with a comma if another member precedes it.
func (b *bundler) name(name string) {
	if last := b.out[len(b.out)-1]; last != '{' {
		b.out = append(b.out, ',')
	}
	b.out = append(append(b.out, rawjson.Quote(name)...), ':')
}

// value writes a value. If named is true, the names of its members are the publisher's, and no
// keywords.
func (b *bundler) value(n parse.Node, named bool) {
	switch {
	case b.full():
	case n.Kind() == parse.Array:
		b.out = append(b.out, '[')
		for i, item := range n.Items() {
			if i > 0 {
				b.out = append(b.out, ',')
			}
			b.value(item, false)
		}
		b.out = append(b.out, ']')
	case n.Kind() == parse.Object && named:
		b.object(n, func(_ string, value parse.Node) { b.value(value, false) })
	case n.Kind() == parse.Object:
		b.object(n, b.member)
	default:
		b.out = append(b.out, n.Raw()...)
	}
}

func (b *bundler) object(n parse.Node, write func(name string, value parse.Node)) {
	b.out = append(b.out, '{')
	for name, value := range n.Members() {
		b.name(name)
		write(name, value)
	}
	b.out = append(b.out, '}')
}

// member writes the value of a keyword. If the value is data, it has no references.
func (b *bundler) member(keyword string, value parse.Node) {
	text, isText := value.Str()
	switch keyword {
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas", "responses", "parameters",
		"requestBodies", "headers", "links", "callbacks", "pathItems", "paths", "mediaTypes", "webhooks":
		b.value(value, true)
		return
	case "$ref":
		if isText {
			b.out = append(b.out, rawjson.Quote(b.reference(text))...)
			return
		}
	case "discriminator":
		if mapping := value.Get("mapping"); mapping.Kind() == parse.Object {
			b.object(value, b.discriminator)
			return
		}
	case "examples":
		if value.Kind() == parse.Object {
			b.value(value, true)
			return
		}
	}
	if isData(keyword) {
		b.out = append(b.out, value.Raw()...)
		return
	}
	b.value(value, false)
}

func isData(keyword string) bool {
	switch keyword {
	case "example", "examples", "default", "enum", "const", "value", "dataValue":
		return true
	}
	return strings.HasPrefix(keyword, "x-")
}

// discriminator writes a member of a Discriminator Object, whose mapping contains names or
// references.
func (b *bundler) discriminator(keyword string, value parse.Node) {
	if keyword != "mapping" {
		b.out = append(b.out, value.Raw()...)
		return
	}
	b.object(value, func(_ string, target parse.Node) {
		if text, ok := target.Str(); ok && strings.ContainsAny(text, "#/") {
			b.out = append(b.out, rawjson.Quote(b.reference(text))...)
			return
		}
		b.out = append(b.out, target.Raw()...)
	})
}

// reference returns a reference in the form of the bundle: to a place in it, or a whole URL.
func (b *bundler) reference(text string) string {
	before, fragment, pointed := strings.Cut(text, "#")
	at := b.own
	if before != "" {
		u, err := url.Parse(before)
		switch {
		case err != nil:
			return text
		case b.base != nil:
			u = b.base.ResolveReference(u)
		}
		place, ok := b.place(u.String())
		switch {
		case !ok && pointed:
			return u.String() + "#" + fragment
		case !ok:
			return u.String()
		}
		at = place
	}
	if fragment != "" && fragment[0] != '/' {
		return "#" + fragment // an anchor, which is not followed
	}
	return "#" + strings.ReplaceAll(at, "%", "%25") + fragment
}
