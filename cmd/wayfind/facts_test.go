package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// Documents of one site that state every fact of the table, one document for a format.
var stating = clienttest.Pages{
	"/agent.json": `{"awp_version": "0.2", "domain": "fly.example", "intent": "Flights", "auth": {"type": "none"}, "actions": [
		{"id": "seek", "description": "Seeks flights.", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/seek", "method": "GET",
			"rate_limit": "30/minute"},
		{"id": "wipe", "description": "Wipes all.", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/wipe", "method": "POST", "sensitivity": "destructive"},
		{"id": "book", "description": "Books one.", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/book", "method": "POST",
			"sensitivity": "irreversible", "reversible": false, "requires_human_confirmation": true}],
		"dependencies": {"book": ["seek"]}, "errors": {"SEAT_GONE": {"recovery": "seek other days"}},
		"agent_hints": {"window": "seek a day before"}, "agent_status": {"operational": false, "degraded_actions": ["book"]}}`,
	"/agents.md": "# Fly\n\n## Can\n\n- Book flights\n\n## Cannot\n\n- Book for a child\n\n## Behavior\n\n- Wait for an answer\n",
	"/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Old", "version": "1"}, "paths": {"/api/old": {"get": {"operationId": "old", "deprecated": true,
		"x-payment-info": {"price": "0.07", "currency": "USD"}, "responses": {"200": {"description": "ok"}}}}}}`,
	"/.well-known/ai": `{"aiendpoint": "1.0", "service": {"name": "Fly", "description": "Flights", "category": ["travel"]}, "token_hints": {"compact_mode": true}, "rate_limits": {"requests_per_minute": 77},
		"capabilities": [{"id": "list", "description": "Lists", "endpoint": "/api/list", "method": "GET", "params": {}, "returns": "list"}], "auth": {"type": "none"}}`,
	"/.well-known/agent": adpDocument(`, "pricing": {"type": "subscription", "plans": [{"name": "Crew", "price": "20 EUR"}]}`),
	"/detail/plan":       beside["/detail/plan"],
	"/robots.txt":        beside["/robots.txt"],
}

// adpDocument returns a manifest of Agent Discovery Protocol with further members.
func adpDocument(more string) string {
	return `{"spec_version": "1.0", "name": "Fly", "description": "Flights for agents.", "base_url": "https://fly.example", "auth": {"type": "none"},
		"capabilities": [{"name": "plan", "description": "Plans a journey.", "detail_url": "/detail/plan"}]` + more + `}`
}

// signs returns the texts by which the facts are recognised: any of them. Prefixes in JSON
// differ from the others.
func signs(f facts.Fact, at facts.Surface) []string {
	if at == facts.JSON {
		return map[string][]string{
			"not_operational": {`"operational":false`}, "unlinked": {`"unlinked":true`}, "degraded": {`"degraded":["awp:book"]`}, "deprecated": {`"deprecated":true`},
			"prerequisites": {`"dependsOn":["awp:seek"]`}, "irreversible": {`"reversible":false`}, "confirmation": {`"needsConfirmation":true`},
			"price": {"0.07"}, "restrictions": {"Book for a child"}, "behaviour": {"Wait for an answer"}, "hints": {"seek a day before"},
			"recovery": {`"SEAT_GONE":"seek other days"`}, "shorter_answers": {`"compactMode":true`},
			"destroys": {`"sensitivity":"destructive"`}, "pricing": {`"model":"subscription"`}, "rate": {`{"n":30,`}, "service_rate": {`{"n":77,`}, "robots": {`"robotsDisallowed":true`},
		}[f.String()]
	}
	return map[string][]string{
		"not_operational": {"not operational"}, "unlinked": {"o document of the site links to"}, "degraded": {"degraded"}, "deprecated": {"deprecated"},
		"prerequisites": {"First call seek.", "first call seek", "needs first awp:seek", "needs first: awp:seek"}, "irreversible": {"cannot be undone", "cannot be taken back"},
		"confirmation": {"needs confirmation", "ask the user before", "wants a person to agree"}, "price": {"0.07"}, "restrictions": {"Book for a child"},
		"behaviour": {"Wait for an answer"}, "hints": {"seek a day before"}, "recovery": {"seek other days"}, "shorter_answers": {"compact mode"},
		"destroys": {"destroys something", "effects destructive"}, "pricing": {"Crew 20 EUR"}, "rate": {"30/minute", "30 per minute"}, "service_rate": {"77 per minute"},
		"robots": {"not for crawlers", "asks crawlers to keep out"},
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

func newFlown(t *testing.T) *flown { return newFlownOf(t, stating) }

func newFlownOf(t *testing.T, pages clienttest.Pages) *flown {
	net := clienttest.New(t)
	net.Host("fly.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/") {
			pages.ServeHTTP(w, r)
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
	for _, name := range []string{"book", "seek", "old", "wipe", "book"} { // the first is out of order
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

// bridged returns what a host sees of the running server: its tools, an answer of the search, and the
// calls of a tool.
func (f *flown) bridged() string {
	caller, err := call.New(f.client, &call.Options{Confirm: func(context.Context, *call.Question) (call.Answer, error) {
		return call.Answer{Verdict: call.AllowOnce}, nil
	}})
	if err != nil {
		f.Fatal(err)
	}
	server, err := mcpserver.New(f.client, caller, &mcpserver.Options{Domains: []string{"fly.example"}})
	if err != nil {
		f.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	var running sync.WaitGroup
	defer running.Wait()
	defer func() { _ = server.Close() }()
	running.Go(func() { _ = server.Serve(f.Context(), there) })
	host, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(f.Context(), here, nil)
	if err != nil {
		f.Fatal(err)
	}
	defer func() { _ = host.Close() }()
	var seen []any
	ask := func(tool, arguments string) {
		res, err := host.CallTool(f.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			f.Fatal(err)
		}
		seen = append(seen, res.Content)
	}
	ask("wayfind_search", `{"query": "book"}`) // waits for the domain
	for tool, err := range host.Tools(f.Context(), nil) {
		if err != nil {
			f.Fatal(err)
		}
		seen = append(seen, tool)
	}
	for _, tool := range []string{"book", "seek", "book"} {
		ask("fly_example__"+tool, `{}`)
	}
	var text strings.Builder
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	if err := out.Encode(seen); err != nil {
		f.Fatal(err)
	}
	return text.String()
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
	}
	shown[facts.Bridge] = f.bridged()
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

// The signs of the facts are theirs: a site that states nothing shows none of them, on no surface. So a
// surface that loses a fact fails the test above.
func TestASiteThatStatesNothingShowsNoFact(t *testing.T) {
	f := newFlownOf(t, clienttest.Pages{"/agent.json": awpDocument("", "")})
	shown := f.shown()
	for _, fact := range facts.All() {
		for _, at := range facts.Surfaces() {
			for _, sign := range signs(fact, at) {
				if strings.Contains(strings.Join(strings.Fields(shown[at]), " "), sign) {
					t.Errorf("%s is on %s without a statement: %q", fact, at, sign)
				}
			}
		}
	}
}

// awpDocument returns a document of Agent Web Protocol with members of the action to book, and of the
// document.
func awpDocument(action, more string) string {
	return `{"awp_version": "0.2", "domain": "fly.example", "intent": "Flights", "auth": {"type": "none"}, "actions": [
		{"id": "seek", "description": "Seeks flights.", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/seek", "method": "GET"},
		{"id": "old", "description": "Lists flights.", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/old", "method": "GET"},
		{"id": "book", "description": "Books one.", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/book", "method": "POST"` + action + `}]` + more + `}`
}

// agentCard is the card of an agent that is not available.
const agentCard = `{"name": "Reviews", "description": "No agent yet.", "version": "0.0.0", "available": false, "skills": [{"id": "guide", "name": "Guide", "description": "x"}], "supportedInterfaces": [{"url": "https://fly.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}`

// beside are documents that do not name their facts themselves: what a manifest leads to, and what is
// asked with each document.
var beside = clienttest.Pages{
	"/detail/plan": `{"name": "plan", "description": "Plans a journey.", "endpoint": "/api/plan", "method": "GET", "parameters": [], "rate_limits": {"requests_per_minute": 30}}`,
	"/robots.txt":  "User-agent: *\nDisallow: /api/old\n",
}

// statements have a document for each row of the table, and each format that states it.
func statements() map[string]struct{ path, document string } {
	const awp, openapi, md = "/agent.json", "/openapi.json", "/agents.md"
	api := func(operation string) string {
		return `{"openapi": "3.1.0", "info": {"title": "Old", "version": "1"}, "paths": {"/api/old": {"post": {"operationId": "old", ` + operation + `, "responses": {"200": {"description": "ok"}}}}}}`
	}
	prose := func(section string) string {
		return "# Fly\n\n## Can\n\n- Book flights (requires confirmation)\n\n" + section
	}
	return map[string]struct{ path, document string }{
		"awp agent_status.operational":      {awp, awpDocument("", `, "agent_status": {"operational": false}`)},
		"awp agent_status.degraded_actions": {awp, awpDocument("", `, "agent_status": {"degraded_actions": ["book"]}`)},
		"awp dependencies":                  {awp, awpDocument("", `, "dependencies": {"book": ["seek"]}`)},
		"awp agent_hints":                   {awp, awpDocument("", `, "agent_hints": {"window": "seek a day before"}`)},
		"awp errors":                        {awp, awpDocument("", `, "errors": {"SEAT_GONE": {"recovery": "seek other days"}}`)},
		"awp reversible":                    {awp, awpDocument(`, "reversible": false`, "")},
		"awp sensitivity":                   {awp, awpDocument(`, "sensitivity": "irreversible"`, "")},
		"awp requires_human_confirmation":   {awp, awpDocument(`, "requires_human_confirmation": true`, "")},
		"a2a available":                     {"/.well-known/agent-card.json", agentCard},
		"mcp available":                     {"/.well-known/mcp/server-card.json", `{"version": "1.0", "protocolVersion": "2025-06-18", "serverInfo": {"name": "fly", "version": "1"}, "available": false, "transport": {"type": "streamable-http", "endpoint": "/mcp"}}`},
		"openapi at a place of convention":  {openapi, api(`"tags": []`)},
		"openapi deprecated":                {openapi, api(`"deprecated": true`)},
		"openapi x-payment-info":            {openapi, api(`"x-payment-info": {"price": "0.07", "currency": "USD"}`)},
		"openapi x-openai-isConsequential":  {openapi, api(`"x-openai-isConsequential": true`)},
		"openrpc deprecated":                {"/openrpc.json", `{"openrpc": "1.3.2", "info": {"title": "Fly", "version": "1"}, "servers": [{"url": "https://fly.example/rpc"}], "methods": [{"name": "old", "deprecated": true, "params": [], "result": {"name": "r", "schema": {}}}]}`},
		"ucp extends":                       {"/.well-known/ucp", `{"ucp": {"version": "2026-04-08", "services": {}, "capabilities": {"dev.ucp.shopping.checkout": [{"version": "2026-04-08"}], "dev.ucp.shopping.discount": [{"version": "2026-04-08", "extends": "dev.ucp.shopping.checkout"}]}}}`},
		"agentsmd Cannot":                   {md, prose("## Cannot\n\n- Book for a child\n")},
		"agentsmd Behavior":                 {md, prose("## Behavior\n\n- Wait for an answer\n")},
		"agentsmd (requires confirmation)":  {md, prose("")},
		"aidiscovery token_hints":           {"/.well-known/ai", stating["/.well-known/ai"]},
		"aidiscovery rate_limits":           {"/.well-known/ai", stating["/.well-known/ai"]},
		"adp pricing":                       {"/.well-known/agent", stating["/.well-known/agent"]},
		"adp rate_limits":                   {"/.well-known/agent", adpDocument("")},
		"a2a pricing":                       {"/.well-known/agent-card.json", strings.Replace(agentCard, `"available": false`, `"pricing": {"model": "paid"}`, 1)},
		"awp rate_limit":                    {awp, awpDocument(`, "rate_limit": "30/minute"`, "")},
		"awp sensitivity: destructive":      {awp, awpDocument(`, "sensitivity": "destructive"`, "")},
		"mcp destructiveHint": {"/.well-known/mcp/server-card.json", `{"version": "1.0", "protocolVersion": "2025-06-18", "serverInfo": {"name": "fly", "version": "1"}, "transport": {"type": "streamable-http", "endpoint": "/mcp"},
			"tools": [{"name": "wipe", "description": "Wipes all.", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": true}}]}`},
		"robots Disallow": {"/openapi.json", api(`"summary": "Lists."`)},
	}
}

// Each format that the table names states its fact: the Site of its document has it, so the surfaces do,
// which all read the table.
func TestEachFormatOfTheTableStatesItsFact(t *testing.T) {
	rows := statements()
	for _, fact := range facts.All() {
		for _, by := range fact.By() {
			row, has := rows[by]
			if delete(rows, by); !has {
				t.Errorf("%s: no document for %q", fact, by)
				continue
			}
			net := clienttest.New(t)
			pages := maps.Clone(beside)
			pages[row.path] = row.document
			net.Host("fly.example", pages)
			c, target := net.Client(), "https://fly.example"+row.path
			if fact == facts.Unlinked {
				target = "fly.example" // a caller who names the document needs no link
			}
			site, err := c.Resolve(t.Context(), target)
			if err != nil {
				t.Errorf("%s: %v", by, err)
				continue
			}
			said := facts.Of(facts.Subject{Site: site}, facts.JSON, facts.AboutSite)
			for i := range site.Services {
				on := facts.On(&site.Services[i])
				said = append(said, facts.Of(on, facts.JSON, facts.AboutService)...)
				for j := range site.Services[i].Capabilities {
					of := &site.Services[i].Capabilities[j]
					if of.Lazy {
						if d, err := c.Describe(t.Context(), site, of.Key); err == nil {
							of = d.Capability
						}
					}
					said = append(said, facts.Of(on.In(of), facts.JSON, facts.AboutCapability)...)
				}
			}
			if !slices.ContainsFunc(said, func(s facts.Said) bool { return s.Fact == fact }) {
				t.Errorf("%q does not state %s: %v", by, fact, said)
			}
		}
	}
	for by := range rows {
		t.Errorf("the table does not name %q", by)
	}
}
