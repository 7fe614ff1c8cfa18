package parse

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/jsonscan"
	"github.com/wayfindhq/wayfind/internal/yamlscan"
)

// Input is one document as it was received. All formats share one Input by
// pointer: it must not be copied or modified once a format has seen it. Values
// derived from the body are computed once; the methods are safe for concurrent
// use.
type Input struct {
	// URL that was requested, and FinalURL that answered after redirects.
	// Relative references resolve against FinalURL (RFC 3986 §5.1.3). Both
	// are nil for a document of unknown origin.
	URL, FinalURL *url.URL
	// MediaType as sent, in lower case without parameters; "" when there was
	// none. It may be wrong: content decides.
	MediaType string
	// Header of the response; may be nil.
	Header http.Header
	// Body after content codings were removed. It must not be written to.
	Body []byte
	// Unread says why documents that references lead to were not read, by their URLs: see
	// [Format.Files].
	Unread map[string]string
	// Unclaimed: a JSON object that no format claims. It is set for the formats that read
	// beside documents (Claim.Aside).
	Unclaimed bool

	json struct {
		once sync.Once
		doc  *jsonscan.Doc
		err  error
		// part is the value that the body is, in a document of which that is a
		// part; doc is nil then.
		part Node
	}
	fit struct { // of a body that is beyond the limits of json
		once sync.Once
		doc  *jsonscan.Doc
		size atomic.Int64
	}
	tree struct { // of a body that is YAML
		once sync.Once
		json []byte // that was written from it; nil before
		doc  *jsonscan.Doc
		err  error
		size atomic.Int64
		// traced is the value of a body that Traced made; missing otherwise.
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
	derived sync.Map // of any to func() any
}

// SyntaxCause says where a text stops being valid for [Input.JSON] or
// [ParseYAML], and why: the line, counted from 1, and a reason that may hold
// foreign text. Line 0 means that err comes from elsewhere.
func SyntaxCause(err error) (line int, reason string) {
	if e, ok := errors.AsType[*jsonscan.SyntaxError](err); ok {
		return e.Line, e.Reason
	}
	if e, ok := errors.AsType[*yamlscan.SyntaxError](err); ok {
		return e.Line, e.Reason
	}
	return 0, ""
}

// JSON returns the top-level value of the body, which may be a scalar. The
// body is read once, strictly: member names are exact and unique (RFC 7493
// §2.3), text is UTF-8 without lone surrogates, nothing follows the value,
// nesting ends at 64 levels.
//
// The error is a *wayfind.Error with Op "parse", Kind ErrInvalid and one of
// the codes json_syntax, json_duplicate, json_trailing, json_depth,
// invalid_utf8 and limit; see [SyntaxCause].
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

// Within returns the document that stands inside this one as a value of its
// JSON. It has the URLs of this one, its media type is not known, and pointers
// into it are pointers into this one. The body is the value as written.
func (in *Input) Within(value Node) *Input {
	part := &Input{URL: in.URL, FinalURL: in.FinalURL, Body: value.Raw(), Unread: in.Unread}
	part.json.part = value
	return part
}

// Rest returns the same document without the tables that were derived from its body, which
// are several times as large. A later use derives them again. The JSON that was written
// from YAML stays, because to read YAML again takes ten times as much memory and time; kept
// is its size.
func (in *Input) Rest() (rest *Input, kept int) {
	rest = &Input{URL: in.URL, FinalURL: in.FinalURL, MediaType: in.MediaType, Header: in.Header, Body: in.Body, Unread: in.Unread}
	rest.tree.json = in.tree.json
	return rest, len(in.tree.json)
}

// JSONObject returns the top-level value, which must be an object. The error
// is that of [Input.JSON], or has the code schema for any other value.
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

// JSONThatFits is [Input.JSONObject] for documents that list others: of one that has
// more values than are read, nests deeper or has longer names, the part within these
// limits. [Node.Left] and [Node.Whole] name the rest, [Reader.Cut] reports it.
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

// fitted is the part of the body that is within the limits, where exceeding one
// is its only fault.
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

// Diagnostics returns the findings about the body itself, apart from its
// content: so far "json.bom" for a byte order mark in front of JSON (RFC 8259
// §8.1). Formats do not copy it into their readings.
func (in *Input) Diagnostics() []wayfind.Diagnostic {
	if _, err := in.JSON(); err != nil || in.json.doc == nil || !in.json.doc.BOM() {
		return nil
	}
	d := ruleJSONBOM.Diagnostic("", "a byte order mark stands before the JSON text; it was ignored")
	d.Spec = &wayfind.SpecRef{Title: "RFC 8259", URL: "https://www.rfc-editor.org/rfc/rfc8259", Section: "§8.1"}
	return []wayfind.Diagnostic{d}
}

// Derived returns the value that a format derives from the body under a key,
// which should be of a type of its own: make is called once for each key, and
// its result is shared and kept as long as the Input. It must not be changed,
// and should be small beside the body.
func (in *Input) Derived(key any, make func() any) any {
	once, _ := in.derived.LoadOrStore(key, sync.OnceValue(make))
	return once.(func() any)()
}

// Invalid returns the error of a document that can be read but is not one of
// the format: Op "parse", Kind ErrInvalid, Code schema. Foreign text among the
// arguments belongs under %q.
func Invalid(format string, args ...any) error {
	return wayfind.NewError("parse", "", wayfind.CodeSchema, fmt.Errorf(format, args...))
}

// perNode is the size of a value of a scanned body.
const perNode = 24

// Size estimates the bytes that an Input occupies beside its body: the values
// derived from it so far.
func (in *Input) Size() int64 {
	if _, err := in.JSON(); err != nil || in.json.doc == nil {
		return in.tree.size.Load() + in.fit.size.Load()
	}
	return sizeOf(in.json.doc, in.Body)
}

// sizeOf is the memory of a scanned body: its text, and the table of its
// values.
func sizeOf(doc *jsonscan.Doc, body []byte) int64 {
	return int64(len(body)) + perNode*int64(doc.Nodes())
}
