package inspect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// stream is the events of a page that listens.
type stream struct {
	*testing.T
	lines *bufio.Scanner
	id    int // of the last event
}

// listen opens the stream of a page that has seen an event; "" is the first time.
func listen(t *testing.T, address, last string) *stream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := noRedirects.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("%s, %s", resp.Status, got)
	}
	s := &stream{T: t, lines: bufio.NewScanner(resp.Body)}
	if got := s.block(); got != "retry: 500" {
		t.Errorf("the stream begins with %q", got)
	}
	return s
}

// block reads the lines up to an empty one.
func (s *stream) block() string {
	s.Helper()
	var lines []string
	for s.lines.Scan() {
		if s.lines.Text() == "" {
			return strings.Join(lines, "\n")
		}
		lines = append(lines, s.lines.Text())
	}
	s.Fatalf("the stream ended after %q: %v", lines, s.lines.Err())
	return ""
}

// picture reads the two events of one picture.
func (s *stream) picture() (state State, parts []Part) {
	s.Helper()
	for _, event := range []struct {
		name string
		into any
	}{{"parts", &parts}, {"state", &state}} {
		head, data, _ := strings.Cut(s.block(), "\ndata: ")
		id, name, _ := strings.Cut(strings.TrimPrefix(head, "id: "), "\nevent: ")
		var err error
		if s.id, err = strconv.Atoi(id); err != nil || name != event.name {
			s.Fatalf("%q, want the event %q", head, event.name)
		}
		if err := json.Unmarshal([]byte(data), event.into); err != nil {
			s.Fatalf("%s: %v", data, err)
		}
	}
	return state, parts
}

// A page gets a picture of the state and the parts at once and with each change, and goes
// on behind the last event that it has seen.
func TestEvents(t *testing.T) {
	address, _ := serve(t)
	page := listen(t, address, "")
	if _, parts := page.picture(); page.id != 0 || len(parts) != 0 {
		t.Errorf("before the first question: event %d, %d parts", page.id, len(parts))
	}
	if resp, _ := send(t, http.MethodPost, address+"ask", "application/json", `{}`); resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	seen := map[int]bool{}
	for whole := false; !whole; {
		before := page.id
		_, parts := page.picture()
		if page.id < before {
			t.Errorf("event %d came after %d", page.id, before)
		}
		for _, p := range parts {
			seen[p.ID] = true
			whole = whole || p.Within == 0 && p.EndMs != nil
		}
	}
	for last, want := range map[string]int{"": len(seen), "garbage": len(seen), "-7": len(seen), "0": len(seen), fmt.Sprint(page.id): 0, "999999": 0} {
		if _, parts := listen(t, address, last).picture(); len(parts) != want {
			t.Errorf("behind event %q: %d parts, want %d", last, len(parts), want)
		}
	}
}

// The number of running works is bounded: if there are too many, kept ones are dropped, and no
// later work has their names.
func TestWorks(t *testing.T) {
	var w works
	if name := w.keep(nil); name != "" {
		t.Errorf("no work has the name %q", name)
	}
	names := map[string]*call.Handle{}
	for range maxWorks {
		h := &call.Handle{}
		names[w.keep(h)] = h
	}
	for name, h := range names {
		if got, err := w.take(name); got != h || err != nil {
			t.Errorf("the work %s is %v, %v", name, got, err)
		}
	}
	late := w.keep(&call.Handle{})
	if _, err := w.take(late); err != nil || names[late] != nil || len(names) != maxWorks || len(w.list) != 1 {
		t.Errorf("the work after %d others is %q, %v; %d are kept", len(names), late, err, len(w.list))
	}
	for _, name := range []string{"1", "", "none"} {
		if _, err := w.take(name); !errors.Is(err, errNoWork) {
			t.Errorf("the work %q: %v", name, err)
		}
	}
}
