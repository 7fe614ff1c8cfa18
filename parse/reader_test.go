package parse_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

func format() *parse.Format {
	return &parse.Format{Name: "demo", Spec: wayfind.SpecRef{Title: "Demo 1.0"}}
}

// lines shortens diagnostics to "severity code pointer section".
func lines(r *parse.Reader) []string {
	var out []string
	for _, d := range r.Diagnostics() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %q %s", d.Severity, d.Code, d.Pointer, d.Spec.Section)))
	}
	return out
}

func TestReaderValues(t *testing.T) {
	root := document(t, `{"s":"x","e":"","b":false,"i":1e3,"f":0.5,"l":["a","b"],"o":{"k":1},"a":[{},{}],"v":"1","u":"https://e.example/{id}","r":"../d"}`)
	r := parse.NewReader(format())
	base, err := url.Parse("https://example.com/a/b/c")
	if err != nil {
		t.Fatal(err)
	}
	got := []any{
		r.String(root, "s", parse.Must, "§1"), *r.StringPtr(root, "e", parse.Must, "§1"), *r.Bool(root, "b", parse.Must, "§1"),
		*r.Int(root, "i", parse.Must, "§1"), *r.Number(root, "f", parse.Must, "§1"), r.Strings(root, "l", parse.Must, "§1"),
		r.Object(root, "o", parse.Must, "§1").Len(), r.Array(root, "a", parse.Must, "§1").Len(), len(r.Objects(root, "a", parse.Must, "§1")),
		r.Text(root, "v", parse.Must, "§1"), r.URL(root, "u", base, parse.Must, "§1"), r.URL(root, "r", base, parse.Must, "§1"),
	}
	want := []any{
		"x", "", false, int64(1000), 0.5, []string{"a", "b"}, 1, 2, 2,
		"1", "https://e.example/{id}", "https://example.com/a/d",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string(nil), lines(r)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

func TestReaderMissing(t *testing.T) {
	doc := document(t, `{"o":{}}`)
	obj, r := doc.Get("o"), parse.NewReader(format())
	for need, section := range map[parse.Need]string{parse.Must: "§1", parse.Should: "§2", parse.Optional: "§3"} {
		if r.String(obj, "x", need, section) != "" || r.StringPtr(obj, "x", need, section) != nil || r.Int(obj, "x", need, section) != nil {
			t.Error("a value that is not there")
		}
	}
	if r.Bool(parse.Node{}, "x", parse.Must, "§9") != nil || r.String(doc.Get("q").Get("z"), "x", parse.Must, "§9") != "" {
		t.Error("a value of nothing")
	}
	want := []string{`error demo.missing "/o" §1`, `warning demo.missing "/o" §2`}
	sorted := cmpopts.SortSlices(strings.Compare)
	if diff := cmp.Diff(want, lines(r), sorted); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

func TestReaderWrongTypes(t *testing.T) {
	root := document(t, `{"a":null,"b":"true","c":1.5,"d":1e999,"e":{},"f":["x",1,null],"g":[{},"y"],"h":"x","v":1.0,"u":"ftp://x/","w":"/rel","x":"http://[::1"}`)
	r := parse.NewReader(format())
	got := []any{
		r.String(root, "a", parse.Must, "§a"), r.Bool(root, "b", parse.Should, "§b"), r.Int(root, "c", parse.Optional, "§c"),
		r.Number(root, "d", parse.Must, "§d"), len(r.Strings(root, "e", parse.Optional, "§e")), r.Strings(root, "f", parse.Must, "§f"),
		len(r.Objects(root, "g", parse.Must, "§g")), r.Object(root, "h", parse.Optional, "§h").Exists(),
		r.Text(root, "v", parse.Must, "§v"), r.URL(root, "u", nil, parse.Must, "§u"), r.URL(root, "w", nil, parse.Optional, "§w"),
		r.URL(root, "x", nil, parse.Should, "§x"),
	}
	want := []any{"", (*bool)(nil), (*int64)(nil), (*float64)(nil), 0, []string{"x"}, 1, false, "1.0", "", "", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	wantLines := []string{
		`error demo.wrong_type "/a" §a`, `warning demo.wrong_type "/b" §b`, `warning demo.wrong_type "/c" §c`,
		`error demo.wrong_type "/d" §d`, `warning demo.wrong_type "/e" §e`, `warning demo.wrong_type "/f/1" §f`,
		`warning demo.wrong_type "/f/2" §f`, `warning demo.wrong_type "/g/1" §g`, `warning demo.wrong_type "/h" §h`,
		`warning demo.wrong_type "/v" §v`, `error demo.bad_url "/u" §u`, `warning demo.bad_url "/w" §w`, `warning demo.bad_url "/x" §x`,
	}
	if diff := cmp.Diff(wantLines, lines(r)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

func TestReaderReport(t *testing.T) {
	root := document(t, `{"k":["x"]}`)
	r := parse.NewReader(&parse.Format{Name: "demo", Spec: wayfind.SpecRef{Title: "Demo", Section: "§0"}})
	for range 3 {
		r.Report(rule("odd").At("§2").AsWarning(), root.Get("k").Index(0), "element is %q", "\x1b[31m")
	}
	r.Report(rule("whole").AsInfo(), parse.Node{}, "the document is %s", strings.Repeat("é", 1000))
	got := r.Diagnostics()
	want := []wayfind.Diagnostic{
		{Severity: wayfind.SeverityWarning, Code: "demo.odd", Message: `element is "\x1b[31m"`, Pointer: "/k/0", Spec: &wayfind.SpecRef{Title: "Demo", Section: "§2"}},
		{Severity: wayfind.SeverityInfo, Code: "demo.whole", Message: "the document is " + strings.Repeat("é", 246) + "…", Spec: &wayfind.SpecRef{Title: "Demo", Section: "§0"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

func TestReaderIsBounded(t *testing.T) {
	root := document(t, "["+strings.Repeat("0,", 5000)+"0]")
	r := parse.NewReader(format())
	for _, item := range root.Items() {
		r.Report(rule("zero").At("§1"), item, "a zero")
	}
	got := r.Diagnostics()
	last := wayfind.Diagnostic{
		Severity: wayfind.SeverityInfo, Code: "demo.more_diagnostics", Message: "4801 more diagnostics are not listed",
		Spec: &wayfind.SpecRef{Title: "Demo 1.0"},
	}
	if diff := cmp.Diff(last, got[len(got)-1]); diff != "" || len(got) != 201 {
		t.Errorf("%d diagnostics, last (-want +got):\n%s", len(got), diff)
	}
	if diff := cmp.Diff(got, r.Diagnostics()); diff != "" {
		t.Errorf("asking twice gives another list:\n%s", diff)
	}
}

// TestReaderLongPointer: a pointer that is too long names the enclosing value.
func TestReaderLongPointer(t *testing.T) {
	long := strings.Repeat("k", 1000)
	root := document(t, `{"a":{"`+long+`":{"`+long+`":1}}}`)
	r := parse.NewReader(format())
	r.Report(rule("x"), root.Get("a").Get(long).Get(long), "x")
	if got := r.Diagnostics()[0].Pointer; got != "/a/"+long {
		t.Errorf("pointer %.20q… of %d bytes", got, len(got))
	}
}

func TestVariantsInCaseAreToldAndNotRead(t *testing.T) {
	root := document(t, `{"endpoint":"good","ENDPOINT":"evil","capabilitieſ":1,"`+"\u212a"+`ind":2,"zzz":[1, 2],"endpoint\u0000":3}`)
	r := parse.NewReader(format())
	known := []string{"endpoint", "capabilities", "kind"}
	if got := r.String(root, "endpoint", parse.Must, "§1"); got != "good" {
		t.Errorf("endpoint %q", got)
	}
	got := r.Extensions(root, known...)
	r.CaseVariants(root, known...) // a second look repeats nothing
	want := map[string]parse.Raw{"zzz": parse.Raw("[1, 2]"), "endpoint\x00": parse.Raw("3")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("extensions (-want +got):\n%s", diff)
	}
	wantLines := []string{
		`warning json.case_variant "/ENDPOINT"`, `warning json.case_variant "/capabilitieſ"`, `warning json.case_variant "/` + "\u212a" + `ind"`,
	}
	if diff := cmp.Diff(wantLines, lines(r)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	for name := range r.UnknownMembers(root, known...) {
		if name != "zzz" {
			t.Errorf("first unknown member is %q", name)
		}
		break
	}
	if got := r.Extensions(document(t, `{"kind":1}`), known...); got != nil {
		t.Errorf("extensions of nothing: %v", got)
	}
}

// TestProseIsNoReference: a text that does not look like a reference (RFC 3986 §4.1) becomes no
// URL, in any format.
func TestProseIsNoReference(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "example.com", Path: "/.well-known/x"}
	for text, want := range map[string]string{
		"hello@example.com": "", "{{BASE}}/legal": "", "{BASE}/legal": "", "${BASE}/legal": "", "<your page>": "", "<page>": "",
		"see our terms": "", "": "", "a|b": "", `a\b`: "",
		"legal": "https://example.com/.well-known/legal", "/@shop/legal": "https://example.com/@shop/legal", "../a?q=x@y": "https://example.com/a?q=x@y",
	} {
		in := &parse.Input{Body: []byte(`{"u": ` + string(rawjson.Quote(text)) + `}`)}
		root, err := in.JSON()
		if err != nil {
			t.Fatal(err)
		}
		r := parse.NewReader(&parse.Format{Name: "demo"})
		got := r.URL(root, "u", base, parse.Optional, "§1")
		if got != want || (want == "") != (len(r.Diagnostics()) == 1) {
			t.Errorf("%q became %q, want %q; diagnostics %v", text, got, want, r.Diagnostics())
		}
	}
}

// TestProseIsNoEndpoint: no endpoint either is made of an address of mail or
// of a placeholder.
func TestProseIsNoEndpoint(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "example.com", Path: "/"}
	for _, text := range []string{"hello@example.com", "<host>/api", "https://<host>/api", "/<id>", `"/api"`, "ask us", "hello@example.com/api"} {
		if e, err := parse.ResolveEndpoint(text, base); err == nil {
			t.Errorf("%q became %s%s", text, e.URL, e.Template)
		}
	}
	for _, text := range []string{"/@shop", "https://example.com/@shop", "api?q=a@b", "api/@x"} {
		if _, err := parse.ResolveEndpoint(text, base); err != nil {
			t.Errorf("%q: %s", text, err)
		}
	}
}
