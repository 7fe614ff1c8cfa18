package parse_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

func mustURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A reference that some readers read with a host is none.
func TestAReferenceThatNamesAHostToSomeReadersIsNone(t *testing.T) {
	for _, text := range []string{
		"", "#a", "//u@E/x", "///E", `/\E`, "/\t/E", "/\n/E", " /x", "/x ", "/a b", "\x00", "/\x7f", strings.Repeat("x", 2049),
	} {
		if urlref.CheckReference(text) == nil {
			t.Errorf("%q passes", text)
		}
		if e, err := parse.ResolveEndpoint(text, mustURL(t, "https://example.com/a")); err == nil || e.Resolved() {
			t.Errorf("%q is an endpoint: %+v", text, e)
		}
	}
	for _, text := range []string{"/", "/x", "x", "?x", "https://example.com", "/ä", "/a//b", strings.Repeat("x", 2048)} {
		if err := urlref.CheckReference(text); err != nil {
			t.Errorf("%q: %s", text, err)
		}
	}
}

func TestAbsoluteURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://example.com/x": "", "HTTP://example.com": "",
		"/x": "no scheme", "ws://example.com": "scheme", "javascript:alert(1)": "scheme", "unix:/x": "scheme", "ftp://e.example": "scheme",
		"https:example.com": "no host", "https:///x": "no host", "https:/example.com": "no host", "https://:443/": "no host",
		"https://u@example.com": "user name", "https://u:p@example.com": "user name", "https://%zz": "not a URL", "://": "not a URL",
	} {
		u, err := urlref.AbsoluteURL(text)
		if (err == nil) != (want == "") || !strings.Contains(fmt.Sprint(err), want) || (u == nil) != (err != nil) {
			t.Errorf("%q: %v, %v; want %q", text, u, err, want)
		}
	}
}

// Hosts and ports that are odd, by their names.
func TestOddHostsAndPortsAreKnownByTheirNames(t *testing.T) {
	for _, text := range []string{
		"https://127.0.0.1", "https://[::1]", "https://2852039166", "https://0x7f.1", "https://a.0x7F", "https://localhost", "https://com",
		"https://metadata.google.internal", "https://x.local.", "https://example.com:8443", "https://x.onion",
	} {
		if urlref.OddHost(mustURL(t, text)) == nil {
			t.Errorf("%s passes", text)
		}
	}
	for _, text := range []string{"https://example.com", "https://example.com.", "https://example.com:443/", "https://1.example"} {
		if err := urlref.OddHost(mustURL(t, text)); err != nil {
			t.Errorf("%s: %s", text, err)
		}
	}
}

