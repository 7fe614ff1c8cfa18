package oauth_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// documents returns the documents of all fixtures. Their names are their URLs.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		if _, name, _ := strings.Cut(f.Name, "/"); !strings.HasPrefix(name, "challenge") {
			docs = append(docs, parsetest.Doc{Name: f.Name, URL: "https://" + name, Body: f.Data})
		}
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, oauth.Format(), documents(t)...) }
func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, oauth.Format(), documents(f)...) }

// at returns a document from a server. If place is "", its origin is not known.
func at(t testing.TB, place, body string) *parse.Input {
	return formattest.Input(t, place, "", []byte(body))
}

func codes(list []wayfind.Diagnostic) []string {
	shown := formattest.Show(list, "{severity} {name} {pointer}")
	for i := range shown {
		shown[i] = strings.TrimSpace(shown[i])
	}
	return shown
}

func lines(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} {pointer} [{spec}]: {message}")
}

// Each archive in testdata contains documents, whose names are their URLs, or fields with
// challenges, one in each line, and after each the result of reading it.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		if strings.HasPrefix(f.Name, "challenge") {
			auth, metadata, diags := oauth.Challenge(nil, fields(strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")...))
			return golden.Object(t, "auth", auth, "resourceMetadata", metadata, "diagnostics", lines(diags))
		}
		in := at(t, "https://"+f.Name, string(f.Data))
		c := oauth.Format().Match(in)
		claim := strings.TrimSpace(fmt.Sprintf("%d %s", c.Level, c.Dialect))
		r, err := oauth.Format().Parse(in)
		if err != nil {
			return golden.Object(t, "claim", claim, "error", err.Error())
		}
		var links []string
		for _, l := range r.Links {
			links = append(links, fmt.Sprintf("%s %s lazy %t: %s", l.Role, l.Format, l.Lazy, strings.Join(l.URLs, " ")))
		}
		return golden.Object(t, "claim", claim, "dialect", r.Dialect, "domain", r.Domain, "unusable", r.Unusable, "services", r.Services,
			"documents", r.Documents, "links", links, "signatures", r.Signatures, "diagnostics", lines(r.Diagnostics))
	})
}

// fields returns the header of a response with challenges.
func fields(values ...string) http.Header { return http.Header{"Www-Authenticate": values} }

// Each code is explained. A fixture, or a document that would be too long for a fixture, causes
// each explained code.
func TestRules(t *testing.T) {
	const head = `{"resource": "https://a.example", "authorization_servers": [`
	long := head + `], "resource_documentation": "https://a.example/` + strings.Repeat("x", 3000) + `"}`
	many := head + strings.Repeat(`"https://a.example",`, 20) + `""]}`
	parsetest.Explains(t, oauth.Format(), golden.Text(t), formattest.Read(t, oauth.Format(), at(t, "", long)), formattest.Read(t, oauth.Format(), at(t, "", many)))
}

