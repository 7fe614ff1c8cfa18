package call_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// takenDocument describes a call that changes something, with a value of each type.
const takenDocument = `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example"}], "paths": {"/api/crates/{crate}": {"patch": {
	"operationId": "pack", "responses": {"200": {"description": "ok"}}, "parameters": [
		{"name": "crate", "in": "path", "required": true, "schema": {"type": "integer"}}, {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}],
	"requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {
		"count": {"type": "integer"}, "weight": {"type": "number"}, "fragile": {"type": "boolean"}, "text": {"type": "string"}, "lanes": {"type": "array", "items": {"type": "integer"}},
		"size": {"type": "object", "properties": {"w": {"type": "integer"}, "h": {"type": ["integer", "null"]}}, "additionalProperties": false}}}}}}}}}}`

// An argument that a model writes in another type is taken before anything else sees it: the question,
// the ticket, the key, the record and the request have the taken value, and the model gets a word.
func TestArgumentsOfAnotherTypeAreTakenBeforeAnythingSeesThem(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var sent, keys []string
		s := newShop(t, takenDocument, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			sent, keys = append(sent, r.URL.Path+" "+string(body)), append(keys, r.Header.Get("Idempotency-Key"))
			mu.Unlock()
			okay(w, r)
		})
		const given = `{"crate":"7.0","count":1e3,"weight":"1.50","fragile":"true","text":"5","lanes":"[1,\"2\",3.0]","size":"{\"w\":\"4\",\"h\":null}"}`
		const taken = `{"crate":7,"count":1000,"weight":1.50,"fragile":true,"text":"5","lanes":[1,2,3],"size":{"w":4,"h":null}}`
		const body = `{"count":1000,"weight":1.50,"fragile":true,"text":"5","lanes":[1,2,3],"size":{"w":4,"h":null}}`
		retyped := []string{"crate", "count", "weight", "fragile", "lanes", "size"}
		y := &yes{verdict: call.AllowOnce}
		var records []*call.Record
		c := s.caller(&call.Options{Confirm: y.confirm, AuditArguments: true, Audit: func(r *call.Record) { records = append(records, r) }})
		preview, err := c.DryRun(t.Context(), s.box, "pack", []byte(given))
		if err != nil || !slices.Equal(preview.Retyped, retyped) || string(preview.Request.Body) != body {
			t.Fatalf("%v, %+v", err, preview)
		}
		res, err := c.CallConfirmed(t.Context(), s.box, "pack", []byte(taken), preview.Ticket)
		wantCode(t, res, err, made)
		if res.Program.By != "ticket" || res.Program.Retyped != nil || res.Model.Note != "" {
			t.Errorf("a ticket for the same request: %+v", res.Program)
		}
		res, err = c.Call(t.Context(), s.box, "pack", []byte(given))
		wantCode(t, res, err, made)
		if !slices.Equal(res.Program.Retyped, retyped) || !strings.Contains(res.Model.Note, `Taken in the types of the definition: "crate", "count", "weight", "fragile", "lanes", "size".`) {
			t.Errorf("%q, %q", res.Program.Retyped, res.Model.Note)
		}
		if y.count() != 1 || string(y.asked[0].Arguments) != taken {
			t.Errorf("the question: %+v", y.asked)
		}
		for i, r := range records {
			if string(r.Arguments) != taken || r.Call != records[0].Call {
				t.Errorf("record %d: %s", i, r.Arguments)
			}
		}
		if mu.Lock(); len(records) != 2 || len(sent) != 2 || sent[0] != "/api/crates/7 "+body || sent[1] != sent[0] || keys[0] == "" || keys[1] == "" {
			t.Errorf("%d records, the service saw %q, %q", len(records), sent, keys)
		}
		mu.Unlock()
	})
}

// A text that is no JSON, that has blanks around it, or that a JSON parser would have to guess, has no meaning.
func TestArgumentsThatMeanNothingAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, takenDocument, nil)
		y := &yes{verdict: call.AllowOnce}
		c := s.caller(&call.Options{Confirm: y.confirm})
		for _, more := range []string{
			`"count":"0x10"`, `"count":"010"`, `"count":" 5"`, `"count":"5 "`, `"count":"５"`, `"count":"٥"`, `"count":"yes"`, `"count":"+5"`, `"count":"1_000"`, `"count":"1,000"`, `"count":".5"`, `"count":"5."`,
			`"count":"NaN"`, `"count":"null"`, `"count":""`, `"count":"\"5\""`, `"count":true`, `"count":9007199254740993.0`, `"count":1e17`, `"count":"1e17"`, `"count":"9007199254740993.0"`, `"count":1,"count":1`,
			`"fragile":"yes"`, `"fragile":"True"`, `"fragile":1`, `"fragile":"1"`, `"text":5`, `"lanes":"1,2"`, `"lanes":"[1,]"`, `"lanes":5`, `"lanes":[9007199254740993.0]`, `"lanes":"[1e17]"`,
			`"size":"{\"w\":1,\"w\":2}"`, `"size":"{\"w\":1} "`, `"size":"{'w':1}"`, `"size":{"w":1e17}`, `"size":"[]"`,
		} {
			res, err := c.Call(t.Context(), s.box, "pack", []byte(`{"crate":1,`+more+`}`))
			wantCode(t, res, err, call.InvalidArguments)
		}
		if y.count() != 0 {
			t.Errorf("a person was asked: %+v", y.asked)
		}
	})
}
