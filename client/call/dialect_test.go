package call_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// eraServer is an MCP server of one era. The function work answers its tools/call.
type eraServer struct {
	older bool
	work  func(w http.ResponseWriter, m rpc)
}

func (e *eraServer) answer(w http.ResponseWriter, m rpc) {
	switch {
	case m.Method == "tools/call":
		e.work(w, m)
	case e.older && m.Method == "initialize":
		_, _ = fmt.Fprintf(w, olderHello, m.ID)
	case !e.older && m.Method == "server/discover":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`, m.ID)
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

// newEra returns a world with an MCP server whose card names the given versions, if any.
func newEra(t *testing.T, versions string, older bool) (*world, *eraServer) {
	t.Helper()
	card := strings.Replace(serverCard, `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`, 1)
	if versions != "" {
		card = strings.Replace(card, `"streamable-http", `, `"streamable-http", "supportedProtocolVersions": [`+versions+`], `, 1)
	}
	e := &eraServer{older: older, work: func(w http.ResponseWriter, m rpc) {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"booked"}]}}`, m.ID)
	}}
	return newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, func(w http.ResponseWriter, m rpc) { e.answer(w, m) }), e
}

// methods returns the methods of the requests that a world received from an index on, in
// order.
func (x *world) methods(since int) (list []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range x.got[since:] {
		list = append(list, m.Method)
	}
	return list
}

// A tools/call is sent once, whatever a gateway answers after the server has done its work,
// and whatever is known about the server.
func TestAnMCPCallIsSentOnceWhateverItsAnswer(t *testing.T) {
	n := 0
	for _, server := range []struct {
		versions string
		older    bool
	}{{`"2026-07-28"`, false}, {`"2026-07-28","2025-11-25"`, false}, {`"2025-11-25"`, true}, {"", false}, {"", true}} {
		for _, status := range []int{200, 202, 400, 404, 405, 500, 502} {
			for _, body := range []string{"", `{}`, `<html>`, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`} {
				if n++; n%testkit.Stride() != 0 {
					continue
				}
				bubble(t, func(t *testing.T) {
					x, e := newEra(t, server.versions, server.older)
					e.work = func(w http.ResponseWriter, m rpc) {
						w.WriteHeader(status)
						_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", string(m.ID)))
					}
					c, y := x.caller(t)
					res, err := c.Call(t.Context(), x.box, "book", nil)
					if got := x.methods(0); err == nil || y.count() != 1 || res.Program.Attempts != 1 || len(slices.DeleteFunc(slices.Clone(got), func(m string) bool { return m != "tools/call" })) != 1 || slices.Index(got, "tools/call") != len(got)-1 {
						t.Errorf("%+v, %d %s: %v, %v", server, status, body, got, err)
					}
				})
			}
		}
	}
}

// If a server refuses the version of a call, it has not processed the call. The call is then
// written for the older version that the server names, unless its documents exclude it.
func TestACallIsWrittenForTheVersionThatAServerNames(t *testing.T) {
	for versions, want := range map[string]string{
		`"2026-07-28","2025-11-25"`: "[tools/call initialize notifications/initialized tools/call]",
		`"2026-07-28"`:              "[tools/call]",
	} {
		bubble(t, func(t *testing.T) {
			x, e := newEra(t, versions, true)
			e.work = func(w http.ResponseWriter, m rpc) {
				if !strings.Contains(string(m.Params), "_meta") {
					_, _ = fmt.Fprintf(w, olderBooked, m.ID)
					return
				}
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}}`, m.ID)
			}
			c, _ := x.caller(t)
			res, err := c.Call(t.Context(), x.box, "book", nil)
			if got := fmt.Sprint(x.methods(0)); got != want || (err == nil) != strings.Contains(want, "initialize") {
				t.Errorf("%s: %s, %v: %+v", versions, got, err, res.Model)
			}
		})
	}
}

// The server is asked once per user. It is asked again for another user, after the user was
// forgotten, and after a call that was not understood.
func TestTheDialectOfAServerIsRemembered(t *testing.T) {
	for _, older := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			x, e := newEra(t, "", older)
			c, _ := x.caller(t, func(o *call.Options) { o.Principal = principal })
			asks := func(who string, want bool) {
				t.Helper()
				before := len(x.got)
				_, _ = c.Call(as(t, who), x.box, "book", nil)
				if got := x.methods(before); slices.Contains(got, "server/discover") != want || !slices.Contains(got, "tools/call") {
					t.Errorf("older %t, %s: %v", older, who, got)
				}
			}
			asks("alice", true)
			asks("alice", false)
			asks("bob", true)
			c.Forget("alice")
			asks("bob", false)
			asks("alice", true)
			work := e.work
			e.work = func(w http.ResponseWriter, _ rpc) { w.WriteHeader(http.StatusNotFound) }
			asks("alice", false)
			e.work = work
			asks("alice", true)
			asks("alice", false)
		})
	}
}

// If nothing is known about a server and it does not answer, it is not called.
func TestACallIsNotSentToAServerThatDoesNotSayWhatItSpeaks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": strings.Replace(serverCard, `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`, 1)},
			func(http.ResponseWriter, rpc) { panic(http.ErrAbortHandler) })
		c, _ := x.caller(t)
		res, err := c.Call(t.Context(), x.box, "book", nil)
		if wantCode(t, res, err, call.Unreachable); slices.Contains(x.methods(0), "tools/call") || res.Program.Attempts != 0 || !strings.Contains(res.Model.Text, "nothing was done") {
			t.Errorf("%v: %+v", x.methods(0), res)
		}
	})
}

// A message to an agent is sent once, to the path that exists, whatever the answer.
func TestAMessageToAnAgentIsSentOnce(t *testing.T) {
	for _, prototype := range []bool{false, true} {
		for _, status := range []int{200, 202, 400, 404, 405, 500, 502} {
			bubble(t, func(t *testing.T) {
				var got []string
				x := newActors(t, func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					switch there := strings.Contains(r.URL.Path, "/messages/") != prototype; {
					case !there && status == http.StatusAccepted:
						w.Header().Set("Allow", "GET, HEAD")
						w.WriteHeader(http.StatusMethodNotAllowed)
					case !there:
						w.WriteHeader(http.StatusNotFound)
					case r.Method == http.MethodOptions:
						w.WriteHeader(http.StatusMethodNotAllowed)
					default:
						w.WriteHeader(status)
					}
					got = append(got, r.Method+strings.TrimSuffix(string(body[:min(len(body), 10)]), `"`))
				})
				c, _ := x.caller(t)
				_, _ = c.Call(t.Context(), x.box, x.box.Tools()[0].Name, []byte(`{"message":"hey"}`))
				want := `[OPTIONS POST{"method":]`
				if prototype {
					want = `[OPTIONS OPTIONS POST{"actorId]`
				}
				if fmt.Sprint(got) != want {
					t.Errorf("prototype %t, %d: %q", prototype, status, got)
				}
				got = nil
				_, _ = c.Call(t.Context(), x.box, x.box.Tools()[0].Name, []byte(`{"message":"hey"}`))
				if again := strings.Count(fmt.Sprint(got), "OPTIONS"); (again > 0) != (status == 400 || status == 404 || status == 405) {
					t.Errorf("prototype %t, %d: asks %d times after the first call", prototype, status, again)
				}
			})
		}
	}
}
