package soak

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// site is a set of documents by path.
type site map[string][]byte

// sites returns the sites of the demo, one of each format, under any name.
func sites(t testing.TB) []site {
	t.Helper()
	root := filepath.Join(golden.Root(t), "cmd", "wayfind", "internal", "demo", "sites")
	byHost := map[string]site{}
	var hosts []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		host, file, _ := strings.Cut(name, "/")
		if byHost[host] == nil {
			byHost[host], hosts = site{}, append(hosts, host)
		}
		body, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		byHost[host]["/"+strings.TrimSuffix(file, "/index.json")] = body
		return err
	})
	if err != nil || len(hosts) < 10 {
		t.Fatalf("%d sites in %s: %v", len(hosts), root, err)
	}
	var list []site
	for _, host := range hosts {
		for name, body := range byHost[host] {
			byHost[host][name] = bytes.ReplaceAll(body, []byte(host), []byte(placeholder))
		}
		list = append(list, byHost[host])
	}
	return append(append(list, strangers()...), site{"/.well-known/mcp/server-card.json": []byte(`{
		"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name": "com.example/shop", "version": "1", "description": "A shop.",
		"remotes": [{"type": "streamable-http", "url": "https://` + placeholder + mcpPath + `"}]}`)})
}

// placeholder is replaced by the host in documents.
const placeholder = "host.invalid"

type behaviour func(w http.ResponseWriter, r *http.Request, rnd *rand.Rand)

// behaviours are the reactions of a hostile site to one request.
func (w *world) behaviours() []behaviour {
	return []behaviour{
		w.document, w.document, w.flap, w.hang, w.hangInBody, w.drip, w.flood, bomb, fields, maze, status, throttle,
		junk, page, anything, huge, abort, early, w.document, smuggle, w.stream,
	}
}

// document serves the documents of the site of this name, with odd cache headers.
func (w *world) document(rw http.ResponseWriter, r *http.Request, rnd *rand.Rand) {
	body, ok := w.docs[hash(r.Host)%uint64(len(w.docs))][r.URL.Path]
	if !ok {
		http.NotFound(rw, r)
		return
	}
	control := []string{"", "no-store", "no-cache", "max-age=0, stale-while-revalidate=60", "max-age=99999999999999999999", "max-age=-1", "private", "max-age=1"}
	rw.Header().Set("Cache-Control", control[rnd.IntN(len(control))])
	if rnd.IntN(2) == 0 {
		rw.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
	}
	body = bytes.ReplaceAll(body, []byte(placeholder), []byte(r.Host))
	_, _ = rw.Write(bytes.ReplaceAll(body, []byte(changing), fmt.Append(nil, "Version ", rnd.IntN(3))))
}

// flap is there and is not.
func (w *world) flap(rw http.ResponseWriter, r *http.Request, rnd *rand.Rand) {
	if rnd.IntN(2) == 0 {
		http.NotFound(rw, r)
		return
	}
	w.document(rw, r, rnd)
}

// wait lasts until the client or the test has enough.
func (w *world) wait(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
	case <-w.closing:
	case <-timer.C:
	}
}

func (w *world) hang(_ http.ResponseWriter, r *http.Request, _ *rand.Rand) { w.wait(r, time.Minute) }

func (w *world) hangInBody(rw http.ResponseWriter, r *http.Request, _ *rand.Rand) {
	_, _ = rw.Write([]byte(`{"name": `))
	_ = http.NewResponseController(rw).Flush()
	w.wait(r, time.Minute)
}

func (w *world) drip(rw http.ResponseWriter, r *http.Request, _ *rand.Rand) {
	for r.Context().Err() == nil {
		if _, err := rw.Write([]byte(" ")); err != nil || http.NewResponseController(rw).Flush() != nil {
			return
		}
		w.wait(r, 20*time.Millisecond)
	}
}

func (w *world) flood(rw http.ResponseWriter, r *http.Request, _ *rand.Rand) {
	chunk := bytes.Repeat([]byte(`{"a": [1, 2, 3]}, `), 1000)
	for range 2000 {
		if _, err := rw.Write(chunk); err != nil || r.Context().Err() != nil {
			return
		}
	}
}

// zeros are 32 MiB of blanks as gzip, made once.
var zeros = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	blanks := bytes.Repeat([]byte(" "), 1<<20)
	for range 32 {
		_, _ = z.Write(blanks)
	}
	_ = z.Close()
	return b.Bytes()
})

