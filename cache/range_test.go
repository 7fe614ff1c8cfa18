package cache_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// content answers like http.ServeContent, which is the judge: it answers ranges, conditions and HEAD of
// one text.
type content struct {
	text, tag string
	changed   time.Time
	header    []string // added to 200s
	asked     atomic.Int64
}

func (o *content) RoundTrip(req *http.Request) (*http.Response, error) {
	o.asked.Add(1)
	return o.serve(req), nil
}

func (o *content) serve(req *http.Request) *http.Response {
	w := httptest.NewRecorder()
	w.Header().Set("Cache-Control", "max-age=60")
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	if o.tag != "" {
		w.Header().Set("Etag", o.tag)
	}
	for i := 0; i < len(o.header); i += 2 {
		w.Header().Set(o.header[i], o.header[i+1])
	}
	http.ServeContent(w, req, "", o.changed, strings.NewReader(o.text))
	resp := w.Result()
	resp.Request = req
	return resp
}

// A fresh complete entry answers a single range of bytes, as http.ServeContent does.
func TestARangeIsAnsweredFromACompleteEntry(t *testing.T) {
	changed := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, o := range map[string]*content{
		"without a validator": {},
		"a strong tag":        {tag: `"1"`},
		"a date":              {changed: changed},
	} {
		for _, header := range [][]string{
			{"Range", "bytes=0-1"}, {"Range", "bytes=1-"}, {"Range", "bytes=-1"}, {"Range", "bytes=-99"}, {"Range", "bytes=3-99"},
			{"Range", "bytes=10-10"}, {"Range", "bytes= 0-1 "},
			{"Range", "bytes=0-1", "If-Range", `"1"`}, {"Range", "bytes=2-", "If-Range", changed.Format(http.TimeFormat)},
		} {
			if condition := strings.Join(header[2:], " "); strings.Contains(condition, `"`) && o.tag == "" || strings.Contains(condition, "GMT") && o.changed.IsZero() {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				o.text = "0123456789A"
				o.asked.Store(0)
				tr := newTransport(t, o, nil)
				get(t, tr, home)
				time.Sleep(5 * time.Second)
				req := newRequest(t.Context(), home, header...)
				resp, err := tr.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				body, _ := io.ReadAll(resp.Body)
				judge := o.serve(req)
				whole, _ := io.ReadAll(judge.Body)
				if resp.StatusCode != judge.StatusCode || string(body) != string(whole) || o.asked.Load() != 1 || resp.ContentLength != int64(len(whole)) {
					t.Errorf("%s, %q: %d %q of length %d after %d requests, want %d %q", name, header, resp.StatusCode, body, resp.ContentLength, o.asked.Load(), judge.StatusCode, whole)
				}
				for _, field := range []string{"Content-Range", "Content-Length", "Content-Type", "Etag", "Last-Modified", "Cache-Control"} {
					if got, want := resp.Header.Get(field), judge.Header.Get(field); got != want {
						t.Errorf("%s, %q: %s is %q, want %q", name, header, field, got, want)
					}
				}
				if got := resp.Header.Get("Age"); got != "5" {
					t.Errorf("Age is %s", got)
				}
				if _, facts, ok := cache.Of(resp); !ok || facts.From != cache.FromMemory {
					t.Errorf("Of: %+v, %v", facts, ok)
				}
			})
		}
	}
}

