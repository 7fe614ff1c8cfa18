package client_test

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
)

// What hangs between two parts of the road of a document.

// talking runs a test in a bubble with an Internet in which messages are sent.
func talking(t *testing.T, test func(t *testing.T, internet *clienttest.Internet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, clienttest.New(t)) })
}

// message sends one as a prober does, and reads the answer.
func message(ctx context.Context, req *client.LiveRequest) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, req.URL.String(), strings.NewReader("{}"))
	if err != nil {
		return err
	}
	resp, err := req.HTTP.Do(r)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.Body.Close()
}

// A conversation with a live endpoint ends when the last caller has left, as
// all other work of a flight does.
func TestLiveEndsWithItsCallers(t *testing.T) {
	talking(t, func(t *testing.T, internet *clienttest.Internet) {
		var posts atomic.Int32
		names(internet, "example.com", "https://example.com/mcp").Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			posts.Add(1)
			_, _ = io.WriteString(w, "{}")
		}))
		c := internet.Client(live(&talker{answer: func(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
			if err := message(ctx, req); err != nil {
				return nil, err
			}
			time.Sleep(2 * time.Second) // meanwhile the caller leaves
			return nil, message(ctx, req)
		}}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _ = c.Resolve(ctx, "example.com")
		time.Sleep(10 * time.Second)
		if n := posts.Load(); n != 1 {
			t.Errorf("%d messages reached the endpoint", n)
		}
	})
}

// If the name of a live endpoint has addresses that the policy refuses, the diagnostic is the same
// as for a document.
func TestMixedAddressesOfALiveEndpointAreReported(t *testing.T) {
	talking(t, func(t *testing.T, internet *clienttest.Internet) {
		names(internet, "example.com", endpoint).Handle("/mcp", clienttest.Page{Body: "{}"})
		c := internet.Client(live(&talker{answer: func(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
			if err := message(ctx, req); err != nil {
				return nil, err
			}
			return offer(0, "x"), nil
		}}), func(o *client.Options) { o.Policy.AllowMixedDNS = true })
		if _, err := c.Resolve(t.Context(), "example.com"); err != nil {
			t.Fatal(err)
		}
		good, err := internet.LookupNetIP(t.Context(), "ip", "example.com.")
		if err != nil {
			t.Fatal(err)
		}
		internet.DNS("example.com", clienttest.Addrs(append(good, netip.MustParseAddr("10.0.0.1"))...))
		time.Sleep(client.DefaultLiveLifetime) // the document is fresh for longer, so that only the endpoint is requested
		site, err := anew(t, c, "example.com")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "dns.mixed" }) {
			t.Errorf("nothing is told: %+v", site.Diagnostics)
		}
	})
}

// The header of a 304 is cleaned of the document's secrets, like the header of the document.
func TestASecretInAValidatorIsTakenOut(t *testing.T) {
	const key = "k3VbZ7qLw9XtR5nMc8JyUa2E"
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("example.com", nil).Handle("/naming", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"a"`)
			w.Header().Set("Content-Type", "application/json")
			if r.Header.Get("If-None-Match") != "" {
				w.Header().Set("Last-Modified", key)
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, `{"naming": ["https://example.com/mcp"], "api_key": "`+key+`"}`)
		}))
		c := internet.Client(func(o *client.Options) { o.Formats = []*parse.Format{naming()} })
		if _, err := c.Resolve(t.Context(), "example.com"); err != nil {
			t.Fatal(err)
		}
		site, err := c.Refresh(t.Context(), "example.com")
		if err != nil {
			t.Fatal(err)
		}
		if s := site.Sources[0].LastModified; strings.Contains(s, key) {
			t.Errorf("Last-Modified %q", s)
		}
	})
}

// A robots.txt may be anywhere behind a redirect (RFC 9309 §2.3.1.2).
func TestRobotsBehindARedirect(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("example.com", nil).Handle("/robots.txt", clienttest.Redirect(301, "https://www.example.com/static/robots-prod.txt"))
		internet.Host("www.example.com", nil).Handle("/static/robots-prod.txt", clienttest.Page{
			Header: http.Header{"Content-Type": {"text/plain"}}, Body: "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n"})
		site, _ := internet.Client().Resolve(t.Context(), "example.com") // it has nothing else
		i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == "https://example.com/robots.txt" })
		if i < 0 || site.Probes[i].Verdict != wayfind.VerdictFound || len(site.Policies) < 2 {
			t.Errorf("probe %d of %+v, %d policies", i, site.Probes, len(site.Policies))
		}
	})
}

// countedBody counts how often it is closed.
type countedBody struct {
	io.Reader
	closed atomic.Int32
}

func (b *countedBody) Close() error { b.closed.Add(1); return nil }

// The body of a message is closed once, whether the message is sent or not.
func TestHTTPClosesABodyOnce(t *testing.T) {
	for name, prepare := range map[string]func(*clienttest.Internet, *client.Client){
		"no such name": func(*clienttest.Internet, *client.Client) {},
		"aborted": func(internet *clienttest.Internet, _ *client.Client) {
			internet.Host("a.example", nil).Handle("/x", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		},
		"answered": func(internet *clienttest.Internet, _ *client.Client) {
			internet.Host("a.example", clienttest.Pages{"/x": "ok"})
		},
		"closed": func(_ *clienttest.Internet, c *client.Client) { _ = c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			talking(t, func(t *testing.T, internet *clienttest.Internet) {
				c := internet.Client()
				prepare(internet, c)
				body := &countedBody{Reader: strings.NewReader("hello")}
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://a.example/x", body)
				if err != nil {
					t.Fatal(err)
				}
				if resp, err := c.HTTP("https://a.example").Transport.RoundTrip(req); err == nil {
					_ = resp.Body.Close()
				}
				time.Sleep(time.Second) // HTTP/2 closes it behind the caller's back
				if n := body.closed.Load(); n != 1 {
					t.Errorf("closed %d times", n)
				}
			})
		})
	}
}
