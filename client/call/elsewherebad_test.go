package call_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security"
)

// listed writes one page of a list.
func listed(w http.ResponseWriter, id, next string, names ...string) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	if next != "" {
		next = `,"nextCursor":"` + next + `"`
	}
	_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private"%s,"tools":[`, id, next)
	for i, name := range names {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = fmt.Fprintf(out, `{"name":%q,"inputSchema":{"type":"object"}}`, name)
	}
	_, _ = out.WriteString(`]}}`)
}

// A server that lists without end provides no tool. The reason states that, and the other
// services of the Load are available.
func TestAServerThatListsWithoutEndBecomesNoTool(t *testing.T) {
	testkit.Large(t)
	million := make([]string, 1_000_000)
	for i := range million {
		million[i] = fmt.Sprintf("tool_%d", i)
	}
	pages := 0
	for name, list := range map[string]func(w http.ResponseWriter, id, user, cursor string){
		"a million tools": func(w http.ResponseWriter, id, _, _ string) { listed(w, id, "", million...) },
		"another set at each page": func(w http.ResponseWriter, id, _, _ string) {
			pages++
			listed(w, id, fmt.Sprintf("c%d", pages), fmt.Sprintf("tool_%d", pages))
		},
		"the same cursor again": func(w http.ResponseWriter, id, _, _ string) { listed(w, id, "c", "tool") },
	} {
		bubble(t, func(t *testing.T) {
			e := newElsewhere(t, "vendor.net", false)
			e.list = list
			c, caller := e.callers(t, "WithCredentials")
			box := e.loaded(e.as(t, "WithCredentials", "alice", caller), t, c, "shop.example")
			skipped := box.Skipped()
			if box.Len() != 0 || len(skipped) != 1 || skipped[0].Code != tools.CodeDescribe || skipped[0].Key == "" || skipped[0].Err == nil {
				t.Errorf("%s: %d tools, %+v", name, box.Len(), skipped)
			}
		})
	}
	if pages > 60 {
		t.Errorf("%d pages were asked for", pages)
	}
}

// A server that repeats the credential in its list, or in its refusal, provides no tool, and
// nothing that results from it contains the credential.
func TestAServerThatRepeatsTheCredentialBecomesNoTool(t *testing.T) {
	for name, list := range map[string]func(w http.ResponseWriter, id, user, cursor string){
		"in a schema": func(w http.ResponseWriter, id, user, _ string) {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string","description":"s3cret-%s"}}}}]}}`, id, user)
		},
		"in a refusal": func(w http.ResponseWriter, id, user, _ string) {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"bad token s3cret-%s"}}`, id, user)
		},
	} {
		for _, way := range []string{"WithCredentials", "WithCredential"} {
			bubble(t, func(t *testing.T) {
				e := newElsewhere(t, "vendor.net", false)
				e.list = list
				c, caller := e.callers(t, way)
				box := e.loaded(e.as(t, way, "alice", caller), t, c, "shop.example")
				raw, err := box.Save()
				if err != nil || box.Len() != 0 || len(box.Skipped()) != 1 || strings.Contains(string(raw)+fmt.Sprint(box.Skipped()), "s3cret") {
					t.Errorf("%s, %s: %v, %d tools, %+v", name, way, err, box.Len(), box.Skipped())
				}
			})
		}
	}
}

// If a list changes before the call, the call is sent to the server, the model gets the
// server's answer, and the next Load returns the new list.
func TestAListThatChangesBeforeTheCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := newElsewhere(t, "vendor.net", false)
		name := "before"
		e.list = func(w http.ResponseWriter, id, _, _ string) { listed(w, id, "", name) }
		c, caller := e.callers(t, "WithCredentials")
		box := e.loaded(e.as(t, "WithCredentials", "alice", caller), t, c, "shop.example")
		name = "after"
		if _, err := caller.Call(as(t, "alice"), box, "after", nil); !errors.As(err, new(*call.Error)) {
			t.Errorf("a tool that the Box does not have: %v", err)
		}
		res, err := caller.Call(as(t, "alice"), box, "before", nil)
		wantCode(t, res, err, made)
		again := e.loaded(e.as(t, "WithCredentials", "alice", caller), t, c, "shop.example")
		if again.Len() != 1 || again.Tools()[0].Name != "after" {
			t.Errorf("%+v", again.Tools())
		}
	})
}

// If a server gives a user the cursor of another user, the cursor is sent back with the
// credential of the user who received it. If the server refuses a page for that reason, this
// is reported.
func TestACursorOfAnotherUserIsNotSentWithThatUsersCredential(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := newElsewhere(t, "vendor.net", false)
		other := map[string]string{"alice": "bob", "bob": "alice"}
		e.list = func(w http.ResponseWriter, id, user, cursor string) {
			switch cursor {
			case "":
				listed(w, id, "of-"+other[user], user+"_first")
			case "of-" + other[user]:
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"the cursor is of another user"}}`, id)
			default:
				listed(w, id, "", user+"_second")
			}
		}
		c, caller := e.callers(t, "WithCredentials")
		for _, user := range []string{"alice", "bob"} {
			box := e.loaded(e.as(t, "WithCredentials", user, caller), t, c, "shop.example")
			if box.Len() != 1 || box.Tools()[0].Name != user+"_first" {
				t.Errorf("%s has %+v", user, box.Tools())
			}
			if s := box.Skipped(); len(s) != 1 || s[0].Code != tools.CodeIncomplete || s[0].Key == "" || s[0].Asked {
				t.Errorf("%s: %+v", user, s)
			}
		}
	})
}

