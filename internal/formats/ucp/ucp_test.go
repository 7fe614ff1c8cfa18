package ucp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/ucp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// object is a JSON object. A nil member removes the member from a valid profile.
type object = map[string]any

type array = []any

const (
	site  = "https://shop.example"
	place = site + ucp.Path
)

func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.Doc{Name: f.Name, URL: place, MediaType: "application/json", Body: f.Data})
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, ucp.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, ucp.Format(), documents(f)...) }

func document(t testing.TB, body []byte) *parse.Input {
	return formattest.Input(t, place, "application/json", body)
}

// changed returns a valid profile with replaced members of ucp.
func changed(t testing.TB, replace object) *parse.Reading {
	t.Helper()
	return formattest.Read(t, ucp.Format(), document(t, profile(t, replace)))
}

func profile(t testing.TB, replace object) []byte {
	return formattest.JSON(t, object{"ucp": formattest.Edit(object{"version": "2026-08-25", "services": object{}, "payment_handlers": object{}}, replace)})
}

func codes(r *parse.Reading) []string {
	return formattest.Show(r.Diagnostics, "{severity} {name} {pointer}")
}

func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := document(t, f.Data)
		r := formattest.Read(t, ucp.Format(), in)
		return golden.Object(t, "claim", formattest.ShowClaim(ucp.Format().Match(in)), "dialect", r.Dialect, "version", r.Version, "unusable", r.Unusable,
			"services", r.Services, "documents", r.Documents, "links", r.Links, "authorities", r.Authorities,
			"diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {pointer} [{section}]: {message}"))
	})
}

// Each code has a rule, and a document causes the code of each rule.
func TestRules(t *testing.T) {
	many := object{}
	for i := range parse.DefaultItems + 1 {
		many[fmt.Sprintf("com.example.c%d", i)] = array{object{"version": "2026-08-25", "schema": "https://example.com/x"}}
	}
	leaf := formattest.Read(t, ucp.Format(), formattest.Input(t, site+"/ucp/2026-04-08.json", "application/json", profile(t, object{"supported_versions": object{"2026-01-11": site + "/x"}})))
	twice := changed(t, object{"version": "2026-01-11", "capabilities": array{
		object{"name": "com.example.a", "version": "1", "schema": "https://example.com/x"}, object{"name": "com.example.a", "version": "1", "schema": "https://example.com/x"}}})
	cached := formattest.Read(t, ucp.Format(), served(t, "no-store"))
	parsetest.Explains(t, ucp.Format(), golden.Text(t), changed(t, object{"capabilities": many}), leaf, twice, cached)
}

