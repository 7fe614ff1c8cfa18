package call_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// If a model writes an argument that the tool does not know, it gets a note about it, with an
// answer and with a failure, whatever the protocol.
func TestUnknownArguments(t *testing.T) {
	bubble(t, func(t *testing.T) {
		status := http.StatusOK
		s := newShop(t, shopDocument, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			okay(w, r)
		})
		c := s.caller(nil)
		res, err := c.Call(t.Context(), s.box, "listOrders", []byte(`{"q":"x","id":"7"}`))
		wantCode(t, res, err, made)
		const told = `The tool has no argument "id"; it was not sent.`
		if res.Model.Note != told || !strings.HasPrefix(res.Model.Prompt(), "The call was made. "+told) || !strings.Contains(mustJSON(t, res.Model), `it was not sent`) {
			t.Errorf("%q, %q", res.Model.Note, res.Model.Prompt())
		}
		status = http.StatusBadRequest
		res, err = c.Call(t.Context(), s.box, "listOrders", []byte(`{"query":"x","id":"7"}`))
		wantCode(t, res, err, call.UpstreamError)
		if want := `The tool has no arguments "query", "id"; they were not sent.`; res.Model.Note != want || !strings.Contains(res.Model.Prompt(), want) {
			t.Errorf("%q, %q", res.Model.Note, res.Model.Prompt())
		}
		res, err = c.Call(t.Context(), s.box, "listOrders", []byte(`{"q":"x"}`))
		wantCode(t, res, err, call.UpstreamError)
		if res.Model.Note != "" {
			t.Errorf("%q", res.Model.Note)
		}
		many := map[string]any{}
		for i := range 20 {
			many[fmt.Sprintf("%02d\u202e\n%s", i, strings.Repeat("x", 1000))] = i
		}
		res, err = c.Call(t.Context(), s.box, "listOrders", []byte(mustJSON(t, many)))
		wantCode(t, res, err, call.UpstreamError)
		if note := res.Model.Note; len(note) > 1024 || !strings.Contains(note, "and 12 more; they were not sent.") || strings.ContainsAny(note, "\u202e\n") {
			t.Errorf("%d: %q", len(note), note)
		}
	})
}

// A person who is asked whether something may be read sees which arguments are not sent.
func TestUnknownArgumentIsShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, securedDocument, nil)
		y := &yes{}
		c := s.caller(&call.Options{Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Key("s3cret-key", call.Binding{Origin: q.Origin, Proof: call.ProofPerson}), nil
		}, Confirm: y.confirm})
		res, err := c.Call(t.Context(), s.box, "open", []byte(`{"limit\u202e":1}`))
		wantCode(t, res, err, call.Denied)
		if y.count() != 1 || len(y.asked[0].Unplaced) != 1 || y.asked[0].Unplaced[0] != "limit" {
			t.Errorf("%+v", y.asked)
		}
	})
}

// A credential of the call is hidden if a model writes it as the name of an argument.
func TestUnknownArgumentIsSecret(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, securedDocument, nil)
		c := s.caller(&call.Options{Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Key("s3cret-key", call.Binding{Origin: q.Origin, Proof: call.ProofPerson}), nil
		}, Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		res, err := c.Call(t.Context(), s.box, "open", []byte(`{"q":"x","s3cret-key":"7"}`))
		wantCode(t, res, err, made)
		if res.Model.Note == "" || strings.Contains(res.Model.Note, "s3cret") {
			t.Errorf("%q", res.Model.Note)
		}
	})
}

