package parse_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/parse"
)

// reported lists severity, code and pointer of the diagnostics of a reader.
func reported(r *parse.Reader) []string {
	var list []string
	for _, d := range r.Diagnostics() {
		list = append(list, string(d.Severity)+" "+d.Code+" "+d.Pointer+" "+d.Spec.Section)
	}
	return list
}

func object(t *testing.T, text string) parse.Node {
	t.Helper()
	root, err := (&parse.Input{Body: []byte(text)}).JSONObject()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestReaderGrades(t *testing.T) {
	r := parse.NewReader(&parse.Format{Name: "x"})
	root := object(t, `{"a": [1]}`)
	r.Report(rule("bad").At("§1"), root, "it is %q", "bad")
	r.Report(rule("odd").At("§2").AsWarning(), root.Get("a"), "odd")
	r.Report(rule("fine").At("§3").AsInfo(), root.Get("a").Index(0), "fine")
	want := []string{"error x.bad  §1", "warning x.odd /a §2", "info x.fine /a/0 §3"}
	if diff := cmp.Diff(want, reported(r)); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]wayfind.Ref{{Pointer: "/a/0"}}, parse.SourcesAt(root.Get("a").Index(0))); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func TestKeep(t *testing.T) {
	body := []byte(`{"a": {"b": 1}}`)
	root, err := (&parse.Input{Body: body}).JSONObject()
	if err != nil {
		t.Fatal(err)
	}
	var extensions map[string]parse.Raw
	parse.SetExtension(&extensions, "c", root.Get("c"))
	if extensions != nil || root.Get("c").Copy() != nil {
		t.Errorf("kept what is not there: %v", extensions)
	}
	parse.SetExtension(&extensions, "a", root.Get("a"))
	clear(body)
	if diff := cmp.Diff(map[string]parse.Raw{"a": parse.Raw(`{"b": 1}`)}, extensions); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestReaderMediaType(t *testing.T) {
	served := http.Header{}
	for _, tt := range []struct {
		mediaType string
		header    http.Header
		want      []string
	}{
		{"", nil, nil},
		{"text/markdown", nil, nil},
		{"text/plain", served, nil},
		{"text/html", nil, []string{"error x.media_type  §1"}},
		{"", served, []string{"error x.media_type  §1"}},
	} {
		r := parse.NewReader(&parse.Format{Name: "x"})
		r.MediaType(&parse.Input{MediaType: tt.mediaType, Header: tt.header}, parse.Node{}, "§1", "text/markdown", "text/plain")
		if diff := cmp.Diff(tt.want, reported(r)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.mediaType, diff)
		}
	}
}

func TestReaderMethod(t *testing.T) {
	type result struct {
		Method string
		Usable bool
		Codes  []string
	}
	for text, want := range map[string]result{
		`{"m": "GET"}`:    {"GET", true, nil},
		`{"m": "post"}`:   {"POST", true, []string{"info x.method_case /m §1"}},
		`{"m": "LIST"}`:   {"LIST", true, []string{"warning x.method /m §1"}},
		`{"m": "TRACE"}`:  {"TRACE", false, []string{"error x.method /m §1"}},
		`{"m": "GET, P"}`: {"", false, []string{"error x.method /m §1"}},
		`{"m": ""}`:       {"", false, []string{"error x.method /m §1"}},
		`{"m": 1}`:        {"", false, []string{"error x.wrong_type /m §1"}},
		`{}`:              {"", false, []string{"error x.missing  §1"}},
		`{"m": "` + strings.Repeat("X", 129) + `"}`: {"", false, []string{"error x.method /m §1"}},
	} {
		r := parse.NewReader(&parse.Format{Name: "x"})
		method, usable := r.Method(object(t, text), "m", parse.Must, "§1")
		if diff := cmp.Diff(want, result{method, usable, reported(r)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestAFieldThatClientsSetIsNoParameter: a field that must not contain a key may be a parameter,
// unless clients set it themselves.
func TestAFieldThatClientsSetIsNoParameter(t *testing.T) {
	for name, want := range map[string]bool{
		"If-Match": true, "if-none-match": true, "User-Agent": true, "Range": true, "Prefer": true, "Cache-Control": true, "Date": true,
		"Content-Type": true, "Accept": true, "Accept-Encoding": true, "Origin": true, "Referer": true, "X-Api-Key": true, "Authorization": true,
		"Host": false, "Cookie": false, "content-length": false, "Transfer-Encoding": false, "Connection": false, "TE": false, "Via": false,
		"Proxy-Authorization": false, "Sec-Fetch-Mode": false, "X-Forwarded-For": false, "Forwarded": false, "Upgrade": false,
		"": false, "X A": false, "X-A\r\nX-B": false, ":authority": false,
	} {
		if err := fieldname.CheckField(name); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A name that would change a request is not one to send.
func TestHeaderNamesThatChangeARequestAreRefused(t *testing.T) {
	for _, name := range []string{
		"", "Host", "hOST", "Cookie", "Content-Length", "Content-Type", "Transfer-Encoding", "Connection", "TE", "Upgrade", "Via",
		"Proxy-Authorization", "Sec-Fetch-Mode", "If-Match", "X-Forwarded-For", "Access-Control-Allow-Origin",
		"X-A\r\nX-B", "X A", ":authority", "X-Ä", "X-\x00", "X-\x7f", "X(", strings.Repeat("x", 129),
	} {
		if fieldname.CheckHeader(name) == nil {
			t.Errorf("%q passes", name)
		}
	}
	for _, name := range []string{"Authorization", "X-Api-Key", "api_key", "X-Host", "x", "!#$%&'*+-.^_`|~", strings.Repeat("x", 128)} {
		if err := fieldname.CheckHeader(name); err != nil {
			t.Errorf("%q: %s", name, err)
		}
	}
	r := parse.NewReader(&parse.Format{Name: "x"})
	root := object(t, `{"good": "X-Key", "bad": "Host"}`)
	got := []string{
		r.HeaderName(root, "good", parse.Must, "§1"), r.HeaderName(root, "bad", parse.Must, "§1"), r.HeaderName(root, "none", parse.Optional, "§1"),
	}
	if diff := cmp.Diff([]string{"X-Key", "", ""}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"error x.header_name /bad §1"}, reported(r)); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
}
