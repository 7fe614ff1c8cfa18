package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// stuckConn takes the two flights of a TLS 1.3 handshake; a further Write lasts
// until the connection is closed, or its deadline.
type stuckConn struct {
	net.Conn
	writes   atomic.Int32
	deadline atomic.Pointer[time.Time]
	closed   chan struct{}
	once     sync.Once
}

func (c *stuckConn) Write(p []byte) (int, error) {
	if c.writes.Add(1) <= 2 {
		return c.Conn.Write(p)
	}
	var over <-chan time.Time
	if d := c.deadline.Load(); d != nil && !d.IsZero() {
		over = time.After(time.Until(*d))
	}
	select {
	case <-c.closed:
		return 0, net.ErrClosed
	case <-over:
		return 0, os.ErrDeadlineExceeded
	}
}

func (c *stuckConn) SetWriteDeadline(d time.Time) error { c.deadline.Store(&d); return nil }

func (c *stuckConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// zipped is a page as gzip.
func zipped(t *testing.T, body string) clienttest.Page {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return page(b.String(), "Content-Encoding", "gzip")
}

// stage is the state of a call when its caller leaves. set up makes the host and the options so
// that the call stops there.
type stage struct {
	host *clienttest.Host
	path string
	opts *client.Options
	net  *clienttest.Internet
	left atomic.Pointer[context.CancelFunc] // of the caller, while there is one
}

// stop is the caller leaving.
func (s *stage) stop() {
	if cancel := s.left.Load(); cancel != nil {
		(*cancel)()
	}
}

// stages of one document. Work on the caller's goroutine is a stage of Describe alone.
func stages(t *testing.T, body string) map[string]func(s *stage) {
	store := func(op string) func(s *stage) {
		return func(s *stage) {
			s.opts.Store = &hookedStore{newFarStore(), func(at string) {
				if at == op {
					s.stop()
				}
			}}
		}
	}
	return map[string]func(s *stage){
		"queue": func(s *stage) {
			s.host.Protocols("http/1.1").Fail("", clienttest.AtHeaders(clienttest.Stall))
			s.opts.Limits.Concurrency = 1
			f := adp.Format()
			f.Locations = append(slices.Clone(f.Locations), parse.Location{Path: "/second"})
			s.opts.Formats = []*parse.Format{f}
		},
		"DNS":     func(s *stage) { s.net.DNS(s.host.Name(), clienttest.NoAnswer()) },
		"dial":    func(s *stage) { s.host.FailConn(clienttest.BlackHole()) },
		"accept":  func(s *stage) { s.host.FailConn(clienttest.AtAccept(clienttest.Stall)) },
		"TLS":     func(s *stage) { s.host.FailConn(clienttest.AtByte(100, clienttest.Stall)) },
		"headers": func(s *stage) { s.host.Fail(s.path, clienttest.AtHeaders(clienttest.Stall)) },
		"body":    func(s *stage) { s.host.Fail(s.path, clienttest.AtBody(10, clienttest.Stall)) },
		"write": func(s *stage) {
			inner, own := s.opts.Network.Dial, s.host.Addrs()
			s.opts.Network.Dial = func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
				conn, err := inner(ctx, a)
				if err != nil || !slices.Contains(own, a.Addr()) {
					return conn, err
				}
				return &stuckConn{Conn: conn, closed: make(chan struct{})}, nil
			}
			s.host.Protocols("http/1.1") // which sends nothing before the request
		},
		"decompress": func(s *stage) {
			s.host.Handle(s.path, zipped(t, body)).Fail(s.path, clienttest.AtBody(40, clienttest.Stall))
		},
		"cache look-up": store("load"),
		"cache write":   store("save"),
		"obligation":    store("acquire"),
		"parse": func(s *stage) {
			f := adp.Format()
			read, detail := f.Parse, f.Detail
			f.Parse = func(in *parse.Input) (*parse.Reading, error) { s.stopAt(in); return read(in) }
			f.Detail = func(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
				s.stopAt(in)
				return detail(in, subject)
			}
			s.opts.Formats = []*parse.Format{f}
		},
		"sanitise": func(s *stage) {
			f := adp.Format()
			read, detail := f.Parse, f.Detail
			f.Parse = func(in *parse.Input) (*parse.Reading, error) { defer s.stopAt(in); return read(in) }
			f.Detail = func(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
				defer s.stopAt(in)
				return detail(in, subject)
			}
			s.opts.Formats = []*parse.Format{f}
		},
	}
}

func (s *stage) stopAt(in *parse.Input) {
	if in.URL.Host == s.host.Name() {
		s.stop()
	}
}

// hookedStore calls a function before each operation.
type hookedStore struct {
	*farStore
	before func(op string)
}

func (s *hookedStore) Load(ctx context.Context, key string) (*cache.Variants, error) {
	s.before("load")
	return s.farStore.Load(ctx, key)
}

func (s *hookedStore) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	s.before("save")
	return s.farStore.Save(ctx, key, v, retain)
}

func (s *hookedStore) Acquire(ctx context.Context, key string, until time.Time) (bool, time.Time, func(), error) {
	s.before("acquire")
	return s.farStore.Acquire(ctx, key, until)
}

