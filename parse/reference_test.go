package parse_test

import (
	"net/url"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// TestLinksAreKnownByTheirLook: a text for people is no reference, though the
// grammar (RFC 3986 §4.1) lets it be one; what looks like one stays one.
func TestLinksAreKnownByTheirLook(t *testing.T) {
	base, err := url.Parse("https://example.com/.well-known/x.json")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"hello@legal.example": "", "hello@legal.example?subject=x": "", "{{BASE}}/llms.txt": "", "${BASE}/x": "", "$BASE/x": "",
		"<your page>": "", "<URL>": "", "[URL]": "", "see our terms of use": "", "see\u00a0our\u3000terms": "",
		"N/A": "", "none": "", "TBD": "", "#": "", "": "", "www.example.org/legal": "", "www.example.org": "", "docs.example.org/legal": "",
		"legal": "https://example.com/.well-known/legal", "../legal.html": "https://example.com/legal.html", "/a@b": "https://example.com/a@b",
		"@scope/page": "https://example.com/.well-known/@scope/page", "index.php/legal": "https://example.com/.well-known/index.php/legal",
		"v1.2.3/legal": "https://example.com/.well-known/v1.2.3/legal", "legal.en.html": "https://example.com/.well-known/legal.en.html",
		"/x?$filter=a": "https://example.com/x?$filter=a", "//cdn.example/logo.png": "https://cdn.example/logo.png", "?a[]=1": "https://example.com/.well-known/x.json?a[]=1",
		"https://other.example/@me": "https://other.example/@me",
	} {
		root := document(t, `{"u": `+string(rawjson.Quote(text))+`}`)
		r := parse.NewReader(format())
		if got := r.URL(root, "u", base, parse.Optional, "§1"); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if found := len(r.Diagnostics()) > 0; found != (want == "") {
			t.Errorf("%q: %v", text, r.Diagnostics())
		}
	}
}

// TestEndpointsAreKnownByTheirLook: neither is it the endpoint of a call.
func TestEndpointsAreKnownByTheirLook(t *testing.T) {
	base, err := url.Parse("https://example.com/a")
	if err != nil {
		t.Fatal(err)
	}
	for text, usable := range map[string]bool{
		"hello@shop.example": false, "{{BASE}}/find": false, "<endpoint>": false, "N/A": false, "[endpoint]": false,
		"/find": true, "find/{id}": true, "{id}": true, "/find?$top={n}": true,
	} {
		if e, err := parse.ResolveEndpoint(text, base); (err == nil) != usable || e.Resolved() && !usable {
			t.Errorf("%q: %v, %+v", text, err, e)
		}
	}
}

func TestHostWithBytesThatAreNotUTF8IsNone(t *testing.T) {
	const broken, sound = "https://shop%80.example/mcp", "https://b%C3%BCcher.example/mcp"
	if u, err := urlref.AbsoluteURL(broken); err == nil {
		t.Errorf("AbsoluteURL(%q) = %q", broken, u)
	}
	if e, err := parse.ResolveEndpoint(broken, nil); err == nil || e.Resolved() {
		t.Errorf("ResolveEndpoint(%q) = %+v", broken, e)
	}
	if e, err := parse.ResolveEndpoint("https://shop%80.example/{id}", nil); err == nil || e.Resolved() {
		t.Errorf("a template: %+v", e)
	}
	if e, err := parse.ResolveEndpoint(sound, nil); err != nil || e.URL != "https://bücher.example/mcp" {
		t.Errorf("ResolveEndpoint(%q) = %+v, %v", sound, e, err)
	}
	r := parse.NewReader(&parse.Format{Name: "x"})
	root, err := (&parse.Input{Body: []byte(`{"a": "` + broken + `", "b": "//shop%80.example/x", "c": "` + sound + `"}`)}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	base := &url.URL{Scheme: "https", Host: "shop.example"}
	for member, want := range map[string]string{"a": "", "b": "", "c": sound} {
		if got := r.URL(root, member, base, parse.Optional, ""); got != want {
			t.Errorf("member %s is %q, want %q", member, got, want)
		}
	}
}
