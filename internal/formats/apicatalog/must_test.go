package apicatalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/apicatalog"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
)

// These are the duties of a reader of API catalogues, one sentence each.
func TestAReaderOfAPICataloguesMust(t *testing.T) {
	t.Run("read a bare string target", func(t *testing.T) {
		r := catalog(t, object{"anchor": site + "/api", "service-desc": site + "/openapi.json"})
		wantLines(t, "links", links(r), "service-desc  api "+site+"/openapi.json")
	})
	t.Run("keep the order of contexts", func(t *testing.T) {
		r := catalog(t, object{"anchor": site + "/z"}, object{"anchor": site + "/a"}, object{"anchor": site + "/m"})
		wantLines(t, "anchors", anchors(r), site+"/z", site+"/a", site+"/m")
	})
	t.Run("not treat the catalogue as an API", func(t *testing.T) {
		for _, anchor := range []any{itself, apicatalog.Path, ""} {
			if r := catalog(t, object{"anchor": anchor, "item": []any{object{"href": site + "/a"}}}); len(r.Services) != 1 || anchors(r)[0] != site+"/a" {
				t.Errorf("%v: %v", anchor, anchors(r))
			}
		}
	})
	t.Run("merge two contexts with one anchor", func(t *testing.T) {
		r := catalog(t, object{"anchor": site + "/a", "service-doc": []any{object{"href": site + "/docs"}}}, object{"anchor": site + "/a", "status": []any{object{"href": site + "/health"}}})
		if len(r.Services) != 1 || r.Services[0].DocsURL != site+"/docs" || r.Services[0].StatusURL != site+"/health" {
			t.Errorf("%+v", r.Services)
		}
	})
	t.Run("accept application/octet-stream", func(t *testing.T) {
		r := read(t, formattest.Input(t, itself, "application/octet-stream", []byte(`{"linkset": [{"anchor": "/api"}]}`)))
		if r.Unusable != "" || len(r.Services) != 1 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("follow service-desc of the same site at most once per URL", func(t *testing.T) {
		described := []any{object{"href": site + "/openapi.json"}, object{"href": "/openapi.json"}, object{"href": site + "/openapi.json#/paths"}}
		pages := clienttest.Pages{apicatalog.Path: listing(t, object{"anchor": site + "/a", "service-desc": described}, object{"anchor": site + "/b", "service-desc": described}), "/openapi.json": openAPI}
		inBubble(t, pages, nil, func(t *testing.T, r *resolving) {
			if n := asked(r.host, "/openapi.json"); n != 1 {
				t.Errorf("asked for %d times", n)
			}
		})
	})
}

// These are the prohibitions for a reader of API catalogues.
func TestAReaderOfAPICataloguesMustNever(t *testing.T) {
	t.Run("call an anchor or an item", func(t *testing.T) {
		pages := clienttest.Pages{apicatalog.Path: listing(t, object{"anchor": itself, "item": []any{object{"href": site + "/item"}}}, object{"anchor": site + "/anchor"}), "/item": openAPI, "/anchor": openAPI}
		inBubble(t, pages, nil, func(t *testing.T, r *resolving) {
			if asked(r.host, "/item")+asked(r.host, "/anchor") != 0 {
				t.Errorf("asked for %v", r.host.Paths())
			}
		})
	})
	for _, relation := range []string{"alternate", "payment"} {
		t.Run("follow "+relation, func(t *testing.T) {
			pages := clienttest.Pages{apicatalog.Path: listing(t, object{"anchor": site + "/api", relation: []any{object{"href": site + "/there", "type": "application/vnd.oai.openapi+json"}}}), "/there": openAPI}
			inBubble(t, pages, nil, func(t *testing.T, r *resolving) {
				if asked(r.host, "/there") != 0 || !slices.Contains(r.host.Paths(), apicatalog.Path) {
					t.Errorf("asked for %v", r.host.Paths())
				}
			})
		})
	}
	t.Run("resolve hrefs against the anchor", func(t *testing.T) {
		r := catalog(t, object{"anchor": "https://api.other.example/v1/", "service-desc": []any{object{"href": "openapi.json"}}, "service-doc": []any{object{"href": "docs"}}})
		for _, d := range r.Documents {
			if !strings.HasPrefix(d.URL, site+"/.well-known/") {
				t.Errorf("%s", d.URL)
			}
		}
		if len(r.Documents) != 2 {
			t.Errorf("%+v", r.Documents)
		}
	})
}
