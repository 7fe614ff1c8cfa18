package openapi

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one document.
type reader struct {
	parse.Refs
	dialect string
	// borrow is how many bytes of path items may still be read through
	// references.
	borrow int
	// last is the endpoint that was written last, and what it was made of.
	last struct {
		place    string
		endpoint parse.Endpoint
	}
	// servers are those of the document.
	servers []server
	// schemes by name, and security as the document has it for all operations.
	schemes  map[string]wayfind.Scheme
	security string
	// consumes and produces are the media types of all operations (2.0).
	consumes, produces []string
}

// maxBorrowed is how much longer than its text a document may become by paths
// that refer to the same item; twice the text comes on top of it.
const maxBorrowed = 64 << 10

// maxWord bounds what operations repeat of their schemes, in bytes: names, and
// URLs.
const (
	maxWord = 256
	maxURL  = 2048
)

// newReader reads the version and prepares for the rest.
func newReader(in *parse.Input) (*reader, error) {
	root, err := in.Tree()
	if err != nil {
		return nil, err
	}
	if root.Kind() != parse.Object {
		return nil, parse.Invalid("the document is %v where an object belongs", root.Kind())
	}
	dialect, written := dialectOf(root)
	if written == "" && root.Get("paths").Kind() != parse.Object {
		return nil, parse.Invalid("the document has neither a version nor paths")
	}
	r := &reader{
		Refs:    parse.Refs{Reader: readerOf(dialect), Root: root, Base: in.FinalURL},
		dialect: dialect, borrow: maxBorrowed + 2*len(root.Raw()),
	}
	r.mediaType(in)
	return r, nil
}

// readerOf returns a Reader that reports in the words of a version.
func readerOf(dialect string) *parse.Reader {
	return parse.NewReader(&parse.Format{Name: name, Spec: specOf(dialect)})
}

// mediaType notes a type that is neither JSON nor YAML. No version has a rule
// for it, and "text/plain" is as common as any.
func (r *reader) mediaType(in *parse.Input) {
	kind := in.MediaType
	if kind == "" || strings.Contains(kind, "json") || strings.Contains(kind, "yaml") || kind == "application/vnd.oai.openapi" {
		return
	}
	r.Note("media_type", r.Root, "Format", "the media type %q is neither that of JSON nor of YAML", kind)
}

// isSwagger reports version 2.0.
func (r *reader) isSwagger() bool { return r.dialect == Dialect20 }

// by2020 reports versions whose schemas are JSON Schema 2020-12.
func (r *reader) by2020() bool { return r.dialect != Dialect20 && r.dialect != Dialect30 }

// text is a member for people: null and empty are nothing, and so is a value
// of another type, which is reported.
func (r *reader) text(obj parse.Node, member, section string) string {
	if obj.Get(member).Kind() == parse.Null {
		return ""
	}
	return r.String(obj, member, parse.Optional, section)
}

// link is a member that is a URL for people. One that is none is reported.
func (r *reader) link(obj parse.Node, member, section string) string {
	n := obj.Get(member)
	if text, ok := n.Str(); ok && text == "" {
		return ""
	}
	if len(n.Raw()) > maxURL {
		r.Doubt("too_long", n, section, "%q has more than %d bytes; it is ignored", member, maxURL)
		return ""
	}
	return r.URL(obj, member, r.Base, parse.Optional, section)
}

// word is a member that is a name for programs.
func (r *reader) word(obj parse.Node, member string, need parse.Need, section string) string {
	text := r.String(obj, member, need, section)
	if len(text) > maxWord {
		r.Doubt("too_long", obj.Get(member), section, "%q has more than %d bytes; it is ignored", member, maxWord)
		return ""
	}
	return text
}

// extensions keeps the members that begin with "x-".
func (r *reader) extensions(into *map[string]parse.Raw, obj parse.Node) {
	for member, value := range obj.Members() {
		if len(member) > 2 && member[0] == 'x' && member[1] == '-' {
			parse.Keep(into, member, value)
		}
	}
}