// A token that expires between two pages is replaced, once, and the list is read from its
// beginning.
func TestATokenThatEndsInTheMiddleOfAList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := newElsewhere(t, "vendor.net", true)
		ended := 0
		e.list = func(w http.ResponseWriter, id, user, cursor string) {
			if cursor != "" {
				listed(w, id, "", user+"_second")
				return
			}
			if ended < 1 {
				ended++
				e.oauth.Revoke() // which the second page meets
			}
			listed(w, id, "more", user+"_first")
		}
		c, caller := e.callers(t, "WithCredentials with OAuth")
		box := e.loaded(e.as(t, "WithCredentials with OAuth", "alice", caller), t, c, "shop.example")
		if n := e.oauth.Count("client_credentials"); box.Len() != 2 || n != 2 {
			t.Errorf("%d tools, %d tokens, %+v", box.Len(), n, box.Skipped())
		}
		ended = -9 // every token ends: the server is given up
		box = e.loaded(e.as(t, "WithCredentials with OAuth", "alice", caller), t, c, "shop.example")
		if n := e.oauth.Count("client_credentials"); box.Len() != 0 || n > 5 || len(box.Skipped()) != 1 {
			t.Errorf("%d tools, %d tokens, %+v", box.Len(), n, box.Skipped())
		}
	})
}

// A token that is bound to a key is used to list the tools too, with proofs and the nonces
// that the server demands.
func TestAListForATokenThatIsBoundToAKey(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := newElsewhere(t, "vendor.net", true)
		e.oauth.DPoP, e.oauth.Nonces = true, true
		c, caller := e.callers(t, "WithCredentials with OAuth")
		for _, user := range []string{"alice", "bob"} {
			e.shows(t, e.loaded(e.as(t, "WithCredentials with OAuth", user, caller), t, c, "shop.example"), user)
		}
	})
}

// If Approve refuses, blocks or panics, that is the reason for its server only. It does not
// delay any other domain.
func TestApproveThatFailsBlocksOrPanics(t *testing.T) {
	for name, approve := range map[string]func(context.Context, security.ApprovalRequest) error{
		"refuses": func(context.Context, security.ApprovalRequest) error { return errors.New("no") },
		"blocks":  func(ctx context.Context, _ security.ApprovalRequest) error { <-ctx.Done(); return ctx.Err() },
		"panics":  func(context.Context, security.ApprovalRequest) error { panic("ouch") },
	} {
		bubble(t, func(t *testing.T) {
			e := newElsewhere(t, "vendor.net", false)
			e.net.Host("other.example", newElsewherePages("other.example"))
			c := e.net.Client(func(o *client.Options) {
				o.Live, o.Approve = []client.LiveProber{livemcp.New(nil)}, approve
			})
			ctx, cancel := context.WithTimeout(client.WithCredential(t.Context(), security.Bearer("https://vendor.net", "s3cret-alice")), time.Minute)
			defer cancel()
			box, err := tools.Load(ctx, c, []string{"shop.example", "other.example"}, nil)
			skipped := box.Skipped()
			if (err != nil) != (name == "blocks") || box.Len() != 1 || len(skipped) != 1 || skipped[0].Domain != "shop.example" || skipped[0].Err == nil {
				t.Fatalf("%s: %v, %d tools, %+v", name, err, box.Len(), skipped)
			}
			want := map[string]error{"refuses": wayfind.ErrRefused, "blocks": context.DeadlineExceeded, "panics": wayfind.ErrInternal}[name]
			if !errors.Is(skipped[0].Err, want) || strings.Contains(skipped[0].Reason, "s3cret") {
				t.Errorf("%s: %v", name, skipped[0].Err)
			}
		})
	}
}

// newElsewherePages returns the documents of a site that itself lists one tool.
func newElsewherePages(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/mcp/server-card.json" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"name": "example.other/all", "version": "1.0.0", "description": "x", "remotes": [{"type": "streamable-http", "url": "https://%s/mcp"}], "tools": [{"name": "find", "inputSchema": {"type": "object"}}]}`, host)
	})
}
