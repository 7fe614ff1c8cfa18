package clienttest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
)

const helloPath = "/.well-known/hello"

// hello is a format of one location whose documents are a service name.
func hello(o *client.Options) {
	o.Formats = []*parse.Format{{
		Name:      "hello",
		Locations: []parse.Location{{Path: helloPath}},
		Match: func(in *parse.Input) parse.Claim {
			if strings.HasPrefix(string(in.Body), "hello ") {
				return parse.Claim{Level: parse.Exact}
			}
			return parse.Claim{}
		},
		Parse: func(in *parse.Input) (*parse.Reading, error) {
			return &parse.Reading{Services: []wayfind.Service{{Name: strings.TrimPrefix(string(in.Body), "hello ")}}}, nil
		},
	}}
}

func names(site *wayfind.Site) []string {
	var out []string
	for _, s := range site.Services {
		out = append(out, s.Name)
	}
	return out
}

func TestClient(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const rtt = 40 * time.Millisecond
		internet.Latency(rtt)
		h := internet.Host("a.example", clienttest.Pages{helloPath: "hello world"})
		c := internet.Client(hello)
		start := time.Now()
		site, err := c.Resolve(t.Context(), "a.example")
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start); got != 3*rtt {
			t.Errorf("%v, want three round trips", got)
		}
		if diff := cmp.Diff([]string{"world"}, names(internet.Watch(site))); diff != "" {
			t.Errorf("services (-want +got):\n%s", diff)
		}
		if h.Conns() != 1 || h.Requests()[0].Proto != "HTTP/2.0" {
			t.Errorf("%d connections, requests: %v", h.Conns(), h.Requests())
		}
	})
}

func TestClientIsClosedWithTheInternet(t *testing.T) {
	internet, stop := clienttest.Start()
	c := internet.Client(hello)
	stop()
	if err := internet.Err(); err != nil {
		t.Error(err)
	}
	if _, err := c.Resolve(t.Context(), "a.example"); !errors.Is(err, wayfind.ErrClosed) {
		t.Errorf("after the stop: %v", err)
	}
}

func TestClientWithBadOptions(t *testing.T) {
	internet, stop := clienttest.Start()
	defer stop()
	if c := internet.Client(func(o *client.Options) { o.Limits.Budget = -1 }); c != nil {
		t.Error("a client with a negative budget")
	}
	if err := internet.Err(); !errors.Is(err, wayfind.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

// The guard of the client is the real one: it never dials the trap.
func TestGuardStaysInForce(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		trap := internet.Host("trap.example", clienttest.Pages{helloPath: "hello inside"}).At(addrs("127.0.0.1", "10.0.0.1")...)
		c := internet.Client(hello)
		site, err := c.Resolve(t.Context(), "trap.example")
		if !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("got %v, %v", site, err)
		}
		if trap.Dials() != 0 {
			t.Errorf("%d connections were tried", trap.Dials())
		}
	})
}

func TestFromServer(t *testing.T) {
	var asked atomic.Int64
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		clienttest.Pages{helloPath: "hello loopback"}.ServeHTTP(w, r)
	}))
	defer srv.Close()
	opts := clienttest.FromServer(t, srv, "example.com", "Shop.example.com.")
	hello(opts)
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, name := range []string{"example.com", "shop.example.com"} {
		site, err := c.Resolve(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"loopback"}, names(site)); diff != "" {
			t.Errorf("%s: services (-want +got):\n%s", name, diff)
		}
	}
	if _, err := c.Resolve(t.Context(), "other.example"); !errors.Is(err, wayfind.ErrUnreachable) {
		t.Errorf("a name that does not exist: %v", err)
	}
	if asked.Load() == 0 {
		t.Error("the server was not asked")
	}
}

// fatal runs f with a test that ends at the first failure and returns it.
func fatal(t *testing.T, f func(t testing.TB)) string {
	t.Helper()
	r := &fatalReport{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r.message
}

type fatalReport struct {
	testing.TB
	message string
}

func (r *fatalReport) Helper() {}
func (r *fatalReport) Errorf(format string, args ...any) {
	r.message = fmt.Sprintf(format, args...)
}
func (r *fatalReport) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func TestFromServerRefuses(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	defer srv.Close()
	for _, tt := range []struct {
		srv  *httptest.Server
		name string
		want string
	}{
		{plain, "example.com", "was not started with TLS"},
		{srv, "shop.example.net", "certificate is valid for"},
	} {
		got := fatal(t, func(t testing.TB) { clienttest.FromServer(t, tt.srv, tt.name) })
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: failed for %q, want %q", tt.name, got, tt.want)
		}
	}
	got := fatal(t, func(t testing.TB) {
		opts := clienttest.FromServer(t, srv)
		if _, err := opts.Network.Dial(context.Background(), netip.MustParseAddrPort("192.0.2.1:443")); err == nil {
			t.Errorf("no error")
		}
	})
	if want := "clienttest: connection to 192.0.2.1:443: the address is not loopback"; got != want {
		t.Errorf("failed for %q, want %q", got, want)
	}
}