func TestMatch(t *testing.T) {
	exact, objects := parse.Claim{Level: parse.Exact, Dialect: ucp.DialectArrays}, parse.Claim{Level: parse.Exact, Dialect: ucp.DialectObjects}
	for body, want := range map[string]parse.Claim{
		`{"ucp": {"version": "2026-08-25"}}`:                                   exact,
		`{"ucp": {"services": {}}}`:                                            exact,
		`{"ucp": {"version": 7, "services": {"a.b": []}}}`:                     exact,
		`{"ucp": {"version": "2026-08-25", "services": {"a": {"rest": {}}}}}`:  objects,
		`{"ucp": {"version": "2026-08-25", "capabilities": []}}`:               objects,
		`{"ucp": {"version": "2026-08-25", "available": true}}`:                exact,
		`{"ucp": {"version": "0.0.0", "available": false}}`:                    {Level: parse.Exact, Negative: true},
		`{"ucp": {"available": false}}`:                                        {Level: parse.Exact, Negative: true},
		`{"ucp": {"name": "x"}}`:                                               {},
		`{"available": false}`:                                                 {},
		`{"name": "x", "version": "1.0"}`:                                      {},
		`{"capabilities": {"dev.example.x": []}, "services": ["x"]}`:           {},
		`{"protocols": {"mcp": {"endpoint": "/mcp"}}, "store": {"name": "x"}}`: {},
		`{}`: {}, `[]`: {}, "": {}, "<!doctype html>": {}, `"ucp"`: {},
	} {
		if got := ucp.Format().Match(document(t, []byte(body))); got != want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
}

// Home-made shapes are detected, and the message names the distinguishing member.
func TestHomeMadeShapesAreToldApart(t *testing.T) {
	for body, why := range map[string]string{
		`{"ucp": "1.0", "protocol_version": "1.0", "services": [{"id": "a", "type": "catalog", "url": "x"}], "endpoints": {}}`: "type string",
		`{"ucp": ["2026-08-25"], "services": {}}`:                                            "type array",
		`{"ucp": "1.0", "name": "x"}`:                                                        "type string",
		`{"ucp_version": "1.0", "name": "x"}`:                                                "ucp_version",
		`{"name": "x", "capabilities": {"dev.ucp.shopping.checkout": []}}`:                   "has none",
		`{"capabilities": [{"name": "dev.ucp.shopping.checkout"}]}`:                          "has none",
		`{"protocol": "UCP", "version": "1", "commerce_endpoint": "/x"}`:                     "`protocol`",
		`{"protocol_version": "0.1", "services": [{"id": "x"}], "endpoints": {"api": "/x"}}`: "protocol_version",
	} {
		got := ucp.Format().Match(document(t, []byte(body)))
		if !got.Other || got.Level != parse.None || got.Dialect != ucp.DialectLookalike ||
			!strings.HasPrefix(got.Why, "not a UCP profile: ") || !strings.Contains(got.Why, why) || !strings.Contains(got.Why, "`ucp` must be an object") {
			t.Errorf("%s: %+v", body, got)
		}
	}
	for _, body := range []string{`{"protocol_version": "0.1", "services": [], "endpoints": {}}`, `{"ucp": "1.0"}`} {
		if got := ucp.Format().Match(formattest.Input(t, site+"/x.json", "", []byte(body))); got != (parse.Claim{}) {
			t.Errorf("common words at another place: %s: %+v", body, got)
		}
	}
}

// Both generations are read, by their shape instead of their version.
func TestBothGenerationsAreReadByTheirShape(t *testing.T) {
	const schema = "https://ucp.dev/x.json"
	arrays := object{"services": object{"dev.ucp.shopping": array{object{"version": "x", "transport": "rest", "endpoint": site + "/ucp", "schema": schema}}},
		"capabilities": object{"dev.ucp.shopping.checkout": array{object{"version": "x", "schema": schema}}}}
	objects := object{"services": object{"dev.ucp.shopping": object{"version": "x", "rest": object{"endpoint": site + "/ucp", "schema": schema}}},
		"capabilities": array{object{"name": "dev.ucp.shopping.checkout", "version": "x", "schema": schema}}}
	for _, version := range []string{"2026-01-11", "2026-01-23", "2026-04-08", "2026-08-25"} {
		for dialect, shape := range map[string]object{ucp.DialectArrays: arrays, ucp.DialectObjects: objects} {
			r := changed(t, formattest.Edit(shape, object{"version": version}))
			want := wayfind.Interface{Protocol: "http", URL: site + "/ucp", SpecURL: schema, Versions: []string{"x"}}
			got := r.Services[0].Interfaces
			if r.Dialect != dialect || r.Version != version || len(got) != 1 || got[0].URL != want.URL || got[0].Protocol != want.Protocol ||
				got[0].SpecURL != schema || !slices.Equal(got[0].Versions, want.Versions) || !slices.Equal(formattest.IDs(r), []string{"dev.ucp.shopping.checkout"}) {
				t.Errorf("%s %s: %q %+v %v", version, dialect, r.Dialect, got, formattest.IDs(r))
			}
		}
	}
}

// The nine rows of the table in the specification hold, and its steps refuse the same. An
// entity whose binding fails is absent, for each kind of entity.
func TestTheTableOfAuthoritiesHolds(t *testing.T) {
	for _, row := range []struct {
		name, schema string
		accept       bool
	}{
		{"dev.ucp.shopping.checkout", "https://ucp.dev/x", true},
		{"dev.ucp.shopping.checkout", "https://shopping.ucp.dev/x", true},
		{"com.example.payments.installments", "https://example.com/x", true},
		{"com.example.pay", "https://pay.example.com/x", true},
		{"com.example.pay", "https://example.com/x", true},
		{"com.example.pay", "https://evil.example/x", false},
		{"dev.ucp.shopping.checkout", "https://evil.example/x", false},
		{"com.examplecorp.pay", "https://example.com/x", false},
		{"com.example.pay", "https://cdn.example.com/x", false},
		// the steps
		{"dev.ucp.shopping.checkout", "https://ucp.dev@evil.example/x", false},
		{"dev.ucp.shopping.checkout", "https://user:secret@ucp.dev/x", false},
		{"dev.ucp.shopping.checkout", "http://ucp.dev/x", false},
		{"dev.ucp.shopping.checkout", "//ucp.dev/x", false},
		{"dev.ucp.shopping.checkout", "ucp.dev/x", false},
		{"dev.ucp.shopping.checkout", `https://ucp.dev\@evil.example/x`, false},
		{"dev.ucp.shopping.checkout", "https://evil.example/ucp.dev", false},
		{"dev.ucp.shopping.checkout", "https://UCP.dev./x", true},
		{"dev.ucp.shopping.checkout", "https://ucp.dev:8443/x", true},
		{"dev.x", "https://dev/x", false},
		{"localhost.x", "https://localhost/x", false},
		{"10.113.0.203.x", "https://203.0.113.10/x", false},
		{"0x7f.1", "https://1.0x7f/x", false},
		{"com.example.x", "https://[::ffff:203.0.113.10]/x", false},
		{"dev.ucp.x", "https://uсp.dev/x", false}, // a Cyrillic letter
		{"dev..ucp.x", "https://ucp..dev/x", false},
		{"dev.ucp.x", "https://ucp%2edev/x", false},
		{"uk.co.shop.x", "https://co.uk/x", true}, // a public suffix: the specification allows it, and it is reported
	} {
		entry := object{"version": "2026-08-25", "schema": row.schema, "id": "x", "transport": "rest", "endpoint": site + "/ucp"}
		r := changed(t, object{"services": object{row.name: array{entry}}, "capabilities": object{row.name: array{entry}}, "payment_handlers": object{row.name: array{entry}}})
		s := r.Services[0]
		got := []bool{len(s.Interfaces) == 1, len(s.Capabilities) == 1, strings.Contains(string(s.Extensions["payment_handlers"]), row.name), len(r.Authorities) == 1}
		if diff := cmp.Diff([]bool{row.accept, row.accept, row.accept, row.accept}, got); diff != "" {
			t.Errorf("%s from %s (-want +got):\n%s", row.name, row.schema, diff)
		}
		refused := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "ucp.authority" })
		if refused == row.accept {
			t.Errorf("%s from %s: diagnostics %v", row.name, row.schema, codes(r))
		}
	}
}

