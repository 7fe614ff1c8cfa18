package diff_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// full returns a capability with all fields that are compared.
func full() wayfind.Capability {
	c := call("adp:a", "a", adpURL)
	c.Params = []wayfind.Param{
		{Name: "to", In: "body", Type: "string", Required: new(true), Schema: json.RawMessage(`{"type":"string"}`), Description: "whom"},
		{Name: "n", In: "query", Minimum: new(1.0), Default: json.RawMessage(`10`)},
	}
	c.Input = json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"text"},"n":{"minimum":1}},"required":["a","b"]}`)
	c.Output = json.RawMessage(`{"type":["string","null"]}`)
	c.Auth = &wayfind.Auth{
		Schemes: map[string]wayfind.Scheme{"key": {Kind: wayfind.SchemeAPIKey, In: "header", Name: "X-Key", Description: "ask us"}, "oauth2": {
			Kind: wayfind.SchemeOAuth2, Flows: []wayfind.OAuthFlow{{TokenURL: "https://example.com/token", Scopes: []string{"a", "b"}}},
		}},
		Requirements: [][]wayfind.Requirement{{{Scheme: "key"}}, {{Scheme: "oauth2", Scopes: []string{"a", "b"}}}},
	}
	c.Effects = &wayfind.Effects{Idempotent: new(true), Defaulted: []string{"idempotent"}}
	c.Limits = []wayfind.Limit{{N: 60, Per: time.Minute}}
	c.Price, c.Trust = "free", wayfind.TrustSameOrigin
	c.DependsOn = []string{"adp:x", "adp:y"}
	return c
}

// Values with the same meaning are not a change.
func TestDiffSameMeaning(t *testing.T) {
	for name, edit := range map[string]func(*wayfind.Capability){
		"order of params": func(c *wayfind.Capability) { c.Params[0], c.Params[1] = c.Params[1], c.Params[0] },
		"spelling of numbers": func(c *wayfind.Capability) {
			c.Params[1].Default = json.RawMessage(`1.0e1`)
			c.Input = json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"text"},"n":{"minimum":1.000}},"required":["a","b"]}`)
		},
		"order of members and sets": func(c *wayfind.Capability) {
			c.Input = json.RawMessage(` {"required": ["b", "a"], "properties":{"n":{"minimum":1},"description":{"description":"te\u0078t","type":"string"}},"type":"object"}`)
			c.Output = json.RawMessage(`{"type":["null","string"]}`)
			c.DependsOn = []string{"adp:y", "adp:x"}
		},
		"order of auth": func(c *wayfind.Capability) {
			r := c.Auth.Requirements
			c.Auth.Requirements = [][]wayfind.Requirement{{{Scheme: "oauth2", Scopes: []string{"b", "a"}}}, r[0]}
			c.Auth.Schemes["oauth2"].Flows[0].Scopes = []string{"b", "a"}
		},
		"defaults":           func(c *wayfind.Capability) { c.Effects.Defaulted, c.Params[0].Defaulted = nil, []string{"in"} },
		"empty is none":      func(c *wayfind.Capability) { c.Tags, c.DetailURLs, c.Aliases = []string{}, []string{}, []string{} },
		"what is not listed": func(c *wayfind.Capability) { c.Tags, c.Claimed, c.Lazy = []string{"x"}, true, true },
	} {
		t.Run(name, func(t *testing.T) {
			c := full()
			edit(&c)
			compare(t, adpSite(full()), adpSite(c), diff.Result{})
		})
	}
}

