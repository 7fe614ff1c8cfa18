package cache_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// A fresh entry answers the conditions of a caller (RFC 9111 §4.3.2): with 304, or
// as a whole.
func TestAFreshEntryAnswersTheConditionsOfACaller(t *testing.T) {
	const changed, before, later = "Mon, 23 Nov 2026 10:00:00 GMT", "Mon, 23 Nov 2026 09:59:59 GMT", "Mon, 23 Nov 2026 11:00:00 GMT"
	for name, row := range map[string]struct {
		status int
		stored []string
		asked  []string
		want   int
	}{
		"the tag":                      {200, []string{"Etag", `"a"`}, []string{"If-None-Match", `"a"`}, 304},
		"the tag, weak":                {200, []string{"Etag", `"a"`}, []string{"If-None-Match", `W/"a"`}, 304},
		"one of several":               {200, []string{"Etag", `W/"a,b"`}, []string{"If-None-Match", `"x", W/"a,b"`}, 304},
		"one of several lines":         {200, []string{"Etag", `"a"`}, []string{"If-None-Match", `"x"`, "If-None-Match", `"a"`}, 304},
		"any":                          {200, nil, []string{"If-None-Match", "*"}, 304},
		"another tag":                  {200, []string{"Etag", `"a"`}, []string{"If-None-Match", `"b"`}, 200},
		"no tag":                       {200, []string{"Etag", `"a"`}, []string{"If-None-Match", "a"}, 200},
		"an open quote":                {200, []string{"Etag", `"a"`}, []string{"If-None-Match", `"a`}, 200},
		"nothing stored":               {200, nil, []string{"If-None-Match", `"a"`}, 200},
		"the date":                     {200, []string{"Last-Modified", changed}, []string{"If-Modified-Since", changed}, 304},
		"a later date":                 {200, []string{"Last-Modified", changed}, []string{"If-Modified-Since", later}, 304},
		"an earlier date":              {200, []string{"Last-Modified", changed}, []string{"If-Modified-Since", before}, 200},
		"no date":                      {200, []string{"Last-Modified", changed}, []string{"If-Modified-Since", "soon"}, 200},
		"Date in place of the date":    {200, []string{"Date", changed}, []string{"If-Modified-Since", changed}, 304},
		"Date, but an earlier date":    {200, []string{"Date", changed}, []string{"If-Modified-Since", before}, 200},
		"the tag goes before the date": {200, []string{"Etag", `"a"`, "Last-Modified", changed}, []string{"If-None-Match", `"b"`, "If-Modified-Since", changed}, 200},
		"of another status":            {404, []string{"Etag", `"a"`}, []string{"If-None-Match", `"a"`}, 404},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			t.Run(name+" "+method, func(t *testing.T) {
				o := always(row.status, "x", append([]string{"Cache-Control", "max-age=999999999", "Content-Type", "text/plain"}, row.stored...)...)
				tr := newTransport(t, o, &cache.Options{Strict: true})
				get(t, tr, home)
				req := newRequest(t.Context(), home, row.asked...)
				req.Method = method
				resp, err := tr.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				text, err := io.ReadAll(resp.Body)
				whole := row.want != 304 && method == http.MethodGet
				if resp.StatusCode != row.want || (string(text) == "x") != whole || err != nil {
					t.Errorf("%d %q, %v", resp.StatusCode, text, err)
				}
				if typed := resp.Header.Get("Content-Type") != ""; typed != (row.want != 304) || resp.Header.Get("Etag") != tagOf(row.stored) {
					t.Errorf("header %v", resp.Header)
				}
				wantCount(t, "in all", o, 1)
			})
		}
	}
}

func tagOf(stored []string) string {
	if i := slices.Index(stored, "Etag"); i >= 0 {
		return stored[i+1]
	}
	return ""
}

