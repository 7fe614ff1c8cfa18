package integrations_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/integrations"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

type object = map[string]any

const place = "https://shop.example" + integrations.Path

func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.Doc{Name: f.Name, URL: place, MediaType: "application/json", Body: f.Data})
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, integrations.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, integrations.Format(), documents(f)...) }

func document(t testing.TB, body []byte) *parse.Input {
	return formattest.Input(t, place, "application/json", body)
}

// surface returns a declaration with one surface, in which members are replaced.
func surface(t testing.TB, replace object) *parse.Input {
	return document(t, formattest.JSON(t, object{"version": 3, "surfaces": []any{formattest.Edit(object{
		"slug": "shop-api", "name": "Shop API", "type": "http", "url": "https://api.shop.example", "basis": object{"via": "declared"}, "auth": object{"status": "none"},
	}, replace)}}))
}

func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := document(t, f.Data)
		r := formattest.Read(t, integrations.Format(), in)
		return golden.Object(t, "claim", formattest.ShowClaim(integrations.Format().Match(in)), "version", r.Version, "unusable", r.Unusable, "services", r.Services,
			"documents", r.Documents, "links", r.Links, "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {pointer} [{section}]: {message}"))
	})
}

// Each code in the fixtures has a rule, and a document causes the code of each rule.
func TestRules(t *testing.T) {
	many := make([]any, parse.DefaultItems+1)
	for i := range many {
		many[i] = object{"type": "http", "name": fmt.Sprint("s", i), "slug": fmt.Sprint("s", i), "auth": object{"status": "none"}}
	}
	full := formattest.Read(t, integrations.Format(), document(t, formattest.JSON(t, object{"version": 3, "surfaces": many})))
	if len(full.Services) != parse.DefaultItems {
		t.Errorf("%d services of %d surfaces", len(full.Services), len(many))
	}
	parsetest.Explains(t, integrations.Format(), golden.Text(t), full)
}

func TestMatch(t *testing.T) {
	for body, want := range map[string]string{
		`{"version": 3, "surfaces": [{"type": "mcp", "slug": "a", "auth": {}}]}`:           "exact",
		`{"version": 4, "surfaces": [{"type": "cli", "basis": {}}]}`:                       "exact",
		`{"credentials": {}, "surfaces": [{"type": "http", "auth": {}}]}`:                  "likely",
		`{"version": 3, "surfaces": []}`:                                                   "likely",
		`{"version": 3, "credentials": {}}`:                                                "likely",
		`{"version": 3}`:                                                                   "none",
		`{"version": 3, "surfaces": [{"type": "table"}]}`:                                  "likely",
		`{"name": "Shop", "capabilities": ["a"], "canonical_url": "https://shop.example"}`: "none",
		`{"integrations": [{"type": "mcp", "slug": "a"}]}`:                                 "none",
		`{}`: "none", `[]`: "none", "": "none", "<!doctype html>": "none",
	} {
		if got := formattest.ShowClaim(integrations.Format().Match(document(t, []byte(body)))); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	elsewhere := formattest.Input(t, "https://shop.example/surfaces.json", "", []byte(`{"version": 3, "surfaces": []}`))
	if got := integrations.Format().Match(elsewhere); got != (parse.Claim{}) {
		t.Errorf("common words at another place: %+v", got)
	}
}

// Another party's documents are not claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return integrations.Format().Match(&parse.Input{Body: body}) })
}

// A program is named and never run, and nothing of it is a request.
func TestAProgramIsOnlyNamed(t *testing.T) {
	r := formattest.Read(t, integrations.Format(), surface(t, object{"type": "cli", "url": "https://www.npmjs.example/shop", "command": "shop",
		"packages": []any{object{"registryType": "npm", "identifier": "shop"}}}))
	s := r.Services[0]
	if len(s.Interfaces) != 0 || len(r.Links) != 0 || len(s.LocalInstall) != 1 || s.LocalInstall[0].Name != "shop" || s.LocalInstall[0].Command != "shop" {
		t.Errorf("%+v, links %v", s, r.Links)
	}
}

// Each transport of a server is one interface, however often it is listed.
func TestATransportIsListedOnce(t *testing.T) {
	var many []any
	for range 50 {
		many = append(many, "sse", "http", "streamable-http")
	}
	s := formattest.Read(t, integrations.Format(), surface(t, object{"type": "mcp", "url": "https://mcp.shop.example/mcp", "transports": many})).Services[0]
	if len(s.Interfaces) != 2 || s.Interfaces[0].Transport != "sse" || s.Interfaces[1].Transport != "streamable-http" {
		t.Errorf("%d interfaces: %+v", len(s.Interfaces), s.Interfaces)
	}
}

