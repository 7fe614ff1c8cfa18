package client_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// toyOf is a toy document of a size.
func toyOf(size int) string { return `{"toy": ["a"], "filler": "` + strings.Repeat("x", size) + `"}` }

// dripping sends a part of a document each second, and never all of it.
func dripping(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		_, _ = io.WriteString(w, `{"toy": ["b"], "more": "`)
		_ = http.NewResponseController(w).Flush()
		time.Sleep(time.Second)
	}
}

// crowdedOut lets a site with documents drip the last of them while another waits for the memory.
// It returns the result of the call for it, and the result of the next call once the document
// arrives.
func crowdedOut(t *testing.T, internet *clienttest.Internet, documents clienttest.Pages) (site, again *wayfind.Site, err error) {
	t.Helper()
	slow := internet.Host("slow.example", documents).Handle("/c", http.HandlerFunc(dripping))
	internet.Host("large.example", clienttest.Pages{"/a": toyOf(200 << 10), "/b": toyOf(200 << 10)})
	c := limited(t, internet, client.Limits{Parsers: 1, Bytes: 800 << 10},
		withFormats(toy("toy", parse.Location{Path: "/a"}, parse.Location{Path: "/b"}, parse.Location{Path: "/c"})))
	var calls sync.WaitGroup
	calls.Go(func() { site, err = c.Resolve(t.Context(), "slow.example") })
	time.Sleep(time.Second)
	calls.Go(func() {
		began := time.Now()
		site, err := c.Resolve(t.Context(), "large.example")
		if err != nil || len(site.Services) == 0 || time.Since(began) > 10*time.Second {
			t.Errorf("the one that waits: %v after %v", err, time.Since(began))
		}
	})
	calls.Wait()
	slow.Handle("/c", page(toyOf(1)))
	again, failure := c.Resolve(t.Context(), "slow.example")
	if got := reasons(again); failure != nil || got["/c"] != "found " {
		t.Errorf("asked again: %v, %v", got, failure)
	}
	return site, again, err
}

// reasons returns the reasons of a Site's probes, by path.
func reasons(site *wayfind.Site) map[string]string {
	found := map[string]string{}
	for _, p := range site.Probes {
		found[strings.TrimPrefix(p.URL, site.Origin)] = string(p.Verdict) + " " + p.Reason
	}
	return found
}

// A call that holds much for a site that takes long gives its findings so far once others
// wait. They are marked, and the next call asks for the rest.
func TestACallInTheWayGivesItsFindingsSoFar(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		site, again, err := crowdedOut(t, internet, clienttest.Pages{"/a": toyOf(200 << 10)})
		if err != nil || len(site.Services) != 1 || len(again.Services) != 2 {
			t.Fatalf("%v, %d services, then %d", err, len(site.Services), len(again.Services))
		}
		if got := reasons(site); got["/a"] != "found " || got["/c"] != "skipped crowded" {
			t.Errorf("%v", got)
		}
		if !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "site.incomplete" }) {
			t.Errorf("%v", site.Diagnostics)
		}
	})
}

// A call that has found nothing when it must end says which places are missing.
func TestACallInTheWayThatFoundNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		site, again, err := crowdedOut(t, internet, clienttest.Pages{"/a": `{"x": "` + strings.Repeat("x", 200<<10) + `"}`})
		if !errors.Is(err, wayfind.ErrNotFound) || site.Incomplete == nil || site.Incomplete.Missing[0].Reason != string(wayfind.CodeCrowded) {
			t.Errorf("%v, incomplete: %v", err, site.Incomplete)
		}
		if got := reasons(site)["/c"]; got != "skipped crowded" {
			t.Errorf("%v", got)
		}
		if len(again.Services) == 0 {
			t.Error("nothing was found then either")
		}
	})
}

// In a sweep of ordinary sites no call is ended for another.
func TestNoOrdinarySiteOfASweepIsCut(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(150 * time.Millisecond)
		pages := clienttest.Pages{"/a": toyOf(20 << 10), "/b": toyOf(120 << 10)}
		large := clienttest.Pages{"/a": toyOf(20 << 10), "/b": toyOf(250 << 10), "/c": toyOf(250 << 10)}
		var names []string
		for i := range testkit.Crowd(500) {
			names = append(names, fmt.Sprintf("shop%d.example", i))
			if i%10 == 0 {
				internet.Host(names[i], large)
			} else {
				internet.Host(names[i], pages)
			}
		}
		c := limited(t, internet, client.Limits{}, withFormats(toy("toy", parse.Location{Path: "/a"}, parse.Location{Path: "/b"}, parse.Location{Path: "/c"})))
		found := 0
		for site, err := range c.ResolveAll(t.Context(), slices.Values(names), &client.BatchOptions{InFlight: testkit.Crowd(200)}) {
			if err != nil || len(site.Services) < 2 || slices.Contains(slices.Collect(maps.Values(reasons(site))), "skipped crowded") {
				t.Errorf("%s: %v, %v", site.Origin, err, reasons(site))
			}
			found++
		}
		if found != len(names) {
			t.Errorf("%d of %d", found, len(names))
		}
	})
}

// Beside sites that drip, which all hold as much as they get, a site answers as quickly as
// alone.
func TestASiteIsNotSlowedByDrippingSites(t *testing.T) {
	for _, many := range []int{4, 8, 64, 200} {
		if many > testkit.Crowd(many) {
			continue
		}
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Latency(50 * time.Millisecond)
			large := toyOf(200 << 10)
			var locations []parse.Location
			documents := clienttest.Pages{}
			for i := range 6 {
				path := fmt.Sprint("/", i)
				locations, documents[path] = append(locations, parse.Location{Path: path}), large
			}
			locations = append(locations, parse.Location{Path: "/c"})
			c := newClient(t, internet, withFormats(toy("toy", locations...)))
			internet.Host("alone.example", clienttest.Pages{"/0": toyOf(1000)})
			internet.Host("beside.example", clienttest.Pages{"/0": toyOf(1000)})
			began := time.Now()
			if _, err := c.Resolve(t.Context(), "alone.example"); err != nil {
				t.Fatal(err)
			}
			alone := time.Since(began)
			var calls sync.WaitGroup
			for i := range many {
				name := fmt.Sprintf("drip%d.example", i)
				internet.Host(name, documents).Handle("/c", http.HandlerFunc(dripping))
				calls.Go(func() { _, _ = c.Resolve(t.Context(), name) })
			}
			time.Sleep(time.Second)
			began = time.Now()
			site, err := c.Resolve(t.Context(), "beside.example")
			if took := time.Since(began); err != nil || len(site.Services) != 1 || took > 2*alone+500*time.Millisecond {
				t.Errorf("beside %d: %v after %v, alone after %v", many, err, took, alone)
			}
			_ = c.Close()
			calls.Wait()
		})
	}
}
