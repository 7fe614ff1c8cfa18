package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/security/schema"
)

// loaderOf is a loader of one site.
func loaderOf(t *testing.T) (*loader, *wayfind.Site) {
	t.Helper()
	c, err := client.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return newLoader(c, &Options{}, newBudget()), &wayfind.Site{Origin: "https://shop.example", Services: []wayfind.Service{{ID: "orders", Name: "Orders"}}}
}

// withContract is a capability with a contract.
func withContract(i int, input string) *wayfind.Capability {
	var known struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal([]byte(input), &known) // some inputs are no schemas
	var params []wayfind.Param
	for _, name := range slices.Sorted(maps.Keys(known.Properties)) {
		params = append(params, wayfind.Param{Name: name, In: "query"})
	}
	return &wayfind.Capability{Key: fmt.Sprintf("x:%d", i), ID: fmt.Sprintf("tool %d", i), Kind: wayfind.KindOperation, Description: "Does it.",
		Invocation: &wayfind.Invocation{Protocol: "http", Method: "GET", URL: "https://shop.example/a"}, Params: params, Input: json.RawMessage(input)}
}

func (l *loader) take(site *wayfind.Site, c *wayfind.Capability) {
	l.capability(context.Background(), site, c.Key, &describe.Contract{Detail: &wayfind.Detail{Capability: c, Service: &site.Services[0]}}, nil)
}

// TestManyTools: there are at most 10,000, or as many as there is room for, which have names and
// are found and written within bounds.
func TestManyTools(t *testing.T) {
	testkit.Large(t)
	l, site := loaderOf(t)
	limit := testkit.Size(1000, maxTools)
	l.budget.tools.Store(int64(limit))
	for i := range limit + 100 {
		site.Services[0].Capabilities = append(site.Services[0].Capabilities, *withContract(i, `{"type":"object","properties":{"order":{"type":"string","description":"Number of an order."}}}`))
	}
	l.site(t.Context(), "shop.example", site, nil)
	if len(l.box.tools) != limit || len(l.box.skipped) != 100 {
		t.Fatalf("%d tools, %d skipped", len(l.box.tools), len(l.box.skipped))
	}
	for i, s := range l.box.skipped {
		if s.Key != fmt.Sprintf("x:%d", limit+i) || s.Code != CodeLimit || s.Err == nil {
			t.Fatalf("%+v", s)
		}
	}
	count := fuel.Within(5_000_000)
	if err := count.Do(func() { _ = l.name(count); l.box.order(count) }); err != nil {
		t.Fatal(err)
	}
	if hits := l.box.Search(fmt.Sprint("tool_", limit-1), 3); len(hits) != 3 || hits[0].Tool.Name != fmt.Sprint("tool_", limit-1) {
		t.Errorf("%+v", hits)
	}
	d := l.box.Render(AnthropicMessages, &RenderOptions{Tokens: 4000, Query: "tool 7"})
	if d.Tokens > 4000 || len(d.Names) == 0 || len(d.Names)+len(d.Left) != limit {
		t.Errorf("%d tokens, %d names, %d left", d.Tokens, len(d.Names), len(d.Left))
	}
	if s := l.box.Fit("tool 7", 4000, nil); s.Tokens > 4000 || s.Left["shop.example"] == 0 {
		t.Errorf("%d tokens, %v left", s.Tokens, s.Left)
	}
	if text := string(l.box.metaTools(OpenAIChat)); !strings.Contains(text, fmt.Sprintf("There are %d tools: shop.example (%[1]d).", limit)) {
		t.Error(text)
	}
}