// leave makes a call and leaves it after a second, or when the stage is reached. It checks the
// result and the time.
func leave(t *testing.T, why error, arm func(stop context.CancelFunc), call func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	if errors.Is(why, context.DeadlineExceeded) {
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	} else {
		time.AfterFunc(time.Second, cancel)
	}
	defer cancel()
	var left time.Time
	stop := context.AfterFunc(ctx, func() { left = time.Now() })
	defer stop()
	arm(cancel)
	err := call(ctx)
	synctest.Wait()
	switch {
	case ctx.Err() == nil:
		t.Fatalf("%v, before the caller left", err)
	case time.Since(left) > 100*time.Millisecond:
		t.Errorf("it took %v", time.Since(left))
	}
	if err == nil {
		return // the answer was faster
	}
	if _, ok := errors.AsType[*wayfind.Error](err); !ok || !errors.Is(err, ctx.Err()) {
		t.Errorf("%v does not wrap %v", err, ctx.Err())
	}
	if e := clienttest.CheckError(err); e != nil {
		t.Error(e)
	}
}

// Resolve ends with its caller at each stage. Complete answers are stored, and the others are
// requested again.
func TestResolveEndsWithItsCallerAtEachStage(t *testing.T) {
	body := manifest("shop.example", "/a")
	for name, setup := range stages(t, body) {
		for _, why := range []error{context.Canceled, context.DeadlineExceeded} {
			t.Run(fmt.Sprint(name, " ", why), func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					host := internet.Host("shop.example", clienttest.Pages{wellKnown: body})
					far := newFarStore()
					s := &stage{host: host, path: wellKnown, net: internet}
					c := newClient(t, internet, func(o *client.Options) {
						o.Store = far
						s.opts = o
						setup(s)
						if h, ok := o.Store.(*hookedStore); ok {
							far = h.farStore
						}
					})
					leave(t, why, func(stop context.CancelFunc) { s.left.Store(&stop) }, func(ctx context.Context) error {
						site, err := c.Resolve(ctx, "shop.example")
						if site == nil || err == nil && len(site.Services) == 0 {
							t.Errorf("%v, %+v", err, site)
						}
						return err
					})
					if err := c.Close(); err != nil {
						t.Error(err)
					}
					far.wantWhole(t, body)
				})
			})
		}
	}
}

// wantWhole checks that every document in the store is the whole of one.
func (s *farStore) wantWhole(t *testing.T, bodies ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, w := range s.kept {
		v, err := cache.UnmarshalVariants(w.text)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		for _, e := range v.Entries {
			if e.Status == http.StatusOK && !slices.Contains(bodies, string(e.Body)) {
				t.Errorf("%s has %.40q of %d bytes", key, e.Body, len(e.Body))
			}
		}
	}
}

// Describe ends with its caller at each stage of the detail document, and
// while the caller is asked to approve.
func TestDescribeEndsWithItsCallerAtEachStage(t *testing.T) {
	body := detail("a", "/x")
	all := stages(t, body)
	all["approval"] = func(s *stage) {
		s.opts.Approve = func(ctx context.Context, _ security.ApprovalRequest) error {
			<-ctx.Done()
			return ctx.Err()
		}
	}
	for name, setup := range all {
		for _, why := range []error{context.Canceled, context.DeadlineExceeded} {
			t.Run(fmt.Sprint(name, " ", why), func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("other.example.net", "/a")})
					host := internet.Host("other.example.net", clienttest.Pages{"/a": body})
					far := newFarStore()
					s := &stage{host: host, path: "/a", net: internet}
					c := newClient(t, internet, func(o *client.Options) {
						o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
						o.Store, s.opts = far, o
						setup(s)
						if h, ok := o.Store.(*hookedStore); ok {
							far = h.farStore
						}
					})
					site, err := c.Resolve(t.Context(), "shop.example")
					if err != nil {
						t.Fatal(err)
					}
					if name == "queue" { // another call has the connection
						go func() { _, _ = c.Resolve(t.Context(), "other.example.net") }()
						synctest.Wait()
					}
					leave(t, why, func(stop context.CancelFunc) { s.left.Store(&stop) }, func(ctx context.Context) error {
						_, err := c.Describe(ctx, site, "adp:a")
						return err
					})
					if err := c.Close(); err != nil {
						t.Error(err)
					}
					far.wantWhole(t, body, manifest("other.example.net", "/a"))
				})
			})
		}
	}
}

// A live endpoint that keeps us waiting ends with the caller as well, in the
// flight of a Resolve and in a Describe.
func TestALiveEndpointThatWaitsEndsWithTheCaller(t *testing.T) {
	for _, at := range []string{endpoint, stranger} {
		for _, why := range []error{context.Canceled, context.DeadlineExceeded} {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				names(internet, "example.com", at)
				p := &talker{answer: func(ctx context.Context, _ *client.LiveRequest) (*client.LiveAnswer, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}}
				c := newClient(t, internet, live(p), func(o *client.Options) {
					o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
				})
				leave(t, why, func(context.CancelFunc) {}, func(ctx context.Context) error {
					site, err := c.Resolve(ctx, "example.com")
					if err != nil || at == endpoint {
						return err
					}
					_, err = c.Describe(ctx, site, site.Services[0].ID)
					return err
				})
				p.want(t, "once", map[string]int{at: 1})
			})
		}
	}
}
