package client_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// talker is a LiveProber that answers with a function and records the requests.
type talker struct {
	mu     sync.Mutex
	asked  map[string]int
	answer func(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error)
}

func (*talker) Protocol() string { return "mcp" }
func (*talker) Format() string   { return "mcp" }

// Probe implements client.LiveProber.
func (p *talker) Probe(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
	p.mu.Lock()
	if p.asked == nil {
		p.asked = map[string]int{}
	}
	p.asked[req.URL.String()]++
	p.mu.Unlock()
	return p.answer(ctx, req)
}

// want compares how often each endpoint was asked so far.
func (p *talker) want(t *testing.T, when string, want map[string]int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := cmp.Diff(want, p.asked); d != "" {
		t.Errorf("%s: asked (-want +got):\n%s", when, d)
	}
}

// offering is a talker whose endpoints all offer this.
func offering(lifetime time.Duration, names ...string) *talker {
	return &talker{answer: func(context.Context, *client.LiveRequest) (*client.LiveAnswer, error) {
		return offer(lifetime, names...), nil
	}}
}

// refusing is a talker whose endpoints all fail.
func refusing(err error) *talker {
	return &talker{answer: func(context.Context, *client.LiveRequest) (*client.LiveAnswer, error) { return nil, err }}
}

// offer is a live answer with these capabilities.
func offer(lifetime time.Duration, names ...string) *client.LiveAnswer {
	s := wayfind.Service{Name: "Live"}
	for _, name := range names {
		s.Capabilities = append(s.Capabilities, wayfind.Capability{ID: name, Kind: wayfind.KindTool})
	}
	digest := sha256.Sum256([]byte(strings.Join(names, " ")))
	return &client.LiveAnswer{
		Reading: &parse.Reading{Services: []wayfind.Service{s}}, Digest: hex.EncodeToString(digest[:]), Lifetime: lifetime,
	}
}

// naming is a format whose documents are lists of endpoints.
func naming() *parse.Format {
	f := toy("naming", parse.Location{Path: "/naming"})
	f.Parse = func(in *parse.Input) (*parse.Reading, error) {
		doc, err := in.JSON()
		if err != nil {
			return nil, err
		}
		s := wayfind.Service{Name: "Named"}
		for _, item := range doc.Get("naming").Items() {
			u, _ := item.Str()
			s.Interfaces = append(s.Interfaces, wayfind.Interface{Protocol: "mcp", URL: u})
		}
		return &parse.Reading{Services: []wayfind.Service{s}}, nil
	}
	return f
}

// live makes a Client that reads endpoints and speaks with them.
func live(p *talker) func(*client.Options) {
	return func(o *client.Options) { o.Formats, o.Live = []*parse.Format{naming()}, []client.LiveProber{p} }
}

// names makes a host whose document names endpoints and is fresh for a day.
func names(internet *clienttest.Internet, host string, endpoints ...string) *clienttest.Host {
	body := fmt.Sprintf(`{"naming": ["%s"]}`, strings.Join(endpoints, `", "`))
	h := internet.Host(host, nil)
	return h.Handle("/naming", page(body, "Cache-Control", "max-age=86400"))
}

// anew resolves without the Site of before.
func anew(t *testing.T, c *client.Client, domain string) (*wayfind.Site, error) {
	t.Helper()
	c.Invalidate(domain)
	return c.Resolve(t.Context(), domain)
}

const (
	endpoint = "https://example.com/mcp"
	stranger = "https://other.example.net/mcp"
)

// An answer is used until its lifetime ends, for every Site that names the endpoint. Refresh sends
// a new request.
func TestLiveAnswersAreRemembered(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		names(internet, "example.com", endpoint, endpoint)
		p := offering(time.Hour, "find")
		c := newClient(t, internet, live(p))
		for _, step := range []struct {
			when   string
			wait   time.Duration
			domain string
			asked  int
		}{
			{"at first", 0, "example.com", 1},
			{"again", time.Hour - time.Nanosecond, "example.com", 1},
			{"below a path", 0, "example.com/mcp", 1},
			{"when it counts no longer", time.Nanosecond, "example.com", 2},
		} {
			time.Sleep(step.wait)
			site, err := anew(t, c, step.domain)
			if d := cmp.Diff([]string{"find"}, ids(site)); d != "" || err != nil {
				t.Errorf("%s: %v, capabilities (-want +got):\n%s", step.when, err, d)
			}
			p.want(t, step.when, map[string]int{endpoint: step.asked})
		}
		if _, err := c.Refresh(t.Context(), "example.com"); err != nil {
			t.Error(err)
		}
		p.want(t, "Refresh", map[string]int{endpoint: 3})
	})
}