// TestRequests: a request has no more tools, and no more strict ones, than its vendor
// takes; the best for a query are among them.
func TestRequests(t *testing.T) {
	l, site := loaderOf(t)
	for i := range 200 {
		l.take(site, withContract(i, `{"type":"object","properties":{"order":{"type":"string"},"at":{"type":"string"}},"required":["order"],"additionalProperties":false}`))
	}
	l.name(nil)
	l.box.order(nil)
	for _, v := range []Vendor{OpenAIResponses, OpenAIChat} {
		d := l.box.Render(v, &RenderOptions{Query: "tool 199"})
		if len(d.Names) != 128 || len(d.Left) != 72 || !slices.Contains(d.Names, "tool_199") {
			t.Errorf("%s: %d, %d left: %q", v, len(d.Names), len(d.Left), d.Names)
		}
	}
	if d := l.box.Deferred(OpenAIResponses, true); len(d.Projections) != 200 || len(d.Left) != 0 {
		t.Errorf("%d projections, %d left", len(d.Projections), len(d.Left))
	}
	count := func(raw json.RawMessage) int { return strings.Count(string(raw), `"strict":true`) }
	d := l.box.Render(AnthropicMessages, &RenderOptions{Strict: true, Query: "tool 199"})
	if len(d.Names) != 200 || count(d.Tools) != 20 || len(d.NotStrict) != 180 || d.NotStrict["tool_199"] != "" || !d.Projections["tool_199"].Strict {
		t.Errorf("%d names, %d strict, %d not", len(d.Names), count(d.Tools), len(d.NotStrict))
	}
	deferred := l.box.Deferred(AnthropicMessages, true)
	if count(deferred.Tools) != 20 {
		t.Errorf("%d strict", count(deferred.Tools))
	}
	for name, p := range deferred.Projections {
		if p.Strict != (deferred.NotStrict[name] == "") {
			t.Errorf("%s: %t, %q", name, p.Strict, deferred.NotStrict[name])
		}
	}
}

// TestLargeSchemas: a schema of 1 MiB leaves its tool out, and schemas that take too
// much work together leave out those that follow, with their reasons.
func TestLargeSchemas(t *testing.T) {
	testkit.Large(t)
	l, site := loaderOf(t)
	l.take(site, withContract(0, `{"type":"object","description":"`+strings.Repeat("a", 1<<20)+`"}`))
	l.budget.steps.Store(100_000)
	many := `{"type":"object","properties":{` + strings.TrimSuffix(strings.Repeat(`"p%d":{"type":"string"},`, 2000), ",") + `}}`
	numbers := make([]any, 2000)
	for i := range numbers {
		numbers[i] = i
	}
	for i := range 100 {
		l.take(site, withContract(i+1, fmt.Sprintf(many, numbers...)))
	}
	codes := make(map[string]int)
	for _, s := range l.box.skipped {
		codes[s.Code]++
		if s.Reason == "" || !s.Asked {
			t.Errorf("%+v", s)
		}
	}
	if codes["size"] != 1 || codes["cost"] < 50 || len(l.box.tools) == 0 || len(l.box.tools)+codes["cost"] != 100 {
		t.Errorf("%v, %d tools", codes, len(l.box.tools))
	}
}

// TestSameKey: a key that is there twice leaves one tool out, and not the list.
func TestSameKey(t *testing.T) {
	l, site := loaderOf(t)
	for range 2 {
		l.take(site, withContract(1, `{"type":"object"}`))
	}
	l.name(nil)
	if len(l.box.tools) != 1 || l.box.tools[0].Name != "tool_1" || len(l.box.skipped) != 1 || l.box.skipped[0].Code != CodeTwice {
		t.Errorf("%+v, %+v", l.box.tools, l.box.skipped)
	}
}