func bomb(rw http.ResponseWriter, _ *http.Request, rnd *rand.Rand) {
	rw.Header().Set("Content-Encoding", "gzip")
	body := zeros()
	_, _ = rw.Write(body[:len(body)-rnd.IntN(2)*rnd.IntN(len(body))])
}

func fields(rw http.ResponseWriter, _ *http.Request, rnd *rand.Rand) {
	for i := range rnd.IntN(200) {
		rw.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("x", 1000))
	}
}

func maze(rw http.ResponseWriter, r *http.Request, rnd *rand.Rand) {
	to := []string{
		r.URL.Path, "/" + strconv.Itoa(rnd.IntN(1000)), "https://" + r.Host + "/.well-known/agent", "https://r0-1.example.com/.well-known/agent",
		"http://" + r.Host + "/", "https://127.0.0.1/", "https://[::1]/x", "https://169.254.169.254/latest", "https://u:p@" + r.Host + "/",
		"javascript:alert(1)", "//", "https://" + r.Host + ":8443/", "\x01", strings.Repeat("/x", 5000), "https://nobody.example.org/",
	}
	rw.Header().Set("Location", to[rnd.IntN(len(to))])
	rw.WriteHeader([]int{301, 302, 303, 307, 308, 300, 305}[rnd.IntN(7)])
}

func status(rw http.ResponseWriter, _ *http.Request, rnd *rand.Rand) {
	codes := []int{204, 400, 401, 402, 403, 405, 406, 410, 418, 451, 500, 502, 503, 504, 599, 999}
	rw.WriteHeader(codes[rnd.IntN(len(codes))])
	_, _ = rw.Write([]byte("\x1b[2J\u202e no \x00"))
}

func throttle(rw http.ResponseWriter, _ *http.Request, rnd *rand.Rand) {
	after := []string{"", "0", "1", "86400", "99999999999999999999", "-1", "soon", "Fri, 31 Dec 9999 23:59:59 GMT"}
	rw.Header().Set("Retry-After", after[rnd.IntN(len(after))])
	rw.WriteHeader([]int{429, 503}[rnd.IntN(2)])
}

func junk(rw http.ResponseWriter, r *http.Request, rnd *rand.Rand) {
	bodies := []string{
		"", "{", "[]", "null", "\xff\xfe", "{\"a\": 1, \"a\": 2}", strings.Repeat("[", 100_000), `{"spec_version": "1.0"`,
		"---\na: &a [*a, *a]\n---\n# X", "# Agents\n\n" + strings.Repeat("> ", 10_000), "User-agent: *\nDisallow: /", "\ufeff{}",
		`{"spec_version": 1e999, "name": "\u0000\u202e", "capabilities": "x"}`, `{"openapi": "3.1.0", "paths": {"/x": {"$ref": "#/paths/~1x"}}}`,
	}
	types := []string{"application/json", "text/markdown", "text/html", "", ";;;", "application/yaml"}
	rw.Header().Set("Content-Type", types[rnd.IntN(len(types))])
	_, _ = rw.Write([]byte(bodies[rnd.IntN(len(bodies))]))
}

func page(rw http.ResponseWriter, r *http.Request, _ *rand.Rand) {
	_, _ = fmt.Fprintf(rw, "<!doctype html><title>%s</title>", path.Base(r.URL.Path))
}

func anything(rw http.ResponseWriter, _ *http.Request, _ *rand.Rand) {
	rw.Header().Set("Content-Type", "application/json")
	_, _ = rw.Write([]byte(`{"ok": true}`))
}

func huge(rw http.ResponseWriter, r *http.Request, rnd *rand.Rand) {
	_, _ = fmt.Fprintf(rw, `{"spec_version": "1.0", "name": "Huge", "description": "A service of many.", "base_url": "https://%s", "auth": {"type": "none"}, "capabilities": [`, r.Host)
	for i := range rnd.IntN(20_000) {
		_, _ = fmt.Fprintf(rw, `{"name": "c%d", "description": "x", "detail_url": "/%d"}, `, i, i)
	}
	_, _ = rw.Write([]byte(`{}]}`))
}

func abort(http.ResponseWriter, *http.Request, *rand.Rand) { panic(http.ErrAbortHandler) }

func early(rw http.ResponseWriter, r *http.Request, rnd *rand.Rand) {
	for range rnd.IntN(2000) {
		rw.WriteHeader(http.StatusEarlyHints)
		if r.Context().Err() != nil {
			return
		}
	}
	http.NotFound(rw, r)
}