// The places of a credential in a request.
func TestCredentialsGoWhereTheSurfaceSays(t *testing.T) {
	for mechanics, want := range map[string]string{
		`{"source": "http", "in": "header", "headerName": "Authorization", "scheme": "Bearer"}`: "http bearer",
		`{"source": "http", "scheme": "Bearer"}`:                                                "http bearer",
		`{"source": "http", "headerName": "authorization", "scheme": "basic"}`:                  "http basic",
		`{"source": "http", "headerName": "Authorization", "scheme": "ApiKey"}`:                 "api_key header Authorization ApiKey",
		`{"source": "http", "headerName": "X-Key"}`:                                             "api_key header X-Key",
		`{"source": "http", "in": "query", "paramName": "key"}`:                                 "api_key query key",
		`{"source": "http", "in": "path", "paramName": "key"}`:                                  "custom",
		`{"source": "unknown"}`: "api_key",
	} {
		body := `{"version": 3, "credentials": {"k": {"type": "api_key", "label": "Key", "setup": "Get it.", "generateUrl": "https://shop.example/keys"}}, "surfaces": [{"slug": "a", "name": "A", "type": "http",
			"url": "https://api.shop.example", "auth": {"status": "required", "entries": [{"use": [{"id": "k", "mechanics": ` + mechanics + `}]}]}}]}`
		auth := formattest.Read(t, integrations.Format(), document(t, []byte(body))).Services[0].Auth
		s := auth.Schemes["k"]
		var got strings.Builder
		got.WriteString(string(s.Kind))
		for _, part := range []string{s.HTTPScheme, s.In, s.Name} {
			if part != "" {
				got.WriteString(" " + part)
			}
		}
		if s.Prefix != nil {
			got.WriteString(" " + *s.Prefix)
		}
		if got.String() != want || s.SetupURL != "https://shop.example/keys" || len(auth.Requirements) != 1 {
			t.Errorf("%s: %q, want %q (%+v)", mechanics, got.String(), want, auth)
		}
	}
}

// A surface that is wrong takes no other one with it.
func TestABadSurfaceLeavesItsNeighbours(t *testing.T) {
	for _, bad := range []any{nil, 7, "text", []any{}, object{}, object{"type": 7}, object{"type": "http", "url": "ftp://x"}, object{"type": "mcp", "url": 7}} {
		in := document(t, formattest.JSON(t, object{"version": 3, "surfaces": []any{bad, object{"slug": "a", "name": "A", "type": "http", "url": "https://api.shop.example", "auth": object{"status": "none"}}}}))
		r := formattest.Read(t, integrations.Format(), in)
		last := r.Services[len(r.Services)-1]
		if diff := cmp.Diff("A", last.Name); diff != "" || len(last.Interfaces) != 1 || r.Unusable != "" {
			t.Errorf("%v: %+v", bad, r)
		}
		if !strings.Contains(fmt.Sprint(r.Diagnostics), "/surfaces/0") {
			t.Errorf("%v: nothing is said: %v", bad, r.Diagnostics)
		}
	}
}

func TestGrowth(t *testing.T) {
	formattest.Growth(t, integrations.Format(), func(n int) map[string]string {
		return map[string]string{
			"surfaces":    `{"version": 3, "surfaces": [` + formattest.Repeat(n, `{"slug": "a", "type": "http", "url": "https://{a}.shop.example/"},`) + `{}]}`,
			"credentials": `{"version": 3, "surfaces": [{"type": "http", "slug": "a"}], "credentials": {` + formattest.Repeat(n, `"a": {"type": "basic"},`) + `"b": {}}}`,
			"entries":     `{"version": 3, "surfaces": [{"type": "http", "slug": "a", "auth": {"entries": [` + formattest.Repeat(n, `{"use": [{"id": "a"}]},`) + `{}]}}]}`,
			"transports":  `{"version": 3, "surfaces": [{"type": "mcp", "slug": "a", "url": "https://a.example", "transports": [` + formattest.Repeat(n, `"sse",`) + `"sse"]}]}`,
		}
	}, place, 500, 2000)
}

func TestMediaTypes(t *testing.T) {
	formattest.MediaTypes(t, integrations.Format(), surface(t, nil), map[string]wayfind.Severity{"text/plain": wayfind.SeverityError})
}
