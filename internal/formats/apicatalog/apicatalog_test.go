package apicatalog_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/apicatalog"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// object is a JSON object.
type object = map[string]any

const (
	site   = "https://shop.example"
	itself = site + apicatalog.Path
)

// document returns a catalogue as the site of the tests serves it.
func document(t testing.TB, body []byte) *parse.Input {
	t.Helper()
	return formattest.Input(t, itself, apicatalog.MediaType, body)
}

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	return formattest.Read(t, apicatalog.Format(), in)
}

// catalog returns the reading of a catalogue with these contexts.
func catalog(t testing.TB, contexts ...any) *parse.Reading {
	t.Helper()
	return read(t, document(t, formattest.JSON(t, object{"linkset": append([]any{}, contexts...)})))
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {name} {pointer}")
}

// links returns the links of a reading, one in each line.
func links(r *parse.Reading) []string {
	var list []string
	for _, l := range r.Links {
		list = append(list, strings.Join([]string{l.Role, l.Format, l.Subject, strings.Join(l.URLs, "|")}, " "))
	}
	return list
}

// anchors returns the URLs and templates of the services in a reading.
func anchors(r *parse.Reading) []string {
	var list []string
	for _, s := range r.Services {
		list = append(list, s.Interfaces[0].URL+s.Interfaces[0].Template)
	}
	return list
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.DocOf(f.Name, document(t, f.Data)))
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, apicatalog.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, apicatalog.Format(), documents(f)...) }

func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := document(t, f.Data)
		r := read(t, in)
		return golden.Object(t, "claim", formattest.ShowClaim(apicatalog.Format().Match(in)), "unusable", r.Unusable, "services", r.Services,
			"documents", r.Documents, "links", links(r), "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {pointer} [{spec}]: {message}"))
	})
}

// Each code in the fixtures has a rule, and a document causes the code of each rule.
func TestRules(t *testing.T) {
	bare := document(t, []byte(`{"linkset": [{"anchor": "/a"}]}`))
	bare.Header = http.Header{"Content-Type": {apicatalog.MediaType}}
	parsetest.Explains(t, apicatalog.Format(), golden.Text(t), catalog(t, contexts(1001)...), read(t, bare))
}

func contexts(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = object{"anchor": fmt.Sprintf("%s/api/%d", site, i), "service-desc": []any{object{"href": fmt.Sprintf("%s/%d.json", site, i)}}}
	}
	return list
}

