package recorded

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// unpublished is the host of documents that do not name their own host.
const unpublished = "unpublished.example"

// indexPage is the file that is served for a directory.
const indexPage = "index.html"

// unserved serves a site that is not published yet: one document at its place, or all files of a
// directory.
type unserved struct {
	root *os.Root // the directory; nil for standard input
	base string   // the path of the directory on the site, with a slash at its end

	place  string // the place of the one document; empty for a directory
	body   []byte
	link   string            // the Link field of the home page, for a document without a place of its own
	taken  map[string]bool   // places of other documents, which are not read with the one document
	types  map[string]string // media types by place
	server string            // the server to call in place of those that the documents name, or ""
	dev    bool              // http URLs and servers of this machine that the documents name may be asked
}

// openUnserved opens a file, standard input or a directory as a site. Its host is the one that its
// documents name, so that a model sees the tools of the published site.
func openUnserved(ctx context.Context, a *ui.App, n *session.Network, name string) (*Sites, error) {
	o, err := n.Options(a)
	if err != nil {
		return nil, err
	}
	list := o.Formats
	if list == nil {
		list = formats.All()
	}
	read := client.ParseOptions{Formats: o.Formats, MaxBytes: o.Limits.MaxBytes, Now: o.Lab.Now, SuffixList: o.Policy.SuffixList}
	site := &unserved{base: "/", taken: map[string]bool{}, types: typesOf(list), dev: n.Dev, server: n.ServerURL}
	host := ""
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		if site.root, err = os.OpenRoot(name); err != nil {
			return nil, ui.Usage(err)
		}
		published := false
		if host, published = site.host(ctx, list, read); !published {
			_ = site.close()
			return nil, ui.Usagef("%s is no recording, and has no file where a format is looked for, such as .well-known/agent-card.json; an index.html or a robots.txt is enough to begin with; see all places with: wayfind formats", document.Name(name))
		}
	} else if host, err = openDocument(ctx, a, name, list, read, site); err != nil {
		return nil, err
	}
	host = cmp.Or(host, unpublished)
	r := &Sites{target: host, site: "files are read as a site", close: site.close}
	pipes := loopback.NewPipes()
	r.connect, r.linked = pipes.Connect, site.link != ""
	if document.HasScheme(host, "http") {
		r.Server, err = loopback.StartPlain(pipes, site)
	} else {
		r.Server, err = loopback.StartAt(pipes, []string{strings.TrimPrefix(host, "https://")}, site, nil)
	}
	if err != nil {
		return nil, errors.Join(err, site.close())
	}
	what := host
	if site.place != "" && !strings.Contains(host, "://") {
		what = "https://" + host
	}
	what += site.place
	kind := ""
	if site.place != "" && name != "-" {
		kind = "file "
	}
	fmt.Fprintf(a.Err, "wayfind: %s%s is read as %s; no request is sent\n", kind, ui.Show(strings.Trim(document.Name(name), `"`)), ui.Show(what))
	return r, nil
}

// openDocument reads the one document of a site, and returns its host.
func openDocument(ctx context.Context, a *ui.App, name string, list []*parse.Format, o client.ParseOptions, site *unserved) (host string, err error) {
	if site.body, err = document.Read(a, name); err != nil {
		return "", err
	}
	result, err := document.Parse(ctx, name, site.body, o)
	if err != nil {
		return "", err
	}
	if result.Format == "" {
		return "", listHint(name, site.body, ui.Usagef("%s is read by no format %s; see: wayfind parse %s", document.Name(name), ui.Parenthesis(cmp.Or(result.Reason, string(result.Verdict))), name))
	}
	switch site.place = placeFor(name, result.Format, list); {
	case site.place != "":
	case result.Format == "openapi" || result.Format == "openrpc": // these formats are found by a link
		file := result.Format + ".yaml"
		if json.Valid(site.body) {
			file = result.Format + ".json"
		}
		if name != "-" {
			file = filepath.Base(name)
		}
		site.place = "/" + file
		site.link = fmt.Sprintf("<%s>; rel=\"service-desc\"", (&url.URL{Path: site.place}).EscapedPath())
	default:
		return "", ui.Usagef("%s is read as %s, which is at no place of its own on a site; see it with: wayfind parse %s", document.Name(name), result.Format, name)
	}
	for _, f := range list {
		for _, l := range f.Locations {
			site.taken[l.Path] = true
		}
	}
	if name == "-" {
		return site.hostAt(result.Site), nil
	}
	if site.root, err = os.OpenRoot(filepath.Dir(name)); err != nil {
		return "", ui.Usage(err)
	}
	if site.base = path.Dir(site.place); site.base != "/" {
		site.base += "/"
	}
	return site.hostAt(result.Site), nil
}

