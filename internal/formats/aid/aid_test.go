package aid_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/aid"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

const place = "https://shop.example" + aid.Path

func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.Doc{Name: f.Name, URL: place, MediaType: "application/json", Body: f.Data})
	}
	return docs
}

func document(t testing.TB, body string) *parse.Input {
	return formattest.Input(t, place, "application/json", []byte(body))
}

func read(t testing.TB, body string) *parse.Reading {
	return formattest.Read(t, aid.Format(), document(t, body))
}

func TestLaws(t *testing.T) { parsetest.Run(t, aid.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, aid.Format(), documents(f)...) }

func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := document(t, string(f.Data))
		r := formattest.Read(t, aid.Format(), in)
		return golden.Object(t, "claim", formattest.ShowClaim(aid.Format().Match(in)), "version", r.Version, "unusable", r.Unusable, "services", r.Services,
			"links", r.Links, "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {pointer} [{section}]: {message}"))
	})
}

// Each code in the fixtures has a rule, and a document causes the code of each rule.
func TestRules(t *testing.T) {
	parsetest.Explains(t, aid.Format(), golden.Text(t), redirected(t))
}

func redirected(t testing.TB) *parse.Reading {
	in := document(t, `{"v": "aid1", "u": "https://mcp.shop.example/mcp", "p": "mcp"}`)
	in.URL = formattest.Input(t, "https://example.com"+aid.Path, "", nil).URL
	return formattest.Read(t, aid.Format(), in)
}

// A redirect must not be followed, so a record behind one is not that of the host.
func TestARecordBehindARedirectIsNotUsed(t *testing.T) {
	if r := redirected(t); r.Unusable == "" {
		t.Errorf("it is used: %+v", r)
	}
}

func TestMatch(t *testing.T) {
	for body, want := range map[string]string{
		`{"v": "aid1", "u": "https://a.example", "p": "mcp"}`:             "exact",
		`{"version": "aid2", "uri": "https://a.example", "proto": "mcp"}`: "exact",
		`{"v": "aid1"}`: "none",
		`{"v": "aide", "u": "https://a.example"}`: "none",
		`{"v": 1, "u": "https://a.example"}`:      "none",
		`{"v": "1.0", "u": "https://a.example"}`:  "none",
		`[]`:                                      "none", "": "none", "<!doctype html>": "none",
	} {
		if got := formattest.ShowClaim(aid.Format().Match(document(t, body))); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// Another party's documents are not claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return aid.Format().Match(&parse.Input{Body: body}) })
}

// The kinds of credential of the specification.
func TestAuth(t *testing.T) {
	for word, want := range map[string]string{
		"none": "none", "pat": "http bearer", "apikey": "api_key", "basic": "http basic", "oauth2_device": "oauth2", "oauth2_code": "oauth2", "mtls": "mtls", "custom": "custom",
	} {
		auth := read(t, `{"v": "aid2", "u": "https://shop.example/mcp", "p": "mcp", "a": "`+word+`"}`).Services[0].Auth
		s := auth.Schemes[word]
		if got := strings.TrimSpace(string(s.Kind) + " " + s.HTTPScheme); got != want || auth.Unknown {
			t.Errorf("%s: %q, want %q: %+v", word, got, want, auth)
		}
	}
	if auth := read(t, `{"v": "aid2", "u": "https://shop.example/mcp", "p": "mcp"}`).Services[0].Auth; !auth.Unknown {
		t.Errorf("%+v", auth)
	}
}

// No endpoint of a record becomes another one, and software is only named.
func TestNoReferenceBecomesAnEndpoint(t *testing.T) {
	for _, ref := range append(formattest.HostileReferences(), "/mcp", "mcp", "//shop.example/mcp", "https://{a}.example/", "docker:x", "wss://shop.example/") {
		for _, protocol := range []string{"mcp", "a2a", "openapi", "ucp", "grpc", "graphql", "soap"} {
			r := read(t, string(formattest.JSON(t, map[string]any{"v": "aid2", "u": ref, "p": protocol})))
			if len(r.Services[0].Interfaces)+len(r.Links)+len(r.Services[0].LocalInstall) != 0 || r.Unusable == "" {
				t.Errorf("%s %q: %+v", protocol, ref, r)
			}
		}
	}
}

// A record leads to the server of its host, or to the description that it names.
func TestARecordIsFound(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{aid.Path: `{"v": "aid1", "u": "https://shop.example/mcp", "p": "mcp", "s": "Sells kettles."}`})
	internet.Host("tea.example", clienttest.Pages{
		aid.Path:    `{"v": "aid2", "u": "https://tea.example/api.json", "p": "openapi"}`,
		"/api.json": `{"openapi": "3.1.0", "info": {"title": "Tea", "version": "1"}, "paths": {"/tea": {"get": {"operationId": "tea", "responses": {"200": {"description": "ok"}}}}}}`,
	})
	c := internet.Client()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil || len(site.Services) != 1 || site.Services[0].Interfaces[0].URL != "https://shop.example/mcp" || site.Services[0].Description != "Sells kettles." {
		t.Errorf("%v: %+v", err, site.Services)
	}
	site, err = c.Resolve(t.Context(), "tea.example")
	n := 0
	for _, s := range site.Services {
		n += len(s.Capabilities)
	}
	if err != nil || n != 1 {
		t.Errorf("%v: %+v", err, site.Services)
	}
}

func TestGrowth(t *testing.T) {
	formattest.Growth(t, aid.Format(), func(n int) map[string]string {
		return map[string]string{
			"description": `{"v": "aid2", "p": "mcp", "u": "https://a.example", "s": "` + strings.Repeat("a", n) + `"}`,
			"endpoint":    `{"v": "aid2", "p": "mcp", "u": "https://a.example/` + strings.Repeat("{a}", n/3) + `"}`,
			"members":     `{"v": "aid2", "p": "mcp", "u": "https://a.example", ` + formattest.Repeat(n, `"x": 1,`) + `"y": 1}`,
		}
	}, place, 500, 2000)
}

func TestMediaTypes(t *testing.T) {
	formattest.MediaTypes(t, aid.Format(), document(t, `{"v": "aid2", "u": "https://shop.example/mcp", "p": "mcp"}`), map[string]wayfind.Severity{"text/plain": wayfind.SeverityError})
}
