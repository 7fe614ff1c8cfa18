package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/parse"
)

// eventLog keeps the events of a Client as lines, in the order of their ends, each with
// the kinds of the parts around it.
type eventLog struct {
	mu    sync.Mutex
	open  int
	lines []string

	stages []client.Stages // of the exchanges, in the order of their ends
}

type aroundKey struct{}

func (o *eventLog) observe(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open++
	around, _ := ctx.Value(aroundKey{}).(string)
	path := around + "/" + e.Kind
	return context.WithValue(ctx, aroundKey{}, path), func(end client.Event) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.open--
		leader := ""
		if end.Leader != nil {
			leader, _ = end.Leader.Value(aroundKey{}).(string)
		}
		line := fmt.Sprintf("%s %s %d %s %s %q %d joined=%t%s", path, end.Target, end.Status, end.From, end.Verdict, end.Error, end.Places, end.Joined, leader)
		if end.Attempt > 1 || end.RedirectedFrom != "" {
			line += fmt.Sprintf(" attempt=%d from=%s", end.Attempt, end.RedirectedFrom)
		}
		if end.Kind == client.EventExchange {
			o.stages = append(o.stages, end.Stages)
		}
		o.lines = append(o.lines, line)
	}
}

// want compares the lines, without their order, and looks whether each begin had an end.
func (o *eventLog) want(t *testing.T, want ...string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open != 0 {
		t.Errorf("%d parts have not ended", o.open)
	}
	got := slices.Sorted(slices.Values(o.lines))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	o.lines, o.stages = nil, nil
}

func TestObserve(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
	var o eventLog
	c := internet.Client(func(opts *client.Options) {
		opts.Formats, opts.Observe = []*parse.Format{adp.Format()}, o.observe
	})
	ctx := context.WithValue(t.Context(), aroundKey{}, "caller")
	if _, err := c.Resolve(ctx, "shop.example"); err != nil {
		t.Fatal(err)
	}
	const at = "https://shop.example"
	o.want(t,
		`caller/resolve/wave/request/exchange `+at+wellKnown+` 200   "" 0 joined=false`,
		`caller/resolve/wave/request/exchange `+at+`/robots.txt 404   "" 0 joined=false`,
		`caller/resolve/wave/request/read `+at+wellKnown+` 0  found "" 0 joined=false`,
		`caller/resolve/wave/request `+at+wellKnown+` 200 network found "" 0 joined=false`,
		`caller/resolve/wave/request `+at+`/robots.txt 404 network absent "" 0 joined=false`,
		`caller/resolve/wave `+at+` 0   "" 2 joined=false`,
		`caller/resolve `+at+` 0   "" 0 joined=false`,
	)
	if _, err := c.Resolve(ctx, "shop.example"); err != nil {
		t.Fatal(err)
	}
	o.want(t, `caller/resolve `+at+` 0 memory  "" 0 joined=false`)
	if _, err := c.Resolve(ctx, "nowhere.example"); err == nil {
		t.Fatal("found")
	}
	for _, line := range o.lines {
		if strings.HasPrefix(line, "caller/resolve https://nowhere.example") && !strings.Contains(line, "unreachable (dns_not_found)") {
			t.Errorf("the error is not told: %s", line)
		}
	}
}

// Events of calls that share work name the call that does it.
func TestObserveJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		internet.Latency(1e9)
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		var o eventLog
		c := internet.Client(func(opts *client.Options) {
			opts.Formats, opts.Observe = []*parse.Format{adp.Format()}, o.observe
		})
		var calls sync.WaitGroup
		for i := range 3 {
			calls.Go(func() {
				ctx := context.WithValue(t.Context(), aroundKey{}, fmt.Sprint("caller", i))
				if _, err := c.Resolve(ctx, "shop.example"); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		o.mu.Lock()
		defer o.mu.Unlock()
		leaders, requests := map[string]bool{}, 0
		joined := 0
		for _, line := range o.lines {
			if _, leader, ok := strings.Cut(line, "joined=true"); ok {
				joined++
				leaders[leader] = true
			}
			if strings.Contains(line, "/request ") {
				requests++
			}
		}
		if joined != 2 || len(leaders) != 1 || leaders[""] || requests != 2 {
			t.Errorf("%d joined %v, %d requests:\n%s", joined, leaders, requests, strings.Join(o.lines, "\n"))
		}
	})
}

// Each redirect is a request, and each retry an exchange. Events contain their stages. An answer
// from a store is no exchange.
func TestObserveExchanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		internet.Latency(time.Second)
		failures := 1
		internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == wellKnown:
				http.Redirect(w, r, "/moved", http.StatusFound)
			case r.URL.Path == "/moved" && failures > 0:
				failures--
				w.WriteHeader(http.StatusInternalServerError)
			case r.URL.Path == "/moved":
				clienttest.Pages{"/moved": manifest("shop.example", "/a")}.ServeHTTP(w, r)
			default:
				http.NotFound(w, r)
			}
		}))
		var o eventLog
		c := internet.Client(func(opts *client.Options) {
			opts.Formats, opts.Observe = []*parse.Format{adp.Format()}, o.observe
		})
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		cold := 0
		for _, s := range o.stages {
			if s.Wait <= 0 || s.Queue < 0 || s.Reused != (s.DNS+s.Connect+s.TLS == 0) {
				t.Errorf("stages %+v", s)
			}
			if !s.Reused {
				cold++
			}
		}
		if cold != 1 {
			t.Errorf("%d exchanges made the connection, of %+v", cold, o.stages)
		}
		const at = "https://shop.example"
		o.want(t,
			`/resolve/wave/request/exchange `+at+wellKnown+` 302   "" 0 joined=false`,
			`/resolve/wave/request/exchange `+at+`/moved 500   "" 0 joined=false`,
			`/resolve/wave/request/exchange `+at+`/moved 200   "" 0 joined=false attempt=2 from=`,
			`/resolve/wave/request/exchange `+at+`/robots.txt 404   "" 0 joined=false`,
			`/resolve/wave/request/read `+at+wellKnown+` 0  unrecognised "" 0 joined=false`,
			`/resolve/wave/request/read `+at+`/moved 0  found "" 0 joined=false`,
			`/resolve/wave/request `+at+wellKnown+` 302 network  "" 0 joined=false`,
			`/resolve/wave/request `+at+`/moved 200 network found "" 0 joined=false attempt=0 from=`+at+wellKnown,
			`/resolve/wave/request `+at+`/robots.txt 404 network absent "" 0 joined=false`,
			`/resolve/wave `+at+` 0   "" 2 joined=false`,
			`/resolve `+at+` 0   "" 0 joined=false`,
		)
	})
}

// Events contain only the origin of the URL of a call, because the rest contains arguments. They do
// not contain methods that HTTP does not define.
func TestObserveHTTP(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/orders/1234": "{}"})
	var o eventLog
	var methods []string
	c := internet.Client(func(opts *client.Options) {
		opts.Observe = func(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
			if e.Kind == client.EventExchange {
				methods = append(methods, e.Method)
			}
			return o.observe(ctx, e)
		}
	})
	for _, method := range []string{http.MethodGet, "LIST-FOR-MALLORY"} {
		req, err := http.NewRequestWithContext(t.Context(), method, "https://shop.example/orders/1234?card=4111", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.HTTP("https://shop.example").Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	o.want(t,
		`/exchange https://shop.example 200   "" 0 joined=false`,
		`/exchange https://shop.example 405   "" 0 joined=false`,
	)
	if want := []string{"GET", "_OTHER"}; !slices.Equal(methods, want) {
		t.Errorf("methods %q, want %q", methods, want)
	}
}
