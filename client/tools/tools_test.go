package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

const plugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
	"logo_url": "https://shop.example/logo.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/legal"}`

const api = `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "servers": [{"url": "https://shop.example"}], "paths": {
	"/orders": {
		"get": {"operationId": "listOrders", "summary": "List orders", "description": "All orders of a customer.", "responses": {"200": {"description": "ok"}},
			"parameters": [{"name": "customer id", "in": "query", "required": true, "schema": {"type": "string"}}, {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 50}}]},
		"post": {"operationId": "refund.order", "description": "Give the money of an order back.", "responses": {"200": {"description": "ok"}},
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"reason": {"type": "string"}}}}}}}},
	"/loop": {"get": {"operationId": "loop", "responses": {"200": {"description": "ok"}},
		"parameters": [{"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/Loop"}}]}}},
	"components": {"schemas": {"Loop": {"allOf": [{"$ref": "#/components/schemas/Loop"}]}}}}`

const card = `{"protocolVersion": "0.3.0", "name": "Travel agent", "description": "Books flights.", "url": "https://fly.example/a2a", "preferredTransport": "JSONRPC", "version": "1",
	"capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
	"skills": [{"id": "book", "name": "Book", "description": "Books.", "tags": []}, {"id": "cancel", "name": "Cancel", "description": "Cancels.", "tags": []}]}`

// loaded is a Box of a shop, an agent and a host that cannot be reached.
func loaded(t *testing.T, opts *tools.Options) *tools.Box {
	t.Helper()
	n := clienttest.New(t)
	n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
	n.Host("fly.example", clienttest.Pages{"/.well-known/agent-card.json": card})
	box, err := tools.Load(t.Context(), n.Client(), []string{"shop.example", "fly.example", "gone.example", "shop.example"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		var names []string
		for _, tool := range box.Tools() {
			names = append(names, tool.Name)
			if len(tool.Sources) == 0 || tool.Domain == "" {
				t.Errorf("%s has no provenance: %+v", tool.Name, tool)
			}
		}
		if want := []string{"fly__Travel_agent", "shop__listOrders", "shop__refund_order"}; !slices.Equal(names, want) {
			t.Errorf("%q, want %q", names, want)
		}
		var skipped []string
		for _, s := range box.Skipped() {
			skipped = append(skipped, s.Domain+" "+s.Key+" "+s.Code)
			if s.Reason == "" || s.Asked != (s.Domain == "shop.example") {
				t.Errorf("%+v", s)
			}
		}
		if want := []string{"shop.example openapi:openapi/loop ref_cycle", "gone.example  unreachable"}; !slices.Equal(skipped, want) {
			t.Errorf("skipped %q, want %q", skipped, want)
		}
		agent, err := box.Tool("fly__Travel_agent")
		if err != nil || !agent.Agent || !strings.Contains(agent.Description(), "Book; Cancel") {
			t.Errorf("%+v, %v", agent, err)
		}
		_, err = box.Tool("shop__refund_orders")
		if e, ok := errors.AsType[*tools.NameError](err); !ok || !slices.Contains(e.Nearest, "shop__refund_order") || !strings.Contains(err.Error(), "; the nearest are ") {
			t.Error(err)
		}
		_, err = box.Tool("zzz")
		if e, ok := errors.AsType[*tools.NameError](err); !ok || len(e.Nearest) > 0 || err.Error() != `tools: there is no tool "zzz"` {
			t.Error(err)
		}
	})
}

func TestSearchInBox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		for query, want := range map[string]string{"refund an order": "shop__refund_order", "book a flight": "fly__Travel_agent", "shop__listOrders": "shop__listOrders"} {
			hits := box.Search(query, 5)
			if len(hits) == 0 || hits[0].Tool.Name != want {
				t.Errorf("%s: %+v, want %s", query, hits, want)
			}
		}
		if hits := box.Search("zebra", 5); len(hits) != 0 {
			t.Errorf("%+v", hits)
		}
	})
}

// TestRender: each definition has what its vendor's API takes, and the same options
// give the same bytes.
func TestRender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		for _, vendor := range tools.Vendors() {
			for _, strict := range []bool{false, true} {
				d := box.Render(vendor, &tools.RenderOptions{Strict: strict})
				if again := box.Render(vendor, &tools.RenderOptions{Strict: strict}); string(again.Tools) != string(d.Tools) {
					t.Errorf("%s: not the same twice", vendor)
				}
				var list []map[string]any
				if err := json.Unmarshal(d.Tools, &list); err != nil {
					t.Fatalf("%s: %v: %s", vendor, err, d.Tools)
				}
				if len(d.Names) != 3 || len(d.Skipped) != 0 || d.Tokens <= 0 {
					t.Errorf("%s: %+v", vendor, d)
				}
				shape := map[tools.Vendor]string{
					tools.OpenAIResponses: "type name description parameters strict", tools.OpenAIChat: "type function", tools.Mistral: "type function",
					tools.AnthropicMessages: "name description input_schema", tools.Gemini: "functionDeclarations", tools.Bedrock: "toolSpec",
					tools.MCP: "name description inputSchema annotations",
				}[vendor]
				for member := range strings.FieldsSeq(shape) {
					if list[0][member] == nil {
						t.Errorf("%s: no %q: %s", vendor, member, d.Tools)
					}
				}
				if !strings.Contains(string(d.Tools), "From shop.example: All orders of a customer.") {
					t.Errorf("%s: %s", vendor, d.Tools)
				}
			}
		}
		d := box.Render(tools.Gemini, nil)
		args, err := d.Projections["shop__listOrders"].Decode([]byte(`{"customer_id":"7"}`))
		if err != nil || string(args) != `{"customer id":"7"}` {
			t.Errorf("%s, %v", args, err)
		}
		if why := box.Render(tools.OpenAIResponses, &tools.RenderOptions{Strict: true}).NotStrict; len(why) != 0 {
			t.Errorf("not strict: %v", why)
		}
		mcp := string(box.Render(tools.MCP, nil).Tools)
		if !strings.Contains(mcp, `"readOnlyHint":true,"destructiveHint":false`) || !strings.Contains(mcp, `"readOnlyHint":false,"destructiveHint":true`) {
			t.Error(mcp)
		}
	})
}

// TestRenderFits: a query and a budget select tools, which keep the order of the Box.
func TestRenderFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		whole := box.Render(tools.AnthropicMessages, nil)
		d := box.Render(tools.AnthropicMessages, &tools.RenderOptions{Query: "refund", Tokens: whole.Tokens / 2})
		if !slices.Contains(d.Names, "shop__refund_order") || len(d.Left) == 0 || d.Tokens > whole.Tokens/2 {
			t.Errorf("%+v", d)
		}
		if d := box.Render(tools.AnthropicMessages, &tools.RenderOptions{Tokens: 1}); string(d.Tools) != "[]" || len(d.Left) != 3 {
			t.Errorf("%s %q", d.Tools, d.Left)
		}
	})
}

// TestNamesStay: a later Box keeps the names of an earlier one, though fewer sites
// are asked; a table of a version to come is refused.
func TestNamesStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		table, err := box.Names()
		if err != nil {
			t.Fatal(err)
		}
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
		alone, err := tools.Load(t.Context(), n.Client(), []string{"shop.example"}, &tools.Options{Names: table})
		if err != nil || alone.Len() != 2 {
			t.Fatal(alone, err)
		}
		if _, err := alone.Tool("shop__refund_order"); err != nil {
			t.Error(err)
		}
		if _, err := tools.Load(t.Context(), n.Client(), nil, &tools.Options{Names: []byte(`{"schema":"wayfind/tools/2"}`)}); err == nil || !strings.Contains(err.Error(), "wayfind/tools/2") {
			t.Error(err)
		}
	})
}

// TestKeepAndEnd: a filter leaves capabilities out, and a context ends the work.
func TestKeepAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readOnly := func(_ *wayfind.Service, c *wayfind.Capability) bool {
			return c.Invocation != nil && c.Invocation.Method == "GET"
		}
		box := loaded(t, &tools.Options{Keep: readOnly})
		for _, tool := range box.Tools() {
			if strings.Contains(tool.Name, "refund") {
				t.Errorf("%s was kept", tool.Name)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if box, err := tools.Load(ctx, clienttest.New(t).Client(), []string{"shop.example"}, nil); err == nil || box.Len() != 0 {
			t.Errorf("%v, %v", box, err)
		}
	})
}

// A word that is no vendor is an error, and the zero Vendor gets no definitions, in no
// other vendor's form.
func TestNoVendor(t *testing.T) {
	if v, err := tools.ParseVendor("claude"); !isNoVendor(err, "claude") || v != (tools.Vendor{}) {
		t.Errorf("%s, %v", v, err)
	}
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		var none tools.Vendor
		for what, d := range map[string]*tools.Definitions{"Render": box.Render(none, nil), "strict": box.Render(none, &tools.RenderOptions{Strict: true}), "Deferred": box.Deferred(none, false)} {
			if string(d.Tools) != "[]" || len(d.Names)+len(d.List) != 0 || len(d.Skipped) != box.Len() || !strings.Contains(d.Skipped[0].Reason, "no Vendor") {
				t.Errorf("%s: %s %+v", what, d.Tools, d.Skipped)
			}
			for _, s := range d.Skipped {
				if !isNoVendor(s.Err, "") {
					t.Errorf("%s: %v", what, s.Err)
				}
			}
		}
		if raw, p, err := box.Define(none, box.Tools()[0].Name, false); !isNoVendor(err, "") || raw != nil || p != nil {
			t.Errorf("%s, %v", raw, err)
		}
		if raw, err := box.MetaTools(none); !isNoVendor(err, "") || raw != nil {
			t.Errorf("%s, %v", raw, err)
		}
		if raw, err := box.Answer(none, "", []byte(`{"query":"orders"}`), false); !isNoVendor(err, "") || raw != nil {
			t.Errorf("%s, %v", raw, err)
		}
		if raw, err := none.Call("shop__listOrders", []byte(`{}`)); !isNoVendor(err, "") || raw != nil {
			t.Errorf("%s, %v", raw, err)
		}
		for _, v := range tools.Vendors() {
			if raw, err := box.MetaTools(v); err != nil || !strings.Contains(string(raw), tools.MetaCall) {
				t.Errorf("%s: %s, %v", v, raw, err)
			}
		}
	})
}

// A Vendor is its name in JSON, as a value and as a key. Neither reads or writes a word
// that is no vendor.
func TestVendorsAreTheirNames(t *testing.T) {
	want := []tools.Vendor{tools.OpenAIResponses, tools.OpenAIChat, tools.AnthropicMessages, tools.Gemini, tools.GeminiJSON, tools.Bedrock, tools.Mistral, tools.MCP}
	if !slices.Equal(tools.Vendors(), want) {
		t.Errorf("%s, want %s", tools.Vendors(), want)
	}
	type file struct {
		One tools.Vendor
		By  map[tools.Vendor]int
	}
	for _, v := range tools.Vendors() {
		raw, err := json.Marshal(file{v, map[tools.Vendor]int{v: 1}})
		if want := `{"One":"` + v.String() + `","By":{"` + v.String() + `":1}}`; err != nil || string(raw) != want {
			t.Errorf("%s, %v, want %s", raw, err, want)
		}
		var back file
		if err := json.Unmarshal(raw, &back); err != nil || back.One != v || back.By[v] != 1 {
			t.Errorf("%s: %+v, %v", raw, back, err)
		}
		if same, err := tools.ParseVendor(v.String()); err != nil || same != v {
			t.Errorf("%s: %s, %v", v, same, err)
		}
	}
	if raw, err := json.Marshal(file{}); !isNoVendor(err, "") {
		t.Errorf("%s, %v", raw, err)
	}
	for name, text := range map[string]string{"": `{"One":""}`, "claude": `{"One":"claude"}`, "MCP": `{"By":{"MCP":1}}`} {
		var back file
		if err := json.Unmarshal([]byte(text), &back); !isNoVendor(err, name) || back.One != (tools.Vendor{}) {
			t.Errorf("%s: %+v, %v", text, back, err)
		}
	}
}

// A vendor without a strict mode is the reason why no tool is strict.
func TestNoStrictMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		for _, v := range []tools.Vendor{tools.Gemini, tools.GeminiJSON, tools.Mistral, tools.MCP} {
			d := box.Render(v, &tools.RenderOptions{Strict: true})
			for _, name := range d.Names {
				if d.NotStrict[name] != tools.WhyVendor {
					t.Errorf("%s, %s: %q", v, name, d.NotStrict[name])
				}
			}
		}
		for name, why := range box.Render(tools.OpenAIResponses, &tools.RenderOptions{Strict: true}).NotStrict {
			if why == "" || why == tools.WhyVendor {
				t.Errorf("%s: %q", name, why)
			}
		}
	})
}

func isNoVendor(err error, want string) bool {
	e, ok := errors.AsType[*tools.VendorError](err)
	return ok && e.Name == want
}

// The error names the vendor that is meant by the name of a model, of a company, or by a
// misspelling, and all vendors.
func TestVendorMeant(t *testing.T) {
	for word, want := range map[string]string{
		"claude": `did you mean "anthropic"?`, "claud": `did you mean "anthropic"?`, "vertx": `did you mean "gemini"?`, "Claude-Opus": `did you mean "anthropic"?`, "gpt-5": `did you mean "openai"?`, "openai-chat-completions": `did you mean "openai-chat"?`,
		"google": `did you mean "gemini"?`, "aws": `did you mean "bedrock"?`, "mpc": `did you mean "mcp"?`, "": `tools: "" is no Vendor; the vendors`, "something": "no Vendor; the vendors are openai, openai-chat, anthropic, gemini, gemini-json, bedrock, mistral, mcp",
	} {
		if got := (&tools.VendorError{Name: word}).Error(); !strings.Contains(got, want) || strings.Contains(got, "did you") != strings.Contains(want, "did you") {
			t.Errorf("%q: %s", word, got)
		}
	}
}

// The text of a tool begins with its site, as in every definition.
func TestDescriptionNamesTheSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tool := range loaded(t, nil).Tools() {
			if said := tool.Description(); !strings.HasPrefix(said, "From "+tool.Domain+": ") {
				t.Errorf("%s: %q", tool.Name, said)
			}
		}
	})
}
