package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/aiplugin"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// fetchStage is one way in which a Client comes to fetch something. The fault is at
// path of the host that prepare returns, from its conn-th connection on.
type fetchStage struct {
	name    string
	path    string
	conn    int
	options func(*client.Options)
	prepare func(internet *clienttest.Internet) *clienttest.Host
	// fetch makes the requests of the stage, and returns the code of its failure and whether the
	// fetched document is in the result.
	fetch func(ctx context.Context, c *client.Client) (wayfind.Code, bool, error)
}

// long makes documents of some length, which faults can end anywhere in.
func long(document string) string { return document + strings.Repeat(" ", 2000-len(document)) + "\n" }

const toyDocument = `{"toy": ["a", "b"]}`

// fetchStages are the stages of a call in which a fault can occur. One is not
// among them: the keys of a signed document (JWKS, signatures.go).
func fetchStages() []fetchStage {
	toys := func(locations ...parse.Location) func(*client.Options) { return withFormats(toy("toy", locations...)) }
	return []fetchStage{
		{"document", "/toy", 1, toys(parse.Location{Path: "/toy"}), func(internet *clienttest.Internet) *clienttest.Host {
			return internet.Host("shop.example.com", clienttest.Pages{"/toy": long(toyDocument)})
		}, probeOf("https://shop.example.com/toy")},
		{"fallback", "/second", 2, toys(parse.Location{Path: "/first"}, parse.Location{Path: "/second", After: "/first"}), func(internet *clienttest.Internet) *clienttest.Host {
			return internet.Host("shop.example.com", clienttest.Pages{"/second": long(toyDocument)}).
				Handle("/first", clienttest.Page{Status: 404, Header: http.Header{"Connection": {"close"}}})
		}, probeOf("https://shop.example.com/second")},
		{"redirect hop", "/toy", 1, toys(parse.Location{Path: "/toy"}), func(internet *clienttest.Internet) *clienttest.Host {
			internet.Host("shop.example.com", clienttest.Redirect(302, "https://www.example.com/toy"))
			return internet.Host("www.example.com", clienttest.Pages{"/toy": long(toyDocument)})
		}, probeOf("https://shop.example.com/toy")},
		{"detail document", "/a", 1, func(*client.Options) {}, func(internet *clienttest.Internet) *clienttest.Host {
			internet.Host("shop.example.com", clienttest.Pages{wellKnown: manifest("api.example.com", "/a")})
			return internet.Host("api.example.com", clienttest.Pages{"/a": long(detail("a", "/x"))})
		}, describe},
		{"OpenAPI", "/openapi.json", 1, readPlugins, func(internet *clienttest.Internet) *clienttest.Host {
			internet.Host("shop.example.com", clienttest.Pages{aiplugin.Path: pluginManifest("https://api.example.com/openapi.json")})
			return internet.Host("api.example.com", clienttest.Pages{"/openapi.json": long(apiJSON(""))})
		}, probeOf("https://api.example.com/openapi.json")},
		{"message to a live endpoint", "/mcp", 1, func(*client.Options) {}, func(internet *clienttest.Internet) *clienttest.Host {
			return internet.Host("mcp.example.com", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, long(`{"jsonrpc": "2.0", "id": 1, "result": {}}`))
			}))
		}, postHello},
	}
}

// probeOf resolves and looks at what became of one place.
func probeOf(url string) func(context.Context, *client.Client) (wayfind.Code, bool, error) {
	return func(ctx context.Context, c *client.Client) (wayfind.Code, bool, error) {
		site, err := c.Resolve(ctx, "shop.example.com")
		if site == nil {
			return "", false, err
		}
		i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == url })
		if i < 0 {
			return "", false, fmt.Errorf("%s was not asked", url)
		}
		p := site.Probes[i]
		found := slices.ContainsFunc(site.Sources, func(s wayfind.Source) bool { return s.URL == url })
		if found != (p.Verdict == wayfind.VerdictFound) || !found && p.Verdict != wayfind.VerdictUnreachable {
			return "", false, fmt.Errorf("verdict %q of %+v", p.Verdict, site.Sources)
		}
		return wayfind.Code(p.Reason), found, nil
	}
}

func describe(ctx context.Context, c *client.Client) (wayfind.Code, bool, error) {
	site, err := c.Resolve(ctx, "shop.example.com")
	if err != nil {
		return "", false, err
	}
	d, err := c.Describe(ctx, site, "adp:a")
	if d == nil || d.Capability == nil || d.Capability.Lazy != (err != nil) {
		return "", false, fmt.Errorf("detail %+v beside %v", d, err)
	}
	return codeOf(err, wayfind.ErrUnreachable)
}

