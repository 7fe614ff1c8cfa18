package tools

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// A vendor that a table of the test adds has its own form everywhere, and no part of another
// vendor's.
func TestAVendorIsAddedByOneLiteral(t *testing.T) {
	table := []vendorRow{{
		name: "acme", plain: schema.Gemini, envelope: "skills", most: request{tools: 3},
		define: func(d definition) object { return object{{"skill", d.name}, {"does", d.text}, {"takes", d.input}} },
		call:   func(name string, arguments json.RawMessage) object { return object{{"run", name}, {"with", arguments}} },
	}}
	v := Vendor{&table[0]}
	l, site := loaderOf(t)
	for i := range 4 {
		l.take(site, withContract(i, `{"type":"object","properties":{"order":{"type":"string"}}}`))
	}
	l.name(nil)
	l.box.order(nil)
	box := l.box
	const first = `{"skill":"tool_0","does":"From shop.example: Does it.","takes":{"type":"OBJECT","properties":{"order":{"type":"STRING"}}}}`
	raw, p, err := box.Define(v, "tool_0", true)
	if string(raw) != first || err != nil || p.Strict || p.Target != schema.Gemini {
		t.Errorf("%s, %v, want %s", raw, err, first)
	}
	d := box.Render(v, &RenderOptions{Strict: true})
	if len(d.List) != 3 || len(d.Left) != 1 || string(d.List[0]) != first || d.NotStrict["tool_0"] != WhyVendor {
		t.Errorf("%+v", d)
	}
	if want := `[{"skills":[` + first + `,`; !strings.HasPrefix(string(d.Tools), want) {
		t.Errorf("%s, want %s…", d.Tools, want)
	}
	own, err := box.MetaTools(v)
	if want := `{"skill":"wayfind_describe","does":"Gives the definition of a tool that was found, with its arguments.","takes":{"type":"OBJECT","properties":{"name":{"type":"STRING"`; err != nil || !strings.HasPrefix(string(own), `[{"skills":[{"skill":"wayfind_search",`) || !strings.Contains(string(own), want) {
		t.Errorf("%s, %v, want %s in it", own, err, want)
	}
	if later := box.Deferred(v, true); string(later.Tools) != string(own) || len(later.List) != 4 {
		t.Errorf("%s, want %s", later.Tools, own)
	}
	asked := []byte(`{"query":"tool 3"}`)
	found, err := box.Find(asked)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := box.Answer(v, "call_1", asked, true); err != nil || string(answer) != string(found) {
		t.Errorf("%s, %v, want %s", answer, err, found)
	}
	if called, err := v.Call("tool_0", json.RawMessage(`{"order":"7"}`)); err != nil || string(called) != `{"run":"tool_0","with":{"order":"7"}}` {
		t.Errorf("%s, %v", called, err)
	}
	if text, err := v.MarshalText(); err != nil || string(text) != "acme" {
		t.Errorf("%s, %v", text, err)
	}
}

// A vendor that loads definitions has both parts of it, with its own form.
func TestAVendorMayLoadDefinitionsLater(t *testing.T) {
	table := []vendorRow{{
		name: "acme", plain: schema.MCP, define: func(d definition) object { return object{{"skill", d.name}} },
		later:  (*Box).loadedLater,
		answer: (*Box).namespaces,
	}}
	v := Vendor{&table[0]}
	l, site := loaderOf(t)
	l.take(site, withContract(1, `{"type":"object"}`))
	l.name(nil)
	l.box.order(nil)
	if d := l.box.Deferred(v, false); string(d.Tools) != `[{"skill":"wayfind_search"},{"skill":"tool_1","defer_loading":true}]` {
		t.Errorf("%s", d.Tools)
	}
	if answer, err := l.box.Answer(v, "", []byte(`{"query":"tool 1"}`), false); err != nil || !strings.Contains(string(answer), `"call_id":"",`) || !strings.Contains(string(answer), `"tools":[{"skill":"tool_1","defer_loading":true}]`) {
		t.Errorf("%s, %v", answer, err)
	}
}

// Each row has all that a vendor must have, and no two rows have a name in common.
func TestEachVendorIsWhole(t *testing.T) {
	taken := map[string]bool{}
	for _, row := range vendors {
		v := reflect.ValueOf(row)
		for _, member := range []string{"name", "plain", "define", "call"} {
			if v.FieldByName(member).IsZero() {
				t.Errorf("%q has no %s", row.name, member)
			}
		}
		if (row.later == nil) != (row.answer == nil) {
			t.Errorf("%s: definitions that come later and the answer that brings them are one thing", row.name)
		}
		for _, word := range append([]string{row.name}, row.also...) {
			if taken[word] || word != strings.ToLower(word) {
				t.Errorf("%s: the word %q is taken, or has capital letters", row.name, word)
			}
			taken[word] = true
		}
	}
}

// Our own tools have the form of all others, and their schemas keep the rules of the
// vendor: Bedrock takes only type, properties and required at the root.
func TestOwnToolsInTheFormOfEachVendor(t *testing.T) {
	const text, input = "Gives the definition of a tool that was found, with its arguments.", `{"type":"object","properties":{"name":{"type":"string","description":"Name of a tool that was found."}},"required":["name"],"additionalProperties":false}`
	want := map[Vendor]string{
		OpenAIResponses:   `{"type":"function","name":"wayfind_describe","description":"` + text + `","parameters":` + input + `,"strict":false}`,
		OpenAIChat:        `{"type":"function","function":{"name":"wayfind_describe","description":"` + text + `","parameters":` + input + `,"strict":false}}`,
		AnthropicMessages: `{"name":"wayfind_describe","description":"` + text + `","input_schema":` + input + `}`,
		Gemini:            `{"name":"wayfind_describe","description":"` + text + `","parameters":{"type":"OBJECT","properties":{"name":{"type":"STRING","description":"Name of a tool that was found."}},"required":["name"]}}`,
		GeminiJSON:        `{"name":"wayfind_describe","description":"` + text + `","parametersJsonSchema":` + input + `}`,
		Bedrock:           `{"toolSpec":{"name":"wayfind_describe","description":"` + text + `","inputSchema":{"json":` + strings.Replace(input, `,"additionalProperties":false`, "", 1) + `}}}`,
		Mistral:           `{"type":"function","function":{"name":"wayfind_describe","description":"` + text + `","parameters":` + input + `}}`,
		MCP:               `{"name":"wayfind_describe","description":"` + text + `","inputSchema":` + input + `,"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}}`,
	}
	for _, v := range Vendors() {
		if got := string(v.own(MetaDescribe, text, describeInput)); got != want[v] {
			t.Errorf("%s: %s, want %s", v, got, want[v])
		}
	}
}

// A member without a value is left out, and one with an empty text is not.
func TestObjectsLeaveOutWhatIsNotGiven(t *testing.T) {
	o := object{{"a", given("")}, {"b", json.RawMessage(nil)}, {"c", ""}, {"d", given(true)}, {"e", object{{"f", given(false)}}}, {"g", "<\u2028>"}}
	if got, want := string(o.json()), `{"c":"","d":true,"e":{},"g":"<\u2028>"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