func TestClimbsUp(t *testing.T) {
	for text, want := range map[string]bool{
		"/../a": true, "a/..": true, "..": true, "/%2e%2E/a": true, "/.%2e": true,
		"/a": false, "/..a": false, "/a?b=/../c": false, "/%zz": false, "/...": false,
	} {
		if got := urlref.ClimbsUp(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func TestTemplate(t *testing.T) {
	type view struct {
		Names  []string
		Filled string
		Simple bool
	}
	for text, want := range map[string]view{
		"/a":               {nil, "/a", true},
		"/a/{id}/b/{id}":   {[]string{"id"}, "/a/1/b/1", true},
		"/{a.b}{c}":        {[]string{"a.b", "c"}, "/11", true},
		"/a{?x,y*}{&z:3}":  {[]string{"x", "y", "z"}, "/a", false},
		"{/a}{;b}{.c}{#d}": {[]string{"a", "b", "c", "d"}, "/1;1.1#1", false},
		"/{+a}/{a-b}":      {[]string{"a", "a-b"}, "/1/1", false},
		"/{id=things/*}":   {[]string{"id"}, "/1", false},
	} {
		got, ok := parse.ParseTemplate(text)
		if diff := cmp.Diff(want, view{got.Names(), got.Filled(), got.Simple()}); !ok || diff != "" {
			t.Errorf("%s: %t (-want +got):\n%s", text, ok, diff)
		}
		if got.String() != text || got.IsZero() {
			t.Errorf("%s is written %s", text, got)
		}
	}
	for _, text := range []string{"{", "}", "/a}", "/{a", "{}", "{a{b}}", "{?}", "{?#a}", "{a,}", "{=}"} {
		if got, ok := parse.ParseTemplate(text); ok || !got.IsZero() {
			t.Errorf("%s is a template: %v", text, got)
		}
	}
	if zero := (parse.Template{}); !zero.IsZero() || zero.String() != "" || zero.Names() != nil || zero.Place("a") != "" || !zero.Simple() {
		t.Error("the zero Template is not empty")
	}
}

func TestNotation(t *testing.T) {
	for text, want := range map[string]string{
		"/{{a}}/${b}/<c>/{d}": "/{a}/{b}/{c}/{d}", "/a": "/a",
	} {
		if got := paramspec.Braces(text); got != want {
			t.Errorf("Braces(%q) = %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"/a/:id": "/a/{id}", "/a/:id/b/:_c2": "/a/{id}/b/{_c2}", "/a/:id.json": "/a/{id}.json", "/:a-:b": "/{a}-:b", "/a/:id?b=:c/:d": "/a/{id}?b=:c/:d",
		"https://h:80/:id": "https://h:80/{id}", "https://:80": "https://:80", "https://:h/a": "https://:h/a", "/x:search": "/x:search",
		"/a/:8080": "/a/:8080", "/a/:": "/a/:", "/a/{id}": "/a/{id}", ":id/a": "{id}/a", "/r?u=https://h/:x": "/r?u=https://h/:x",
	} {
		if got := paramspec.Colons(text, nil); got != want {
			t.Errorf("Colons(%q) = %q, want %q", text, got, want)
		}
	}
	known := func(name string) bool { return name == "user-id" || name == "id" }
	for text, want := range map[string]string{
		"/a/:user-id": "/a/{user-id}", "/a/:id.json": "/a/{id}.json", "/a/:other": "/a/:other", "/a/:id": "/a/{id}",
	} {
		if got := paramspec.Colons(text, known); got != want {
			t.Errorf("Colons(%q) with names = %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"https://YOUR_DOMAIN/api": "https://{YOUR_DOMAIN}/api", "https://your-company.example": "https://{your_company}.example",
		"https://{tenant}.example/YOUR_APP": "https://{tenant}.example/{YOUR_APP}", "https://your-move.example": "https://your-move.example",
		"/YOUR_APP": "/YOUR_APP",
	} {
		if got := paramspec.Placeholders(text); got != want {
			t.Errorf("Placeholders(%q) = %q, want %q", text, got, want)
		}
	}
}

// endpoint contains the parts of an Endpoint that tests compare.
type endpoint struct {
	URL, Template string
	Form          parse.Form
	HostVaries    bool
}

func TestResolveEndpoint(t *testing.T) {
	base := mustURL(t, "https://example.com/.well-known/ai?x#y")
	for ref, want := range map[string]endpoint{
		"/a":                            {URL: "https://example.com/a", Form: parse.FormPath},
		"/":                             {URL: "https://example.com/", Form: parse.FormPath},
		"/../a/./b#c":                   {URL: "https://example.com/a/b", Form: parse.FormPath},
		"/a?b=c":                        {URL: "https://example.com/a?b=c", Form: parse.FormPath},
		"/a/{id}":                       {Template: "https://example.com/a/{id}", Form: parse.FormPath},
		"/a/{id}#b{c}":                  {Template: "https://example.com/a/{id}#b{c}", Form: parse.FormPath},
		"/a/{id}#b":                     {Template: "https://example.com/a/{id}", Form: parse.FormPath},
		"/a{#id}":                       {Template: "https://example.com/a{#id}", Form: parse.FormPath},
		"/{id}//a":                      {Template: "https://example.com/{id}//a", Form: parse.FormPath},
		"a/b":                           {URL: "https://example.com/a/b", Form: parse.FormOther},
		"?a=b":                          {URL: "https://example.com/?a=b", Form: parse.FormOther},
		"../a":                          {URL: "https://example.com/a", Form: parse.FormOther},
		"api.example.org/a":             {URL: "https://example.com/api.example.org/a", Form: parse.FormOther},
		"https://api.example.org/a":     {URL: "https://api.example.org/a", Form: parse.FormAbsolute},
		"http://api.example.org/a/{id}": {Template: "http://api.example.org/a/{id}", Form: parse.FormAbsolute},
		"https://{t}.example.org/a":     {Template: "https://{t}.example.org/a", Form: parse.FormAbsolute, HostVaries: true},
		"https://example.org:{port}/a":  {Template: "https://example.org:{port}/a", Form: parse.FormAbsolute, HostVaries: true},
		"https://example.org{/a}":       {Template: "https://example.org{/a}", Form: parse.FormAbsolute},
		"https://example.org{+a}":       {Template: "https://example.org{+a}", Form: parse.FormAbsolute, HostVaries: true},
		"https://example.org{.a}/":      {Template: "https://example.org{.a}/", Form: parse.FormAbsolute, HostVaries: true},
		"https://example.org/a{?b}":     {Template: "https://example.org/a{?b}", Form: parse.FormAbsolute},
	} {
		e, err := parse.ResolveEndpoint(ref, base)
		if diff := cmp.Diff(want, endpoint{e.URL, e.Template, e.Form, e.HostVaries}); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", ref, err, diff)
		}
		if e.Ref.String() != ref || !e.Resolved() {
			t.Errorf("%s: the reference is %s", ref, e.Ref)
		}
	}
	for _, ref := range []string{"/{a", "/%zz", "javascript:x", "https://u:p@example.org", "https:///a", "unix:/a", "ws://a.example", "{scheme}://a.example"} {
		if e, err := parse.ResolveEndpoint(ref, base); err == nil || e.Resolved() || !e.Ref.IsZero() {
			t.Errorf("%s is an endpoint: %+v", ref, e)
		}
	}
	if e, err := parse.ResolveEndpoint("/a/{id}", nil); err != nil || e.Resolved() || len(e.Ref.Names()) != 1 || e.Form != parse.FormPath {
		t.Errorf("without a base: %+v, %v", e, err)
	}
}

func TestEndpointJoin(t *testing.T) {
	e, _ := parse.ResolveEndpoint("/a", nil)
	for prefix, want := range map[string]endpoint{
		"https://example.com/v1":  {URL: "https://example.com/v1/a", Form: parse.FormPath},
		"https://{t}.example.com": {Template: "https://{t}.example.com/a", Form: parse.FormPath, HostVaries: true},
		"https://example.com/{v}": {Template: "https://example.com/{v}/a", Form: parse.FormPath},
	} {
		got, err := e.Join(prefix)
		if diff := cmp.Diff(want, endpoint{got.URL, got.Template, got.Form, got.HostVaries}); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", prefix, err, diff)
		}
	}
	for _, prefix := range []string{"", "/x", "ftp://example.com", "https://{", "https://u@example.com"} {
		if got, err := e.Join(prefix); err == nil || got.Resolved() {
			t.Errorf("joined to %q: %+v", prefix, got)
		}
	}
}

// Each odd endpoint has its warning and is kept.
func TestEachOddEndpointHasItsWarningAndIsKept(t *testing.T) {
	for ref, want := range map[string]string{
		"/a": "", "/a/{id}": "", "https://example.org/a": "",
		"http://example.org/a": "warning x.endpoint_scheme", "https://10.0.0.1/a": "warning x.endpoint_host",
		"https://example.org:8443/a": "warning x.endpoint_host", "https://localhost/a": "warning x.endpoint_host",
		"https://{t}.example.org/a": "warning x.endpoint_host", "/../a": "warning x.dot_segments", "a": "warning x.endpoint_slash",
		"/a{?b}": "warning x.endpoint_template", "//example.org/a": "warning x.endpoint_slash", "//localhost/a": "warning x.endpoint_host",
	} {
		r := parse.NewReader(&parse.Format{Name: "x"})
		e, err := parse.ResolveEndpoint(ref, mustURL(t, "https://example.com"))
		if err != nil {
			t.Fatal(err)
		}
		r.CheckEndpoint(parse.Node{}, e, "§1")
		var got []string
		for _, d := range r.Diagnostics() {
			got = append(got, fmt.Sprintf("%s %s", d.Severity, d.Code))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
}

// The law: an endpoint that is resolved from a path stays on the site and is absolute, and its
// parts form the given text.
func FuzzResolveEndpoint(f *testing.F) {
	for _, ref := range []string{"/a/{id}", "/a/:id", "//E", `/\E`, "/{?x}/E", "/{x}//E", "https://{t}.x/a", "a:b", "/a#b", "{+x}", "/%2f%2fE", "/..//E", "{&0000}"} {
		f.Add(ref)
	}
	base := mustURL(f, "https://example.com/x")
	f.Fuzz(func(t *testing.T, ref string) {
		rewritten := paramspec.Colons(paramspec.Braces(ref), nil)
		if again := paramspec.Colons(rewritten, nil); again != rewritten {
			t.Errorf("%q: colons of %q are %q", ref, rewritten, again)
		}
		paramspec.Placeholders(ref)
		paramspec.Rate(ref)
		e, err := parse.ResolveEndpoint(rewritten, base)
		if err != nil {
			if e.Resolved() {
				t.Errorf("%q: resolved and refused", ref)
			}
			return
		}
		if (e.URL == "") == (e.Template == "") || e.Ref.String() != rewritten && e.Form != parse.FormHost {
			t.Errorf("%q: %+v", ref, e)
		}
		if e.Form != parse.FormAbsolute && e.Form != parse.FormHost && (e.HostVaries || !strings.HasPrefix(e.URL+e.Template, "https://example.com/")) {
			t.Errorf("%q leaves the site: %s", ref, e.URL+e.Template)
		}
		if e.URL != "" {
			if u, err := urlref.AbsoluteURL(e.URL); err != nil || u.Fragment != "" {
				t.Errorf("%q gives %q: %s", ref, e.URL, err)
			}
		}
	})
}

// From what a document writes to an invocation: the notation of variables, the
// place on the site, and the parameters that the list of the document lacks.
func ExampleResolveEndpoint() {
	document := &url.URL{Scheme: "https", Host: "shop.example", Path: "/.well-known/ai"}
	e, _ := parse.ResolveEndpoint(paramspec.Colons("/api/products/:id", nil), document)
	fmt.Println(e.Template)
	for _, name := range e.Ref.Names() {
		p := paramspec.VariableParam(name, e.Ref)
		fmt.Println(p.Name, p.In, *p.Required)
	}
	_, err := parse.ResolveEndpoint("///other.example/api", document)
	fmt.Println(err)
	// Output:
	// https://shop.example/api/products/{id}
	// id path true
	// it begins with two slashes, which name a host
}

// An endpoint with http on the host of the document is called over https. Other hosts and ports, and
// documents that are files, are left as they are.
func TestAnEndpointOnTheOwnHostHasTheSchemeOfTheDocument(t *testing.T) {
	const own = "https://Shop.example/card"
	for _, c := range []struct{ document, ref, want, code string }{
		{own, "http://shop.example/a", "https://Shop.example/a", "endpoint_scheme"},
		{own, "http://shop.example:80", "https://Shop.example", "endpoint_scheme"},
		{own, "http://shop.example/{id}", "https://Shop.example/{id}", "endpoint_scheme"},
		{own, "http://shop.example:8080/a", "http://shop.example:8080/a", "endpoint_scheme"},
		{own, "http://api.shop.example/a", "http://api.shop.example/a", "endpoint_scheme"},
		{own, "http://{t}shop.example/a", "http://{t}shop.example/a", "endpoint_scheme"},
		{own, "//api.shop.example/{id}", "https://api.shop.example/{id}", "endpoint_slash"},
		{"http://localhost:3000/card", "//localhost:3000/a", "http://localhost:3000/a", "endpoint_scheme"},
		{"http://localhost:3000/card", "http://localhost:3000/a", "http://localhost:3000/a", "endpoint_scheme"},
		{"file", "http://shop.example/a", "http://shop.example/a", "endpoint_scheme"},
	} {
		in := &parse.Input{FinalURL: mustURL(t, c.document)}
		if c.document == "file" {
			in = &parse.Input{FinalURL: mustURL(t, own), Header: http.Header{parse.HeaderUnpublished: {"1"}}}
		}
		r := parse.NewReader(&parse.Format{Name: "x"})
		e, err := in.ResolveEndpoint(c.ref)
		if r.CheckEndpoint(parse.Node{}, e, ""); err != nil || e.URL+e.Template != c.want || len(r.Diagnostics()) != 1 || r.Diagnostics()[0].Code != "x."+c.code {
			t.Errorf("%s: %q gives %+v, %v, %v; want %q, %s", c.document, c.ref, e, err, r.Diagnostics(), c.want, c.code)
		}
	}
}
