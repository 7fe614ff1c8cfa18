package openrpc

import (
	"cmp"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one document.
type reader struct {
	parse.Refs
	// minor is the second number of the version; that of the newest where it is
	// unknown.
	minor int
	// live: Base is an endpoint, which answered with the document.
	live bool
	// borrow is how many bytes of methods may still be read through references.
	borrow int
	// room is how many bytes may still be written, nil where only the limits of
	// one method count.
	room *int
	// servers are those of the document.
	servers []server
	// exampleTexts is what the examples of a method say beside what the model has,
	// by their names.
	exampleTexts []parse.Member
}

// newest is the second number of the newest version that is known.
const newest = 4

// maxShared is how much longer than its text a document may become by what its
// methods share; twice the text comes on top of it.
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
		Refs:  parse.Refs{Reader: newReporter(), Root: root, Base: in.FinalURL, Unread: in.Unread},
		minor: newest, live: live, borrow: maxShared + 2*len(root.Raw()),
	}
	if kind := in.MediaType; kind != "" && !strings.Contains(kind, "json") && !enveloped {
		r.Report(ruleMediaType.At("Format").AsInfo(), root, "the media type %q is not that of JSON", kind)
	}
	return r, nil
}

func newReporter() *parse.Reader { return parse.NewReader(&parse.Format{Name: name, Spec: spec()}) }

// spend takes bytes off the room.
func (r *reader) spend(bytes int) {
	if r.room != nil {
		*r.room -= bytes
	}
}

// full reports that there is no room left.
func (r *reader) full() bool { return r.room != nil && *r.room < 0 }

// about is what a thing says of itself: its summary and its description, where
// that does not hold it.
func (r *reader) about(obj parse.Node, section string) string {
	text, short := r.Prose(obj, "description", section), r.Prose(obj, "summary", section)
	if text == "" || short == "" || strings.Contains(text, short) {
		return cmp.Or(text, short)
	}
	return short + "\n\n" + text
}