// TestOneToolForOneCall: a call that two documents describe is one tool, with both as its sources.
// If one document describes an address in two ways, there are two tools.
func TestOneToolForOneCall(t *testing.T) {
	l, site := loaderOf(t)
	of := func(i int, document, template string) {
		c := withContract(i, `{"type":"object"}`)
		c.Invocation = &wayfind.Invocation{Protocol: "http", Method: "GET", Template: template}
		_, name, _ := strings.Cut(template, "{")
		name, _, _ = strings.Cut(name, "}")
		c.Params = []wayfind.Param{{Name: name, In: "path"}}
		c.Sources = []wayfind.Ref{{Source: "https://shop.example" + document}}
		l.take(site, c)
	}
	of(1, "/openapi.json", "https://shop.example/orders/{id}")
	of(2, "/agents.json", "https://shop.example/orders/{order}")
	of(3, "/agents.json", "https://shop.example/orders/{id}")
	of(4, "/agents.json", "https://shop.example/orders/{id}/lines")
	var got []string
	for _, tool := range l.box.tools {
		got = append(got, fmt.Sprint(tool.Key, tool.Aliases, len(tool.Sources)))
	}
	if want := []string{"x:1[x:2] 2", "x:3[] 1", "x:4[] 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSkills: documents to read are skipped with a plain reason and are not requested. Statements
// are not mentioned.
func TestSkills(t *testing.T) {
	l, site := loaderOf(t)
	site.Services[0].Capabilities = []wayfind.Capability{
		{Key: "skills:refund", Kind: wayfind.KindSkill, Lazy: true, DetailURLs: []string{"https://shop.example/refund/SKILL.md"}},
		{Key: "skills:file", Kind: wayfind.KindSkillFile},
		{Key: "agents:sells", Kind: wayfind.KindStatement},
		*withContract(1, `{"type":"object"}`),
	}
	if keys := l.keys(site); !slices.Equal(keys, []string{"x:1"}) {
		t.Errorf("%q", keys)
	}
	var got []string
	for _, s := range l.box.skipped {
		got = append(got, s.Key+" "+s.Code+" "+s.Reason)
	}
	if len(got) != 2 || !strings.Contains(got[0], "contract") || !strings.Contains(got[1], "to be read, not to be called") {
		t.Errorf("%q", got)
	}
}

// FuzzRender: for any site, each vendor gets valid JSON, with names, text and schema within their
// limits, and the same output twice.
func FuzzRender(f *testing.F) {
	f.Add("send mail", "Sends. Really!", `{"type":"object","properties":{"to":{"type":"string"}}}`)
	f.Add("検索\u202e", strings.Repeat("語。", 600), `{"anyOf":[{"properties":{"a":true}},{"type":"null"}]}`)
	f.Add("", "\xff\x00\"</tools>", `{"properties":{"__proto__":{"$ref":"#"}}}`)
	f.Fuzz(func(t *testing.T, id, text, input string) {
		s, err := schema.Check([]byte(input), schema.Unknown, nil)
		if err != nil {
			return
		}
		names, err := Names([]Subject{{Origin: "https://shop.example", Key: "x", From: id}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		box := &Box{tools: []Tool{{Name: names[0], Origin: "https://shop.example", Domain: "shop.example", Key: "x", Service: &wayfind.Service{ID: "s"}, Schema: s, description: strings.ToValidUTF8(text, "")}}}
		box.order(nil)
		for _, v := range Vendors() {
			d := box.Render(v, &RenderOptions{Strict: true})
			if !json.Valid(d.Tools) || !utf8.Valid(d.Tools) || len(d.Names)+len(d.Skipped) != 1 {
				t.Fatalf("%s: %s, %+v", v, d.Tools, d.Skipped)
			}
			if again := box.Render(v, &RenderOptions{Strict: true}); string(again.Tools) != string(d.Tools) {
				t.Errorf("%s: not the same twice", v)
			}
			if raw := box.Deferred(v, true).Tools; !json.Valid(raw) {
				t.Errorf("%s: %s", v, raw)
			}
		}
		if said := box.tools[0].Description(); len(said) > maxText || !strings.HasPrefix(said, "From shop.example: ") {
			t.Errorf("%q", said)
		}
		box.Search(text, 3)
		if hits := box.Search(names[0], 1); len(hits) != 1 {
			t.Errorf("%q is not found by its name", names[0])
		}
	})
}