func TestMatch(t *testing.T) {
	for body, want := range map[string]string{
		`{"linkset": [{"anchor": "https://a.example"}]}`:  "exact",
		`{"linkset": [{"item": [{"href": "/a"}]}]}`:       "exact",
		`{"linkset": [{"item": {"href": "/a"}}]}`:         "exact",
		`{"linkset": [1, {"rel": "item", "href": "/a"}]}`: "exact",
		`{"linkset": {"anchor": "https://a.example"}}`:    "exact",
		`{"linkset": []}`:  "likely",
		`{"linkset": "x"}`: "none",
		`{"links": [{"href": "/a", "rel": "item"}]}`:               "none link-list",
		`{"apis": [{"name": "A"}]}`:                                "none api-list",
		`{"links": [{"href": "/a"}]}`:                              "none",
		`[{"anchor": "https://a.example"}]`:                        "none",
		`# API catalog placeholder`:                                "none",
		`{"name": "A", "endpoints": [{"path": "/a", "rel": "b"}]}`: "none", `{}`: "none", "": "none", "<!doctype html>": "none",
	} {
		if got := formattest.ShowClaim(apicatalog.Format().Match(document(t, []byte(body)))); got != want {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
	for _, body := range []string{`{"links": [{"href": "/a", "rel": "item"}]}`, `{"apis": []}`, `{"linkset": []}`} {
		formattest.Unclaimed(t, apicatalog.Format(), formattest.Input(t, site+"/x.json", "", []byte(body)))
	}
}

// Links and APIs of other formats at the place of a catalogue belong to another format, which
// is named.
func TestDocumentsOfOtherFormatsAreNamed(t *testing.T) {
	for _, body := range []string{`{"links": [{"href": "/openapi.json", "rel": "service-desc"}]}`, `{"apis": [{"name": "A", "baseURL": "https://a.example"}]}`} {
		if claim := apicatalog.Format().Match(document(t, []byte(body))); !claim.Other || claim.Level != parse.None {
			t.Errorf("%s: %+v", body, claim)
		}
	}
}

// Targets are read as arrays, as single objects and as strings.
func TestTargetsMayBeArraysObjectsAndStrings(t *testing.T) {
	const target = site + "/openapi.json"
	for name, c := range map[string]struct {
		value any
		said  []string
	}{
		"array":            {[]any{object{"href": target}}, nil},
		"object":           {object{"href": target}, []string{"error not_array /linkset/0/service-desc"}},
		"string":           {target, []string{"warning bare_target /linkset/0/service-desc"}},
		"array of strings": {[]any{target}, []string{"warning bare_target /linkset/0/service-desc/0"}},
		"mixed":            {[]any{7, nil, object{"href": target}}, []string{"warning relation /linkset/0/service-desc/0", "warning relation /linkset/0/service-desc/1"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := catalog(t, object{"anchor": site + "/api", "service-desc": c.value})
			wantLines(t, "links", links(r), "service-desc  api "+target)
			wantLines(t, "diagnostics", codes(r.Diagnostics), c.said...)
			if r.Services[0].Interfaces[0].SpecURL != target || len(r.Documents) != 1 || r.Documents[0].Rel != "service-desc" {
				t.Errorf("%+v, %+v", r.Services, r.Documents)
			}
		})
	}
}

// The value of api-catalog in the example of RFC 9727 is a bare string.
func TestTheBareStringOfTheRFCIsRead(t *testing.T) {
	r := catalog(t, object{"anchor": itself, "api-catalog": site + "/apis/.well-known/api-catalog"})
	wantLines(t, "links", links(r), "api-catalog apicatalog  "+site+"/apis/.well-known/api-catalog")
}

// Links in a flat list each make a context.
func TestLinksInARowMakeAContextEach(t *testing.T) {
	r := catalog(t, object{"anchor": site + "/api", "rel": "service-desc", "href": site + "/openapi.json"},
		object{"anchor": site + "/api", "rel": "status", "href": site + "/health"})
	wantLines(t, "links", links(r), "service-desc  api "+site+"/openapi.json")
	wantLines(t, "anchors", anchors(r), site+"/api")
	wantLines(t, "diagnostics", codes(r.Diagnostics), "warning flat_link /linkset/0", "warning flat_link /linkset/1")
	if r.Services[0].StatusURL != site+"/health" || len(r.Services[0].Sources) != 2 {
		t.Errorf("%+v", r.Services[0])
	}
}

// The relation in a target has precedence over the relation of its place.
func TestTheRelationOfATargetCountsMore(t *testing.T) {
	r := catalog(t, object{"anchor": itself, "item": []any{object{"href": site + "/docs", "rel": "service-doc"}, object{"href": site + "/api"}}},
		object{"anchor": site + "/api", "links": []any{object{"href": site + "/openapi.json", "rel": "service-desc"}}})
	wantLines(t, "anchors", anchors(r), site+"/api")
	wantLines(t, "links", links(r), "service-desc  api "+site+"/openapi.json")
	wantLines(t, "diagnostics", codes(r.Diagnostics), "warning target_rel /linkset/0/item/0/rel", "warning target_rel /linkset/1/links/0/rel")
}

// The catalogue is not an API, also if it claims to be one or has no anchor. Its links are
// followed in any case.
func TestTheCatalogueIsNoAPI(t *testing.T) {
	for _, anchor := range []any{itself, itself + "#x", apicatalog.Path, "", nil, "https://www.shop.example" + apicatalog.Path} {
		context := object{"anchor": anchor, "service-desc": []any{object{"href": site + "/openapi.json"}}, "item": []any{object{"href": itself}}}
		if anchor == nil {
			delete(context, "anchor")
		}
		r := catalog(t, context)
		if len(r.Services) != 0 || !slices.Contains(links(r), "service-desc   "+site+"/openapi.json") || r.Unusable != "" {
			t.Errorf("%v: %+v, %v", anchor, r.Services, links(r))
		}
	}
}

// An anchor with variables is a template.
func TestAnAnchorWithVariablesIsATemplate(t *testing.T) {
	r := catalog(t, object{"anchor": site + "/api/{state}/{id}", "service-desc": []any{object{"href": site + "/openapi.json"}}},
		object{"anchor": "https://{tenant}.shop.example/", "status": []any{object{"href": site + "/health/{id}"}}})
	wantLines(t, "anchors", anchors(r), site+"/api/{state}/{id}", "https://{tenant}.shop.example/")
	face := r.Services[0].Interfaces[0]
	if face.URL != "" || len(face.Variables) != 2 || face.Variables[1].Name != "id" || face.Protocol != "http" {
		t.Errorf("%+v", face)
	}
	wantLines(t, "diagnostics", codes(r.Diagnostics), "warning template /linkset/1/status/0/href")
}

// Relative anchors and targets are resolved with the final URL of the catalogue instead of an
// anchor.
func TestRelativeReferencesAreResolvedAgainstTheFinalURL(t *testing.T) {
	in := document(t, formattest.JSON(t, object{"linkset": []any{object{"anchor": "/api", "service-desc": []any{object{"href": "openapi.json"}, object{"href": "../o.json"}}}}}))
	in.FinalURL = formattest.URL(t, "https://www.shop.example/catalog/v1/apis")
	r := read(t, in)
	wantLines(t, "anchors", anchors(r), "https://www.shop.example/api")
	wantLines(t, "links", links(r), "service-desc  api https://www.shop.example/catalog/v1/openapi.json", "service-desc  api https://www.shop.example/catalog/o.json")
	r = read(t, formattest.Input(t, "", "", in.Body))
	if len(r.Services) != 0 || len(r.Links) != 0 || r.Unusable == "" {
		t.Errorf("of unknown origin: %+v", r)
	}
}

// A catalogue in a catalogue is followed, but not if it is the same one.
func TestANestedCatalogueIsFollowed(t *testing.T) {
	r := catalog(t, object{"anchor": itself, "api-catalog": []any{
		object{"href": site + "/a/api-catalog"}, object{"href": itself}, object{"href": ""}, object{"href": site + "/a/api-catalog#again"}, object{"href": "https://other.example" + apicatalog.Path},
	}})
	wantLines(t, "links", links(r), "api-catalog apicatalog  "+site+"/a/api-catalog", "api-catalog apicatalog  https://other.example"+apicatalog.Path)
	if len(r.Documents) != 5 || len(r.Services) != 0 {
		t.Errorf("%+v", r.Documents)
	}
}

// A description that is a page is reported, listed and not followed.
func TestADescriptionThatIsAPageIsNotFollowed(t *testing.T) {
	for _, kind := range []string{"text/html", "TEXT/HTML; charset=utf-8", "application/xhtml+xml", "text/markdown"} {
		r := catalog(t, object{"anchor": site + "/api", "service-desc": []any{object{"href": site + "/docs", "type": kind}}})
		wantLines(t, "diagnostics", codes(r.Diagnostics), "warning desc_for_people /linkset/0/service-desc/0")
		if len(r.Links) != 0 || len(r.Documents) != 1 || r.Services[0].Interfaces[0].SpecURL != "" {
			t.Errorf("%s: %+v", kind, r.Links)
		}
	}
	for _, kind := range []string{"", "application/json", "application/yaml", "application/vnd.oai.openapi", "text/yaml", "application/octet-stream", "nonsense"} {
		if r := catalog(t, object{"anchor": site + "/api", "service-desc": []any{object{"href": site + "/api.json", "type": kind}}}); len(r.Links) != 1 || len(r.Diagnostics) != 0 {
			t.Errorf("%s: %+v, %v", kind, r.Links, codes(r.Diagnostics))
		}
	}
}

// Two contexts with one anchor are one service, in the order of the contexts; items
// are services too.
func TestTwoContextsOfOneAnchorAreOneService(t *testing.T) {
	r := catalog(t,
		object{"anchor": itself, "item": []any{object{"href": site + "/b", "title": "B"}, object{"href": site + "/a"}}},
		object{"anchor": site + "/a", "service-doc": []any{object{"href": site + "/docs/a"}}},
		object{"anchor": site + "/a", "service-doc": []any{object{"href": site + "/docs/more"}}, "status": []any{object{"href": site + "/health"}}},
		object{"anchor": "https://api.other.example/b"})
	wantLines(t, "anchors", anchors(r), site+"/b", site+"/a", "https://api.other.example/b")
	a := r.Services[1]
	if a.DocsURL != site+"/docs/a" || a.StatusURL != site+"/health" || len(a.Sources) != 3 || r.Services[0].Name != "B" {
		t.Errorf("%+v", a)
	}
	var ids []string
	for _, s := range r.Services {
		ids = append(ids, s.ID)
		if s.Capabilities != nil || s.Auth != nil {
			t.Errorf("%s: capabilities come from descriptions only: %+v", s.ID, s)
		}
	}
	wantLines(t, "IDs", ids, "b", "a", "api-other-example-b")
}

// A file of octets is read.
func TestAnOctetStreamIsRead(t *testing.T) {
	in := formattest.Input(t, itself, "application/octet-stream", []byte(`{"linkset": [{"anchor": "/api"}]}`))
	if r := read(t, in); r.Unusable != "" || len(r.Services) != 1 {
		t.Errorf("%+v", r)
	}
	sound := document(t, []byte(`{"linkset": [{"anchor": "https://shop.example/api"}]}`))
	sound.MediaType = ""
	formattest.MediaTypes(t, apicatalog.Format(), sound, map[string]wayfind.Severity{
		"application/octet-stream": wayfind.SeverityError, "application/json": wayfind.SeverityError, "": wayfind.SeverityError,
	})
}

// Alternates, payment pages, anchors and items are not requested. A description is followed
// once.
func TestAlternatesPaymentPagesAnchorsAndItemsAreNotFollowed(t *testing.T) {
	relations := object{"anchor": site + "/api", "service-desc": []any{object{"href": site + "/openapi.json"}, object{"href": site + "/openapi.json#/info"}}}
	for _, relation := range []string{"alternate", "payment", "service-doc", "status", "terms-of-service", "license", "apis", "agent-skills-index", "describedby", "service-meta"} {
		relations[relation] = []any{object{"href": site + "/" + relation, "type": "application/json"}}
	}
	r := catalog(t, object{"anchor": itself, "item": []any{object{"href": site + "/api"}}}, relations)
	wantLines(t, "links", links(r), "service-desc  api "+site+"/openapi.json")
	if len(r.Documents) != 13 {
		t.Errorf("%d documents", len(r.Documents))
	}
}

// Metadata is followed if its type or its name is that of a card.
func TestMetadataThatIsACardIsFollowed(t *testing.T) {
	r := catalog(t, object{"anchor": site + "/api",
		"describedby":  []any{object{"href": site + "/card", "type": "application/a2a-agent-card+json"}, object{"href": site + "/llms.txt", "type": "text/plain"}},
		"service-meta": []any{object{"href": "https://mcp.shop.example/.well-known/mcp/server-card.json", "type": "application/json"}}})
	wantLines(t, "links", links(r), "describedby   "+site+"/card", "service-meta   https://mcp.shop.example/.well-known/mcp/server-card.json")
}

// No hostile reference becomes a URL, neither as an anchor nor as a target.
func TestNoHostileReferenceBecomesAURL(t *testing.T) {
	for _, ref := range append(formattest.HostileReferences(), "//evil.example/x", "{{BASE}}/api", "https://{{host}}/") {
		if ref == "" || ref == "#x" || strings.HasPrefix(ref, site+"/a") {
			continue // the catalogue itself, or only long
		}
		r := catalog(t, object{"anchor": ref, "service-desc": []any{object{"href": ref}, ref}})
		if len(r.Services)+len(r.Links)+len(r.Documents) != 0 || len(r.Diagnostics) == 0 {
			t.Errorf("%.60q: %+v %+v %+v", ref, r.Services, r.Links, r.Documents)
		}
	}
}

// Titles and languages with wrong types are reported, and the target is read.
func TestOddAttributesAreToldAndTheTargetIsRead(t *testing.T) {
	for _, replace := range []object{{"title": []any{"A"}}, {"hreflang": "en"}, {"hreflang": object{"a": "b"}}, {"type": 7}, {"title": object{}}} {
		target := formattest.Edit(object{"href": site + "/docs"}, replace)
		r := catalog(t, object{"anchor": site + "/api", "service-doc": []any{target}})
		if len(r.Diagnostics) != 1 || r.Services[0].DocsURL != site+"/docs" || r.Documents[0].Title != "" {
			t.Errorf("%v: %+v, %v", replace, r.Documents, codes(r.Diagnostics))
		}
	}
	r := catalog(t, object{"anchor": site + "/api", "service-doc": []any{object{"href": site + "/docs", "title*": []any{object{"value": "Doc", "language": "de"}}, "x": 1}}})
	if got := r.Documents[0].Extensions; len(got) != 2 || len(r.Diagnostics) != 0 {
		t.Errorf("%v, %v", got, codes(r.Diagnostics))
	}
}

// Of 10⁵ contexts, items or targets as many are read as the limit allows, and the others are
// counted.
func TestContextsItemsAndTargetsAreBounded(t *testing.T) {
	beyond := map[string]bool{"1,000,000 contexts": true, "1,000,000 targets": true}
	for name, body := range map[string]string{
		"contexts":           `{"linkset": [` + formattest.Repeat(100_000, `{"anchor":"/N"}`) + `]}`,
		"items":              `{"linkset": [{"item": [` + formattest.Repeat(100_000, `{"href":"/N"}`) + `]}]}`,
		"targets":            `{"linkset": [{"anchor": "/a", "service-desc": [` + formattest.Repeat(100_000, `{"href":"/N"}`) + `]}]}`,
		"rows":               `{"linkset": [` + formattest.Repeat(50_000, `{"anchor":"/N","rel":"a","href":"/N"}`) + `]}`,
		"1,000,000 contexts": `{"linkset": [{"anchor":"/a"}` + strings.Repeat(`,{}`, 1_000_000) + `]}`,
		"1,000,000 targets":  `{"linkset": [{"anchor": "/a", "item": [{"href":"/b"}` + strings.Repeat(`,0`, 1_000_000) + `]}]}`,
	} {
		r := read(t, document(t, []byte(body)))
		if json := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "json.cut" }); json != beyond[name] {
			t.Errorf("%s: cut %t", name, json)
		}
		told := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "apicatalog.truncated" })
		if len(r.Services) > parse.DefaultItems || len(r.Documents) > 4*parse.DefaultItems || len(r.Links) > parse.DefaultItems || !told || r.Unusable != "" {
			t.Errorf("%s: %d services, %d documents, %d links, told %t, %q", name, len(r.Services), len(r.Documents), len(r.Links), told, r.Unusable)
		}
	}
	if got := len(catalog(t, contexts(1000)...).Services); got != 1000 {
		t.Errorf("%d services of 1,000", got)
	}
}

// hostile returns catalogues of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	list := func(layout string) string { return `{"linkset": [` + formattest.Repeat(n/len(layout), layout) + `]}` }
	return map[string]string{
		"contexts": list(`{"anchor": "/N"}`), "one anchor": list(`{"anchor": "/a", "b": "c"}`), "rows": list(`{"anchor": "/N", "rel": "item", "href": "/N"}`),
		"one slug":  list(`{"anchor": "/-?N"}`),
		"targets":   `{"linkset": [{"anchor": "/a", "item": [` + formattest.Repeat(n/15, `{"href": "/N"}`) + `]}]}`,
		"relations": `{"linkset": [{"anchor": "/a", ` + formattest.Repeat(n/20, `"rN": [{"href": "/N"}]`) + `}]}`,
		"braces":    `{"linkset": [{"anchor": "/` + strings.Repeat("{a}", n/3) + `"}]}`,
	}
}

func TestGrowth(t *testing.T) {
	formattest.Growth(t, apicatalog.Format(), hostile, itself, 10_000, 100_000)
}
