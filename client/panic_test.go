package client_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security"
)

// mine is the text of the panic, which must not be in errors but in logs.
const mine = "a mine"

// mined panics as long as it is armed.
type mined struct {
	armed atomic.Bool
	hits  atomic.Int32
}

func (m *mined) step() {
	if m.armed.Load() {
		m.hits.Add(1)
		panic(mine)
	}
}

// logged collects the records of a Logger.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// stacks are the levels of the records that hold a stack.
func (l *logged) stacks() (levels []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, "panic_test.go:") {
			_, level, _ := strings.Cut(line, "level=")
			levels = append(levels, strings.Fields(level)[0])
		}
	}
	return levels
}

// minedStore panics in one method of a Store.
type minedStore struct {
	*farStore
	mined *mined
	at    string
}

func (s *minedStore) enter(op string) {
	if op == s.at {
		s.mined.step()
	}
}

func (s *minedStore) Local() bool { s.enter("local"); return false }

func (s *minedStore) Load(ctx context.Context, key string) (*cache.Variants, error) {
	s.enter("load")
	return s.farStore.Load(ctx, key)
}

func (s *minedStore) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	s.enter("save")
	return s.farStore.Save(ctx, key, v, retain)
}

func (s *minedStore) Delete(ctx context.Context, key string) error {
	s.enter("delete")
	return s.farStore.Delete(ctx, key)
}

func (s *minedStore) Hold(ctx context.Context, key string, until time.Time) error {
	s.enter("hold")
	return s.farStore.Hold(ctx, key, until)
}

func (s *minedStore) Acquire(ctx context.Context, key string, until time.Time) (bool, time.Time, func(), error) {
	s.enter("acquire")
	ok, held, release, err := s.farStore.Acquire(ctx, key, until)
	return ok, held, func() { s.enter("release"); release() }, err
}

// internalError reports whether err is the error for a panic, without its stack.
func internalError(err error) bool {
	e, ok := errors.AsType[*wayfind.Error](err)
	return ok && errors.Is(e.Kind, wayfind.ErrInternal) && e.Code == wayfind.CodePanic && !strings.Contains(err.Error(), ".go:")
}

// A panic in a hook is an error of the call, and of all callers that share the call, or has no
// effect if the answer does not need the hook. Other calls keep their answers, and when the hook
// works again so does the Client.
func TestAPanicInAHookIsAnErrorOfItsCall(t *testing.T) {
	type hooks struct {
		opts  *client.Options
		mined *mined
	}
	store := func(at string) func(hooks) {
		return func(h hooks) { h.opts.Store = &minedStore{newFarStore(), h.mined, at} }
	}
	format := func(change func(f *parse.Format, m *mined)) func(hooks) {
		return func(h hooks) {
			f := *h.opts.Formats[0]
			change(&f, h.mined)
			h.opts.Formats = []*parse.Format{&f}
		}
	}
	for name, row := range map[string]struct {
		inject   func(hooks)
		describe bool // the hook belongs to Describe
		harmless bool // an answer does not depend on it
	}{
		"Match": {inject: format(func(f *parse.Format, m *mined) {
			inner := f.Match
			f.Match = func(in *parse.Input) parse.Claim { m.step(); return inner(in) }
		})},
		"Parse": {inject: format(func(f *parse.Format, m *mined) {
			inner := f.Parse
			f.Parse = func(in *parse.Input) (*parse.Reading, error) { m.step(); return inner(in) }
		})},
		"Detail": {describe: true, inject: format(func(f *parse.Format, m *mined) {
			inner := f.Detail
			f.Detail = func(in *parse.Input, s parse.Subject) (*parse.Reading, error) { m.step(); return inner(in, s) }
		})},
		"Approve": {describe: true, inject: func(h hooks) {
			h.opts.Approve = func(context.Context, security.ApprovalRequest) error { h.mined.step(); return nil }
		}},
		"BeforeHost": {inject: func(h hooks) {
			h.opts.Network.BeforeHost = func(context.Context, string) error { h.mined.step(); return nil }
		}},
		"Resolver": {inject: func(h hooks) {
			h.opts.Network.Resolver = &minedResolver{h.opts.Network.Resolver, h.mined}
		}},
		"Store.Load":    {harmless: true, inject: store("load")},
		"Store.Save":    {harmless: true, inject: store("save")},
		"Store.Acquire": {harmless: true, inject: store("acquire")},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				shop := internet.Host("shop.example", nil)
				shop.Handle(wellKnown, page(manifest("other.example.net", "/d/a"), "Cache-Control", "max-age=1"))
				internet.Host("other.example.net", clienttest.Pages{"/d/a": detail("a", "/x")})
				log, m := &logged{}, &mined{}
				c := newClient(t, internet, func(o *client.Options) {
					o.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
					o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
					row.inject(hooks{o, m})
				})
				ask := func() error {
					site, err := c.Resolve(t.Context(), "shop.example")
					if err != nil || !row.describe {
						return err
					}
					_, err = c.Describe(t.Context(), site, "adp:a")
					return err
				}
				m.armed.Store(true)
				var all sync.WaitGroup
				for range 3 { // in one flight
					all.Go(func() {
						switch err := ask(); {
						case row.harmless && err != nil:
							t.Errorf("%v, though the hook is not needed", err)
						case !row.harmless && !internalError(err):
							t.Errorf("%v, want an internal error without a stack", err)
						}
					})
				}
				all.Wait()
				time.Sleep(time.Second) // writes behind the caller's back
				if m.hits.Load() == 0 {
					t.Error("the hook was not called")
				}
				if levels := slices.Compact(log.stacks()); !slices.Equal(levels, []string{"DEBUG"}) {
					t.Errorf("stacks in records of level %q, want DEBUG alone", levels)
				}
				m.armed.Store(false)
				time.Sleep(time.Hour)
				if err := ask(); err != nil {
					t.Errorf("when the hook works again: %v", err)
				}
			})
		})
	}
}

