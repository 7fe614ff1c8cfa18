package tokens

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzCallback tests the page that a browser comes back to with any request: it passes on at
// most one answer, and a code only with its state, from its issuer, once.
func FuzzCallback(f *testing.F) {
	const host, state, issuer = "127.0.0.1:4711", "STATE", "https://login.example.com"
	good := "state=STATE&code=c&iss=https%3A%2F%2Flogin.example.com"
	for _, seed := range []string{good, "state=STATE&error=access_denied&iss=https%3A%2F%2Flogin.example.com", "state=STATE&code=c", "state=guess&code=c", "state=STATE&state=STATE&code=c",
		"state=STATE&code=c&code=d&iss=https%3A%2F%2Flogin.example.com", good + "&iss=https%3A%2F%2Fthief.example.net", "state=STATE&code=&iss=", "%zz", "state=STATE;code=c", ""} {
		f.Add(http.MethodGet, host, "/callback", seed, true)
		f.Add(http.MethodGet, host, "/callback", seed, false)
	}
	f.Add(http.MethodPost, host, "/callback", good, true)
	f.Add(http.MethodGet, "localhost:4711", "/callback", good, true)
	f.Add(http.MethodGet, host, "/callback/", good, true)
	f.Fuzz(func(t *testing.T, method, at, path, query string, sends bool) {
		b := &callback{host: host, state: state, server: &server{issuer: issuer, sendsIssuer: sends}, done: make(chan returned, 1)}
		for range 2 {
			w := httptest.NewRecorder()
			b.ServeHTTP(w, &http.Request{Method: method, Host: at, URL: &url.URL{Path: path, RawQuery: query}, Header: http.Header{}})
			if ok := w.Code == http.StatusOK; !ok && w.Code != http.StatusBadRequest || strings.Contains(w.Body.String(), "<") {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		select {
		case got := <-b.done:
			q, _ := url.ParseQuery(query)
			if method != http.MethodGet || at != host || path != "/callback" || q.Get("state") != state || len(q["state"]) != 1 {
				t.Fatalf("an answer that is not of the browser counts: %s %s%s?%s", method, at, path, query)
			}
			iss, named := q["iss"]
			if got.err == nil && (got.code == "" || got.code != q.Get("code") || len(q["code"]) != 1 || q.Get("error") != "" || named && (len(iss) != 1 || iss[0] != issuer) || sends && !named) {
				t.Fatalf("a code of another counts: %s", query)
			}
		default:
		}
		if len(b.done) != 0 {
			t.Fatal("two answers count")
		}
	})
}
