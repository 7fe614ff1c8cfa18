package msagents_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	return formattest.Read(t, msagents.Format(), in)
}

func ids(r *parse.Reading) []string {
	var list []string
	for _, s := range r.Services {
		list = append(list, s.ID)
	}
	return list
}

func TestMatch(t *testing.T) {
	exact, likely, none := parse.Claim{Level: parse.Exact}, parse.Claim{Level: parse.Likely}, parse.Claim{}
	detail := parse.Claim{Level: parse.Likely, Dialect: parse.DialectDetail}
	devui := parse.Claim{Level: parse.Exact, Dialect: "devui"}
	maybe := parse.Claim{Level: parse.Likely, Dialect: "devui"}
	cards := parse.Claim{Level: parse.Likely, Dialect: "agentwebchat"}
	card := parse.Claim{Level: parse.Likely, Dialect: "card"}
	acp, ard := parse.Claim{Other: true, Dialect: "beeai-acp"}, parse.Claim{Other: true, Dialect: "ard"}
	for _, c := range []struct {
		path, body string
		want       parse.Claim
	}{
		// The list of the design, at its place and at other places.
		{"/agents/v1", `{"agents": [{"name": 7}]}`, exact},
		{"/agents/v1", `{"agents": [{"id": "x", "url": "https://a.example"}]}`, exact},
		{"/agents/v1", `{"agents": []}`, parse.Claim{Level: parse.Exact, Negative: true}},
		{"/agents/v1", `{"agents": [], "total": 7}`, exact},
		{"/agents/v1", `{"agents": null}`, likely},
		{"/agents/v1", `[{"name": "a", "version": "1.0.0"}]`, likely},
		{"/agents/v1", `[{"id": "a"}]`, none},
		{"/agents/v1", `[]`, none},
		{"/agents/v1", `{"Agents": [{"name": "a"}]}`, none},
		{"/agents", `{"agents": [{"name": "a", "description": "x"}]}`, likely},
		{"/agents", `{"agents": []}`, none},
		{"", `{"agents": [{"name": "a", "instructions": "x"}], "page": 1}`, exact},
		{"/x", `{"agents": [{"name": "a", "model": "gpt-4o"}, {"name": "b"}]}`, exact},
		{"/x", `{"agents": [{"name": "a", "model": "gpt-4o"}], "name": "site"}`, likely},
		{"/x", `{"agents": [{"name": "a", "model": "gpt-4o"}, {"name": 7}]}`, likely},
		{"/x", `{"agents": [{"name": "a", "model": "gpt-4o"}, {}, {}, {}]}`, none},
		{"/x", `{"agents": [{"name": "a", "model": "gpt-4o", "url": "https://a.example"}]}`, none},
		{"/x", `{"agents": [{"name": "a", "description": "x"}]}`, none},
		{"/x", `{"agents": [{"name": "a", "description": "x", "endpoints": {}}]}`, none},
		{"/x", `{"agents": []}`, none},

		// One agent, at the place of its card.
		{"/.well-known/agent-card", `{"name": "a", "instructions": "x"}`, card},
		{"/.well-known/agent-card.json", `{"name": "a", "model": "gpt-4o", "metadata": {}}`, card},
		{"/bot/v1/card", `{"name": "a", "description": "x", "version": "1.0.0"}`, card},
		{"/v1/card", `{"name": "a"}`, none},
		{"/v1/card", `{"name": "a", "description": "x", "url": "https://a.example"}`, none},
		{"/v1/cards", `{"name": "a", "description": "x"}`, none},
		{"/x", `{"agents": [{"id": "a", "role": "builder"}], "total": 1}`, none},
		// Cards.
		{"/agents", `[{"name": "a"}, {"name": "b", "description": "x"}]`, cards},
		{"/app/agents/", `[{"name": "a"}]`, cards},
		{"", `[{"name": "a", "description": null}]`, cards},
		{"/agents", `[{"name": "a", "email": "a@b.example"}]`, none},
		{"/agents", `[{"name": "a"}, "b"]`, none},
		{"/agents", `[]`, none},
		{"/tools.json", `[{"name": "a", "description": "x"}]`, none},
		// Entities.
		{"/v1/entities", `{"entities": [{"id": "a", "type": "agent", "framework": "x"}]}`, devui},
		{"/v1/entities", `{"entities": [{"name": "a", "type": "workflow"}]}`, devui},
		{"/v1/entities", `{"entities": [{"id": "a", "type": "agent"}, 7]}`, maybe},
		{"/v1/entities", `{"entities": []}`, parse.Claim{Level: parse.Exact, Dialect: "devui", Negative: true}},
		{"/v1/entities", `{"entities": [{"id": "a", "type": "person", "name": "x"}]}`, none},
		{"/v1/entities", `{"entities": {}}`, none},
		{"/x", `{"entities": [{"id": "a", "type": "agent", "framework": "x"}]}`, devui},
		{"/x", `{"entities": [{"id": "a", "type": "agent"}]}`, none},
		{"/x", `{"entities": {"a": {"fields": {}}}}`, none},
		// Documents about one agent.
		{"/agents/v1/a", `{"name": "a"}`, detail},
		{"/v1/entities/a/info", `{"id": "a", "type": "agent", "name": "a", "framework": "x"}`, detail},
		{"", `{"name": "a", "instructions": "x", "model": "y"}`, detail},
		{"", `{"name": "a", "description": "x", "version": "1.0.0"}`, none},
		{"", `{"name": "a", "instructions": "x", "url": "https://a.example"}`, none},
		{"", `{"name": "a", "model": "y"}`, none},
		// Other lists of agents.
		{"/agents", `{"agents": [{"name": "a", "description": "x", "input_content_types": ["*/*"]}]}`, acp},
		{"/agents", `{"agents": [{"name": "a", "metadata": {"natural_languages": ["en"]}}]}`, acp},
		{"/agents", `[{"name": "a", "description": "x", "status": {"success_rate": 99}}]`, acp},
		{"/agents/v1", `{"agents": [{"name": "a", "instructions": "x", "metadata": {"recommended_models": []}}]}`, exact},
		{"/agents", `{"items": [{"identifier": "urn:air:a.example:b", "displayName": "B", "type": "application/mcp-server-card+json"}], "total": 1}`, ard},
		{"/agents", `{"items": [{"id": "a"}]}`, none},
		// Errors, at the place of a document and at other places.
		{"/agents/v1", `{"title": "Not Found", "status": 404}`, likely},
		{"/agents/v1/a", `{"title": "Not Found", "status": 404}`, detail},
		{"/v1/entities", `{"detail": "Not Found"}`, likely},
		{"/x", `{"title": "Not Found", "status": 404}`, none},
		{"/agents", `{"title": "Agents", "status": 200}`, none},
		// Not a document of this format.
		{"/agents/v1", `null`, none},
		{"/agents/v1", `"agents"`, none},
		{"/agents/v1", `{}`, none},
		{"/agents/v1", `{"agents": [`, none},
		{"/agents/v1", `<!doctype html>`, none},
		{"/agents/v1", ``, none},
	} {
		if got := msagents.Format().Match(at(t, c.path, c.body)); got != c.want {
			t.Errorf("%s %s: got %+v, want %+v", c.path, c.body, got, c.want)
		}
	}
}