type minedResolver struct {
	client.Resolver
	mined *mined
}

func (r *minedResolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	r.mined.step()
	return r.Resolver.LookupNetIP(ctx, network, host)
}

// The methods of a Store that a sound site does not bring about.
func TestAPanicInAStoreIsAnErrorOfItsCall(t *testing.T) {
	for _, at := range []string{"hold", "delete", "release", "local"} {
		t.Run(at, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				shop := internet.Host("shop.example", nil)
				m := &mined{}
				m.armed.Store(true)
				floored := adp.Format()
				floored.Cache.Floor = time.Minute // given back when nothing was sent
				c := newClient(t, internet, shared(&minedStore{newFarStore(), m, at}), withFormats(floored))
				shop.FailConn(clienttest.Refuse(), clienttest.ConnFault{})
				if _, err := c.Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrUnreachable) {
					t.Errorf("refused: %v", err)
				}
				time.Sleep(time.Hour)
				for _, p := range []clienttest.Page{page(manifest("shop.example"), "ETag", `"1"`), {Status: 429}, {Status: 500}, page("{}", "Cache-Control", "no-store")} {
					shop.Handle(wellKnown, p)
					_, err := c.Refresh(t.Context(), "shop.example")
					if errors.Is(err, wayfind.ErrInternal) {
						t.Errorf("status %d: %v", p.Status, err)
					}
					time.Sleep(time.Hour)
				}
				if m.hits.Load() == 0 {
					t.Error("the method was not called")
				}
			})
		})
	}
}

// Credentials are needed for the document for authenticated callers.
func TestAPanicInCredentialsIsAnErrorOfItsCall(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/.well-known/agent-card.json": agentCard("shop.example", "find")})
		c := newClient(t, internet, func(o *client.Options) {
			o.Formats = formats.All()
			o.Credentials = func(context.Context, security.CredentialRequest) (security.Credential, error) { panic(mine) }
		})
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Describe(t.Context(), site, "a2a:agent-card"); !internalError(err) {
			t.Errorf("%v, want an internal error", err)
		}
		if asked(host)[extendedCard] != 0 {
			t.Error("the document was asked for without what the caller wanted to send")
		}
	})
}

// brokenProber panics in one of its methods.
type brokenProber struct{ at string }

func (p brokenProber) enter(at string) {
	if p.at == at {
		panic(mine)
	}
}

func (p brokenProber) Protocol() string { return "mcp" }
func (p brokenProber) Format() string   { p.enter("Format"); return "mcp" }

func (p brokenProber) Probe(context.Context, *client.LiveRequest) (*client.LiveAnswer, error) {
	p.enter("Probe")
	return nil, errors.New("down")
}

// A prober that panics loses its own endpoint and nothing of the documents.
func TestAPanicInALiveProberLosesItsEndpointOnly(t *testing.T) {
	for _, at := range []string{"Format", "Probe"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			names(internet, "example.com", endpoint)
			c := newClient(t, internet, func(o *client.Options) {
				o.Formats, o.Live = []*parse.Format{naming()}, []client.LiveProber{brokenProber{at}}
			})
			site, err := c.Resolve(t.Context(), "example.com")
			if err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == endpoint })
			if i < 0 || site.Probes[i].Reason != string(wayfind.CodePanic) || len(site.Services) != 1 {
				t.Errorf("%s: probes %+v", at, site.Probes)
			}
		})
	}
}

// Each function of each format, as "wayfind parse" and Resolve call it.
func TestAPanicInAFormatLosesItsDocumentOnly(t *testing.T) {
	all := formats.All()
	if len(all) < 12 {
		t.Fatalf("only %d formats", len(all))
	}
	for _, f := range all {
		for name, broken := range map[string]func(f *parse.Format){
			"Match": func(f *parse.Format) { f.Match = func(*parse.Input) parse.Claim { panic(mine) } },
			"Parse": func(f *parse.Format) {
				f.Match = func(*parse.Input) parse.Claim { return parse.Claim{Level: parse.Exact} }
				f.Parse = func(*parse.Input) (*parse.Reading, error) { panic(mine) }
			},
			"Detail": func(f *parse.Format) {
				f.Match = func(*parse.Input) parse.Claim {
					return parse.Claim{Level: parse.Likely, Dialect: parse.DialectDetail}
				}
				f.Detail = func(*parse.Input, parse.Subject) (*parse.Reading, error) { panic(mine) }
			},
		} {
			own := *f
			broken(&own)
			res, err := client.Parse(t.Context(), []byte("{}"), &client.ParseOptions{Formats: []*parse.Format{&own}})
			if err != nil {
				t.Fatal(err)
			}
			if res.Verdict != wayfind.VerdictMalformed || res.Reason != string(wayfind.CodePanic) || res.Usable {
				t.Errorf("%s.%s: %s, %q", f.Name, name, res.Verdict, res.Reason)
			}
			for _, d := range res.Diagnostics {
				if strings.Contains(d.Message, ".go:") {
					t.Errorf("%s.%s: %s", f.Name, name, d.Message)
				}
			}
		}
	}
}
