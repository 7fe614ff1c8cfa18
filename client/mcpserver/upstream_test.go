package mcpserver_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// loom is an MCP server of one version. Its lists are fresh for an hour, unless it sends notices of
// changes.
func loom(version string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "mill", Version: "1"}, &mcp.ServerOptions{
		SupportedProtocolVersions: []string{version},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(time.Hour.Milliseconds()), "public"
		},
	})
	s.AddTool(aTool("work"), nothing)
	s.AddPrompt(&mcp.Prompt{Name: "tour"}, nil)
	return s
}

func aTool(name string) *mcp.Tool {
	return &mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}
}

func nothing(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{}, nil
}

// over serves an MCP server over HTTP. The end of the test ends the sessions that are left: if a
// client gives up during initialize, it does not know the id of its session.
func (w *world) over(s *mcp.Server, stateless bool) http.Handler {
	if !stateless {
		w.Cleanup(func() {
			synctest.Wait()
			for session := range s.Sessions() {
				_ = session.Close()
			}
		})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true, Stateless: stateless, PropagateRequestCancellation: true})
}

func TestASessionThatNobodyKnowsEndsWithTheTest(t *testing.T) {
	inWorld(t, plain, nil, func(w *world) {
		hello := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}`))
		hello.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		answer := httptest.NewRecorder()
		w.over(loom("2025-11-25"), false).ServeHTTP(answer, hello)
		if answer.Header().Get("Mcp-Session-Id") == "" {
			w.Errorf("%d %s", answer.Code, answer.Body)
		}
	})
}

// changes returns options that record the kinds of lists for which a host gets notices.
func (h *heard) changes() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { h.add("tools") },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { h.add("prompts") },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { h.add("resources") },
	}
}

// A host gets a notice of a new tool, prompt or resource of a server behind the bridge as soon as
// the server sends one. The tools change each time, because the description of wayfind_search
// contains their number.
func TestANoticeOfAServerReachesTheHost(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		for _, version := range versions() {
			inWorld(t, plain, nil, func(w *world) {
				mill := loom(version)
				mill.AddResource(&mcp.Resource{Name: "map", URI: "art://map"}, nil)
				w.mill(w.over(mill, version > "2026"))
				said := &heard{}
				s := w.connect(legacy, said.changes())
				w.wants(w.listed(s), "work")
				for kind, change := range map[string]func(){
					"tools":     func() { mill.AddTool(aTool("rest"), nothing) },
					"prompts":   func() { mill.RemovePrompts("tour") },
					"resources": func() { mill.AddResource(&mcp.Resource{Name: "key", URI: "art://key"}, nil) },
				} {
					time.Sleep(time.Minute)
					before := len(said.all())
					change()
					time.Sleep(2 * time.Second)
					want := slices.Compact(slices.Sorted(slices.Values([]string{kind, "tools"})))
					if got := slices.Sorted(slices.Values(said.all()[before:])); !slices.Equal(got, want) {
						w.Errorf("%s: %s have changed, and the host is told %q", version, kind, got)
					}
				}
				w.wants(w.listed(w.connect(legacy, nil)), "rest")
			})
		}
	})
}

// A server that answers only to a credential is listened to with it. If it declares no notices, it
// is asked for them once.
func TestAServerThatWantsACredentialSaysThatItsListsHaveChanged(t *testing.T) {
	for _, version := range versions() {
		for _, says := range []bool{true, false} {
			inWorld(t, plain, nil, func(w *world) {
				mill := mcp.NewServer(&mcp.Implementation{Name: "mill", Version: "1"}, &mcp.ServerOptions{
					SupportedProtocolVersions: []string{version}, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: says}},
					SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
						c.TTLMs, c.CacheScope = int((24 * time.Hour).Milliseconds()), "private"
					},
				})
				mill.AddTool(aTool("work"), nothing)
				requests, streams := w.behindAKey(w.over(mill, version > "2026"))
				said := &heard{}
				s := w.connect(true, said.changes())
				w.wants(w.listed(s), "work")
				time.Sleep(time.Minute)
				before, asked := len(said.all()), requests.Load()
				if !says {
					if time.Sleep(3 * time.Minute); streams.Load() != 0 || requests.Load() != asked {
						w.Errorf("%s: a server without notices got %d requests, %d for streams", version, requests.Load()-asked, streams.Load())
					}
					return
				}
				mill.AddTool(aTool("rest"), nothing)
				time.Sleep(2 * time.Second)
				if got := said.all()[before:]; !slices.Contains(got, "tools") || streams.Load() != 1 {
					w.Errorf("%s: the host is told %q, over %d streams", version, got, streams.Load())
				}
				w.wants(w.listed(w.connect(true, nil)), "rest")
			})
		}
	}
}

// behindAKey puts a server behind the bridge that demands a key, and counts the requests with it and
// the requests for a stream of notices among them.
func (w *world) behindAKey(lists http.Handler) (requests, streams *atomic.Int32) {
	requests, streams = new(atomic.Int32), new(atomic.Int32)
	w.build(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k" {
			rw.Header().Set("WWW-Authenticate", "Bearer")
			rw.WriteHeader(http.StatusUnauthorized)
			return
		}
		requests.Add(1)
		if listens(r) {
			streams.Add(1)
		}
		lists.ServeHTTP(rw, r)
	}))
	w.client = w.internet.Client(func(o *client.Options) { o.Live = []client.LiveProber{livemcp.New(nil)} })
	w.serve(&mcpserver.Options{Domains: []string{"mill.example"}}, &call.Options{Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		return call.Bearer("k", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
	}})
	return requests, streams
}

// versions are the versions of servers behind the bridge, one of each era.
func versions() []string { return []string{"2025-11-25", "2026-07-28"} }

// listens reports whether a request opens the stream of notices.
func listens(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen"
}

// behind puts a server behind the bridge whose stream of notices is answered by another handler, and
// returns the numbers of readings and of requests for that stream so far.
func (w *world) behind(server *mcp.Server, version string, stream http.HandlerFunc) func() (readings, streams int) {
	var reads, opens atomic.Int32
	lists := w.over(server, version > "2026")
	w.mill(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if listens(r) {
			opens.Add(1)
			stream(rw, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"tools/list"`)) {
			reads.Add(1)
		}
		lists.ServeHTTP(rw, r)
	}))
	return func() (int, int) {
		synctest.Wait()
		return int(reads.Load()), int(opens.Load())
	}
}