// Without a fresh entry the origin judges: its answer passes, and is not stored.
func TestConditionsPassWithoutAFreshEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(say(200, "x", "Cache-Control", "max-age=60", "Etag", `"a"`), say(304, ""), say(200, ""), say(200, "y"))
		tr := newTransport(t, o, nil)
		get(t, tr, home)
		time.Sleep(61 * time.Second)
		if got := get(t, tr, home, "If-None-Match", `"b"`); got != (result{Status: 304}) || o.last().Header.Get("If-None-Match") != `"b"` {
			t.Errorf("a condition: %+v, asked with %v", got, o.last().Header)
		}
		head := newRequest(t.Context(), home)
		head.Method = http.MethodHead
		if got := do(t, tr, head); got != (result{Status: 200}) {
			t.Errorf("HEAD: %+v", got)
		}
		if got := get(t, tr, home, "If-None-Match", `"b"`, "Cache-Control", "only-if-cached"); got != (result{Status: 504}) {
			t.Errorf("only-if-cached: %+v", got)
		}
		if got := get(t, tr, home, "If-None-Match", `"a"`, "Cache-Control", "no-cache"); got.From != "" {
			t.Errorf("a reload: %+v", got)
		}
		wantCount(t, "in all", o, 4)
	})
}

// Two parts of an answer, and conditions that only the origin can judge, are asked for even if
// a fresh entry is stored. The entry stays, and the part is not stored.
func TestARangePassesAFreshEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := func(req *http.Request) (*http.Response, error) {
			switch {
			case req.Header.Get("Range") != "":
				return response(206, "wh", "Cache-Control", "max-age=60", "Content-Range", "bytes 0-1/5", "Etag", `"1"`), nil
			case req.Header.Get("If-Match")+req.Header.Get("If-Unmodified-Since") != "":
				return response(412, "no", "Cache-Control", "max-age=60"), nil
			}
			return response(200, "whole", "Cache-Control", "max-age=60", "Etag", `"1"`), nil
		}
		tr := newTransport(t, roundTrip(o), nil)
		get(t, tr, home)
		for _, row := range []struct {
			asked  []string
			status int
			body   string
		}{
			{[]string{"Range", "bytes=0-1, 3-4"}, 206, "wh"},
			{[]string{"Range", "bytes=0-1", "If-Range", `"2"`}, 206, "wh"},
			{[]string{"If-Match", `"2"`}, 412, "no"},
			{[]string{"If-Unmodified-Since", "Mon, 23 Nov 2026 10:00:00 GMT"}, 412, "no"},
		} {
			want(t, row.asked[0], get(t, tr, home, row.asked...), result{row.status, row.body, "", ""})
			want(t, "the whole after "+row.asked[0], get(t, tr, home), result{200, "whole", cache.FromMemory, ""})
		}
	})
}

// HEAD has the header of a stored GET, and the length of its content (RFC 9110
// §9.3.2).
func TestHeadIsAnsweredFromAStoredGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, always(200, "content", "Cache-Control", "max-age=60", "X-A", "1"), nil)
		get(t, tr, home)
		for range 2 {
			req := newRequest(t.Context(), home)
			req.Method = http.MethodHead
			resp, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			if len(text) > 0 || err != nil || resp.ContentLength != 7 || resp.Header.Get("X-A") != "1" || resp.Header.Get("Cache-Status") != "wayfind; hit; ttl=60" {
				t.Errorf("%q, %v, %d bytes, %v", text, err, resp.ContentLength, resp.Header)
			}
		}
		want(t, "GET", get(t, tr, home), result{200, "content", cache.FromMemory, ""})
	})
}

// The hook gets each answer of a Transport, and each failure.
func TestAnsweredIsToldOfEachAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		var told []string
		o := script(say(200, "x", "Cache-Control", "max-age=60"), say(200, "posted"), fail(down))
		tr := newTransport(t, o, &cache.Options{Answered: func(req *http.Request, resp *http.Response, err error) {
			if err != nil {
				told = append(told, req.Method+" "+err.Error())
				return
			}
			_, facts, _ := cache.Of(resp)
			told = append(told, req.Method+" "+resp.Status+facts.From+" "+resp.Header.Get("Cache-Status"))
		}})
		get(t, tr, home)
		get(t, tr, home)
		post(t.Context(), t, tr)
		if _, err := tr.RoundTrip(newRequest(t.Context(), home)); !errors.Is(err, down) {
			t.Errorf("down: %v", err)
		}
		wanted := []string{
			"GET network wayfind; fwd=uri-miss; ttl=60; stored", "GET 200 OKmemory wayfind; hit; ttl=60", "POST  wayfind; fwd=method", "GET down",
		}
		if diff := cmp.Diff(wanted, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}
