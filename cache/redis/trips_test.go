package redis_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// aging answers with the Cache-Control of the query, and with 304 to a condition.
type aging struct{}

func (aging) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := &http.Response{
		StatusCode: http.StatusOK, Request: req, Body: http.NoBody,
		Header: http.Header{"Cache-Control": {req.URL.Query().Get("cc")}, "Etag": {`"1"`}},
	}
	if req.Header["If-None-Match"] != nil {
		resp.StatusCode = http.StatusNotModified
	} else if req.Method != http.MethodHead {
		resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader("text")), 4
	}
	return resp, nil
}

// The commands of a Transport over Redis alone. A look-up is one round trip of three commands, the
// first at an origin one more of two; a write is one. No command is a script.
func TestCommandsOfATransport(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, server.URL(), func(o *redis.Options) { o.Budget = patience })
	now := time.Now() // it stands still: a call reads again after a second
	tr := cache.NewTransport(s, aging{}, &cache.Options{Now: func() time.Time { return now }})
	defer tr.Close()
	do := func(method, path string, header ...string) func() error {
		return func() error {
			req, err := http.NewRequestWithContext(t.Context(), method, "http://a.example"+path, nil)
			if err != nil {
				return err
			}
			for i := 0; i < len(header); i += 2 {
				req.Header.Set(header[i], header[i+1])
			}
			resp, err := tr.RoundTrip(req)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, resp.Body)
			return errors.Join(err, resp.Body.Close())
		}
	}
	u := func(path string) cache.Scope {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if path == "" {
			return cache.OfOrigin(req.URL)
		}
		return cache.OfURL(req.URL)
	}
	const look, count = "getrange hget hmget", "hget hmget"
	for _, step := range []struct {
		name  string
		do    func() error
		trips []string // the commands of each round trip
	}{
		{"first at the origin", do("GET", "/1?cc=max-age=60"), []string{look, "hsetnx hsetnx pexpire pexpire", "set"}},
		{"miss", do("GET", "/2?cc=max-age=60"), []string{look, "set"}},
		{"hit", do("GET", "/2?cc=max-age=60"), []string{look}},
		{"miss of what is stale at once", do("GET", "/3?cc=max-age=0"), []string{look, "set"}},
		{"304", do("GET", "/3?cc=max-age=0"), []string{look, "set"}},
		{"no-store", do("GET", "/4?cc=no-store"), []string{look}},
		{"no-store again", do("GET", "/4?cc=no-store"), []string{look}},
		{"no-store, by the request", do("GET", "/5?cc=max-age=60", "Cache-Control", "no-store"), []string{look}},
		{"credentials", do("GET", "/6?cc=max-age=60", "Authorization", "Bearer 1"), []string{count}},
		{"credentials again", do("GET", "/6?cc=max-age=60", "Authorization", "Bearer 1"), []string{count}},
		{"HEAD", do("HEAD", "/2?cc=max-age=60"), []string{look}},
		{"POST", do("POST", "/2?cc=max-age=60"), []string{"exists hlen hset pexpire unlink"}},
		{"after the POST", do("GET", "/2?cc=max-age=60"), []string{look, "set"}},
		{"purge of a URL", func() error { return tr.Purge(t.Context(), u("/2?cc=max-age=60")) }, []string{"exists hlen hset pexpire unlink"}},
		{"purge of an origin", func() error { return tr.Purge(t.Context(), u("")) }, []string{"unlink"}},
	} {
		server.ResetCommands()
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		want := map[string]int{}
		for _, trip := range step.trips {
			for command := range strings.FieldsSeq(trip) {
				want[command]++
			}
		}
		got := map[string]int{}
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			got = server.Commands() // a write may end after its answer
			maps.DeleteFunc(got, func(name string, _ int) bool {
				return slices.Contains([]string{"config|resetstat", "info", "ping", "hello", "scan"}, name)
			})
			if len(got) >= len(want) {
				break
			}
		}
		if step.name == "purge of an origin" { // the sweep of its values is in the background
			delete(got, "getrange")
			got["unlink"] = min(got["unlink"], 1)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", step.name, got, want)
		}
	}
}
