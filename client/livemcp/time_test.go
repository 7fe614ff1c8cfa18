package livemcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// However a server delays its answers, the probe ends with its context, and nothing is left
// running.
func TestASilentServerEndsWithTheContext(t *testing.T) {
	silent := func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	drip := func(text string) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, text); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
		}
	}
	rows := map[string]struct {
		media, transport string
		rest             func(w http.ResponseWriter, r *http.Request)
	}{
		"silence, JSON":   {"application/json", "", silent},
		"silence, events": {"text/event-stream", "", silent},
		"silence, stream": {"text/event-stream", "sse", silent},
		"drops, JSON":     {"application/json", "", drip(" ")},
		"drops, events":   {"text/event-stream", "", drip(": wait\n\n")},
		"drops, stream":   {"text/event-stream", "sse", drip(": wait\n\n")},
		"an endpoint and then silence": {"text/event-stream", "sse", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "event: endpoint\ndata: /mcp?s=1\n\n")
			silent(w, r)
		}},
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					w.Header().Set("Content-Type", r.media)
					r.rest(w, req)
				}))
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				start := time.Now()
				_, err := probe(ctx, t, internet, r.transport, nil)
				refused(t, err, wayfind.ErrUnreachable, wayfind.CodeTimeout)
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second+100*time.Millisecond {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
			})
		})
	}
}

// A server that refuses one era and does not answer the next is not absent.
func TestSilenceAfterNo(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Method") == "" {
				<-r.Context().Done()
			}
			w.WriteHeader(http.StatusNotFound)
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := probe(ctx, t, internet, "", nil)
		refused(t, err, wayfind.ErrUnreachable, wayfind.CodeTimeout)
		if len(host.Requests()) != 2 {
			t.Errorf("asked %v", asked(host))
		}
	})
}

// The request that ends a session may take a second. It is not awaited if the context has
// ended.
func TestTheEndOfASessionIsNotAwaitedPastTheContext(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			host := internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete {
					<-r.Context().Done()
					return
				}
				if r.Header.Get("Mcp-Method") == "" {
					w.Header().Set("Mcp-Session-Id", "session")
				}
				legacy(func(message) string {
					if cancelled {
						cancel()
					}
					return oneTool
				}).ServeHTTP(w, r)
			}))
			start := time.Now()
			_, err := probe(ctx, t, internet, "", nil)
			ended := asked(host)[len(asked(host))-1] == http.MethodDelete
			if (err != nil) != cancelled || ended == cancelled {
				t.Errorf("cancelled %v: %v, asked %v", cancelled, err, asked(host))
			}
			if d := time.Since(start); d > time.Second+100*time.Millisecond {
				t.Errorf("cancelled %v: ended after %v", cancelled, d)
			}
		})
	}
}

// A server may delay its answer in the middle of a session: after it has begun, or at a page
// of a list. The end of the caller's context, and its deadline, end the probe at once and the
// session within a second.
func TestSilenceInASessionEndsWithTheContext(t *testing.T) {
	for name, silentAt := range map[string]int{"after initialize": 0, "at the first page": 1, "at the third page": 3} {
		for _, why := range []error{context.Canceled, context.DeadlineExceeded} {
			t.Run(fmt.Sprint(name, " ", why), func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					var pages atomic.Int32
					host := internet.Host("shop.example", nil)
					session := legacy(func(message) string {
						return fmt.Sprintf(`{"tools": [], "nextCursor": "%d"}`, pages.Load())
					})
					host.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if r.Header.Get("Mcp-Method") == "" {
							w.Header().Set("Mcp-Session-Id", "session")
						}
						body, _ := io.ReadAll(r.Body)
						r.Body = io.NopCloser(bytes.NewReader(body))
						silent := r.Method == http.MethodDelete || silentAt == 0 && bytes.Contains(body, []byte("notifications/initialized"))
						if bytes.Contains(body, []byte("tools/list")) {
							silent = pages.Add(1) == int32(silentAt) || silent
						}
						if silent {
							<-r.Context().Done()
							return
						}
						session.ServeHTTP(w, r)
					}))
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
					defer cancel()
					if errors.Is(why, context.Canceled) {
						ctx, cancel = context.WithCancel(t.Context())
						time.AfterFunc(5*time.Second, cancel)
					}
					start := time.Now()
					_, err := probe(ctx, t, internet, "", nil)
					if d := time.Since(start); !errors.Is(err, why) || d < 5*time.Second || d > 5*time.Second+100*time.Millisecond {
						t.Errorf("after %v: %v", d, err)
					}
					if n := pages.Load(); n != int32(silentAt) {
						t.Errorf("%d pages were asked for", n)
					}
				})
			})
		}
	}
}