// Everything else about ranges is for the origin to judge, and the entry stays.
func TestOtherRangesPass(t *testing.T) {
	date := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		o      *content
		header []string
	}{
		"two ranges":              {&content{tag: `"1"`}, []string{"Range", "bytes=0-1,3-4"}},
		"another unit":            {&content{tag: `"1"`}, []string{"Range", "lines=0-1"}},
		"in capitals":             {&content{tag: `"1"`}, []string{"Range", "Bytes=0-0"}},
		"no range":                {&content{tag: `"1"`}, []string{"Range", "bytes=x-1"}},
		"a sign":                  {&content{tag: `"1"`}, []string{"Range", "bytes=+0-1"}},
		"a range that ends first": {&content{tag: `"1"`}, []string{"Range", "bytes=2-1"}},
		"beyond the end":          {&content{tag: `"1"`}, []string{"Range", "bytes=11-"}},
		"of the last nothing":     {&content{tag: `"1"`}, []string{"Range", "bytes=-0"}},
		"a number without end":    {&content{tag: `"1"`}, []string{"Range", "bytes=0-99999999999999999999"}},
		"another version":         {&content{tag: `"1"`}, []string{"Range", "bytes=0-1", "If-Range", `"2"`}},
		"a weak version":          {&content{tag: `"1"`}, []string{"Range", "bytes=0-1", "If-Range", `W/"1"`}},
		"another date":            {&content{changed: date}, []string{"Range", "bytes=0-1", "If-Range", date.Add(time.Hour).Format(http.TimeFormat)}},
		"a weak tag":              {&content{tag: `W/"1"`}, []string{"Range", "bytes=0-1"}},
		"a version without range": {&content{tag: `"1"`}, []string{"If-Range", `"1"`}},
		"with a condition":        {&content{tag: `"1"`}, []string{"Range", "bytes=0-1", "If-None-Match", `"2"`}},
		"a reload":                {&content{tag: `"1"`}, []string{"Range", "bytes=0-1", "Cache-Control", "no-cache"}},
		"other language":          {&content{tag: `"1"`, header: []string{"Vary", "Accept-Language"}}, []string{"Range", "bytes=0-1", "Accept-Language", "de"}},
		"another caller":          {&content{tag: `"1"`}, []string{"Range", "bytes=0-1", "Authorization", "bob"}},
		"another coding":          {&content{tag: `"1"`, header: []string{"Content-Encoding", "br"}}, []string{"Range", "bytes=0-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				row.o.text = "0123456789A"
				tr := newTransport(t, row.o, nil)
				first := newRequest(t.Context(), home)
				if strings.HasPrefix(name, "another coding") {
					first.Header.Set("Accept-Encoding", "br")
				}
				do(t, tr, first)
				resp, err := tr.RoundTrip(newRequest(t.Context(), home, row.header...))
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if n := row.o.asked.Load(); n != 2 || strings.Contains(resp.Header.Get("Cache-Status"), "hit") {
					t.Errorf("%d requests, %s", n, resp.Header.Get("Cache-Status"))
				}
				if hits := tr.Stats().Hits; hits != 0 {
					t.Errorf("%d hits are counted", hits)
				}
				do(t, tr, first)
				if n := row.o.asked.Load(); n != 2 {
					t.Errorf("afterwards the entry is asked for: %d requests", n)
				}
			})
		})
	}
}

// Ranges are of the bytes that the origin sends, not of those that net/http has decoded, also in a store
// that keeps no more than the exported fields of an entry.
func TestARangeOfDecodedContentPasses(t *testing.T) {
	for _, restored := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			var store cache.Store = newMemory(t)
			if restored {
				store = newSerialised()
			}
			tr := newTransportOver(t, store, roundTrip(func(*http.Request) (*http.Response, error) {
				asked++
				resp := response(200, "decoded", "Cache-Control", "max-age=60", "Etag", `"coded"`)
				resp.Uncompressed, resp.ContentLength = true, -1
				return resp, nil
			}), nil)
			get(t, tr, home)
			get(t, tr, home)
			get(t, tr, home, "Range", "bytes=0-1")
			if asked != 2 {
				t.Errorf("restored %v: %d requests", restored, asked)
			}
		})
	}
}

// An empty body has no range, and a HEAD has none.
func TestNoRangeOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &content{tag: `"1"`}
		tr := newTransport(t, o, nil)
		get(t, tr, home)
		get(t, tr, home, "Range", "bytes=0-")
		head := newRequest(t.Context(), home, "Range", "bytes=0-0")
		head.Method = http.MethodHead
		do(t, tr, head)
		if n := o.asked.Load(); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
}
