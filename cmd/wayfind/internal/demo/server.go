package demo

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

//go:embed all:sites
var siteFiles embed.FS

// Start starts the sample sites. Each serves the folder with its name. now, which may be nil,
// is the clock for their Date field.
func Start(now func() time.Time) (*loopback.Server, error) {
	return loopback.Start(loopback.AnyPort(), demoHosts(), withAssistants(withSamples(demoHandler(now))), nil)
}

// demoHandler serves sites/<host>/<path>, or the index.json of that folder, and home.html as the
// home page. If the site has an index.html, that answers everything else.
func demoHandler(now func() time.Time) http.Handler {
	clk := clock.Of(now)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", clk.Now().UTC().Format(http.TimeFormat))
		host, _, _ := strings.Cut(r.Host, ":")
		file := path.Join("sites", host, path.Clean("/"+r.URL.Path))
		body, err := fs.ReadFile(siteFiles, file)
		if err != nil {
			body, err = fs.ReadFile(siteFiles, path.Join(file, "index.json"))
		}
		mediaType := "application/json"
		if page, failed := fs.ReadFile(siteFiles, path.Join(file, "home.html")); r.URL.Path == "/" && failed == nil {
			body, err, mediaType = page, nil, "text/html; charset=utf-8"
		}
		switch path.Ext(r.URL.Path) {
		case ".md":
			mediaType = "text/markdown; charset=utf-8"
		case ".txt":
			mediaType = "text/plain; charset=utf-8"
		case ".yaml":
			mediaType = "application/yaml"
		}
		if path.Base(r.URL.Path) == "api-catalog" {
			mediaType = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`
		}
		if err != nil {
			body, err = fs.ReadFile(siteFiles, path.Join("sites", host, "index.html"))
			mediaType = "text/html; charset=utf-8"
		}
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", mediaType)
		w.Header().Set("Cache-Control", "public, max-age=3600")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("ETag", loopback.EntityTag(body))
		if r.Header.Get("If-None-Match") == w.Header().Get("ETag") {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(body) // the client may have left
	})
}
