package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
)

// describeIn resolves shop.example and describes a key of it.
func describeIn(t *testing.T, internet *clienttest.Internet, key string) (*wayfind.Detail, error) {
	t.Helper()
	c := newClient(t, internet)
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	internet.Watch(site)
	return c.Describe(t.Context(), site, key)
}

func TestDescribe(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/send"), "/d/send": detail("send", "/api/send")})
		d, err := describeIn(t, internet, "adp:send")
		if err != nil {
			t.Fatal(err)
		}
		want := &wayfind.Invocation{Protocol: "http", Method: "POST", URL: "https://shop.example/api/send"}
		if diff := cmp.Diff(want, d.Capability.Invocation); diff != "" {
			t.Errorf("invocation (-want +got):\n%s", diff)
		}
		if d.Capability.Key != "adp:send" || d.Capability.Lazy || d.Capability.Check() != nil || d.Capability.Trust != wayfind.TrustSameOrigin {
			t.Errorf("capability %+v", d.Capability)
		}
		if d.Source == nil || d.Source.URL != "https://shop.example/d/send" || d.Source.Authority != wayfind.AuthorityLinked {
			t.Errorf("source %+v", d.Source)
		}
		if got := len(d.Capability.Sources); got != 2 {
			t.Errorf("%d sources, want the manifest and the detail document", got)
		}
		if !slices.Equal(host.Paths(), []string{wellKnown, "/d/send"}) {
			t.Errorf("asked for %v", host.Paths())
		}
	})
}

// base_url with a path: joined as a string first, by RFC 3986 after a 404.
func TestDescribeRetriesOn404(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example/v1", "/d/send"), "/d/send": detail("send", "/api")})
		d, err := describeIn(t, internet, "adp:send")
		if err != nil || d.Source.URL != "https://shop.example/d/send" {
			t.Errorf("%v, %+v", err, d)
		}
		if !slices.Equal(host.Paths(), []string{wellKnown, "/v1/d/send", "/d/send"}) {
			t.Errorf("asked for %v", host.Paths())
		}
	})
}

func TestDescribeFailures(t *testing.T) {
	rows := []struct {
		name string
		page http.Handler
		kind error
		code wayfind.Code
	}{
		{"absent", clienttest.Page{Status: 404}, wayfind.ErrNotFound, "absent"},
		{"a web page", clienttest.Page{Body: "<html>"}, wayfind.ErrNotFound, wayfind.CodeHTML},
		{"broken JSON", clienttest.Page{Body: `{"name": `}, wayfind.ErrInvalid, wayfind.CodeJSONSyntax},
		{"another document", clienttest.Page{Body: `{"x": 1}`}, wayfind.ErrInvalid, wayfind.CodeSchema},
		{"a manifest", clienttest.Page{Body: manifest("shop.example", "/d/send")}, wayfind.ErrInvalid, wayfind.CodeSchema},
		{"a manifest that reads like a detail", clienttest.Page{Body: `{"endpoint": "/api", "method": "POST", "parameters": [],` +
			strings.Replace(manifest("shop.example", "/d/send")[1:], `"Service"`, `"send"`, 1)}, wayfind.ErrInvalid, wayfind.CodeSchema},
		{"protected", clienttest.Page{Status: 401}, wayfind.ErrBlocked, ""},
		{"throttled", clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"60"}}}, wayfind.ErrThrottled, ""},
		{"down", clienttest.Page{Status: 500}, wayfind.ErrUnreachable, "server_error"},
		{"to http", clienttest.Redirect(302, "http://shop.example:8080/x"), wayfind.ErrRefused, wayfind.CodeRedirectDowngrade},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/send")})
				host.Handle("/d/send", r.page)
				d, err := describeIn(t, internet, "adp:send")
				var e *wayfind.Error
				if !errors.Is(err, r.kind) || !errors.As(err, &e) || e.Code != r.code {
					t.Errorf("%v, want %v (%s)", err, r.kind, r.code)
				}
				if d == nil || d.Capability == nil || !d.Capability.Lazy {
					t.Errorf("beside the error stands what the Site says: %+v", d)
				}
				if errors.Is(r.kind, wayfind.ErrThrottled) && e.NotBefore.IsZero() {
					t.Error("throttled, but not until when")
				}
			})
		})
	}
}

