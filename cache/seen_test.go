package cache_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// turning answers with the first of two versions until it is turned to the second.
type turning struct {
	second      bool
	tag, length bool // the versions differ in their tag, in their length, or only in Last-Modified
	size        int
	cut         bool
	back        time.Duration // how far the Date of the second version is behind
	answer      func(req *http.Request, header http.Header) (status int, body string)
	asked       int
}

func (o *turning) RoundTrip(req *http.Request) (*http.Response, error) {
	o.asked++
	body, tag, changed, date := "one", `"1"`, "Mon, 01 Jan 2001 00:00:00 GMT", time.Now()
	if o.second {
		body, tag, changed, date = "second"+strings.Repeat("x", o.size), `"2"`, "Tue, 02 Jan 2001 00:00:00 GMT", date.Add(-o.back)
	}
	header := http.Header{"Cache-Control": {"max-age=600"}, "Date": {date.UTC().Format(http.TimeFormat)}, "Vary": {"Accept-Language"}}
	switch {
	case o.tag:
		header.Set("Etag", tag)
	case !o.length:
		header.Set("Last-Modified", changed)
	}
	status := 200
	if o.answer != nil && o.second {
		status, body = o.answer(req, header)
	}
	resp := response(status, body)
	resp.Header, resp.ContentLength = header, int64(len(body))
	if req.Method == http.MethodHead {
		resp.Header.Set("Content-Length", "6")
		resp.Body = http.NoBody
	}
	if o.cut && o.second {
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("sec"), brokenBody{}))
	}
	return resp, nil
}

// brokenBody is a body that breaks off.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// An answer that is not kept ends the stored one if it shows that this is old: after a caller has seen
// the second version, no one gets the first as a fresh answer. Where it shows nothing, the answer stays.
func TestWhatPassesIsSeen(t *testing.T) {
	partial := func(*http.Request, http.Header) (int, string) { return 206, "sec" }
	status := func(n int) func(*http.Request, http.Header) (int, string) {
		return func(*http.Request, http.Header) (int, string) { return n, "" }
	}
	for name, row := range map[string]struct {
		origin turning
		method string
		header []string
		ended  bool
	}{
		"HEAD, a tag":                      {turning{tag: true}, "HEAD", []string{"Cache-Control", "no-cache"}, true},
		"HEAD, Last-Modified":              {turning{}, "HEAD", []string{"Cache-Control", "no-cache"}, true},
		"HEAD, a length":                   {turning{length: true}, "HEAD", []string{"Cache-Control", "no-cache"}, true},
		"HEAD of a server behind":          {turning{tag: true, back: time.Hour}, "HEAD", []string{"Cache-Control", "no-cache"}, false},
		"HEAD, a failure":                  {turning{tag: true, answer: status(500)}, "HEAD", []string{"Cache-Control", "no-cache"}, false},
		"HEAD, gone":                       {turning{tag: true, answer: status(410)}, "HEAD", []string{"Cache-Control", "no-cache"}, true},
		"HEAD in another language":         {turning{tag: true}, "HEAD", []string{"Cache-Control", "no-cache", "Accept-Language", "de"}, false},
		"HEAD of another caller":           {turning{tag: true}, "HEAD", []string{"Cache-Control", "no-cache", "Authorization", "bob"}, false},
		"a caller's condition, 200":        {turning{tag: true}, "GET", []string{"Cache-Control", "no-cache", "If-None-Match", `"0"`}, true},
		"a caller's condition, 304":        {turning{tag: true, answer: status(304)}, "GET", []string{"Cache-Control", "no-cache", "If-None-Match", `"2"`}, true},
		"If-Modified-Since, 404":           {turning{tag: true, answer: status(404)}, "GET", []string{"Cache-Control", "no-cache", "If-Modified-Since", "Mon, 01 Jan 2001 00:00:00 GMT"}, true},
		"a range of another version":       {turning{tag: true, answer: partial}, "GET", []string{"Range", "bytes=0-2", "If-Range", `"2"`}, true},
		"a range that cannot be satisfied": {turning{tag: true, answer: status(416)}, "GET", []string{"Range", "bytes=9-"}, false},
		"If-Match":                         {turning{tag: true}, "GET", []string{"If-Match", `"2"`}, true},
		"no-cache and no-store":            {turning{tag: true}, "GET", []string{"Cache-Control", "no-cache, no-store"}, true},
		"too large, known":                 {turning{tag: true, size: 100}, "GET", []string{"Cache-Control", "no-cache"}, true},
		"cut off":                          {turning{tag: true, cut: true}, "GET", []string{"Cache-Control", "no-cache"}, true},
	} {
		for kind, open := range map[string]func(near, far cache.Store) cache.Store{
			"memory": func(near, _ cache.Store) cache.Store { return near },
			"disk":   func(_, far cache.Store) cache.Store { return far },
			"layers": func(near, far cache.Store) cache.Store { return cache.NewLayered(near, far, nil) },
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := row.origin
					near, far := newMemory(t), openDisk(t)
					defer near.Close()
					defer far.Close()
					store := open(near, far)
					defer store.Close()
					tr := cache.NewTransport(store, &o, &cache.Options{MaxBody: 50})
					defer tr.Close()
					get(t, tr, home)
					time.Sleep(2 * time.Second)
					o.second = true
					req := newRequest(t.Context(), home, row.header...)
					req.Method = row.method
					resp, err := tr.RoundTrip(req)
					if err != nil {
						t.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
					synctest.Wait()
					before := o.asked
					o.answer, o.cut = nil, false
					get(t, tr, home)
					if ended := o.asked > before; ended != row.ended {
						t.Errorf("ended is %v", ended)
					}
				})
			})
		}
	}
}