// Purge of a domain removes the answers of its endpoints, including one that is under way, and no
// answers of other domains.
func TestPurgeEndsLiveAnswers(t *testing.T) {
	for purged, ends := range map[string]bool{"example.com": true, "https://example.com/mcp": true, "": true, "other.example": false} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			names(internet, "example.com", endpoint, endpoint)
			p := &talker{answer: func(context.Context, *client.LiveRequest) (*client.LiveAnswer, error) {
				time.Sleep(time.Second)
				return offer(time.Hour, "find"), nil
			}}
			c := newClient(t, internet, live(p))
			var calls sync.WaitGroup
			for n := 1; n <= 3; n++ {
				calls.Go(func() {
					if _, err := anew(t, c, "example.com"); err != nil {
						t.Error(err)
					}
				})
				if n == 1 { // the others find nothing, or an answer
					time.Sleep(time.Second / 2)
				} else {
					calls.Wait()
				}
				if err := c.Purge(t.Context(), purged); err != nil {
					t.Errorf("Purge of %q: %v", purged, err)
				}
				calls.Wait()
				asked := 1
				if ends {
					asked = n
				}
				p.want(t, fmt.Sprintf("Purge %d of %q", n, purged), map[string]int{endpoint: asked})
			}
		})
	}
}

// A failure is remembered like a verdict of its kind: the Site stays fresh, and no request is sent
// in that time, whatever Site names the endpoint.
func TestLiveFailuresAreRemembered(t *testing.T) {
	for name, row := range map[string]struct {
		err   error
		wait  time.Duration
		panic bool
	}{
		"blocked":     {err: &wayfind.Error{Op: "live", Kind: wayfind.ErrBlocked}, wait: 10 * time.Minute},
		"unreachable": {err: &wayfind.Error{Op: "live", Kind: wayfind.ErrUnreachable}, wait: 30 * time.Second},
		"any error":   {err: errors.New("down"), wait: 30 * time.Second},
		"a panic":     {panic: true, wait: 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				names(internet, "example.com", endpoint)
				p := refusing(row.err)
				if row.panic {
					p.answer = func(context.Context, *client.LiveRequest) (*client.LiveAnswer, error) { panic("a broken prober") }
				}
				c := newClient(t, internet, live(p))
				site, err := c.Resolve(t.Context(), "example.com")
				if err != nil {
					t.Fatalf("the document was found: %v", err)
				}
				if fresh := time.Until(site.FreshUntil); fresh != row.wait {
					t.Errorf("fresh for %v, want %v", fresh, row.wait)
				}
				if i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == endpoint }); i < 0 ||
					site.Probes[i].Verdict == wayfind.VerdictFound || site.Probes[i].Error == "" {
					t.Errorf("probes %+v, want the failure among them", site.Probes)
				}
				time.Sleep(row.wait - time.Nanosecond)
				_, _ = c.Resolve(t.Context(), "example.com")
				_, _ = anew(t, c, "example.com")
				_, _ = c.Resolve(t.Context(), "example.com/mcp")
				p.want(t, "while it counts", map[string]int{endpoint: 1})
				time.Sleep(time.Nanosecond)
				_, _ = c.Resolve(t.Context(), "example.com")
				p.want(t, "when it counts no longer", map[string]int{endpoint: 2})
			})
		})
	}
}

// Endpoints are asked at once, no more of them than Budget leaves.
func TestLiveAtOnceWithinTheBudget(t *testing.T) {
	one, two, three := endpoint+"/1", endpoint+"/2", endpoint+"/3"
	for budget, want := range map[int]map[string]int{
		32: {one: 1, two: 1, three: 1}, 3: {one: 1, two: 1}, 1: nil,
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			names(internet, "example.com", one, two, three)
			p := &talker{answer: func(_ context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
				time.Sleep(time.Second)
				return offer(0, req.URL.Path[len("/mcp/"):]), nil
			}}
			c := newClient(t, internet, live(p), func(o *client.Options) { o.Limits.Budget = budget })
			start := time.Now()
			site, err := c.Resolve(t.Context(), "example.com")
			if err != nil || len(ids(site)) != len(want) {
				t.Errorf("Budget %d: %v, capabilities %v", budget, err, ids(site))
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("Budget %d: it took %v", budget, took)
			}
			p.want(t, fmt.Sprintf("Budget %d", budget), want)
		})
	}
}