// A schema whose binding fails, or that is on another host, is not linked.
func TestSchemasOfOtherHostsAreNotLinked(t *testing.T) {
	for schema, want := range map[string]int{
		site + "/gifts.openapi.json":         1,
		"https://evil.example/x":             0,
		"https://shop.example@evil.example/": 0,
		"http://shop.example/x":              0,
		"https://gifts.shop.example/x":       0, // bound, and on another host
	} {
		r := changed(t, object{"services": object{"example.shop.gifts": array{
			object{"version": "1", "transport": "rest", "endpoint": site + "/gifts", "schema": schema},
			object{"version": "1", "transport": "rest", "endpoint": site + "/more", "schema": schema},
		}}, "capabilities": object{"example.shop.gifts.wrap": array{object{"version": "1", "schema": site + "/wrap.json"}}}})
		if len(r.Links) != want {
			t.Errorf("%s: links %+v", schema, r.Links)
		}
	}
}

// Nothing can be called, and no effect or price is invented.
func TestNothingIsCallableAndNoPriceIsMadeUp(t *testing.T) {
	for _, doc := range documents(t) {
		r := formattest.Read(t, ucp.Format(), document(t, doc.Body))
		for _, c := range r.Services[0].Capabilities {
			if c.Invocation != nil || c.Effects != nil || c.Price != "" || c.Lazy || !c.Claimed || c.Kind != wayfind.KindOperation {
				t.Errorf("%s: %+v", doc.Name, c)
			}
		}
		if r.Services[0].Pricing != nil || r.Services[0].Auth == nil || !r.Services[0].Auth.Unknown {
			t.Errorf("%s: pricing %v, auth %+v", doc.Name, r.Services[0].Pricing, r.Services[0].Auth)
		}
	}
}