const said = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"

// tell sends n notices on a stream that the tools have changed.
func tell(rw http.ResponseWriter, n int, pause time.Duration) {
	rw.Header().Set("Content-Type", "text/event-stream")
	for range n {
		_, _ = io.WriteString(rw, said)
		_ = http.NewResponseController(rw).Flush()
		time.Sleep(pause)
	}
}

// A server is asked for its lists at most once in ten seconds, however many notices of changes it
// sends.
func TestAServerThatSendsEndlessNoticesIsAskedSeldom(t *testing.T) {
	for _, version := range versions() {
		inWorld(t, plain, nil, func(w *world) {
			count := w.behind(loom(version), version, func(rw http.ResponseWriter, _ *http.Request) { tell(rw, 10_000, 6*time.Millisecond) })
			time.Sleep(time.Minute - time.Millisecond)
			if readings, streams := count(); readings != 6 || streams != 1 {
				w.Errorf("%s: 10,000 notices in a minute cause %d readings, on %d streams", version, readings, streams)
			}
		})
	}
}

// A stream that ends at once is opened again at growing intervals. A server without a stream is
// asked for it once.
func TestAStreamOfNoticesThatFailsIsOpenedEverMoreSeldom(t *testing.T) {
	type stream = http.HandlerFunc
	n := 0
	for name, row := range map[string]struct {
		stream stream
		most   int
	}{
		"ends at once": {func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("Content-Type", "text/event-stream") }, 10},
		"fails":        {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusInternalServerError) }, 10},
		"is broken": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(rw, "data: {}\n\n")
		}, 10},
		"is too long": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(rw, strings.Repeat(": "+strings.Repeat("x", 1000)+"\n", 5_000))
		}, 10},
		"is refused":   {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusMethodNotAllowed) }, 1},
		"is not there": {func(rw http.ResponseWriter, r *http.Request) { http.NotFound(rw, r) }, 1},
		"is a page":    {func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "hello") }, 1},
		"is not known": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(rw, `{"jsonrpc":"2.0","id":"listen","error":{"code":-32601,"message":"no"}}`)
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range versions() {
				if n++; n%testkit.Stride() != 0 {
					continue
				}
				inWorld(t, plain, nil, func(w *world) {
					count := w.behind(loom(version), version, row.stream)
					time.Sleep(2 * time.Hour)
					if _, streams := count(); streams == 0 || streams > row.most {
						w.Errorf("%s: opened %d times in two hours", version, streams)
					}
				})
			}
		})
	}
}

// A stream that is open for a long time is opened again soon after its end. If the server has lost
// it, the lists are read again, because the server may have been started again.
func TestAStreamOfNoticesThatWasOpenIsOpenedAgainSoon(t *testing.T) {
	for _, version := range versions() {
		for lasts, reads := range map[time.Duration]int{time.Hour: 1, 2 * time.Minute: 3} {
			inWorld(t, plain, nil, func(w *world) {
				mill := loom(version)
				count := w.behind(mill, version, func(rw http.ResponseWriter, r *http.Request) {
					tell(rw, 0, 0)
					_ = http.NewResponseController(rw).Flush()
					select {
					case <-time.After(lasts):
						panic(http.ErrAbortHandler)
					case <-r.Context().Done():
					}
				})
				time.Sleep(min(lasts, 5*time.Minute) + 2*time.Minute + 10*time.Second)
				if readings, streams := count(); streams < 2 || streams > 3 || readings < reads || readings > reads+1 {
					w.Errorf("%s, %v: %d readings, %d streams", version, lasts, readings, streams)
				}
			})
		}
	}
}

// A server that declares no notices is not listened to, and the listening ends with the server.
func TestAServerThatDeclaresNoNoticesIsNotListenedTo(t *testing.T) {
	for _, version := range versions() {
		inWorld(t, plain, nil, func(w *world) {
			mute := mcp.NewServer(&mcp.Implementation{Name: "mill", Version: "1"}, &mcp.ServerOptions{
				SupportedProtocolVersions: []string{version}, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			})
			mute.AddTool(aTool("work"), nothing)
			count := w.behind(mute, version, func(rw http.ResponseWriter, _ *http.Request) { tell(rw, 1, time.Hour) })
			time.Sleep(5 * time.Minute)
			if readings, streams := count(); readings == 0 || streams != 0 {
				w.Errorf("%s: %d readings, %d streams", version, readings, streams)
			}
		})
	}
}