// placeFor returns the place of a document on a site. It is the place that matches its name,
// otherwise the first place of its format, with the same file extension if there is one.
func placeFor(name, format string, list []*parse.Format) string {
	if place, of := document.PlaceAndFormat(name, list); of == format {
		return place
	}
	i := slices.IndexFunc(list, func(f *parse.Format) bool { return f.Name == format })
	if i < 0 {
		return ""
	}
	places := slices.DeleteFunc(slices.Clone(list[i].Locations), func(l parse.Location) bool { return l.Base || l.Aside || l.Conventional })
	for _, l := range places {
		if path.Ext(l.Path) == strings.ToLower(filepath.Ext(name)) {
			return l.Path
		}
	}
	if len(places) == 0 {
		return ""
	}
	return places[0].Path
}

// ServeHTTP answers with a file of the directory, or with the one document.
func (u *unserved) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "nothing is called: the site has no server yet", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == "/" && u.link != "" {
		w.Header().Set("Link", u.link)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		return
	}
	at := r.URL.Path
	body, changed, err := u.read(at)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if strings.HasSuffix(at, "/") {
		at += indexPage
	}
	w.Header().Set("Content-Type", u.typeOf(at, body))
	w.Header().Set(parse.HeaderUnpublished, "true")
	if u.server != "" {
		w.Header().Set(parse.HeaderServer, u.server)
	}
	// Files have no headers, so these headers must break no rule.
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("ETag", loopback.EntityTag(body))
	http.ServeContent(w, r, "", changed, bytes.NewReader(body))
}

// read returns a file by its path on the site. It reads nothing outside the directory, and no
// document at the place of another one.
func (u *unserved) read(at string) (body []byte, changed time.Time, err error) {
	if at == u.place && u.place != "" {
		return u.body, time.Time{}, nil
	}
	if strings.HasSuffix(at, "/") {
		at += indexPage
	}
	name, below := strings.CutPrefix(at, u.base)
	if u.root == nil || !below || u.taken[at] || !fs.ValidPath(name) {
		return nil, time.Time{}, fs.ErrNotExist
	}
	info, err := u.root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, time.Time{}, errors.Join(fs.ErrNotExist, err)
	}
	f, err := u.root.Open(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	body, err = io.ReadAll(io.LimitReader(f, document.MaxInput()+1))
	return body, info.ModTime(), err
}

func (u *unserved) close() error {
	if u.root == nil {
		return nil
	}
	return u.root.Close()
}

// typeOf returns the media type that a server should send for a file. For a file without an
// extension at the place of a format, this is the media type that the format asks for.
func (u *unserved) typeOf(at string, body []byte) string {
	if wanted := u.types[at]; wanted != "" && path.Ext(at) == "" {
		return wanted
	}
	return TypeOf(at, body)
}

// typesOf returns the media types that formats ask for at their places.
func typesOf(list []*parse.Format) map[string]string {
	types := make(map[string]string)
	for _, f := range list {
		for _, l := range f.Locations {
			if wanted, _, _ := strings.Cut(l.Accept, ","); types[l.Path] == "" && !l.Aside {
				types[l.Path] = wanted
			}
		}
	}
	return types
}

// TypeOf returns the media type that a server would send for a file.
func TypeOf(name string, body []byte) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".json":
		return "application/json"
	case ".yaml", ".yml":
		return "application/yaml"
	case ".md":
		return "text/markdown; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".xml":
		return "application/xml"
	case ".html", ".htm":
		return "text/html; charset=utf-8"
	}
	if start := bytes.TrimLeft(body, " \t\r\n"); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		return "application/json"
	}
	return http.DetectContentType(body)
}

// listHint adds a hint to err if standard input seems to be a list of domains in place of a
// document.
func listHint(name string, body []byte, err error) error {
	first, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if name != "-" || first == "" || strings.ContainsAny(first, " <{[\"") || !strings.Contains(first, ".") {
		return err
	}
	return ui.Hint(err, "; for a list of domains: wayfind batch -")
}