func TestDescribeKeys(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/send")})
		c := newClient(t, internet)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if d, err := c.Describe(t.Context(), site, "adp"); err != nil || d.Service.Name != "Service" || d.Capability != nil {
			t.Errorf("a service: %v, %+v", err, d)
		}
		for _, key := range []string{"send", "adp:other", ""} {
			var e *wayfind.Error
			if d, err := c.Describe(t.Context(), site, key); !errors.As(err, &e) || e.Code != wayfind.CodeUnknownKey || d != nil {
				t.Errorf("%q: %v, %v", key, err, d)
			}
		}
		if _, err := c.Describe(t.Context(), nil, "adp:send"); !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("no Site: %v", err)
		}
	})
}

// A Site that went through JSON still works, in another Client as well.
func TestDescribeAfterRoundTrip(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/send"), "/d/send": detail("send", "/api")})
		site, err := newClient(t, internet).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(site)
		if err != nil {
			t.Fatal(err)
		}
		var again wayfind.Site
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if text2, err := json.Marshal(&again); err != nil || string(text2) != string(text) {
			t.Errorf("a round trip changes the Site (%v):\n%s\n%s", err, text, text2)
		}
		d, err := newClient(t, internet).Describe(t.Context(), &again, "adp:send")
		if err != nil || d.Capability.Invocation == nil {
			t.Errorf("Describe: %v, %+v", err, d)
		}
	})
}

func TestProbe(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/quick": `{"quick": ["a"]}`})
		host.Handle("/slow", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(3 * time.Second)
			fmt.Fprint(w, `{"slow": ["b"]}`)
		}))
		c := newClient(t, internet, withFormats(toy("slow", parse.Location{Path: "/slow"}), toy("quick", parse.Location{Path: "/quick"})))
		var got []string
		start := time.Now()
		for f, err := range c.Probe(t.Context(), "shop.example") {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %s %s", f.Source.Format, f.Capabilities[0].Key, time.Since(start).Round(time.Second)))
		}
		if d := cmp.Diff([]string{"quick quick:a 0s", "slow slow:b 3s"}, got); d != "" {
			t.Errorf("findings in the order of arrival (-want +got):\n%s", d)
		}
	})
}

// Breaking a Probe leaves the flight; a Resolve that shares it goes on.
func TestProbeJoinsAndLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(time.Second)
		host := internet.Host("shop.example", clienttest.Pages{"/one": `{"one": ["a"]}`, "/two": `{"two": ["b"]}`})
		c := newClient(t, internet, withFormats(toy("one", parse.Location{Path: "/one"}), toy("two", parse.Location{Path: "/two"})))
		done := make(chan error)
		go func() {
			site, err := c.Resolve(t.Context(), "shop.example")
			if err == nil && len(site.Services) != 2 {
				err = fmt.Errorf("%d services", len(site.Services))
			}
			done <- err
		}()
		n := 0
		for _, err := range c.Probe(t.Context(), "shop.example") {
			if err != nil {
				t.Error(err)
			}
			n++
			break
		}
		if err := <-done; err != nil || n != 1 {
			t.Errorf("Resolve: %v; %d findings before the break", err, n)
		}
		if len(host.Paths()) != 2 {
			t.Errorf("asked for %v: one set of requests", host.Paths())
		}
		for _, err := range c.Probe(t.Context(), "not a domain") {
			if !errors.Is(err, wayfind.ErrInvalid) {
				t.Errorf("nonsense: %v", err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for f, err := range c.Probe(ctx, "other.example") {
			if f == nil && !errors.Is(err, context.Canceled) {
				t.Errorf("a call that was over: %v", err)
			}
		}
	})
}

// When the last caller leaves, no new request is written, but requests that were written may
// finish, so that their answers are stored.
func TestLastCallerLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(time.Second)
		host := internet.Host("shop.example", clienttest.Pages{"/one": `{"one": ["a"], "links": ["https://shop.example/more"]}`, "/more": `{"one": ["b"]}`})
		c := newClient(t, internet, withFormats(toy("one", parse.Location{Path: "/one"})))
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond) // the request is on its way
		defer cancel()
		if _, err := c.Resolve(ctx, "shop.example"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		time.Sleep(5 * time.Second)
		if !slices.Equal(host.Paths(), []string{"/one"}) {
			t.Errorf("asked for %v", host.Paths())
		}
		var trace client.Trace
		if _, err := c.Resolve(client.WithTrace(t.Context(), &trace), "shop.example"); err != nil || trace.Fetches[0].From != "memory" {
			t.Errorf("the answer that came late was not kept: %v, %+v", err, trace.Fetches)
		}
	})
}
