package openrpc

import (
	"cmp"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one document.
type reader struct {
	parse.Refs
	// minor is the second number of the version, or of the newest version if it is unknown.
	minor int
	// live is set if Base is an endpoint, which returned the document.
	live bool
	// borrow is the number of bytes of methods that may still be read through references.
	borrow int
	// left is the number of bytes that may still be written, or nil if only the limits of one
	// method apply.
	left *int
	// servers are the servers of the document.
	servers []server
	// exampleTexts has the facts about the examples of a method that the model has no fields for,
	// by their names.
	exampleTexts []rawjson.Member
}

// newest is the second number of the newest known version.
const newest = 4

// maxShared bounds the growth of a document, in bytes, by parts that its methods share; twice
// its text is allowed in addition.
const maxShared = 64 << 10

// newReader finds the document and prepares for reading.
func newReader(in *parse.Input, live bool) (*reader, error) {
	whole, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	root, enveloped := unwrap(whole)
	if root.Get("openrpc").Kind() != parse.String && root.Get("methods").Kind() != parse.Array {
		return nil, parse.Invalid("the document has neither a version nor methods")
	}
	r := &reader{
		Refs:  parse.Refs{Reader: newReporter(), Root: root, Base: in.FinalURL, Unpublished: in.Unpublished(), Server: in.Server(), Unread: in.Unread},
		minor: newest, live: live, borrow: maxShared + 2*len(root.Raw()),
	}
	if kind := in.MediaType; kind != "" && !strings.Contains(kind, "json") && !enveloped {
		r.Report(ruleMediaType.At("Format").AsInfo(), root, "the media type %q is not that of JSON", kind)
	}
	return r, nil
}

func newReporter() *parse.Reader { return parse.NewReader(&parse.Format{Name: name, Spec: spec()}) }

// spend subtracts bytes from left.
func (r *reader) spend(bytes int) {
	if r.left != nil {
		*r.left -= bytes
	}
}

// full reports whether there is no room left.
func (r *reader) full() bool { return r.left != nil && *r.left < 0 }

// about returns the text about an object: its summary and its description, or only the
// description if that contains the summary.
func (r *reader) about(obj parse.Node, section string) string {
	text, short := r.Prose(obj, "description", section), r.Prose(obj, "summary", section)
	if text == "" || short == "" || strings.Contains(text, short) {
		return cmp.Or(text, short)
	}
	return short + "\n\n" + text
}