// The place allows no redirects. The client enforces that.
func TestThePlaceAllowsNoRedirects(t *testing.T) {
	if got := ucp.Format().Limits.WithDefaults().Redirects; got != 0 {
		t.Errorf("%d redirects", got)
	}
	if got := ucp.Format().Limits.WithDefaults().Bytes; got < 128<<10 {
		t.Errorf("at most %d bytes", got)
	}
}

// Members that belong into ucp are read next to it, with an error.
func TestMembersBesideTheProfileAreReadAsAnError(t *testing.T) {
	body := formattest.JSON(t, object{"ucp": object{"version": "2026-08-25", "services": object{}}, "payment_handlers": object{},
		"capabilities": object{"dev.ucp.shopping.cart": array{object{"version": "2026-08-25", "schema": "https://ucp.dev/x"}}}})
	r := formattest.Read(t, ucp.Format(), document(t, body))
	if diff := cmp.Diff([]string{"error beside /capabilities", "error beside /payment_handlers"}, codes(r)); diff != "" || !slices.Equal(formattest.IDs(r), []string{"dev.ucp.shopping.cart"}) {
		t.Errorf("%v (-want +got):\n%s", formattest.IDs(r), diff)
	}
}

// If the profile is newer than the readable versions, one profile of an older version is
// linked, which is the newest that can be read. It must have the version of the link.
func TestTheNewestReadableVersionIsLinked(t *testing.T) {
	versions := object{"2026-01-11": site + "/a", "2026-04-08": site + "/b", "2026-08-25": site + "/c", "2026-10-01": site + "/d", "old": site + "/e", "2025-01-01": "http://shop.example/f", "2024-01-01": 7}
	for version, want := range map[string][]parse.Link{
		"2026-12-01": {{URLs: []string{site + "/c"}, Role: "ucp-profile", Format: "ucp", Version: "2026-08-25"}},
		"2026-08-25": nil, "2026-04-08": nil, "latest": nil,
	} {
		r := changed(t, object{"version": version, "supported_versions": versions})
		if diff := cmp.Diff(want, r.Links); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
		if len(r.Documents) != 4 {
			t.Errorf("%s: documents %+v", version, r.Documents)
		}
	}
	for _, at := range []string{"/c", "/ucp/2026.json", "/.well-known/ucp/2026"} {
		leaf := formattest.Read(t, ucp.Format(), formattest.Input(t, site+at, "application/json", profile(t, object{"version": "2026-12-01", "supported_versions": versions})))
		if len(leaf.Links) != 0 || len(leaf.Documents) != 0 || !slices.Contains(codes(leaf), "error leaf /ucp/supported_versions") {
			t.Errorf("leaf at %s: %+v %v", at, leaf.Links, codes(leaf))
		}
	}
}

// The result contains no private members of keys, in any place, and unknown keys cause no
// refusal.
func TestPrivateMembersOfKeysAreNotRead(t *testing.T) {
	const hidden = "c2VjcmV0LXNlY3JldC1zZWNyZXQ"
	key := object{"kid": "a", "kty": "OKP", "crv": "X9000", "alg": "none", "x": "public"}
	for _, member := range []string{"d", "p", "q", "dp", "dq", "qi", "k"} {
		key[member] = hidden
	}
	key["oth"] = array{object{"r": hidden, "d": hidden, "t": hidden}}
	bare := object{"d": hidden, "kid": 7}
	body := formattest.JSON(t, object{
		"ucp": object{"version": "2026-08-25", "services": object{"dev.ucp.shopping": array{object{"version": "1", "transport": "rest", "endpoint": site + "/x", "config": object{"jwk": key}}}},
			"capabilities":     object{"dev.ucp.x": array{object{"version": "1", "schema": "https://ucp.dev/x", "config": object{"keys": array{key}}}}},
			"payment_handlers": object{"dev.ucp.pay": array{object{"id": "1", "version": "1", "config": key}}}, "jwks": object{"keys": array{key}}},
		"keys": array{key, bare}, "signing_keys": array{key}, "extra": array{array{key}},
	})
	r := formattest.Read(t, ucp.Format(), document(t, body))
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), hidden) || r.Unusable != "" {
		t.Errorf("a private member is shown, or the profile is refused: %s", text)
	}
	for name, want := range map[string]string{
		"keys":  `[{"alg":"none","crv":"X9000","kid":"a","kty":"OKP","x":"public"},{"kid":7}]`,
		"extra": `[[{"alg":"none","crv":"X9000","kid":"a","kty":"OKP","x":"public"}]]`,
	} {
		if got := string(r.Services[0].Extensions[name]); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if !slices.Contains(codes(r), "error private_key /keys/0/d") || !slices.Contains(codes(r), "error private_key /keys/1/d") {
		t.Errorf("diagnostics %v", codes(r))
	}
}