// A server that forgets the session (404) ends the probe: no second session is begun, and no
// request is repeated.
func TestAForgottenSessionEndsTheProbe(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var lists atomic.Int32
		host := internet.Host("shop.example", nil)
		session := legacy(says(oneTool))
		host.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if bytes.Contains(body, []byte("tools/list")) {
				lists.Add(1)
				http.NotFound(w, r)
				return
			}
			if r.Header.Get("Mcp-Method") == "" {
				w.Header().Set("Mcp-Session-Id", "session")
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			session.ServeHTTP(w, r)
		}))
		start := time.Now()
		_, err := probe(t.Context(), t, internet, "", nil)
		refused(t, err, wayfind.ErrInvalid, wayfind.CodeProtocol)
		if n := len(host.Requests()); n > 5 || lists.Load() != 1 || time.Since(start) > time.Second {
			t.Errorf("after %v: asked %v", time.Since(start), asked(host))
		}
	})
}

// A server that breaks off its stream each time is not asked repeatedly, not even with the old
// transport, which has its own event stream.
func TestAServerThatBreaksOffIsNotAskedRepeatedly(t *testing.T) {
	for _, event := range []string{"", "id: 7\nretry: 0\ndata:\n\n", "event: endpoint\ndata: /mcp?s=1\n\n", "id: 7\nretry: 999999999\nevent: endpoint\ndata: /mcp?s=1\n\n"} {
		for _, transport := range []string{"", "sse"} {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, event)
				}))
				start := time.Now()
				_, err := probe(t.Context(), t, internet, transport, nil)
				if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Kind == nil {
					t.Errorf("%q: %v", event, err)
				}
				if n := len(host.Requests()); n > 6 || time.Since(start) > time.Second {
					t.Errorf("%q, transport %q: after %v asked %d times: %v", event, transport, time.Since(start), n, asked(host))
				}
			})
		}
	}
}

// A stream that breaks off is not resumed, whatever it contains about resuming.
func TestAStreamThatBreaksOffIsNotResumed(t *testing.T) {
	for _, retry := range []string{"id: 7\nretry: 0", "id: 7\nretry: 1", "id: 7\nretry: 999999999", "id: 7", "retry: 0", "retry: 999999999"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", nil).Handle("/mcp", after(func(w http.ResponseWriter, _ message) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, retry+"\ndata:\n\n")
			}))
			_, err := probe(t.Context(), t, internet, "", nil)
			refused(t, err, wayfind.ErrInvalid, wayfind.CodeProtocol)
			if n := len(host.Requests()); n != 4 {
				t.Errorf("asked %v", asked(host))
			}
		})
	}
}

// If a connection breaks off, the protocol stays unknown: the server is unreachable, at any point
// of an answer.
func TestBrokenOff(t *testing.T) {
	faults := map[string]clienttest.Fault{
		"before the header": clienttest.AtHeaders(clienttest.Reset), "at the header": clienttest.AtBody(0, clienttest.Reset),
		"within the answer": clienttest.AtBody(10, clienttest.Reset), "an answer cut short": clienttest.AtBody(10, clienttest.Abort),
	}
	for _, at := range []string{"server/discover", "tools/list"} {
		for name, fault := range faults {
			t.Run(at+" "+name, func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					sound := modern(says(oneTool))
					host := internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if r.Header.Get("Mcp-Method") == at {
							fault(sound).ServeHTTP(w, r)
							return
						}
						sound.ServeHTTP(w, r)
					}))
					_, err := probe(t.Context(), t, internet, "", nil)
					refused(t, err, wayfind.ErrUnreachable, wayfind.CodeNetwork)
					if last := host.Requests()[len(host.Requests())-1]; last.Header.Get("Mcp-Method") != at {
						t.Errorf("asked on: %v", asked(host))
					}
				})
			})
		}
	}
}

// Data after an answer is not awaited, has no effect if it breaks off, and is not read after
// the end of the probe.
func TestAfterTheAnswer(t *testing.T) {
	for name, more := range map[string]func(w http.ResponseWriter, r *http.Request){
		"the connection breaks": func(http.ResponseWriter, *http.Request) {
			time.Sleep(time.Millisecond) // the answer has arrived
			panic(http.ErrAbortHandler)
		},
		"the stream goes on": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, ": more\n\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				var running atomic.Int32
				internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Mcp-Method") != "tools/list" {
						modern(nil).ServeHTTP(w, r)
						return
					}
					running.Add(1)
					defer running.Add(-1)
					m := read(r)
					next := `"2"`
					if m.Params.Cursor != nil {
						next = "null"
					}
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\": \"2.0\", \"id\": %s, \"result\": {\"tools\": [], \"nextCursor\": %s}}\n\n", m.ID, next)
					_ = http.NewResponseController(w).Flush()
					more(w, r)
				}))
				start := time.Now()
				if _, err := probe(t.Context(), t, internet, "", nil); err != nil {
					t.Fatal(err)
				}
				if d := time.Since(start); d > 100*time.Millisecond {
					t.Errorf("ended after %v", d)
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				if n := running.Load(); n != 0 {
					t.Errorf("%d streams are listened to", n)
				}
			})
		})
	}
}
