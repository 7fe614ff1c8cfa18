package client_test

import (
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
)

// A call costs at most as many requests and round trips as docs/PERFORMANCE.md says, and the next call
// none.
func TestRequestsOnTheOrdinaryWeb(t *testing.T) {
	html := http.Header{"Content-Type": {"text/html"}}
	absent := clienttest.Page{Status: 404, Header: html, Body: "<h1>Not found</h1>"}
	denied := clienttest.Page{Status: 403, Header: http.Header{"Content-Type": {"application/xml"}}, Body: "<Error><Code>AccessDenied</Code></Error>"}
	home, card := clienttest.Page{Body: "<!doctype html><h1>Lanterns</h1>"}, page(agentCard("shop.example", "find"), "Cache-Control", "max-age=3600")
	wall := func(status int, name, value string) http.Handler {
		return clienttest.Page{Status: status, Header: http.Header{"Content-Type": {"text/html"}, name: {value}}, Body: "<title>One moment</title>"}
	}
	tenth := clienttest.Sequence(absent, append(slices.Repeat([]http.Handler{absent}, 8), clienttest.Page{Status: 429, Body: "too many requests"})...)
	const stopped, store, streams = "a wall before everything", "an object store that answers 403 to all that is absent", "a server of five streams, with all fallbacks"
	for _, row := range []struct {
		name, page string // of the row, and of the row of the page
		site       http.Handler
		streams    int    // at a time; 0: no limit
		got        string // the kind of the error, "" if the document is found
	}{
		{"nothing published", "the same, with all fallbacks", absent, 0, "nothing"},
		{"a document", "the same, with a document", at(a2a.Path, card, absent), 0, ""},
		{"403", stopped, wall(403, "Cf-Mitigated", "challenge"), 0, "blocked"},
		{"202", stopped, wall(202, "Sg-Captcha", "challenge"), 0, "blocked"},
		{"405", stopped, wall(405, "X-Amzn-Waf-Action", "captcha"), 0, "blocked"},
		{"429", stopped, wall(429, "X-Vercel-Mitigated", "challenge"), 0, "blocked"},
		{"a store", store, at("/", home, denied), 0, "nothing"},
		{"a store and a document", store, at("/", home, at(a2a.Path, card, denied)), 0, ""},
		{"five streams", streams, absent, 5, "nothing"},
		{"five streams and a document", streams + " and a document", at(a2a.Path, card, absent), 5, ""},
		{"429 on the tenth", "a site that answers 429 from the tenth request on", tenth, 0, "throttled"},
	} {
		t.Run(row.name, func(t *testing.T) {
			trips, requests := performance(t, row.page)
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Latency(rtt)
				log := &requestLog{Handler: row.site}
				host := internet.Host("shop.example", log)
				if row.streams > 0 {
					host.Raw(func(conn net.Conn) { serveStreams(conn, log, row.streams) })
				}
				c := newClient(t, internet, byDefault)
				start := time.Now()
				_, err := c.Resolve(t.Context(), "shop.example")
				got := ""
				if err != nil {
					got = kindName(err)
				}
				took := time.Since(start).Seconds() / rtt.Seconds()
				if n := len(log.take()); got != row.got || n > requests || took > trips {
					t.Errorf("%q, %d requests, %.2f round trips, want %q, at most %d and %.2f: %v", got, n, took, row.got, requests, trips, err)
				}
				_, _ = c.Resolve(t.Context(), "shop.example") // its requests are the result
				if again := log.take(); len(again) > 0 {
					t.Errorf("the second call asks for %v", again)
				}
			})
		})
	}
}

// performance returns the round trips, if they have a number, and the requests of a row of
// docs/PERFORMANCE.md.
func performance(t *testing.T, row string) (trips float64, requests int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "PERFORMANCE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(text), "\n| "+row+" | ")
	cells := strings.Split(line, " | ")
	if len(cells) < 3 {
		t.Fatalf("docs/PERFORMANCE.md has no row %q", row)
	}
	requests, err = strconv.Atoi(regexp.MustCompile(`\d+`).FindString(cells[2]))
	if err != nil {
		t.Fatal(err)
	}
	if trips, err = strconv.ParseFloat(cells[0], 64); err != nil {
		trips = math.Inf(1)
	}
	return trips, requests
}

// at is a site with one page beside others.
func at(path string, page, others http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path {
			page.ServeHTTP(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

// requestLog keeps the paths of a site's requests, over raw connections as well.
type requestLog struct {
	http.Handler
	mu    sync.Mutex
	paths []string
}

func (l *requestLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.paths = append(l.paths, r.URL.Path)
	l.mu.Unlock()
	l.Handler.ServeHTTP(w, r)
}

func (l *requestLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	paths := l.paths
	l.paths = nil
	return paths
}