// served returns a valid profile with a header.
func served(t testing.TB, control string) *parse.Input {
	in := document(t, profile(t, nil))
	in.Header = http.Header{"Content-Type": {"application/json"}}
	if control != "" {
		in.Header.Set("Cache-Control", control)
	}
	return in
}

// The header must allow a profile to be cached for at least a minute.
func TestAProfileMustBeCachedForAMinute(t *testing.T) {
	for control, want := range map[string]bool{
		"public, max-age=60": true, "Public,MAX-AGE=\"3600\"": true, "public, max-age=600, stale-if-error=60": true,
		"": false, "max-age=600": false, "public, max-age=59": false, "public": false, "private, max-age=600": false, "no-store": false, "public, max-age=60, no-cache": false, "public, max-age=x": false,
	} {
		if got := codes(formattest.Read(t, ucp.Format(), served(t, control))); (len(got) == 0) != want {
			t.Errorf("%q: %v", control, got)
		}
	}
}

// A member ucp inside ucp is not a second profile.
func TestNoRecursion(t *testing.T) {
	r := changed(t, object{"ucp": object{"version": "2026-01-11", "services": object{"dev.ucp.x": array{object{"transport": "rest", "endpoint": "https://evil.example/"}}}}})
	if r.Version != "2026-08-25" || len(r.Services[0].Interfaces) != 0 {
		t.Errorf("%q %+v", r.Version, r.Services[0].Interfaces)
	}
}

// Only identity linking describes how users log in.
func TestIdentityLinking(t *testing.T) {
	challenge := true
	want := &wayfind.Auth{Unknown: true, Schemes: map[string]wayfind.Scheme{"identity_linking": {
		Kind: wayfind.SchemeOAuth2, MetadataURL: site + "/.well-known/oauth-authorization-server", Defaulted: []string{"flows", "metadataUrl"},
		Flows: []wayfind.OAuthFlow{{Grant: "authorization_code", Scopes: []string{"dev.ucp.shopping.order:read"}, PKCE: &challenge}},
	}}}
	r := changed(t, object{"capabilities": object{"dev.ucp.common.identity_linking": array{object{"version": "2026-08-25", "schema": "https://ucp.dev/x",
		"config": object{"scopes": object{"dev.ucp.shopping.order:read": object{}}, "providers": object{"com.evil": array{object{"type": "oauth2", "auth_url": "https://evil.example/"}}}}}}}})
	if diff := cmp.Diff(want, r.Services[0].Auth); diff != "" {
		t.Errorf("auth (-want +got):\n%s", diff)
	}
	r = changed(t, object{"capabilities": object{"dev.ucp.common.identity_linking": array{object{"version": "2026-08-25", "schema": "https://evil.example/x"}}}})
	if diff := cmp.Diff(&wayfind.Auth{Unknown: true}, r.Services[0].Auth); diff != "" {
		t.Errorf("a name of another's (-want +got):\n%s", diff)
	}
}

// These endpoints lead nowhere, or some programs read them as a path and others as a host.
func TestHostileEndpoints(t *testing.T) {
	for _, text := range append(formattest.HostileReferences(), "javascript:alert(1)", "file:///etc/passwd", "https://u:p@evil.example/", "", "{{BASE}}/api", "https://") {
		for _, transport := range []string{"rest", "mcp", "a2a", "embedded"} {
			r := changed(t, object{"services": object{"dev.ucp.x": array{object{"version": "1", "transport": transport, "endpoint": text}}}})
			for _, i := range r.Services[0].Interfaces {
				if i.URL+i.Template+i.SpecURL != "" || len(r.Links) != 0 {
					t.Errorf("%s %q became %q%q%q %v", transport, text, i.URL, i.Template, i.SpecURL, r.Links)
				}
			}
		}
	}
}