// Each field has a class. A text has the class of texts in any place.
func TestDiffFields(t *testing.T) {
	const schema = `{"type":"object","properties":{"description":{"type":"string","description":"text"},"n":{"minimum":1}},"required":["a","b"]}`
	authJSON := func(a *wayfind.Auth) string { b, _ := json.Marshal(a); return string(b) }
	for name, tt := range map[string]struct {
		edit func(*wayfind.Capability)
		want []diff.Change
	}{
		"kind": {func(c *wayfind.Capability) { c.Kind = "tool" },
			[]diff.Change{changed("adp:a", diff.ClassIdentity, "kind", `"operation"`, `"tool"`)}},
		"method": {func(c *wayfind.Capability) { c.Invocation.Method = "PUT" },
			[]diff.Change{changed("adp:a", diff.ClassEndpoint, "invocation",
				`{"protocol":"http","method":"POST","url":"https://example.com/a"}`, `{"protocol":"http","method":"PUT","url":"https://example.com/a"}`)}},
		"no invocation": {func(c *wayfind.Capability) { c.Invocation = nil },
			[]diff.Change{changed("adp:a", diff.ClassEndpoint, "invocation", `{"protocol":"http","method":"POST","url":"https://example.com/a"}`, "")}},
		"detail": {func(c *wayfind.Capability) { c.DetailURLs = []string{"https://x.example/a?b&c"} },
			[]diff.Change{changed("adp:a", diff.ClassEndpoint, "detailUrls", "", `["https://x.example/a?b&c"]`)}},
		"param": {func(c *wayfind.Capability) { c.Params[1].Minimum = new(2.0); c.Params[0].Description = "who" },
			[]diff.Change{
				changed("adp:a", diff.ClassContract, "params", `[{"name":"n","in":"query","default":10,"minimum":1}]`, `[{"name":"n","in":"query","default":10,"minimum":2}]`),
				changed("adp:a", diff.ClassText, "params",
					`[{"name":"to","in":"body","type":"string","description":"whom","required":true,"schema":{"type":"string"}}]`,
					`[{"name":"to","in":"body","type":"string","description":"who","required":true,"schema":{"type":"string"}}]`)}},
		"param moved": {func(c *wayfind.Capability) { c.Params[1].In = "header" },
			[]diff.Change{changed("adp:a", diff.ClassContract, "params", `[{"name":"n","in":"query","default":10,"minimum":1}]`, `[{"name":"n","in":"header","default":10,"minimum":1}]`)}},
		"text in a schema": {func(c *wayfind.Capability) {
			c.Input = json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"other"},"n":{"minimum":1}},"required":["a","b"]}`)
		}, []diff.Change{changed("adp:a", diff.ClassText, "input", schema,
			`{"type":"object","properties":{"description":{"type":"string","description":"other"},"n":{"minimum":1}},"required":["a","b"]}`)}},
		"property that is called description": {func(c *wayfind.Capability) {
			c.Input = json.RawMessage(`{"type":"object","properties":{"description":{"type":"number","description":"text"},"n":{"minimum":1}},"required":["a","b"]}`)
		}, []diff.Change{changed("adp:a", diff.ClassContract, "input", schema,
			`{"type":"object","properties":{"description":{"type":"number","description":"text"},"n":{"minimum":1}},"required":["a","b"]}`)}},
		"output": {func(c *wayfind.Capability) { c.Output = nil },
			[]diff.Change{changed("adp:a", diff.ClassContract, "output", `{"type":["string","null"]}`, "")}},
		"depends": {func(c *wayfind.Capability) { c.DependsOn = nil },
			[]diff.Change{changed("adp:a", diff.ClassContract, "dependsOn", `["adp:x","adp:y"]`, "")}},
		"effects": {func(c *wayfind.Capability) { c.Effects = &wayfind.Effects{Idempotent: new(false)} },
			[]diff.Change{changed("adp:a", diff.ClassEffects, "effects", `{"idempotent":true}`, `{"idempotent":false}`)}},
		"no auth": {func(c *wayfind.Capability) { c.Auth = nil },
			[]diff.Change{changed("adp:a", diff.ClassAuth, "auth", authJSON(full().Auth), "")}},
		"terms": {func(c *wayfind.Capability) {
			c.Limits, c.Price, c.Deprecated = []wayfind.Limit{{N: 30, Per: time.Minute}}, "1 EUR", true
		}, []diff.Change{
			changed("adp:a", diff.ClassTerms, "deprecated", `false`, `true`),
			changed("adp:a", diff.ClassTerms, "limits", `[{"n":60,"perSeconds":60}]`, `[{"n":30,"perSeconds":60}]`),
			changed("adp:a", diff.ClassTerms, "price", `"free"`, `"1 EUR"`)}},
		"trust": {func(c *wayfind.Capability) { c.Trust = wayfind.TrustCrossSite },
			[]diff.Change{changed("adp:a", diff.ClassTrust, "trust", `"same_origin"`, `"cross_site"`)}},
		"text": {func(c *wayfind.Capability) { c.Name, c.Title, c.Description = "A", "B", "<c>" },
			[]diff.Change{
				changed("adp:a", diff.ClassText, "name", "", `"A"`),
				changed("adp:a", diff.ClassText, "title", "", `"B"`),
				changed("adp:a", diff.ClassText, "description", `"adp:a"`, `"<c>"`)}},
	} {
		t.Run(name, func(t *testing.T) {
			c := full()
			tt.edit(&c)
			compare(t, adpSite(full()), adpSite(c), diff.Result{Changed: tt.want})
		})
	}
}

// A description of a scheme is a text. All other parts of it are not.
func TestDiffAuth(t *testing.T) {
	edit := func(f func(*wayfind.Scheme)) *wayfind.Site {
		c := full()
		s := c.Auth.Schemes["key"]
		f(&s)
		c.Auth.Schemes["key"] = s
		return adpSite(c)
	}
	for class, now := range map[diff.Class]*wayfind.Site{
		diff.ClassText: edit(func(s *wayfind.Scheme) { s.Description = "ask them" }),
		diff.ClassAuth: edit(func(s *wayfind.Scheme) { s.Prefix = new("") }),
	} {
		d := diff.Sites(adpSite(full()), now)
		if len(d.Changed) != 1 || d.Changed[0].Class != class || d.Changed[0].Field != "auth" {
			t.Errorf("changed %+v, want one of class %s", d.Changed, class)
		}
	}
}

func TestDiffService(t *testing.T) {
	before := wayfind.Service{
		ID: "adp", Name: "Mail", Description: "Mail", Auth: &wayfind.Auth{Unknown: true},
		Interfaces: []wayfind.Interface{
			{Protocol: "http", URL: "https://a.example", Auth: &wayfind.Auth{Unknown: true}},
			{Protocol: "mcp", URL: "https://b.example"}, {Protocol: "a2a", URL: "https://c.example"},
		},
		Status: &wayfind.Status{Degraded: []string{"a", "b"}},
	}
	after := wayfind.Service{
		ID: "adp", Name: "Post", Description: "Post",
		Interfaces: []wayfind.Interface{
			{Protocol: "a2a", URL: "https://c.example", Sources: from(adpURL)},
			{Protocol: "http", URL: "https://a.example"}, {Protocol: "mcp", URL: "https://b.example", Transport: "sse"},
			{Protocol: "mcp", URL: "https://d.example"},
		},
		Limits: []wayfind.Limit{{N: 1, Per: time.Second}},
		Status: &wayfind.Status{Degraded: []string{"b", "a"}, Operational: new(false)},
	}
	change := func(class diff.Class, field, before, after string) diff.Change {
		c := changed("adp", class, field, before, after)
		c.Kind = diff.KindService
		return c
	}
	compare(t, &wayfind.Site{Services: []wayfind.Service{before}}, &wayfind.Site{Services: []wayfind.Service{after}}, diff.Result{
		Changed: []diff.Change{
			change(diff.ClassEndpoint, "interfaces", `[{"protocol":"mcp","url":"https://b.example"}]`,
				`[{"protocol":"mcp","transport":"sse","url":"https://b.example"},{"protocol":"mcp","url":"https://d.example"}]`),
			change(diff.ClassAuth, "interfaces.auth", `[{"protocol":"http","url":"https://a.example","auth":{"unknown":true}}]`,
				`[{"protocol":"http","url":"https://a.example","auth":null}]`),
			change(diff.ClassIdentity, "name", `"Mail"`, `"Post"`),
			change(diff.ClassAuth, "auth", `{"unknown":true}`, ""),
			change(diff.ClassTerms, "limits", "", `[{"n":1,"perSeconds":1}]`),
			change(diff.ClassTerms, "status", `{"degraded":["a","b"]}`, `{"operational":false,"degraded":["a","b"]}`),
			change(diff.ClassText, "description", `"Mail"`, `"Post"`),
		},
	})
}

func TestDifferenceWithout(t *testing.T) {
	c := full()
	c.Description, c.Price = "other", "1 EUR"
	d := diff.Sites(adpSite(full()), adpSite(c))
	want := &diff.Result{Changed: []diff.Change{changed("adp:a", diff.ClassTerms, "price", `"free"`, `"1 EUR"`)}}
	if diff := cmp.Diff(want, d.Without(diff.ClassText)); diff != "" {
		t.Errorf("without texts (-want +got):\n%s", diff)
	}
	if rest := d.Without(diff.ClassText, diff.ClassTerms); !rest.Empty() || d.Empty() || len(d.Changed) != 2 {
		t.Errorf("without all: %+v, of %+v", rest, d)
	}
}

// JSON that is invalid does not end the comparison.
func TestDiffBrokenJSON(t *testing.T) {
	c := full()
	c.Input, c.Params[0].Schema = json.RawMessage(`{`), json.RawMessage(`x`)
	d := diff.Sites(adpSite(full()), adpSite(c))
	if d.Empty() {
		t.Error("no change")
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
}

// A capability that became more dangerous is detected, regardless of its text.
func ExampleSites() {
	read := func(text string) *wayfind.Site {
		var s wayfind.Site
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			fmt.Println(err)
		}
		return &s
	}
	old := read(`{"origin": "https://mail.example", "services": [{"id": "adp", "capabilities": [
		{"key": "adp:send", "kind": "operation", "description": "Send", "effects": {"reversible": true}}]}]}`)
	now := read(`{"origin": "https://mail.example", "services": [{"id": "adp", "capabilities": [
		{"key": "adp:send", "kind": "operation", "description": "Send a message", "effects": {"reversible": false}},
		{"key": "adp:read", "kind": "operation"}]}]}`)
	d := diff.Sites(old, now).Without(diff.ClassText)
	for _, c := range d.Added {
		fmt.Println("added", c.Key)
	}
	for _, c := range d.Changed {
		fmt.Printf("%s: %s: %s -> %s\n", c.Key, c.Field, c.Old, c.New)
	}
	// Output:
	// added adp:read
	// adp:send: effects: {"reversible":true} -> {"reversible":false}
}
