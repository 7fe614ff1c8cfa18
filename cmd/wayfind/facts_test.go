package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// Documents of one site that state every fact of the table, one document for a format.
var stating = clienttest.Pages{
	"/agent.json": `{"awp_version": "0.2", "domain": "fly.example", "intent": "Flights", "auth": {"type": "none"}, "actions": [
		{"id": "seek", "description": "Seeks flights.", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/seek", "method": "GET"},
		{"id": "book", "description": "Books one.", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/book", "method": "POST",
			"sensitivity": "irreversible", "reversible": false, "requires_human_confirmation": true}],
		"dependencies": {"book": ["seek"]}, "errors": {"SEAT_GONE": {"recovery": "seek other days"}},
		"agent_hints": {"window": "seek a day before"}, "agent_status": {"operational": false, "degraded_actions": ["book"]}}`,
	"/agents.md": "# Fly\n\n## Can\n\n- Book flights\n\n## Cannot\n\n- Book for a child\n\n## Behavior\n\n- Wait for an answer\n",
	"/.well-known/ai-plugin.json": `{"schema_version": "v1", "name_for_model": "fly", "name_for_human": "Fly", "description_for_model": "Flies", "description_for_human": "Flies",
		"auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://fly.example/openapi.json"}}`,
	"/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Old", "version": "1"}, "paths": {"/api/old": {"get": {"operationId": "old", "deprecated": true,
		"x-payment-info": {"price": "0.07", "currency": "USD"}, "responses": {"200": {"description": "ok"}}}}}}`,
	"/.well-known/ai": `{"aiendpoint": "1.0", "service": {"name": "Fly", "description": "Flights", "category": ["travel"]}, "token_hints": {"compact_mode": true},
		"capabilities": [{"id": "list", "description": "Lists", "endpoint": "/api/list", "method": "GET", "params": {}, "returns": "list"}], "auth": {"type": "none"}}`,
}

// signs returns the texts by which the facts are recognised: any of them. Prefixes in JSON
// differ from the others.
func signs(f facts.Fact, at facts.Surface) []string {
	if at == facts.JSON {
		return map[string][]string{
			"not_operational": {`"operational":false`}, "degraded": {`"degraded":["awp:book"]`}, "deprecated": {`"deprecated":true`},
			"prerequisites": {`"dependsOn":["awp:seek"]`}, "irreversible": {`"reversible":false`}, "confirmation": {`"needsConfirmation":true`},
			"price": {"0.07"}, "restrictions": {"Book for a child"}, "behaviour": {"Wait for an answer"}, "hints": {"seek a day before"},
			"recovery": {`"SEAT_GONE":"seek other days"`}, "shorter_answers": {`"compactMode":true`},
		}[f.String()]
	}
	return map[string][]string{
		"not_operational": {"not operational"}, "degraded": {"degraded"}, "deprecated": {"deprecated"},
		"prerequisites": {"First call seek.", "first call seek", "needs first awp:seek", "needs first: awp:seek"}, "irreversible": {"cannot be undone", "cannot be taken back"},
		"confirmation": {"needs confirmation", "ask the user before", "wants a person to agree"}, "price": {"0.07"}, "restrictions": {"Book for a child"},
		"behaviour": {"Wait for an answer"}, "hints": {"seek a day before"}, "recovery": {"seek other days"}, "shorter_answers": {"compact mode"},
	}[f.String()]
}

// flown is a site that states everything, with what each surface shows of it.
type flown struct {
	*testing.T
	client *client.Client
	site   *wayfind.Site
	box    *tools.Box
	asked  []string // what persons were told
	failed []string // what models were told about failures
}

func newFlown(t *testing.T) *flown {
	net := clienttest.New(t)
	net.Host("fly.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/") {
			stating.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodGet {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"code": "SEAT_GONE"}`)
		}
	}))
	f := &flown{T: t, client: net.Client()}
	var err error
	if f.site, err = f.client.Resolve(t.Context(), "fly.example"); err != nil {
		t.Fatal(err)
	}
	if f.box, err = tools.Load(t.Context(), f.client, []string{"fly.example"}, nil); err != nil {
		t.Fatal(err)
	}
	return f
}

// calls calls each tool: a person is asked, and the site fails the call that books.
func (f *flown) calls() {
	caller, err := call.New(f.client, &call.Options{Confirm: func(_ context.Context, q *call.Question) (call.Answer, error) {
		f.asked = append(f.asked, q.Stated...)
		return call.Answer{Verdict: call.AllowOnce}, nil
	}})
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"book", "seek", "old", "book"} { // the first is out of order
		res, err := caller.Call(f.Context(), f.box, name, nil)
		if err != nil {
			f.failed = append(f.failed, res.Model.Marked())
		}
	}
}

func printedBy(print func(*ui.App)) string {
	var out bytes.Buffer
	print(&ui.App{Out: &out, Err: &out})
	return out.String()
}

// shown returns the text of each surface.
func (f *flown) shown() map[facts.Surface]string {
	f.calls()
	raw, err := json.Marshal(f.site)
	if err != nil {
		f.Fatal(err)
	}
	p := prompt.New()
	p.Site(f.site)
	shown := map[facts.Surface]string{
		facts.JSON: string(raw), facts.Prompt: p.String(), facts.Note: f.box.Note(),
		facts.Question: strings.Join(f.asked, " "), facts.Result: strings.Join(f.failed, " "),
	}
	shown[facts.Table] = printedBy(func(a *ui.App) { show.Answer(a, f.site, nil, nil, show.Asked{}) })
	for s, c := range f.site.Capabilities() {
		for _, key := range []string{s.ID, c.Key} {
			d, err := f.client.Describe(f.Context(), f.site, key)
			if err != nil {
				f.Fatal(err)
			}
			shown[facts.Describe] += printedBy(func(a *ui.App) { show.Detail(a, d) })
		}
	}
	for _, t := range f.box.Tools() {
		shown[facts.Definition] += t.Description()
		raw, _, err := f.box.Define(tools.MCP, t.Name, false)
		if err != nil {
			f.Fatal(err)
		}
		shown[facts.Bridge] += string(raw)
	}
	found, err := f.box.Find([]byte(`{"query": "book"}`))
	if err != nil {
		f.Fatal(err)
	}
	shown[facts.Bridge] += string(found) + shown[facts.Result]
	return shown
}

// A fact that a publisher states is on each surface, or the table has the reason why not.
func TestEachFactIsOnItsSurfaces(t *testing.T) {
	f := newFlown(t)
	shown := f.shown()
	elsewhere := []facts.Surface{facts.Page, facts.Lint, facts.Check, facts.Skipped} // the page has a test of its own, the others show none
	for _, fact := range facts.All() {
		for _, at := range facts.Surfaces() {
			reason, text := fact.Without(at), strings.Join(strings.Fields(shown[at]), " ")
			has := slices.ContainsFunc(signs(fact, at), func(sign string) bool { return strings.Contains(text, sign) })
			switch {
			case slices.Contains(elsewhere, at):
				if (reason == "") != (at == facts.Page) {
					t.Errorf("%s: no test asks %s for it", fact, at)
				}
			case reason == "" && !has:
				t.Errorf("%s is not on %s, without a reason:\n%.3000s", fact, at, shown[at])
			}
		}
	}
}
