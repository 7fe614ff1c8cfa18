package clienttest

import (
	"bytes"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Page is one answer, the same to every request. It answers conditional requests (RFC 9110 §13) if
// its Header has an ETag or a Last-Modified, and methods other than GET and HEAD with 405.
type Page struct {
	// Status is the HTTP status; default 200.
	Status int
	// Header contains the header fields to send. If Content-Type is missing, it is guessed; if its
	// value is nil, none is sent.
	Header http.Header
	Body   string
}

// ServeHTTP sends the page.
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	for name, values := range p.Header.Clone() {
		header[http.CanonicalHeaderKey(name)] = values
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if _, ok := header["Content-Type"]; !ok && (p.Body != "" || p.ok()) {
		header.Set("Content-Type", contentType(r.URL.Path, p.Body))
	}
	if p.ok() {
		modified, _ := http.ParseTime(header.Get("Last-Modified")) // zero: none
		http.ServeContent(w, r, "", modified, strings.NewReader(p.Body))
		return
	}
	if p.Body != "" {
		header.Set("Content-Length", strconv.Itoa(len(p.Body)))
	}
	w.WriteHeader(p.Status)
	if r.Method == http.MethodGet {
		_, _ = strings.NewReader(p.Body).WriteTo(w) // a client that left needs no answer
	}
}

func (p Page) ok() bool { return p.Status == 0 || p.Status == http.StatusOK }

// Pages is a site: a body for each path. Everything else is 404.
type Pages map[string]string

// ServeHTTP sends the page of the path.
func (p Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := p[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	Page{Body: body}.ServeHTTP(w, r)
}

// Files is a site made of files: the path is the name in fsys. Directories, including "/", are 404.
// Content types are determined by the extension, or by the content if there is no extension.
func Files(fsys fs.FS) http.Handler { return files{fsys} }

type files struct{ fs.FS }

func (f files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := fs.ReadFile(f.FS, strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	Page{Body: string(body)}.ServeHTTP(w, r)
}

// contentType guesses a media type without the tables of the system.
func contentType(urlPath, body string) string {
	switch strings.ToLower(path.Ext(urlPath)) {
	case ".json":
		return "application/json"
	case ".md":
		return "text/markdown; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".yaml", ".yml":
		return "application/yaml"
	case ".html", ".htm":
		return "text/html; charset=utf-8"
	case ".xml":
		return "application/xml"
	}
	start := bytes.TrimLeft([]byte(body[:min(len(body), 512)]), " \t\r\n\ufeff")
	switch {
	case bytes.HasPrefix(start, []byte("{")), bytes.HasPrefix(start, []byte("[")):
		return "application/json"
	case bytes.HasPrefix(start, []byte("<")):
		return "text/html; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// Redirect answers with the status (301, 302, 303, 307, 308) and the exact Location, even if it is
// not a URL.
func Redirect(status int, location string) http.Handler {
	return Page{Status: status, Header: http.Header{"Location": {location}}}
}

// Sequence passes the nth request to the nth handler, and all further requests to the last one.
func Sequence(first http.Handler, more ...http.Handler) http.Handler {
	var mu sync.Mutex
	s := script[http.Handler]{items: append([]http.Handler{first}, more...)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := s.take()
		mu.Unlock()
		h.ServeHTTP(w, r)
	})
}
