package httpcall_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/security/schema"
)

// partOperation has a form with one part, "meta", of a media type.
func partOperation(kind, of string, whole bool) *httpcall.Operation {
	p := wayfind.Param{Name: "meta", In: "body", Schema: json.RawMessage(of)}
	if whole {
		p = wayfind.Param{Name: "b", In: "body", Whole: true, Schema: json.RawMessage(`{"type":"object","properties":{"meta":` + of + `}}`)}
	}
	op := needs(operation("POST", "https://api.example/", "multipart/form-data", p))
	op.Invocation.Encodings = []wayfind.Encoding{{Name: "meta", ContentType: kind}}
	return op
}

// xmlParts reads a form with the reader of the standard library: the media type and the nodes of each part.
func xmlParts(t *testing.T, r *httpcall.Request) (kinds []string, nodes [][]string) {
	t.Helper()
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	reader := multipart.NewReader(bytes.NewReader(r.Body), params["boundary"])
	for {
		p, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return kinds, nodes
		}
		if err != nil || p.FormName() != "meta" {
			t.Fatal(p, err)
		}
		text, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		kinds, nodes = append(kinds, p.Header.Get("Content-Type")), append(nodes, xmlNodes(t, string(text)))
	}
}

// A part is a document in XML if the document's encoding says so (OpenAPI, Encoding Object).
func TestXML_PartsOfForms(t *testing.T) {
	const named = `{"type":"object","xml":{"name":"Meta"},"properties":{"id":{"type":"integer","xml":{"attribute":true}},"t":{"type":"string"}}}`
	const unnamed = `{"type":"object","properties":{"t":{"type":"string"}}}`
	for name, tt := range map[string]struct {
		kind, schema, value string
		want                []string // documents
	}{
		"named":           {"application/xml", named, `{"id":1,"t":"</Meta><x>"}`, []string{`<Meta id="1"><t>&lt;/Meta&gt;&lt;x&gt;</t></Meta>`}},
		"of the property": {"text/xml", unnamed, `{"t":"a"}`, []string{`<meta><t>a</t></meta>`}},
		"each item":       {"application/xml", `{"type":"array","items":` + named + `}`, `[{"id":1},{"id":2}]`, []string{`<Meta id="1"/>`, `<Meta id="2"/>`}},
		"suffix":          {"application/atom+xml", named, `{}`, []string{`<Meta/>`}},
		"range":           {"application/*+xml", named, `{}`, []string{`<Meta/>`}},
		"a name for text": {"application/xml", `{"type":"string","xml":{"name":"note"}}`, `"<b>"`, []string{`<note>&lt;b&gt;</note>`}},
	} {
		for _, whole := range []bool{false, true} {
			op := partOperation(tt.kind, tt.schema, whole)
			if shapes, why := op.Written(&op.Params[0]); !whole && shapes != schema.AnyShape {
				t.Errorf("%s: %v, %v", name, shapes, why)
			}
			args := `{"meta":` + tt.value + `}`
			if whole {
				args = `{"b":` + args + `}`
			}
			r, err := httpcall.Place(op, []byte(args))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var want [][]string
			for _, document := range tt.want {
				want = append(want, xmlNodes(t, document))
			}
			kinds, nodes := xmlParts(t, r)
			if diff := cmp.Diff(want, nodes); diff != "" || strings.Contains(kinds[0], "*") || !strings.HasSuffix(kinds[0], "xml") {
				t.Errorf("%s (%t): %s %s", name, whole, kinds, diff)
			}
		}
	}
	for name, of := range map[string]string{
		"a reference": `{"$ref":"#/$defs/M","$defs":{"M":` + unnamed + `}}`, "a list with an element": `{"type":"array","xml":{"wrapped":true},"items":` + named + `}`,
		"a list or a value": `{"type":["array","object"],"items":` + named + `}`, "an open object": `{"type":"object"}`, "a list of lists": `{"type":"array","items":{"type":"array","items":` + named + `}}`,
	} {
		op := partOperation("application/xml", of, false)
		if shapes, why := op.Written(&op.Params[0]); shapes != schema.Text|schema.List || why != httpcall.CodeMedia {
			t.Errorf("%s: %v, %v", name, shapes, why)
		}
		if _, err := httpcall.Place(op, []byte(`{"meta":{"t":"a"}}`)); codeOf(err) != httpcall.CodeMedia {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// All parts together have a limit: each repeats the names of its elements.
func TestXML_PartsAreBounded(t *testing.T) {
	long := strings.Repeat("n", 1000)
	op := partOperation("application/xml", `{"type":"array","items":{"type":"object","xml":{"name":"`+long+`"},"properties":{"a":{"type":"number"}}}}`, false)
	if _, err := httpcall.Place(op, []byte(`{"meta":[`+strings.Repeat("{},", 5000)+`{}]}`)); codeOf(err) != httpcall.CodeSize {
		t.Error(err)
	}
}

// A range of media types is no type of a request: the general type of its suffix is sent.
func TestARangeOfASuffixIsNotSent(t *testing.T) {
	for kind, want := range map[string]string{"application/*+xml": "application/xml", "application/*+json": "application/json", "application/*+json; charset=utf-8": "application/json; charset=utf-8"} {
		op := xmlOperation(`{"type":"object","xml":{"name":"d"},"properties":{"a":{"type":"string"}}}`)
		op.Invocation.ContentType = kind
		r, err := httpcall.Place(op, []byte(`{"b":{"a":"x"}}`))
		if err != nil || r.Header.Get("Content-Type") != want {
			t.Errorf("%s: %+v, %v", kind, r, err)
		}
	}
}

// Prefixes are names for namespaces: another reader sees the same names, whatever the prefixes are.
func TestXML_Prefixes(t *testing.T) {
	of := func(properties string) string {
		return `{"type":"object","xml":{"name":"d","prefix":"p","namespace":"urn:a"},"properties":{` + properties + `}}`
	}
	attribute := func(name, prefix, namespace string) string {
		return `{"type":"string","xml":{"name":"` + name + `","prefix":"` + prefix + `","namespace":"` + namespace + `","attribute":true}}`
	}
	const xsi = ` xmlns:s="http://www.w3.org/2001/XMLSchema-instance"`
	inner := func(rest string) string {
		return `"in":{"type":"object","xml":{"prefix":"p","namespace":"urn:b"},"properties":{` + rest + `}}`
	}
	for name, tt := range map[string]struct{ schema, value, want string }{
		"two prefixes for one namespace": {of(`"x":{"type":"string","xml":{"prefix":"q","namespace":"urn:a"}},"y":` + attribute("y", "r", "urn:a")), `{"x":"1","y":"2"}`, `<p:d xmlns:p="urn:a" p:y="2"><p:x>1</p:x></p:d>`},
		"a prefix of the root":           {of(inner(`"x":{"type":"string","xml":{"prefix":"p"}}`)), `{"in":{"x":"1"}}`, `<p:d xmlns:p="urn:a"><q:in xmlns:q="urn:b"><p:x>1</p:x></q:in></p:d>`},
		"xsi without a namespace":        {of(`"type":{"type":"string","xml":{"name":"xsi:type","attribute":true}}`), `{"type":"t"}`, `<p:d xmlns:p="urn:a"` + xsi + ` s:type="t"/>`},
		"null":                           {of(`"x":{"type":["string","null"]}`), `{"x":null}`, `<p:d xmlns:p="urn:a"` + xsi + `><x s:nil="true"/></p:d>`},
		"null, xsi is another's":         {of(`"x":{"type":["string","null"],"xml":{"prefix":"xsi","namespace":"urn:x"}}`), `{"x":null}`, `<p:d xmlns:p="urn:a"` + xsi + `><q:x xmlns:q="urn:x" s:nil="true"/></p:d>`},
		"null in another's xsi":          {of(`"in":{"type":"object","xml":{"prefix":"xsi","namespace":"urn:x"},"properties":{"x":{"type":["string","null"]},"y":{"type":"string","xml":{"prefix":"xsi","namespace":"urn:x"}}}}`), `{"in":{"x":null,"y":"1"}}`, `<p:d xmlns:p="urn:a"` + xsi + `><q:in xmlns:q="urn:x"><x s:nil="true"/><q:y>1</q:y></q:in></p:d>`},
		"one name in two namespaces":     {of(`"x":` + attribute("x", "q", "urn:q") + `,"y":` + attribute("x", "r", "urn:r")), `{"x":"1","y":"2"}`, `<p:d xmlns:p="urn:a" xmlns:q="urn:q" xmlns:r="urn:r" q:x="1" r:x="2"/>`},
	} {
		got, err := xmlOf(t, tt.schema, tt.value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(xmlNodes(t, tt.want), xmlNodes(t, got)); diff != "" {
			t.Errorf("%s: %s%s", name, diff, got)
		}
	}
	for name, of := range map[string]string{
		"one attribute with two prefixes": of(`"x":` + attribute("x", "q", "urn:q") + `,"y":` + attribute("x", "r", "urn:q")),
		"a prefix for two namespaces":     of(`"x":` + attribute("x", "q", "urn:q") + `,"y":` + attribute("y", "q", "urn:r")),
		"the prefix of its element":       of(`"x":` + attribute("x", "p", "urn:r")),
		"an attribute of a part":          of(`"x":` + attribute("x", "q", "urn:q") + `,"in":{"type":"object","xml":{"nodeType":"none"},"properties":{"y":` + attribute("x", "q", "urn:q") + `}}`),
		"attributes of items":             of(`"in":{"type":"array","items":{"type":"object","xml":{"nodeType":"none"},"properties":{"y":` + attribute("y", "q", "urn:q") + `}}}`),
		"items of the root":               `{"type":"array","xml":{"nodeType":"element","name":"d"},"items":{"type":"object","xml":{"nodeType":"none"},"properties":{"y":` + attribute("y", "q", "urn:q") + `}}}`,
		"no end":                          of(`"in":{"$ref":"#/$defs/r"}`)[:len(of(`"in":{"$ref":"#/$defs/r"}`))-1] + `,"$defs":{"r":{"type":"object","xml":{"nodeType":"none"},"properties":{"r":{"$ref":"#/$defs/r"}}}}}`,
	} {
		op := xmlOperation(of)
		if _, err := op.Callable(); codeOf(err) != httpcall.CodeMedia {
			t.Errorf("%s: %v", name, err)
		}
	}
}