// Only two documents are requested: those of a target with a path, or else those at the root of a site.
func TestPlacesOfTheSiteItself(t *testing.T) {
	var got []string
	for _, l := range oauth.Format().Locations {
		if got = append(got, l.Path); !l.Insert {
			t.Errorf("%s has no place for a target with a path", l.Path)
		}
	}
	if diff := cmp.Diff([]string{"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMatch(t *testing.T) {
	exact := func(dialect string) parse.Claim { return parse.Claim{Level: parse.Exact, Dialect: dialect} }
	likely := parse.Claim{Level: parse.Likely, Dialect: "rfc9728"}
	for body, want := range map[string]parse.Claim{
		`{"resource": "https://a.example", "authorization_servers": []}`:                                            exact("rfc9728"),
		`{"resource": "a", "bearer_methods_supported": ["header"]}`:                                                 exact("rfc9728"),
		`{"resource": "https://a.example", "scopes_supported": ["a"]}`:                                              likely,
		`{"resource": "https://a.example"}`:                                                                         likely,
		`{"resource": "books", "scopes_supported": ["a"]}`:                                                          {},
		`{"resource": "https://a.example", "accepts": []}`:                                                          {},
		`{"resource": {"a": 1}, "authorization_servers": []}`:                                                       {},
		`{"issuer": "https://a.example", "token_endpoint": "https://a.example/t"}`:                                  exact("rfc8414"),
		`{"issuer": "https://a.example", "response_types_supported": []}`:                                           exact("rfc8414"),
		`{"issuer": "https://a.example", "token_endpoint": "", "id_token_signing_alg_values_supported": ["RS256"]}`: exact("oidc"),
		`{"issuer": "https://a.example", "jwks_uri": "https://a.example/k"}`:                                        {},
		`{"issuer": 7, "token_endpoint": "https://a.example/t"}`:                                                    {},
		`{"authorization_endpoint": "https://a.example/a"}`:                                                         {},
		`["issuer", "token_endpoint"]`:                                                                              {},
		`{`:                                                                                                         {},
	} {
		if got := oauth.Format().Match(at(t, "", body)); got != want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
}

// The places of metadata (RFC 9728 §3.1, RFC 8414 §3.1 and §5, OpenID Connect Discovery §4).
func TestPlaces(t *testing.T) {
	const host, known = "https://a.example", "https://a.example/.well-known/"
	for resource, want := range map[string]string{
		host:                            known + "oauth-protected-resource",
		host + "/":                      known + "oauth-protected-resource",
		host + "/mcp":                   known + "oauth-protected-resource/mcp",
		host + "/a/b/":                  known + "oauth-protected-resource/a/b/",
		host + "/a%2Fb":                 known + "oauth-protected-resource/a%2Fb",
		host + "?tenant=1":              known + "oauth-protected-resource?tenant=1",
		host + "/?tenant=1":             known + "oauth-protected-resource?tenant=1",
		host + "/mcp?tenant=1#f":        known + "oauth-protected-resource/mcp?tenant=1",
		"https://user:pw@a.example/mcp": known + "oauth-protected-resource/mcp",
		"https://a.example:8443/mcp":    "https://a.example:8443/.well-known/oauth-protected-resource/mcp",
		"/mcp":                          "",
		"mailto:a@a.example":            "",
	} {
		if got := oauth.ResourceMetadataURL(formattest.URL(t, resource)); got != want {
			t.Errorf("resource %s: got %s, want %s", resource, got, want)
		}
	}
	for resource, want := range map[string]string{
		host + "/mcp":   "/mcp /",
		host + "/a/b/":  "/a/b/ /a/b /",
		host + "/a?t=1": "/a?t=1 /",
		host + "/":      "/",
		"/mcp":          "",
	} {
		var got []string
		for _, u := range oauth.ResourceMetadataURLs(formattest.URL(t, resource)) {
			got = append(got, pathOr(u, known+"oauth-protected-resource"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("resource %s: places %q, want %q", resource, got, want)
		}
	}
	for issuer, want := range map[string][]string{
		host:           {known + "oauth-authorization-server", known + "openid-configuration"},
		host + "/":     {known + "oauth-authorization-server", known + "openid-configuration"},
		host + "/p":    {known + "oauth-authorization-server/p", known + "openid-configuration/p", host + "/p/.well-known/openid-configuration"},
		host + "/p/q/": {known + "oauth-authorization-server/p/q", known + "openid-configuration/p/q", host + "/p/q/.well-known/openid-configuration"},
		"p":            nil,
	} {
		if diff := cmp.Diff(want, oauth.ServerMetadataURLs(formattest.URL(t, issuer))); diff != "" {
			t.Errorf("issuer %s (-want +got):\n%s", issuer, diff)
		}
	}
	if oauth.ResourceMetadataURL(nil) != "" || oauth.ServerMetadataURLs(nil) != nil {
		t.Error("no URL has a place")
	}
}

// A place that is announced has those after it, in their order.
func TestAlternatives(t *testing.T) {
	const host, known = "https://a.example", "https://a.example/.well-known/"
	for place, want := range map[string][]string{
		known + "oauth-protected-resource/mcp":       {known + "oauth-protected-resource/mcp", known + "oauth-protected-resource"},
		known + "oauth-protected-resource":           {known + "oauth-protected-resource"},
		known + "oauth-authorization-server/p":       {known + "oauth-authorization-server/p", known + "openid-configuration/p", host + "/p/.well-known/openid-configuration"},
		known + "openid-configuration/p":             {known + "openid-configuration/p", host + "/p/.well-known/openid-configuration"},
		host + "/p/.well-known/openid-configuration": {host + "/p/.well-known/openid-configuration"},
		known + "oauth-authorization-server":         {known + "oauth-authorization-server", known + "openid-configuration"},
		host + "/meta.json":                          {host + "/meta.json"},
	} {
		if diff := cmp.Diff(want, oauth.Alternatives(formattest.URL(t, place))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", place, diff)
		}
	}
}

// Metadata are for the requests to the resource that they name, or to its whole origin.
func TestIsAbout(t *testing.T) {
	const host, place = "https://a.example", "https://a.example/.well-known/oauth-protected-resource"
	for _, r := range []struct {
		named, place, request string
		want                  bool
	}{
		{host + "/mcp", place + "/mcp", host + "/other", true},
		{host + "/mcp", place, host + "/mcp", true},
		{host, place + "/mcp", host + "/mcp", true},
		{host + "/", host + "/meta.json", host + "/mcp", true},
		{host + "/mcp", place, host + "/other", false},
		{host + "/m", place + "/mcp", host + "/mcp", false},
		{"https://evil.example", place + "/mcp", host + "/mcp", false},
		{"", place, host, false},
	} {
		if got := oauth.IsAbout(r.named, formattest.URL(t, r.place), r.request); got != r.want {
			t.Errorf("%+v: %t", r, got)
		}
	}
}

// A document is only used if it is about the requested subject (RFC 9728 §3.3, RFC 8414 §3.3).
func TestIdentity(t *testing.T) {
	const host, known = "https://a.example", "https://a.example/.well-known/"
	resource := func(id string) string {
		return `{"resource": "` + id + `", "authorization_servers": ["https://a.example"]}`
	}
	issuer := func(id string) string {
		return `{"issuer": "` + id + `", "authorization_endpoint": "https://a.example/a", "token_endpoint": "https://a.example/t", "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"]}`
	}
	const same, other, unchecked, near = "", "mismatch", "unchecked", "other_path"
	for _, c := range []struct{ place, asked, body, want string }{
		{known + "oauth-protected-resource", "", resource(host), same},
		{known + "oauth-protected-resource", "", resource(host + "/"), same},
		{known + "oauth-protected-resource/", "", resource(host + "/"), same},
		{known + "oauth-protected-resource", "", resource(host + "/mcp"), near},
		{known + "oauth-protected-resource/", "", resource(host + "/a/b?t=1"), near},
		{known + "oauth-protected-resource", "", resource("https://a.example.evil.example/mcp"), other},
		{known + "oauth-protected-resource", "", resource("https://evil.example/mcp"), other},
		{known + "oauth-protected-resource", "", resource("https://A.example"), other},
		{known + "oauth-protected-resource", "", resource("https://evil.example"), other},
		{known + "oauth-protected-resource", "", resource("http://a.example"), other},
		{known + "oauth-protected-resource/mcp", "", resource(host + "/mcp"), same},
		{known + "oauth-protected-resource/mcp", "", resource(host + "/mcp/"), other},
		{known + "oauth-protected-resource/mcp", "", resource(host), near},
		{known + "oauth-protected-resource/mcp", "", resource(host + "/"), near},
		{known + "oauth-protected-resource/mcp/a", "", resource(host + "/mcp"), other},
		{known + "oauth-protected-resource/mcp", "", resource(host + "/mcp/a"), other},
		{known + "oauth-protected-resource/mcp", "", resource("https://evil.example"), other},
		{known + "oauth-protected-resource/mcp?t=1", "", resource(host + "/mcp?t=1"), same},
		{known + "oauth-protected-resource/mcp?t=1", "", resource(host + "/mcp"), other},
		{known + "oauth-protected-resources", "", resource(host), unchecked},
		{host + "/meta.json", "", resource(host), unchecked},
		{"", "", resource(host), unchecked},
		{host + "/meta.json", host + "/mcp", resource(host + "/mcp"), same},
		{host + "/meta.json", host + "/mcp", resource(host), other},
		{host + "/meta.json", host, resource(host + "/"), same},
		{host + "/meta.json", host + "/", resource(host), same},
		{known + "oauth-protected-resource/mcp", host + "/other", resource(host + "/mcp"), other},
		{known + "oauth-authorization-server", "", issuer(host), same},
		{known + "oauth-authorization-server/p", "", issuer(host + "/p"), same},
		{known + "oauth-authorization-server/p", "", issuer(host + "/p/"), same},
		{known + "oauth-authorization-server/p", "", issuer(host), other},
		{known + "openid-configuration/p", "", issuer(host + "/p"), same},
		{host + "/p/.well-known/openid-configuration", "", issuer(host + "/p"), same},
		{host + "/p/.well-known/openid-configuration", "", issuer(host), other},
		{known + "openid-configuration", "", issuer("https://evil.example"), other},
		{known + "example-configuration", "", issuer(host), unchecked},
		{known + "example-configuration", host + "/p", issuer(host + "/p"), same},
		{known + "example-configuration", host + "/p", issuer(host + "/p/"), other},
	} {
		r, err := oauth.Read(at(t, c.place, c.body), c.asked)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, d := range r.Diagnostics {
			if code := strings.TrimPrefix(d.Code, "oauth."); code == other || code == unchecked || code == near {
				got.WriteString(code)
			}
		}
		if (r.Services == nil && r.Links == nil && r.Domain == "") != (c.want == other) {
			t.Errorf("at %q, asked for %q: services %+v, links %+v", c.place, c.asked, r.Services, r.Links)
		}
		if got.String() != c.want || (r.Unusable != "") != (c.want == other) {
			t.Errorf("at %q, asked for %q, %s: unusable %q, %q", c.place, c.asked, c.body, r.Unusable, codes(r.Diagnostics))
		}
	}
}

// A document distinguishes the schemes that it requires from the schemes that it only has.
func TestRequirements(t *testing.T) {
	r, err := oauth.Read(at(t, "", `{"resource": "https://a.example", "authorization_servers": ["https://a.example/p", "https://b.example", "https://a.example/p"], "scopes_supported": ["x"]}`), "https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	flows := []wayfind.OAuthFlow{{Scopes: []string{"x"}}}
	want := &wayfind.Auth{
		Schemes: map[string]wayfind.Scheme{
			"oauth2":   {Kind: wayfind.SchemeOAuth2, MetadataURL: "https://a.example/.well-known/oauth-authorization-server/p", Flows: flows},
			"oauth2~2": {Kind: wayfind.SchemeOAuth2, MetadataURL: "https://b.example/.well-known/oauth-authorization-server", Flows: flows},
		},
		Requirements: [][]wayfind.Requirement{{{Scheme: "oauth2"}}, {{Scheme: "oauth2~2"}}},
	}
	if diff := cmp.Diff(want, r.Services[0].Auth); diff != "" {
		t.Errorf("resource (-want +got):\n%s", diff)
	}
	for _, l := range r.Links {
		if !l.Lazy || l.Format != "oauth" || len(l.URLs) < 2 {
			t.Errorf("link %+v", l)
		}
	}
	r, err = oauth.Read(at(t, "", `{"issuer": "https://a.example", "token_endpoint": "https://a.example/t", "grant_types_supported": ["client_credentials"], "response_types_supported": ["none"]}`), "https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	want = &wayfind.Auth{Unknown: true, Schemes: map[string]wayfind.Scheme{"oauth2": {
		Kind: wayfind.SchemeOAuth2, MetadataURL: "https://a.example/.well-known/oauth-authorization-server",
		Flows: []wayfind.OAuthFlow{{Grant: "client_credentials", TokenURL: "https://a.example/t"}},
	}}}
	if diff := cmp.Diff(want, r.Services[0].Auth); diff != "" || r.Diagnostics != nil {
		t.Errorf("server, %q (-want +got):\n%s", codes(r.Diagnostics), diff)
	}
}

// A signature is listed if there may be one, and is never kept.
func TestSignedMetadata(t *testing.T) {
	for text, want := range map[string][]wayfind.Signature{
		"eyJhbGciOiJub25lIn0.e30.": {{Status: "unverified", Algorithm: "none", Sources: []wayfind.Ref{{Pointer: "/signed_metadata"}}}},
		"e30.e30.c2ln":             {{Status: "unverified", Sources: []wayfind.Ref{{Pointer: "/signed_metadata"}}}},
		"e30.e30":                  nil,
		"e30.e30.c2ln.c2ln":        nil,
		"W10.e30.c2ln":             nil,
		"{}.e30.c2ln":              nil,
		"":                         nil,
	} {
		r, err := oauth.Format().Parse(at(t, "", `{"resource": "https://a.example", "authorization_servers": ["https://a.example"], "signed_metadata": "`+text+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.Signatures); diff != "" || r.Services[0].Extensions["signed_metadata"] != nil {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// pathOr returns the path after a place, or "/".
func pathOr(u, place string) string {
	if rest := strings.TrimPrefix(u, place); rest != "" {
		return rest
	}
	return "/"
}
