package clienttest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

// patience is the time that the client in these tests waits.
const patience = time.Minute

// isErr reports whether an error wraps another.
func isErr(want error) func(error) bool {
	return func(err error) bool { return errors.Is(err, want) }
}

// asErr reports whether an error wraps one of a type.
func asErr[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func hasText(want string) func(error) bool {
	return func(err error) bool { return err != nil && strings.Contains(err.Error(), want) }
}

func TestConnFaults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault clienttest.ConnFault
		want  func(error) bool
		took  time.Duration
	}{
		{"refuse", clienttest.Refuse(), isErr(syscall.ECONNREFUSED), 0},
		{"black hole", clienttest.BlackHole(), isErr(context.DeadlineExceeded), patience},
		{"accept, stall", clienttest.AtAccept(clienttest.Stall), isErr(context.DeadlineExceeded), patience},
		{"accept, close", clienttest.AtAccept(clienttest.Close), isErr(io.EOF), 0},
		{"accept, reset", clienttest.AtAccept(clienttest.Reset), isErr(syscall.ECONNRESET), 0},
		{"handshake, stall", clienttest.AtHandshake(clienttest.Stall), isErr(context.DeadlineExceeded), patience},
		{"handshake, close", clienttest.AtHandshake(clienttest.Close), isErr(io.EOF), 0},
		{"handshake, reset", clienttest.AtHandshake(clienttest.Reset), isErr(syscall.ECONNRESET), 0},
		{"second record, stall", clienttest.AtByte(200, clienttest.Stall), isErr(context.DeadlineExceeded), patience},
		{"second record, close", clienttest.AtByte(200, clienttest.Close), isErr(io.ErrUnexpectedEOF), 0},
		{"plain", clienttest.PlainHTTP(), hasText("server gave HTTP response to HTTPS client"), 0},
		{"old", clienttest.OldTLS(), hasText("protocol version"), 0},
		{"expired", clienttest.ExpiredCert(), hasText("expired"), 0},
		{"future", clienttest.FutureCert(), hasText("not yet valid"), 0},
		{"wrong name", clienttest.WrongNameCert(), asErr[x509.HostnameError], 0},
		{"unknown CA", clienttest.UnknownCACert(), asErr[x509.UnknownAuthorityError], 0},
		{"self-signed", clienttest.SelfSignedCert(), asErr[x509.UnknownAuthorityError], 0},
		{"no intermediate", clienttest.MissingIntermediate(), asErr[x509.UnknownAuthorityError], 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				h := internet.Host("a.example", clienttest.Pages{"/": "hello"})
				h.FailConn(tt.fault, clienttest.ConnFault{}) // the second is sound
				c := httpClient(internet)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				start := time.Now()
				_, _, err := get(ctx, c, "https://a.example/")
				if !tt.want(err) || time.Since(start) != tt.took {
					t.Errorf("%v after %v", err, time.Since(start))
				}
				if _, body, err := get(t.Context(), c, "https://a.example/"); body != "hello" || err != nil {
					t.Errorf("the next connection: %q, %v", body, err)
				}
				if h.Dials() != 2 || len(h.Requests()) != 1 {
					t.Errorf("%d dials, %d requests", h.Dials(), len(h.Requests()))
				}
			})
		})
	}
}

func TestBlackHoleEndsByItself(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("a.example", nil).FailConn(clienttest.BlackHole())
		start := time.Now()
		_, _, err := get(t.Context(), httpClient(internet), "https://a.example/")
		if !errors.Is(err, syscall.ETIMEDOUT) || time.Since(start) != 127*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestFailAddr(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		h := internet.Host("a.example", clienttest.Pages{"/": "hello"})
		h.At(internet.NewAddr6(), internet.NewAddr())
		h.FailAddr(h.Addrs()[0], clienttest.Refuse())
		if _, body, err := get(t.Context(), httpClient(internet), "https://a.example/"); body != "hello" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
		if h.Dials() != 2 || h.Conns() != 1 {
			t.Errorf("%d dials, %d connections", h.Dials(), h.Conns())
		}
	})
}

