package parse

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/yamlscan"
)

// Input is one document as it was received. All formats share one Input by pointer: it must
// not be copied or modified once a format has seen it. Values derived from the body are
// computed once. The methods are safe for concurrent use.
type Input struct {
	// URL is the requested URL, and FinalURL the one that answered after redirects. Relative
	// references resolve against FinalURL (RFC 3986 §5.1.3). Both are nil for a document of
	// unknown origin.
	URL, FinalURL *url.URL
	// MediaType is the media type of the response, in lower case without parameters; "" if there
	// was none. It may be wrong: the content decides.
	MediaType string
	// Header is the header of the response. It may be nil.
	Header http.Header
	// Body is the body without content codings. It must not be modified.
	Body []byte
	// Unread has the reasons why documents that references lead to were not read, by their URLs:
	// see [Format.Files].
	Unread map[string]string
	// Unclaimed is set for a JSON object that no format claims, for the formats that read things
	// next to documents (Claim.Aside).
	Unclaimed bool

	json struct {
		once sync.Once
		doc  *jsonscan.Doc
		err  error
		// part is the value of an Input that [Input.Within] made: a part of another document. doc
		// is nil then.
		part Node
	}
	fit struct { // for a body that exceeds the limits of json
		once sync.Once
		doc  *jsonscan.Doc
		size atomic.Int64
	}
	tree struct { // for a body in YAML
		once sync.Once
		json []byte // the JSON written from the YAML; nil before
		doc  *jsonscan.Doc
		err  error
		size atomic.Int64
		// traced is the value of a body that Traced made, and missing otherwise.
		traced Node
	}
	markdown struct {
		once sync.Once
		text *Markdown
		err  error
	}
	html struct {
		once sync.Once
		is   bool
	}
	derived sync.Map // key of any type to func() any
}

// SyntaxCause returns the line at which a text stops being valid for [Input.JSON] or
// [ParseYAML], and the reason. Lines are counted from 1; the reason may contain foreign text.
// Line 0 means that err comes from elsewhere.
func SyntaxCause(err error) (line int, reason string) {
	if e, ok := errors.AsType[*jsonscan.SyntaxError](err); ok {
		return e.Line, e.Reason
	}
	if e, ok := errors.AsType[*yamlscan.SyntaxError](err); ok {
		return e.Line, e.Reason
	}
	return 0, ""
}

// JSON returns the top-level value of the body, which may be a scalar. The body is read once,
// strictly: member names are exact and unique (RFC 7493 §2.3), text is UTF-8 without lone
// surrogates, nothing follows the value, and values nest at most 64 levels deep.
//
// The error is a *wayfind.Error with Op "parse", Kind ErrInvalid and one of the codes
// json_syntax, json_duplicate, json_trailing, json_depth, invalid_utf8 and limit; see
// [SyntaxCause].
func (in *Input) JSON() (Node, error) {
	in.json.once.Do(func() {
		switch {
		case !in.json.part.Exists():
			in.json.doc, in.json.err = jsonscan.Scan(in.Body)
		case !in.json.part.Whole():
			in.json.err = wayfind.NewError("parse", "", wayfind.CodeLimit, errors.New("a part of it was left out"))
		}
	})
	switch {
	case in.json.err != nil:
		return Node{}, in.json.err
	case in.json.doc == nil:
		return in.json.part, nil
	}
	return Node{in.json.doc.Root()}, nil
}

// Within returns the document that is embedded in this one as a value of its JSON. It has the
// URLs of this one, its media type is unknown, and pointers into it are pointers into this
// one. Its body is the value as written.
func (in *Input) Within(value Node) *Input {
	part := &Input{URL: in.URL, FinalURL: in.FinalURL, Body: value.Raw(), Unread: in.Unread}
	part.json.part = value
	return part
}

