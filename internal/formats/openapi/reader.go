package openapi

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one document.
type reader struct {
	parse.Refs
	dialect string
	// borrow is the number of bytes of path items that may still be read through references.
	borrow int
	// spare is the number of bytes that may still be kept as they are written.
	spare int
	// last is the endpoint that was written last, and its place.
	last struct {
		place    string
		endpoint parse.Endpoint
	}
	// servers are the servers of the document, and base is the URL of the one that calls go to.
	servers []server
	base    string
	// schemes are the security schemes by name.
	schemes map[string]wayfind.Scheme
	// kept has the facts about schemes that the model has no fields for, by their names.
	kept listed
	// consumes and produces are the media types of all operations (2.0).
	consumes, produces []string
	// dropped is the first required parameter of the current operation that no request can have,
	// or nil if there is none.
	dropped *parameter
}

// maxBorrowed bounds the growth of a document, in bytes, by paths that refer to the same item;
// twice its text is allowed in addition.
const maxBorrowed = 64 << 10

// maxWord bounds the names of schemes that operations repeat, in bytes.
const maxWord = 256

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
		Refs:    parse.Refs{Reader: readerOf(dialect), Root: root, Base: in.FinalURL, Unpublished: in.Unpublished(), Server: in.Server(), Unread: in.Unread},
		dialect: dialect, borrow: maxBorrowed + 2*len(root.Raw()), spare: min(jsonschema.MaxBytes, maxBorrowed+2*len(root.Raw())),
	}
	r.mediaType(in)
	return r, nil
}

// readerOf returns a Reader that reports with the specification of a version.
func readerOf(dialect string) *parse.Reader {
	return parse.NewReader(&parse.Format{Name: name, Spec: specOf(dialect)})
}

// mediaType reports a type that is neither JSON nor YAML. No version has a rule for it, and
// "text/plain" is as common as any.
func (r *reader) mediaType(in *parse.Input) {
	kind := in.MediaType
	if kind == "" || strings.Contains(kind, "json") || strings.Contains(kind, "yaml") || kind == "application/vnd.oai.openapi" {
		return
	}
	r.Report(ruleMediaType.At("Format").AsInfo(), r.Root, "the media type %q is neither that of JSON nor of YAML", kind)
}

// isSwagger reports whether the document has version 2.0.
func (r *reader) isSwagger() bool { return r.dialect == Dialect20 }

// by2020 reports whether the schemas of the version are JSON Schema 2020-12.
func (r *reader) by2020() bool { return r.dialect != Dialect20 && r.dialect != Dialect30 }

// word returns a member that is a name for programs.
func (r *reader) word(obj parse.Node, member string, need parse.Need, section string) string {
	text := r.String(obj, member, need, section)
	if len(text) > maxWord {
		r.Report(ruleTooLong.At(section).AsWarning(), obj.Get(member), "%q has more than %d bytes; it is ignored", member, maxWord)
		return ""
	}
	return text
}