// Wherever a connection is cut, the client sees a failure, until all is sent.
func TestAtByteSweep(t *testing.T) {
	for _, e := range []clienttest.Ending{clienttest.Stall, clienttest.Close, clienttest.Reset} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			h := internet.Host("a.example", clienttest.Pages{"/": "hello"}).Protocols("http/1.1")
			cut, whole := 0, 0
			for n := 0; whole == 0 && n < 4096; n += 13 {
				h.FailConn(clienttest.AtByte(n, e))
				c := httpClient(internet)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				_, body, err := get(ctx, c, "https://a.example/")
				switch {
				case err != nil:
					cut++
				case body == "hello":
					whole++
				default:
					t.Errorf("cut at %d: %q without an error", n, body)
				}
				c.CloseIdleConnections()
				cancel()
			}
			if cut < 50 || whole != 1 {
				t.Errorf("ending %d: %d cut, %d whole", e, cut, whole)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	long := strings.Repeat("0123456789", 5000)
	for _, alpn := range []string{"h2", "http/1.1"} {
		h2 := alpn == "h2"
		for _, tt := range []struct {
			name  string
			fault clienttest.Fault
			want  func(error) bool
			body  int // bytes that arrive
			took  time.Duration
			lives bool // the connection survives
		}{
			{"delay", clienttest.Delay(time.Second), isErr(nil), len(long), time.Second, true},
			{"headers, stall", clienttest.AtHeaders(clienttest.Stall), isErr(context.DeadlineExceeded), 0, patience, h2},
			{"headers, abort", clienttest.AtHeaders(clienttest.Abort), either(h2, hasText("INTERNAL_ERROR"), isErr(io.EOF)), 0, 0, h2},
			{"body, stall", clienttest.AtBody(40_000, clienttest.Stall), isErr(context.DeadlineExceeded), 40_000, patience, h2},
			{"body, abort", clienttest.AtBody(40_000, clienttest.Abort), either(h2, hasText("INTERNAL_ERROR"), isErr(io.ErrUnexpectedEOF)), 40_000, 0, h2},
			{"no body, abort", clienttest.AtBody(0, clienttest.Abort), either(h2, hasText("INTERNAL_ERROR"), isErr(io.ErrUnexpectedEOF)), 0, 0, h2},
			{"body, enough", clienttest.AtBody(len(long), clienttest.Reset), isErr(nil), len(long), 0, true},
		} {
			t.Run(alpn+" "+tt.name, func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					h := internet.Host("a.example", clienttest.Pages{"/": long, "/sound": "hello"})
					h.Protocols(alpn).Fail("/", tt.fault)
					c := httpClient(internet)
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					start := time.Now()
					_, body, err := get(ctx, c, "https://a.example/")
					if !tt.want(err) || len(body) != tt.body || time.Since(start) != tt.took {
						t.Errorf("%d bytes, %v after %v", len(body), err, time.Since(start))
					}
					if _, body, err := get(t.Context(), c, "https://a.example/sound"); body != "hello" || err != nil {
						t.Errorf("another path: %q, %v", body, err)
					}
					if lives := h.Conns() == 1; lives != tt.lives {
						t.Errorf("%d connections", h.Conns())
					}
				})
			})
		}
	}
}

func either[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

// Close and Reset end the connection itself, in any protocol.
func TestFaultsThatEndTheConnection(t *testing.T) {
	for _, alpn := range []string{"h2", "http/1.1"} {
		for _, e := range []clienttest.Ending{clienttest.Close, clienttest.Reset} {
			for n, fault := range map[int]clienttest.Fault{0: clienttest.AtHeaders(e), 3: clienttest.AtBody(3, e)} {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					h := internet.Host("a.example", clienttest.Pages{"/": "hello"})
					h.Protocols(alpn).Fail("", fault)
					c := httpClient(internet)
					_, body, err := get(t.Context(), c, "https://a.example/")
					if err == nil || body != "hello"[:n] || e == clienttest.Reset && !errors.Is(err, syscall.ECONNRESET) {
						t.Errorf("%s, ending %d after %d bytes: %q, %v", alpn, e, n, body, err)
					}
					h.Fail("")
					if _, body, err := get(t.Context(), c, "https://a.example/"); body != "hello" || err != nil {
						t.Errorf("sound again: %q, %v", body, err)
					}
					if h.Conns() != 2 {
						t.Errorf("%s: %d connections", alpn, h.Conns())
					}
				})
			}
		}
	}
}

