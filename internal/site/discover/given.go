package discover

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// given are the documents that the caller has. They are the answers of their URLs: no request is sent for
// them, and they enter no store. The zero value is ready.
type given struct {
	mu   sync.RWMutex
	docs map[string]*Given // by URL
}

// Given is a document of the caller.
type Given struct {
	URL  *url.URL
	Body []byte
	// Server is the server to call in place of those that the document names, or "".
	Server string
	// Published is true if the URL is that of the published document.
	Published bool
	// Files are the files of its directory, to which the document may refer. Nil means that there are none.
	Files fs.FS
}

// Give makes a document the answer of its URL. It replaces an earlier document of the URL.
func (eng *Engine) Give(d *Given) {
	g := &eng.given
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.docs == nil {
		g.docs = map[string]*Given{}
	}
	g.docs[d.URL.String()] = d
}

// givenAt returns the content of a URL that the caller has, and the header of its answer. of is the URL of
// the document whose references led to the URL, or "": only these references read its directory.
func (eng *Engine) givenAt(u *url.URL, of string) (body []byte, header http.Header, ok bool) {
	g := &eng.given
	g.mu.RLock()
	defer g.mu.RUnlock()
	if len(g.docs) == 0 {
		return nil, nil, false
	}
	if d := g.docs[u.String()]; d != nil {
		return d.Body, d.header(), true
	}
	if d := g.docs[of]; d != nil {
		if body, ok := d.file(u); ok {
			return body, d.header(), true
		}
	}
	return nil, nil, false
}

func (d *Given) header() http.Header {
	header := http.Header{"Cache-Control": {"private, max-age=3600"}}
	if !d.Published {
		header.Set(parse.HeaderUnpublished, "true")
		if d.Server != "" {
			header.Set(parse.HeaderServer, d.Server)
		}
	}
	return header
}

// file returns the file of the directory of a document at a URL.
func (d *Given) file(u *url.URL) (body []byte, ok bool) {
	dir, _ := path.Split(d.URL.Path)
	name, below := strings.CutPrefix(u.Path, dir)
	if d.Files == nil || !below || u.RawQuery != "" || security.Origin(u) != security.Origin(d.URL) || !fs.ValidPath(name) {
		return nil, false
	}
	info, err := fs.Stat(d.Files, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	f, err := d.Files.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	body, err = io.ReadAll(io.LimitReader(f, maxGiven))
	return body, err == nil
}

// maxGiven is more than any format reads.
const maxGiven = 64 << 20

// givenFor returns the partition of the answer to a request if the caller has it: it is kept apart from
// those of the site.
func (eng *Engine) givenFor(c *places.Candidate, u *url.URL) (partition string, own bool) {
	body, _, own := eng.givenAt(u, referrer(c))
	if !own {
		return "", false
	}
	sum := sha256.Sum256(body)
	return "given " + hex.EncodeToString(sum[:16]), true
}

// referrer returns the URL of the document whose references led to a candidate, or "".
func referrer(c *places.Candidate) string {
	if c.File {
		return c.From
	}
	return ""
}

// giving is the step that answers with the documents of the caller.
type giving struct {
	engine *Engine
	of     string // see givenAt
}

// Do implements fetch.Step.
func (g giving) Do(_ context.Context, a *fetch.Ask) (*http.Response, error) {
	body, header, ok := g.engine.givenAt(a.URL, g.of)
	if !ok {
		return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody}, nil
	}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body))}, nil
}