// hostile returns profiles of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	doc := func(members string) string { return `{"ucp":{"version":"2026-08-25",` + members + `}}` }
	name := strings.Repeat("a.", n/4) + "a"
	return map[string]string{
		"services":     doc(`"services":{` + formattest.Repeat(n/60, `"com.a.sN":[{"transport":"rest","endpoint":"/x"}]`) + `}`),
		"bindings":     doc(`"services":{"com.a.s":[` + formattest.Repeat(n/40, `{"transport":"rest","endpoint":"/xN"}`) + `]}`),
		"schemas":      doc(`"services":{"com.a.s":[` + formattest.Repeat(n/60, `{"transport":"rest","schema":"https://a.com/xN"}`) + `]}`),
		"capabilities": doc(`"capabilities":{` + formattest.Repeat(n/60, `"com.a.cN":[{"version":"1","schema":"https://a.com/"}]`) + `}`),
		"one name":     doc(`"capabilities":[` + formattest.Repeat(n/60, `{"name":"com.a.c","schema":"https://a.com/"}`) + `]`),
		"versions":     doc(`"capabilities":{"com.a.c":[` + formattest.Repeat(n/60, `{"version":"N","schema":"https://a.com/"}`) + `]}`),
		"parents":      doc(`"capabilities":{"com.a.c":[{"version":"1","schema":"https://a.com/","extends":[` + formattest.Repeat(n/10, `"com.a.N"`) + `]}]}`),
		"long names":   doc(`"capabilities":{"` + name + `":[{"version":"1","schema":"https://` + name + `/"}]}`),
		"authorities":  doc(`"capabilities":{` + formattest.Repeat(n/60, `"com.aN":[{"version":"1","schema":"https://aN.com/"}]`) + `}`),
		"older":        doc(`"supported_versions":{` + formattest.Repeat(n/40, `"2026-01-N":"https://a.com/N"`) + `}`),
		"handlers":     doc(`"payment_handlers":{` + formattest.Repeat(n/60, `"com.a.hN":[{"id":"1","version":"1"}]`) + `}`),
		"keys":         `{"ucp":{"version":"1","services":{}},"keys":[` + formattest.Repeat(n/30, `{"kty":"EC","d":"N","oth":[]}`) + `]}`,
		"deep keys":    `{"ucp":{"version":"1","services":{}},"x":` + strings.Repeat("[", 60) + formattest.Repeat(n/12, `{"kty":"N"}`) + strings.Repeat("]", 60) + `}`,
		"scopes":       doc(`"capabilities":{"dev.ucp.common.identity_linking":[{"version":"1","schema":"https://ucp.dev/","config":{"scopes":{` + formattest.Repeat(n/12, `"sN":{}`) + `}}}]}`),
		"members":      doc(formattest.Repeat(n/10, `"mN":1`)),
	}
}

func TestGrowth(t *testing.T) { formattest.Growth(t, ucp.Format(), hostile, place, 20_000, 200_000) }

func TestEntityWithoutANameIsReportedAndIgnored(t *testing.T) {
	entry := object{"version": "2026-08-25", "transport": "rest", "endpoint": site + "/ucp", "id": "x"}
	for _, members := range []object{
		{"capabilities": object{"": array{entry}}},
		{"capabilities": array{object{"name": "", "version": "2026-08-25"}}, "version": "2026-01-11"},
		{"services": object{"": array{entry}}},
		{"payment_handlers": object{"": array{entry}}},
	} {
		r := changed(t, members)
		if got := formattest.Show(r.Diagnostics, "{severity} {name}"); !slices.Contains(got, "error entity_name") {
			t.Errorf("%v: diagnostics %v", members, got)
		}
		if slices.Contains(formattest.IDs(r), "") || slices.ContainsFunc(r.Services[0].Interfaces, func(f wayfind.Interface) bool { return string(f.Extensions["service"]) == `""` }) {
			t.Errorf("%v: an entity without a name is kept: %+v", members, r.Services[0])
		}
		if handlers := string(r.Services[0].Extensions["payment_handlers"]); strings.Contains(handlers, `"":`) {
			t.Errorf("%v: payment handlers %s", members, handlers)
		}
	}
}
