package clienttest_test

import (
	"maps"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

// seen contains the parts of an answer that a client sees.
type seen struct {
	Status   int
	Type     string
	Location string
	ETag     string
	Body     string
}

func look(t *testing.T, c *http.Client, method, url string, header http.Header) seen {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, header)
	resp, body, err := do(c, req)
	if err != nil {
		t.Fatal(err)
	}
	return seen{
		Status: resp.StatusCode, Type: resp.Header.Get("Content-Type"),
		Location: resp.Header.Get("Location"), ETag: resp.Header.Get("Etag"), Body: body,
	}
}

func TestContentTypes(t *testing.T) {
	const text = "text/plain; charset=utf-8"
	site := fstest.MapFS{}
	want := map[string]seen{
		"/.well-known/agent":   {Type: "application/json", Body: " \n{}"},
		"/.well-known/ai":      {Type: "application/json", Body: "\ufeff[]"},
		"/page":                {Type: "text/html; charset=utf-8", Body: "<!doctype html>"},
		"/empty.json":          {Type: "application/json", Body: ""},
		"/agents.md":           {Type: "text/markdown; charset=utf-8", Body: "# x"},
		"/robots.txt":          {Type: text, Body: "User-agent: *"},
		"/openapi.YAML":        {Type: "application/yaml", Body: "openapi: 3.1.0"},
		"/index.html":          {Type: "text/html; charset=utf-8", Body: "x"},
		"/sitemap.xml":         {Type: "application/xml", Body: "<x/>"},
		"/agents":              {Type: text, Body: "---\n"},
		"/.well-known/x.json":  {Type: "application/json", Body: "not JSON"},
		"/directory/file.json": {Type: "application/json", Body: "{}"},
	}
	pages := clienttest.Pages{}
	for path, page := range want {
		page.Status = http.StatusOK
		want[path] = page
		site[path[1:]] = &fstest.MapFile{Data: []byte(page.Body)}
		pages[path] = page.Body
	}
	for _, path := range []string{"/", "/directory", "/absent", "/../x"} {
		want[path] = seen{Status: http.StatusNotFound, Type: text, Body: "404 page not found\n"}
	}
	for name, h := range map[string]http.Handler{"files": clienttest.Files(site), "pages": pages} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("a.example", h)
				c := httpClient(internet)
				got := map[string]seen{}
				for path := range want {
					got[path] = look(t, c, http.MethodGet, "https://a.example"+path, nil)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("pages (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestPage(t *testing.T) {
	const date = "Sat, 01 Jan 2000 00:00:00 GMT"
	tagged := clienttest.Page{Header: http.Header{"ETag": {`"1"`}, "Content-Type": {"a/b"}}, Body: "hello"}
	dated := clienttest.Page{Header: http.Header{"Last-Modified": {date}, "Content-Type": nil}, Body: "hello"}
	throttled := clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"60"}}, Body: `{"x":1}`}
	site := http.NewServeMux()
	site.Handle("/tagged", tagged)
	site.Handle("/dated", dated)
	site.Handle("/throttled", throttled)
	site.Handle("/empty", clienttest.Page{Status: 204})
	site.Handle("/hop", clienttest.Redirect(308, "/\\evil.example"))
	site.Handle("/flap", clienttest.Sequence(tagged, clienttest.Page{Status: 404}, dated))
	for _, tt := range []struct {
		method, path string
		header       http.Header
		want         seen
	}{
		{"GET", "/tagged", nil, seen{200, "a/b", "", `"1"`, "hello"}},
		{"GET", "/tagged", http.Header{"If-None-Match": {`W/"0", "1"`}}, seen{304, "", "", `"1"`, ""}},
		{"GET", "/tagged", http.Header{"If-None-Match": {`"2"`}}, seen{200, "a/b", "", `"1"`, "hello"}},
		{"HEAD", "/tagged", nil, seen{200, "a/b", "", `"1"`, ""}},
		{"POST", "/tagged", nil, seen{405, "a/b", "", `"1"`, ""}},
		{"GET", "/dated", nil, seen{200, "", "", "", "hello"}},
		{"GET", "/dated", http.Header{"If-Modified-Since": {date}}, seen{Status: 304}},
		{"GET", "/throttled", nil, seen{429, "application/json", "", "", `{"x":1}`}},
		{"HEAD", "/throttled", nil, seen{429, "application/json", "", "", ""}},
		{"GET", "/empty", nil, seen{Status: 204}},
		{"GET", "/hop", nil, seen{308, "", "/\\evil.example", "", ""}},
		{"GET", "/flap", nil, seen{200, "a/b", "", `"1"`, "hello"}},
		{"GET", "/flap", nil, seen{Status: 404}},
		{"GET", "/flap", nil, seen{200, "", "", "", "hello"}},
		{"GET", "/flap", nil, seen{200, "", "", "", "hello"}},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("a.example", site)
				got := look(t, httpClient(internet), tt.method, "https://a.example"+tt.path, tt.header)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
			})
		})
	}
}
