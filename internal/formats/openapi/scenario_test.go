package openapi_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// codeOf returns the code of an error.
func codeOf(err error) wayfind.Code {
	var e *wayfind.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// A media type other than JSON or YAML is reported, and the document is read.
func TestAnotherMediaTypeIsNotedAndTheDocumentIsRead(t *testing.T) {
	formattest.MediaTypes(t, openapi.Format(), one(t, object{}, nil), map[string]wayfind.Severity{
		"text/plain": "info", "application/octet-stream": "info", "application/json": "", "text/yaml": "", "application/vnd.oai.openapi": "", "application/openapi+json": "",
	})
}

// A body that is refused in all modes is an error for each caller.
func TestUnreadableBodiesAreErrorsInEveryMode(t *testing.T) {
	for body, want := range map[string]wayfind.Code{
		`{"openapi":"3.0.0","paths":{},"\u0070aths":{}}`: wayfind.CodeJSONDuplicate,
		"{\"openapi\":\"\xff\"}":                         wayfind.CodeInvalidUTF8,
		`{"openapi":"3.0.0"} {}`:                         wayfind.CodeJSONTrailing,
		strings.Repeat("[", 65):                          wayfind.CodeJSONDepth,
		"":                                               wayfind.CodeJSONSyntax,
		"[]":                                             wayfind.CodeSchema,
		"{}":                                             wayfind.CodeSchema,
		"openapi: 3.0.0\nopenapi: 3.0.0\n":               wayfind.CodeYAMLDuplicate,
		"openapi: !x 3.0.0\n":                            wayfind.CodeYAMLForbidden,
		"openapi: 3.0.0\n---\npaths: {}\n":               wayfind.CodeYAMLForbidden,
		"openapi: 3.0.0\npaths: [\n":                     wayfind.CodeYAMLSyntax,
		"openapi: 3.0.0\nx: \xff\n":                      wayfind.CodeInvalidUTF8,
	} {
		in := document(t, []byte(body))
		if r, err := openapi.Format().Parse(in); codeOf(err) != want {
			t.Errorf("%.40q: read as %+v, %v, want %s", body, r, err, want)
		}
		if _, err := openapi.Format().Detail(in, parse.Subject{}); codeOf(err) != want {
			t.Errorf("%.40q: detail: %v, want %s", body, err, want)
		}
		if claim := openapi.Format().Match(in); claim.Level == parse.Exact {
			t.Errorf("%.40q: claimed", body)
		}
	}
}

// Names are exact. A variant in another case is reported and never read.
func TestVariantsInCaseAreToldAndNotRead(t *testing.T) {
	r := read(t, one(t, object{"OperationId": "evil", "Security": list{}, "\u017fervers": list{}}, object{"Servers": list{object{"url": "https://evil.example"}}, "Paths": object{}}))
	c := r.Services[0].Capabilities[0]
	if c.ID != "POST /things" || c.Auth != nil || c.Invocation.URL != "https://shop.example/things" || r.Services[0].Extensions != nil {
		t.Errorf("got %+v, %s", c, r.Services[0].Extensions)
	}
	want := []string{"warning json.case_variant /Paths", "warning json.case_variant /Servers", "warning json.case_variant /paths/~1things/post/OperationId",
		"warning json.case_variant /paths/~1things/post/Security", "warning json.case_variant /paths/~1things/post/ſervers"}
	if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// The first 5,000 operations are read in the order of the document, and the total is reported.
func TestOperationsBeyondTheLimitAreCounted(t *testing.T) {
	formattest.Bounded(t, "openapi.truncated", 5000, func(n int) *parse.Reading {
		paths := formattest.Repeat(n, `"/pN":{"post":{"operationId":"cN"}}`)
		return read(t, document(t, []byte(`{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{`+paths+`}}`)))
	})
}

// No path or server becomes a URL on another host, and an operation that cannot be called has
// no invocation.
func TestNoPathOrServerBecomesAURLOfAnotherHost(t *testing.T) {
	for _, server := range []string{
		"///evil.example", `/\evil.example`, `//\evil.example`, "https:evil", "https://", "https://shop.example@evil.example/", "javascript:alert(1)",
		"file:///etc/passwd", "ws://shop.example/", "https://shop.example/\r\nX: y", "https://" + strings.Repeat("a", 2048) + ".example", "https://a b.example",
	} {
		r := read(t, one(t, object{}, object{"servers": list{object{"url": server}}}))
		if c := r.Services[0].Capabilities[0]; c.Invocation != nil || len(r.Services[0].Interfaces) != 0 {
			t.Errorf("server %q: got %+v", server, c.Invocation)
		}
		if got := codes(r.Diagnostics); !slices.Equal(got, []string{"error server /servers/0/url", "info server_none /servers"}) {
			t.Errorf("server %q: %v", server, got)
		}
	}
	for path, want := range map[string]string{
		"//evil.example": "", `/\evil.example`: "", "/a b": "", "/a\r\nb": "", "@evil.example": "https://shop.example/@evil.example", ".evil.example/": "https://shop.example/.evil.example/",
		"/../../x": "https://shop.example/x", "/a#b": "https://shop.example/a",
	} {
		c := read(t, made(t, object{"servers": list{object{"url": "https://shop.example"}}, "paths": object{path: object{"get": object{}}}})).Services[0].Capabilities[0]
		got := ""
		if c.Invocation != nil {
			got = c.Invocation.URL
		}
		if got != want {
			t.Errorf("path %q: got %q, want %q", path, got, want)
		}
	}
}

// outward returns references that lead out of a document.
func outward() []string {
	return []string{
		"file:///etc/passwd", "other.json", "../../secrets.yaml#/a", "http://10.0.0.1/latest/meta-data", "https://evil.example/schema.json#/A", "//evil.example/a", "Pet",
		"https://shop.example/docs/other.json#/components/schemas/A", "",
	}
}

// External references are never followed. Each is reported, and the result contains none in a
// place where a reader of schemas would look for it.
func TestExternalReferencesAreNotFollowed(t *testing.T) {
	for _, ref := range outward() {
		out := object{"$ref": ref}
		in := one(t, object{
			"parameters":  list{out, object{"name": "a", "in": "query", "schema": out}},
			"requestBody": object{"content": object{"application/json": object{"schema": object{"type": "array", "items": out, "default": list{out}}, "examples": object{"e": out}}}},
			"responses":   object{"200": out, "201": object{"description": "made", "content": object{"application/json": object{"schema": out}}}},
		}, object{"components": object{"securitySchemes": object{"s": out}}})
		r := read(t, in)
		d, c := detailOf(t, in)
		if len(r.Links)+len(d.Links) != 0 {
			t.Errorf("%q: links %v %v", ref, r.Links, d.Links)
		}
		told := 0
		for _, diagnostic := range append(r.Diagnostics, d.Diagnostics...) {
			if diagnostic.Code == "openapi.ref_external" || ref == "" {
				told++
			}
		}
		if told < 6 {
			t.Errorf("%q: told %d times: %v %v", ref, told, codes(r.Diagnostics), codes(d.Diagnostics))
		}
		var texts strings.Builder
		texts.WriteString(string(c.Input) + string(c.Output))
		for _, p := range c.Params {
			texts.WriteString(string(p.Schema) + string(p.Default))
		}
		if ref != "" && strings.Contains(texts.String(), ref) || strings.Contains(strings.ReplaceAll(texts.String(), `"$ref":"#/$defs/`, ""), "$ref") {
			t.Errorf("%q: the reference is in %s", ref, texts.String())
		}
	}
}

// chain returns a document in which each schema S0 to Sn refers to the next one twice.
func chain(n int) string {
	var schemas strings.Builder
	for i := range n {
		fmt.Fprintf(&schemas, `"S%d":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/S%d"},"b":{"$ref":"#/components/schemas/S%d"}}},`, i, i+1, i+1)
	}
	return fmt.Sprintf(`{"openapi":"3.1.0","info":{"title":"T","version":"1"},
		"paths":{"/a":{"get":{"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}}}}}},
		"components":{"schemas":{%s"S%d":{"type":"string"}}}}`, schemas.String(), n)
}

// The cost of cycles and chains of references is proportional to their length, and they end at
// the limits. The same applies to YAML that yaml.v3 reads too slowly, and to documents beyond
// the limits.
func TestExpansionEndsAtItsLimits(t *testing.T) {
	_, c := detailOf(t, document(t, []byte(chain(200))))
	root, err := (&parse.Input{Body: c.Output}).JSON()
	if err != nil || root.Get("$defs").Len() != 201 || len(c.Output) > 40_000 {
		t.Errorf("200 deep: %d definitions in %d bytes, %v", root.Get("$defs").Len(), len(c.Output), err)
	}
	d, c := detailOf(t, document(t, []byte(chain(4000))))
	if got := codes(d.Diagnostics); len(c.Output) > 800_000 || len(got) != 1 || !strings.HasPrefix(got[0], "warning schema_limit ") {
		t.Errorf("4,000 deep: %d bytes, %v", len(c.Output), got)
	}
	_, c = detailOf(t, one(t, object{"responses": object{"200": object{"$ref": "#/components/responses/A"}}}, object{"components": object{
		"responses": object{"A": object{"content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/A"}}}}},
		"schemas":   object{"A": object{"anyOf": list{object{"$ref": "#/components/schemas/A"}, object{"$ref": "#/components/schemas/B"}}}, "B": object{"$ref": "#/components/schemas/C"}, "C": object{"$ref": "#/components/schemas/B"}},
	}}))
	if got, want := string(c.Output), `{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"},{}]}}}`; got != want {
		t.Errorf("cycles: got %s, want %s", got, want)
	}
	for name, body := range map[string]string{
		"duplicates": "openapi: 3.0.0\npaths: {" + strings.Repeat("a,", 70_000) + "}\n",
		"marks":      "openapi: 3.0.0\npaths: {" + strings.Repeat("a,", 510_000) + "}\n",
		"8 MiB YAML": "openapi: 3.0.0\nx: " + strings.Repeat("x", 8<<20),
	} {
		if r, err := openapi.Format().Parse(document(t, []byte(body))); err == nil || len(err.Error()) > 512 {
			t.Errorf("%s: read as %.1000v, %.100v", name, r, err)
		}
	}
	if got := openapi.Format().Limits.Bytes; got != 16<<20 {
		t.Errorf("documents end at %d bytes", got)
	}
}