func TestFaultsWrapInOrder(t *testing.T) {
	mark := func(s string) clienttest.Fault {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, s)
				next.ServeHTTP(w, r)
			})
		}
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })
		h := internet.Host("a.example", page).Fail("", mark("1 "), mark("2 ")).Fail("/other", mark("3 "))
		h.Handle("/own", clienttest.Page{Body: "x"})
		c := httpClient(internet)
		got := map[string]string{}
		for _, path := range []string{"/", "/other", "/own"} {
			_, body, err := get(t.Context(), c, "https://a.example"+path)
			if err != nil {
				t.Fatal(err)
			}
			got[path] = body
		}
		want := map[string]string{"/": "1 2 page", "/other": "3 page", "/own": "1 2 x"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("bodies (-want +got):\n%s", diff)
		}
	})
}

func TestRaw(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"
	for _, tt := range []struct {
		name string
		end  func(net.Conn)
		want func(error) bool
	}{
		{"returns", func(net.Conn) {}, isErr(nil)},
		{"close without an alert", func(c net.Conn) { clienttest.End(c, clienttest.Close) }, isErr(nil)},
		{"reset", func(c net.Conn) { clienttest.End(c, clienttest.Reset) }, isErr(syscall.ECONNRESET)},
		{"stall", func(c net.Conn) { clienttest.End(c, clienttest.Stall) }, isErr(context.DeadlineExceeded)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				h := internet.Host("a.example", nil).Protocols("http/1.1").Raw(func(c net.Conn) {
					_, _ = c.Read(make([]byte, 4096))
					_, _ = io.WriteString(c, answer)
					tt.end(c)
				})
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_, body, err := get(ctx, httpClient(internet), "https://a.example/")
				if body != "hello" || !tt.want(err) {
					t.Errorf("%q, %v", body, err)
				}
				if h.Conns() != 1 || len(h.Requests()) != 0 {
					t.Errorf("%d connections, %d requests", h.Conns(), len(h.Requests()))
				}
			})
		})
	}
}

func TestRawTCP(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("a.example", nil).RawTCP(func(c net.Conn) {
			_, _ = io.WriteString(c, "220 mail.example ready\r\n")
		})
		_, _, err := get(t.Context(), httpClient(internet), "https://a.example/")
		if !asErr[tls.RecordHeaderError](err) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTLSHook(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("a.example", clienttest.Pages{"/": "x"}).TLS(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 })
		resp, _, err := get(t.Context(), httpClient(internet), "https://a.example/")
		if err != nil || resp.TLS.Version != tls.VersionTLS12 {
			t.Errorf("%v, %v", resp, err)
		}
	})
}

func TestSessionsAreResumed(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		h := internet.Host("a.example", clienttest.Pages{"/": "x"})
		tr := internet.Transport()
		tr.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(4)
		for range 2 {
			if _, _, err := get(t.Context(), &http.Client{Transport: tr}, "https://a.example/"); err != nil {
				t.Fatal(err)
			}
			tr.CloseIdleConnections()
		}
		var got []string
		for _, r := range h.Requests() {
			got = append(got, strconv.Itoa(r.Conn)+" "+strconv.FormatBool(r.Resumed))
		}
		if diff := cmp.Diff([]string{"1 false", "2 true"}, got); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	})
}

func TestHangup(t *testing.T) {
	for _, alpn := range []string{"h2", "http/1.1"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			h := internet.Host("a.example", clienttest.Pages{"/": "hello"}).Protocols(alpn)
			c := httpClient(internet)
			for i, e := range []clienttest.Ending{clienttest.Close, clienttest.Reset, clienttest.Close} {
				if _, body, err := get(t.Context(), c, "https://a.example/"); body != "hello" || err != nil {
					t.Errorf("%s: %q, %v", alpn, body, err)
				}
				if h.Conns() != i+1 {
					t.Errorf("%s: %d connections", alpn, h.Conns())
				}
				h.Hangup(e)
				synctest.Wait()
			}
		})
	}
}