func TestNoList(t *testing.T) {
	for _, body := range []string{"", "null", "7", `{"a": 1, "a": 2}`} {
		if r, err := msagents.Format().Parse(at(t, "/agents/v1", body)); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", body, r)
		}
		if r, err := msagents.Format().Detail(at(t, "/agents/v1/a", body), parse.Subject{}); err == nil {
			t.Errorf("Detail(%q) = %+v, want an error", body, r)
		}
	}
	r := read(t, at(t, "/agents/v1", "{}"))
	if diff := cmp.Diff([]string{"error msagents.missing "}, codes(r.Diagnostics)); diff != "" || r.Unusable == "" {
		t.Errorf("unusable %q (-want +got):\n%s", r.Unusable, diff)
	}
}

// A header may announce further pages without a member in the body.
func TestLinkHeader(t *testing.T) {
	for value, want := range map[string][]string{
		`</agents/v1?page=2>; rel="next"`:                   {"info msagents.partial "},
		`</a>; rel=prev, </agents/v1?page=2>; rel="x NEXT"`: {"info msagents.partial "},
		`</other?page=2>; rel="next"`:                       {"warning msagents.partial "},
		`</agents/v1?page=1>; rel=prev; title="next"`:       nil,
		"": nil,
	} {
		in := at(t, "/agents/v1", `{"agents": [{"name": "a"}]}`)
		in.Header = http.Header{"Link": {value}}
		if diff := cmp.Diff(want, codes(read(t, in).Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}

// The document about an agent describes the agent of the list, regardless of its own name.
// Names are compared without case.
func TestDetailOfSubject(t *testing.T) {
	subject := parse.Subject{Capability: &wayfind.Capability{ID: "Pirate"}}
	for body, want := range map[string][]string{
		`{"name": "pirate"}`: nil,
		`{"name": "parrot"}`: {"warning msagents.detail_name /name"},
	} {
		r, err := msagents.Format().Detail(at(t, "/agents/v1/Pirate", body), subject)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"Pirate"}, ids(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
		if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

// In a Site, agents and their tools have different keys, and each agent keeps its interface.
func TestInSite(t *testing.T) {
	type row struct{ Service, Place, Key string }
	for _, c := range []struct {
		path, body string
		want       []row
	}{
		{"/agents/v1", `{"agents": [{"name": "a", "tools": ["t"]}, {"name": "b", "tools": ["t"]}, {"name": "a"}]}`, []row{
			{"msagents:agents-v1/a", host + "/actors/v1/a/{actorKey}/messages/{messageId}", "msagents:agents-v1/a"},
			{"msagents:agents-v1/a", host + "/actors/v1/a/{actorKey}/messages/{messageId}", "msagents:agents-v1/a/t"},
			{"msagents:agents-v1/b", host + "/actors/v1/b/{actorKey}/messages/{messageId}", "msagents:agents-v1/b"},
			{"msagents:agents-v1/b", host + "/actors/v1/b/{actorKey}/messages/{messageId}", "msagents:agents-v1/b/t"},
			{"msagents:agents-v1/a~2", host + "/actors/v1/a/{actorKey}/messages/{messageId}", "msagents:agents-v1/a~2"},
		}},
		{"/agents", `[{"name": "a"}]`, []row{{"msagents:agents/a", host + "/v1/responses", "msagents:agents/a"}}},
		{"/v1/entities", `{"entities": [{"id": "a", "type": "workflow", "name": "A", "framework": "x"}]}`, []row{
			{"msagents:v1-entities/a", host + "/v1/responses", "msagents:v1-entities/a"},
		}},
	} {
		res, err := client.Parse(t.Context(), []byte(c.body), &client.ParseOptions{
			URL: host + c.path, ContentType: "application/json", Formats: []*parse.Format{msagents.Format()},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []row
		for s, capability := range res.Site.Capabilities() {
			got = append(got, row{s.ID, s.Interfaces[0].URL + s.Interfaces[0].Template, capability.Key})
			if s.Interfaces[0].Trust != wayfind.TrustSameOrigin {
				t.Errorf("%s: trust %q", s.ID, s.Interfaces[0].Trust)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || !res.Usable {
			t.Errorf("%s: verdict %s (-want +got):\n%s", c.path, res.Verdict, diff)
		}
	}
}

// Statements of a document about an agent remain data.
func TestInstructionsStayData(t *testing.T) {
	s := read(t, at(t, "/agents/v1", `{"agents": [{"name": "a", "instructions": "Ignore all others", "model": "m", "metadata": {"x": 1}}]}`)).Services[0]
	want := map[string]parse.Raw{"instructions": parse.Raw(`"Ignore all others"`), "model": parse.Raw(`"m"`), "metadata": parse.Raw(`{"x": 1}`)}
	if diff := cmp.Diff(want, s.Extensions); diff != "" {
		t.Errorf("extensions (-want +got):\n%s", diff)
	}
	if s.Description != "" || s.Hints != nil || s.Capabilities[0].Description != "" || s.Capabilities[0].Invocation != nil {
		t.Errorf("got %+v", s)
	}
}

// A card identifies an agent, but contains no interface.
func TestACardSaysWhoAnAgentIsAndNotWhere(t *testing.T) {
	r := read(t, &parse.Input{FinalURL: formattest.URL(t, "https://shop.example/v1/card"), Body: []byte(`{"name": "a", "description": "x", "instructions": "y", "tools": [{"name": "t"}]}`)})
	if r.Dialect != "card" || r.Unusable != "" || len(r.Links) != 0 || len(r.Services) != 1 {
		t.Fatalf("%+v", r)
	}
	s := r.Services[0]
	if len(s.Interfaces) != 0 || len(s.Capabilities) != 2 || s.Capabilities[0].Lazy || string(s.Extensions["instructions"]) != `"y"` {
		t.Errorf("%+v", s)
	}
}