// If the schema is closed, an unknown argument ends the call before it is made, and the model
// gets its name.
func TestUnknownArgumentsByPosition(t *testing.T) {
	bubble(t, func(t *testing.T) {
		x := newWorld(t, clienttest.Pages{"/openrpc.json": openrpc, "/llms.txt": "# Shop\n\n## API\n\n- [Methods](https://shop.example/openrpc.json)\n"}, okayRPC)
		c, _ := x.caller(t)
		res, err := c.Call(t.Context(), x.box, "buy", []byte(`{"what":"a","colour":"red"}`))
		wantCode(t, res, err, call.InvalidArguments)
		if !strings.Contains(res.Model.Text, "there is no property colour") || len(x.got) != 0 {
			t.Errorf("%+v, %+v", res.Model, x.got)
		}
		res, err = c.Call(t.Context(), x.box, "find", []byte(`{"q":"a","colour":"red"}`)) // by name all are sent
		wantCode(t, res, err, made)
		if res.Model.Note != "" || string(x.got[0].Params) != `{"q":"a","colour":"red"}` {
			t.Errorf("%q, %s", res.Model.Note, x.got[0].Params)
		}
	})
}

func okayRPC(w http.ResponseWriter, m rpc) {
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","contents":[{"uri":"shop://stock/north","text":"lamps"}]}}`, m.ID)
}

// The address of a resource accepts only its variables.
func TestUnknownArgumentsOfAResource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		card := `{"name": "shop.example/all", "version": "1.0.0", "description": "All.", "remotes": [{"type": "streamable-http", "supportedProtocolVersions": ["2026-07-28"], "url": "https://shop.example/api/rpc"}],
			"resourceTemplates": [{"name": "stock", "uriTemplate": "shop://stock/{place}", "description": "What there is."}]}`
		x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, okayRPC)
		c, _ := x.caller(t)
		res, err := c.Call(t.Context(), x.box, x.box.Tools()[0].Name, []byte(`{"place":"north","page":2}`))
		wantCode(t, res, err, made)
		if !strings.Contains(res.Model.Note, `no argument "page"`) || len(x.got) != 1 || !strings.Contains(string(x.got[0].Params), `"shop://stock/north"`) {
			t.Errorf("%+v, %+v", res.Model, x.got)
		}
	})
}

// Null for an optional argument that takes none is left out. In a call that may change something, the
// person reads that before, and the model after: null may have meant that a value is cleared.
func TestNullsAreLeftOutWithAWord(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const operation = `{"operationId": %q, "responses": {"200": {"description": "ok"}}, "requestBody": {"content": {"application/json": {"schema":
			{"type": "object", "properties": {"name": {"type": "string"}, "limit": {"type": "integer"}, "till": {"type": ["string", "null"]}}}}}}}`
		s := newShop(t, `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example"}], "paths": {
			"/api/orders": {"patch": `+fmt.Sprintf(operation, "change")+`, "get": {"operationId": "list", "responses": {"200": {"description": "ok"}},
				"parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}]}}}}`, nil)
		y := &yes{}
		c := s.caller(&call.Options{Confirm: y.confirm})
		_, _ = c.Call(t.Context(), s.box, "change", []byte(`{"name":"x","limit":null,"till":null}`))
		if y.count() != 1 || !slices.Equal(y.asked[0].Nulls, []string{"limit"}) || string(y.asked[0].Arguments) != `{"name":"x","till":null}` {
			t.Fatalf("%+v", y.asked)
		}
		c = s.caller(&call.Options{Confirm: func(context.Context, *call.Question) (call.Answer, error) {
			return call.Answer{Verdict: call.AllowOnce}, nil
		}})
		res, err := c.Call(t.Context(), s.box, "change", []byte(`{"name":"x","limit":null}`))
		wantCode(t, res, err, made)
		if !slices.Equal(res.Program.Nulls, []string{"limit"}) || !strings.Contains(res.Model.Note, `Null is no value of "limit"`) {
			t.Errorf("%+v, %q", res.Program.Nulls, res.Model.Note)
		}
		res, err = c.Call(t.Context(), s.box, "list", []byte(`{"limit":null}`))
		wantCode(t, res, err, made)
		if !slices.Equal(res.Program.Nulls, []string{"limit"}) || res.Model.Note != `Null is no value of "limit", so the call was made without it.` {
			t.Errorf("a call that reads: %+v, %q", res.Program.Nulls, res.Model.Note)
		}
	})
}