func postHello(ctx context.Context, c *client.Client) (wayfind.Code, bool, error) {
	const endpoint = "https://mcp.example.com"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint+"/mcp", strings.NewReader(`{"jsonrpc": "2.0", "id": 1, "method": "x"}`))
	if err != nil {
		return "", false, err
	}
	resp, err := c.HTTP(endpoint).Do(req)
	if err == nil {
		defer resp.Body.Close()
		_, err = io.ReadAll(resp.Body)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return codeOf(err, nil) // the caller's own: it is no failure of the endpoint
	}
	return codeOf(err, wayfind.ErrUnreachable)
}

// codeOf is the code of an error, which must be of a kind.
func codeOf(err, kind error) (wayfind.Code, bool, error) {
	if err == nil {
		return "", true, nil
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || e.Kind != kind {
		return "", false, fmt.Errorf("untyped, or of another kind: %w", err)
	}
	return e.Code, false, nil
}

// mark is a place in the life of a connection.
type mark struct {
	name  string
	conn  func(clienttest.Ending) clienttest.ConnFault
	fault func(clienttest.Ending) clienttest.Fault
}

// marks are twelve places: five in the making of a connection, seven in an
// answer, of whose 2,001 bytes the last is missing last.
func marks() []mark {
	at := func(n int) func(clienttest.Ending) clienttest.ConnFault {
		return func(e clienttest.Ending) clienttest.ConnFault { return clienttest.AtByte(n, e) }
	}
	list := []mark{
		{"accept", clienttest.AtAccept, nil}, {"hello", at(0), nil}, {"100th byte", at(100), nil},
		{"600th byte", at(600), nil}, {"1300th byte", at(1300), nil},
		{"header", nil, clienttest.AtHeaders},
	}
	for _, n := range []int{0, 1, 500, 1000, 1999, 2000} {
		list = append(list, mark{fmt.Sprint("body, ", n), nil, func(e clienttest.Ending) clienttest.Fault { return clienttest.AtBody(n, e) }})
	}
	return list
}

// TestAnswersThatBreakOffAreErrorsAtEachStage: what internal/web/fetch promises about answers that
// break off holds wherever something is fetched, with both protocols.
func TestAnswersThatBreakOffAreErrorsAtEachStage(t *testing.T) {
	endings := []struct {
		name   string
		ending clienttest.Ending
		codes  []wayfind.Code
	}{
		{"stall", clienttest.Stall, []wayfind.Code{wayfind.CodeTimeout}},
		{"close", clienttest.Close, []wayfind.Code{wayfind.CodeTruncated, wayfind.CodeNetwork}},
		{"reset", clienttest.Reset, []wayfind.Code{wayfind.CodeNetwork}},
	}
	n := 0
	for _, s := range fetchStages() {
		for _, proto := range []string{"h2", "http/1.1"} {
			t.Run(s.name+" "+proto, func(t *testing.T) {
				s.run(t, proto, func(*clienttest.Host) {}, nil)
				for _, m := range marks() {
					for _, e := range endings {
						if n++; n%testkit.Stride() != 0 {
							continue
						}
						s.run(t, proto, func(h *clienttest.Host) { m.set(h, s, e.ending) }, e.codes)
						if t.Failed() {
							t.Fatalf("%s at %s", e.name, m.name)
						}
					}
				}
			})
		}
	}
}

func (m mark) set(h *clienttest.Host, s fetchStage, e clienttest.Ending) {
	if m.conn == nil {
		h.Fail(s.path, m.fault(e))
		return
	}
	faults := make([]clienttest.ConnFault, s.conn-1) // sound
	h.FailConn(append(faults, m.conn(e))...)
}

// run fetches under a fault, and wants one of the codes, or success if there are none. Over HTTP/2
// a request may be sent before the client has read that its connection will end: if no connection
// had the fault, it fetches again.
func (s fetchStage) run(t *testing.T, proto string, fault func(*clienttest.Host), codes []wayfind.Code) {
	t.Helper()
	for range 5 {
		if s.once(t, proto, fault, codes) {
			return
		}
	}
	t.Error("five times no connection had the fault")
}

// once is run; it reports whether a connection had the fault.
func (s fetchStage) once(t *testing.T, proto string, fault func(*clienttest.Host), codes []wayfind.Code) (reached bool) {
	t.Helper()
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		t.Helper()
		internet.OnlyDiscovery(false) // one of the stages posts
		host := s.prepare(internet).Protocols(proto)
		fault(host)
		c := newClient(t, internet, s.options)
		const patience = 25 * time.Second // the posts have their own, longer limit for servers that compute
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		start := time.Now()
		code, found, err := s.fetch(ctx, c)
		if reached = host.Conns() >= s.conn; !reached && proto == "h2" && err == nil {
			return
		}
		if err != nil || found != (len(codes) == 0) || !found && !slices.Contains(codes, code) {
			t.Errorf("code %q, found %v, %v; want one of %q", code, found, err, codes)
		}
		if d := time.Since(start); d > patience {
			t.Errorf("took %v", d)
		}
		if n := host.Conns(); n > s.conn+1 {
			t.Errorf("%d connections", n)
		}
	})
	return reached || t.Failed()
}