// A description in a refusal is part of the Site.
func TestLiveAnswerInARefusal(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		names(internet, "example.com", endpoint)
		auth := wayfind.Auth{Unknown: true}
		p := &talker{answer: func(context.Context, *client.LiveRequest) (*client.LiveAnswer, error) {
			a := offer(0)
			a.Reading.Services[0].Interfaces = []wayfind.Interface{{Protocol: "mcp", URL: endpoint, Auth: &auth}}
			return a, &wayfind.Error{Op: "live", Kind: wayfind.ErrBlocked}
		}}
		c := newClient(t, internet, live(p))
		for range 2 { // and from memory
			site, err := anew(t, c, "example.com")
			var got []*wayfind.Auth
			for _, s := range site.Services {
				for _, f := range s.Interfaces {
					got = append(got, f.Auth)
				}
			}
			// As the document names it, and as it is.
			if d := cmp.Diff([]*wayfind.Auth{&auth, &auth}, got); d != "" || err != nil {
				t.Errorf("%v, auth (-want +got):\n%s", err, d)
			}
		}
		p.want(t, "twice", map[string]int{endpoint: 1})
	})
}

// asks returns a talker that sends a GET to the endpoint and offers the content of the answer.
func asks() *talker {
	return &talker{answer: func(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
		out, err := http.NewRequestWithContext(ctx, http.MethodGet, req.URL.String(), nil)
		if err != nil {
			return nil, err
		}
		resp, err := req.HTTP.Do(out)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		return offer(0, resp.Header.Get("Offers")), nil
	}}
}

// offersMembers offers a thing to everybody and another to those with a token.
func offersMembers(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Offers", "public")
	if r.Header.Get("Authorization") != "" {
		w.Header().Set("Offers", "private")
	}
}

// The endpoint of another site is asked by Describe if the caller agrees, and trusted as an
// endpoint of another site. Its answer is not shared with other callers.
func TestLiveAcrossSites(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false) // a credential is sent
		names(internet, "example.com", stranger)
		names(internet, "other.example.net", stranger).Handle("/mcp", http.HandlerFunc(offersMembers))
		p, no := asks(), errors.New("no")
		c := newClient(t, internet, live(p), func(o *client.Options) {
			o.Approve = func(ctx context.Context, _ security.ApprovalRequest) error {
				if agreed, _ := ctx.Value(agreedKey{}).(bool); agreed {
					return nil
				}
				return no
			}
		})
		site, err := c.Resolve(t.Context(), "example.com")
		if err != nil {
			t.Fatal(err)
		}
		service := site.Services[0]
		if trust := service.Interfaces[0].Trust; trust != wayfind.TrustNeedsApproval {
			t.Errorf("trust %s", trust)
		}
		agreed := context.WithValue(t.Context(), agreedKey{}, true)
		member := client.WithCredential(agreed, security.Credential{Origin: "https://other.example.net", Field: "Authorization", Value: "Bearer token"})
		wantRefused := func() {
			t.Helper()
			if d, err := c.Describe(t.Context(), site, service.ID); !errors.Is(err, wayfind.ErrRefused) || len(d.Service.Capabilities) != 0 {
				t.Errorf("who does not agree: %v, %+v", err, d.Service.Capabilities)
			}
		}
		wantRefused()
		p.want(t, "before anybody agreed", nil)
		for i, ctx := range []context.Context{member, agreed, member} {
			d, err := c.Describe(ctx, site, service.ID)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"private", "public", "private"}[i]
			if d.Service.Capabilities[0].ID != want || d.Source == nil || d.Source.Trust != wayfind.TrustCrossSite {
				t.Errorf("%s: source %+v, capabilities %+v", want, d.Source, d.Service.Capabilities)
			}
			p.want(t, want, map[string]int{stranger: i + 1})
		}
		wantRefused()
		if peeked, ok := c.Peek("example.com"); !ok || len(ids(peeked)) != 0 {
			t.Errorf("Peek: %t, %v", ok, ids(peeked))
		}
		if next, err := anew(t, c, "example.com"); err != nil || len(ids(next)) != 0 {
			t.Errorf("Resolve: %v, %v", err, ids(next))
		}
		p.want(t, "by Resolve", map[string]int{stranger: 3})
		own, err := c.Resolve(member, "other.example.net")
		if d := cmp.Diff([]string{"public"}, ids(own)); d != "" || err != nil {
			t.Errorf("the endpoint's own site: %v, capabilities (-want +got):\n%s", err, d)
		}
	})
}

type agreedKey struct{}

// Options that cannot work are refused before anything is asked.
func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, change := range map[string]func(*client.Options){
		"a prober that is nil":         func(o *client.Options) { o.Live = []client.LiveProber{&talker{}, nil} },
		"two probers of one protocol":  func(o *client.Options) { o.Live = []client.LiveProber{&talker{}, &talker{}} },
		"a UserAgent of two lines":     func(o *client.Options) { o.Network.UserAgent = "mine/1\r\nX: y" },
		"a UserAgent that is no ASCII": func(o *client.Options) { o.Network.UserAgent = "naïve/1" },
		"Follow -2":                    func(o *client.Options) { o.Limits.Follow = -2 },
	} {
		opts := &client.Options{}
		change(opts)
		c, err := client.New(opts)
		if !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		if c != nil {
			_ = c.Close()
		}
	}
}