// Rest returns the same document without the tables that were derived from its body, which are
// several times as large. A later use derives them again. The JSON that was written from YAML
// is kept, because reading YAML again takes ten times as much memory and time. kept is the
// size of this JSON.
func (in *Input) Rest() (rest *Input, kept int) {
	rest = &Input{URL: in.URL, FinalURL: in.FinalURL, MediaType: in.MediaType, Header: in.Header, Body: in.Body, Unread: in.Unread}
	rest.tree.json = in.tree.json
	return rest, len(in.tree.json)
}

// JSONObject returns the top-level value, which must be an object. The error is the error of
// [Input.JSON], or has the code schema if the value is not an object.
func (in *Input) JSONObject() (Node, error) {
	root, err := in.JSON()
	if err != nil {
		return Node{}, err
	}
	if root.Kind() != Object {
		return Node{}, Invalid("the document is %v where an object belongs", root.Kind())
	}
	return root, nil
}

// JSONThatFits is [Input.JSONObject] for documents that list others. If a document has too
// many values, nests too deep or has too long names, it returns the part within these limits.
// [Node.Left] and [Node.Whole] report the missing part, and [Reader.Cut] adds a diagnostic
// about it.
func (in *Input) JSONThatFits() (Node, error) {
	root, err := in.JSON()
	if err != nil {
		if root = in.fitted(err); !root.Exists() {
			return Node{}, err
		}
	}
	if root.Kind() != Object {
		return Node{}, Invalid("the document is %v where an object belongs", root.Kind())
	}
	return root, nil
}

// fitted returns the part of the body that is within the limits, if exceeding a limit is its
// only fault.
func (in *Input) fitted(err error) Node {
	if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Code != wayfind.CodeLimit && e.Code != wayfind.CodeJSONDepth {
		return Node{}
	}
	if in.json.part.Exists() {
		return in.json.part
	}
	in.fit.once.Do(func() {
		if doc, err := jsonscan.Fit(in.Body); err == nil {
			in.fit.doc = doc
			in.fit.size.Store(sizeOf(doc, in.Body))
		}
	})
	if in.fit.doc == nil {
		return Node{}
	}
	return Node{in.fit.doc.Root()}
}

// Diagnostics returns the findings about the body itself, apart from its content: at present
// only "json.bom", for a byte order mark in front of JSON (RFC 8259 §8.1). Formats do not copy
// it into their readings.
func (in *Input) Diagnostics() []wayfind.Diagnostic {
	if _, err := in.JSON(); err != nil || in.json.doc == nil || !in.json.doc.BOM() {
		return nil
	}
	d := ruleJSONBOM.Diagnostic("", "a byte order mark stands before the JSON text; it was ignored")
	d.Spec = &wayfind.SpecRef{Title: "RFC 8259", URL: "https://www.rfc-editor.org/rfc/rfc8259", Section: "§8.1"}
	return []wayfind.Diagnostic{d}
}

// Derived returns the value that a format derives from the body under a key, which should be
// of a type of its own. make is called once for each key, and its result is shared and kept as
// long as the Input. The result must not be changed, and should be small compared with the
// body.
func (in *Input) Derived(key any, make func() any) any {
	once, _ := in.derived.LoadOrStore(key, sync.OnceValue(make))
	return once.(func() any)()
}

// Invalid returns the error for a document that can be read but is not a document of the
// format: Op "parse", Kind ErrInvalid, Code schema. Write foreign text among the arguments
// with %q.
func Invalid(format string, args ...any) error {
	return wayfind.NewError("parse", "", wayfind.CodeSchema, fmt.Errorf(format, args...))
}

// perNode is the size of a value in the table of a scanned body, in bytes.
const perNode = 24

// Size estimates the bytes that an Input occupies in addition to its body: the values derived
// from it so far.
func (in *Input) Size() int64 {
	if _, err := in.JSON(); err != nil || in.json.doc == nil {
		return in.tree.size.Load() + in.fit.size.Load()
	}
	return sizeOf(in.json.doc, in.Body)
}

// sizeOf returns the memory that a scanned body occupies: its text, and the table of its
// values.
func sizeOf(doc *jsonscan.Doc, body []byte) int64 {
	return int64(len(body)) + perNode*int64(doc.Nodes())
}
