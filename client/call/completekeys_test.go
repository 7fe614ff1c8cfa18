package call_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// keysOf finds the keys by which a value of package call remembers data, by their types: the
// keys of its maps with struct keys, and of the maps in its own structs.
func keysOf(v reflect.Value, found map[string][]reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().PkgPath() == reflect.TypeFor[call.Caller]().PkgPath() {
			keysOf(v.Elem(), found)
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.Struct {
			kind := v.Type().Key().String()
			found[kind] = append(found[kind], v.MapKeys()...)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == reflect.TypeFor[call.Caller]().PkgPath() {
			for _, field := range v.Fields() {
				keysOf(field, found)
			}
		}
	}
}

// Each key by which a Caller remembers data is complete: after calls with all facts no field
// of a key is empty. The test fails for a new field that is not filled.
func TestKeysAreComplete(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newSilent(t, ownChallenge)
		c := m.caller(machine(), func(o *call.Options) { o.Principal, o.Confirm = principal, (&yes{verdict: call.AllowSession}).confirm })
		c = c.AskedBy("host")
		for range 2 {
			res, err := c.Call(as(t, "alice"), m.box, "write", []byte(`{"reason":"x"}`))
			wantCode(t, res, err, made)
		}
		card := strings.NewReplacer("shop.example", "mcp.example", `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`).Replace(serverCard)
		m.net.Host("mcp.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				clienttest.Pages{"/.well-known/mcp/server-card.json": card}.ServeHTTP(w, r)
				return
			}
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"discover","result":{"supportedVersions":["2026-07-28"]}}`)
		}))
		box, err := tools.Load(t.Context(), m.client, []string{"mcp.example"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Call(as(t, "alice"), box, "book", nil)
		wantCode(t, res, err, call.OutcomeUnknown)
		found := map[string][]reflect.Value{}
		keysOf(reflect.ValueOf(c), found)
		x := newOlder(t, func(x *world, o *olderServer) {
			hello := o.hello
			o.hello = func(w http.ResponseWriter, m rpc) {
				if w.Header().Set("Mcp-Session-Id", "s1"); x.heads[len(x.heads)-1].Get("Authorization") == "" {
					w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				hello(w, m)
			}
		})
		other, _ := x.caller(t, func(o *call.Options) {
			o.Principal = principal
			o.Input = func(context.Context, *call.InputRequest) (*call.InputAnswer, error) { return nil, nil }
			o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				return call.Bearer("s3cret-token", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			}
		})
		other = other.AskedBy("host")
		res, err = other.Call(as(t, "alice"), x.box, "book", nil)
		wantCode(t, res, err, made)
		keysOf(reflect.ValueOf(other), found)
		if len(found) < 4 {
			t.Errorf("%d kinds of keys", len(found))
		}
		for kind, keys := range found {
			if len(keys) == 0 {
				t.Errorf("nothing is kept by a %s", kind)
			}
			for _, key := range keys {
				for i := range key.NumField() {
					if key.Field(i).IsZero() {
						t.Errorf("%s: %s is empty", kind, key.Type().Field(i).Name)
					}
				}
			}
		}
	})
}

// ticketKey is the key of tickets that a test writes itself.
const ticketKey = "0123456789abcdef0123456789abcdef"

func resealed(t *testing.T, payload any) string {
	t.Helper()
	raw := []byte(mustJSON(t, payload))
	sum := hmac.New(sha256.New, []byte(ticketKey))
	sum.Write(raw)
	return base64.RawURLEncoding.EncodeToString(raw) + "." + base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// leaves calls f with each member of a JSON value that has no members itself, and with a
// function that changes it.
func leaves(path string, v any, set func(any), f func(path string, old any, set func(any))) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			leaves(path+"/"+name, member, func(x any) { v[name] = x }, f)
		}
	case []any:
		for i, item := range v {
			leaves(path+"/#", item, func(x any) { v[i] = x }, f)
		}
	default:
		f(path, v, set)
	}
}

// Each member of a ticket is compared with the call. A ticket with a changed member, written
// with the key that seals tickets, covers no call.
func TestEveryMemberOfATicketCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPair(t)
		_, do := p.caller(nil, func(o *call.Options) { o.TicketKey = []byte(ticketKey) })
		u := &use{who: "alice", tool: "pay", site: "shop.example", scheme: "two", path: "1", query: "1", header: "1", cookie: "1", body: "1"}
		res, err := do(u, false, "")
		wantCode(t, res, err, call.ConfirmationRequired)
		text, _, _ := strings.Cut(res.Program.Ticket, ".")
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		var payload any
		if err := json.Unmarshal(raw, &payload); err != nil {
			t.Fatal(err)
		}
		tried := 0
		leaves("", payload, nil, func(path string, old any, set func(any)) {
			said, isText := old.(string)
			if !isText || said == "" {
				t.Errorf("%s is %v: change it here", path, old)
				return
			}
			switch path {
			case "/id": // which only tells two tickets apart
				return
			case "/expires":
				set("2000-01-01T00:00:00Z")
			default:
				set(said + "x")
			}
			defer set(old)
			tried++
			if res, err := do(u, false, resealed(t, payload)); err == nil || res.Model.Code != call.ConfirmationRequired {
				t.Errorf("with another %s: %v", path, err)
			}
		})
		if n := len(p.calls()); n != 0 || tried < 10 {
			t.Fatalf("%d requests, %d members changed", n, tried)
		}
		res, err = do(u, false, resealed(t, payload))
		if wantCode(t, res, err, made); len(p.calls()) != 1 {
			t.Errorf("%d requests", len(p.calls()))
		}
	})
}
