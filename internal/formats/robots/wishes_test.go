package robots_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// wishes returns the policies of a file about the use of content, without places.
func wishes(t testing.TB, body string) (list []wayfind.Policy) {
	for _, p := range read(t, body).Policies {
		if p.Kind != "robots" {
			p.Sources, p.Text = nil, ""
			list = append(list, p)
		}
	}
	return list
}

type values = map[string]string

// Each vocabulary about the use of content is a separate policy, with the words of its
// specification.
func TestEachVocabularyIsAPolicyOfItsOwn(t *testing.T) {
	all := []string{"*"}
	for name, row := range map[string]struct {
		body string
		want []wayfind.Policy
	}{
		"Content-Signal before groups": {"Content-Signal: ai-train=no\nUser-agent: *\nDisallow:\n",
			[]wayfind.Policy{{Kind: "content_signal", Values: values{"ai-train": "no"}}}},
		"Content-Signal with use": {"Content-Signal: search=yes, use=reference\nUser-agent: *\nDisallow:\n",
			[]wayfind.Policy{{Kind: "content_signal", Values: values{"search": "yes", "use": "reference"}}}},
		"Content-Signal, twice": {"Content-Signal: use=full, use=immediate, use=reference, use=none, ai-train=no, ai-train=yes\nUser-agent: *\nDisallow:\n",
			[]wayfind.Policy{{Kind: "content_signal", Values: values{"use": "immediate", "ai-train": "no"}}}},
		"Content-Signal in a group": {"User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n",
			[]wayfind.Policy{{Kind: "content_signal", Agents: all, Values: values{"ai-train": "no"}}}},
		"Content-Signal with a path": {"User-agent: *\nContent-Signal: /Api search=yes, ai-input=no\n",
			[]wayfind.Policy{{Kind: "content_signal", Agents: all, Paths: []string{"/Api"}, Values: values{"search": "yes", "ai-input": "no"}}}},
		"the cautious word counts": {"User-agent: *\nContent-Signal: search=no, search=yes\n",
			[]wayfind.Policy{{Kind: "content_signal", Agents: all, Values: values{"search": "no"}}}},
		"Content-Usage, the last counts": {"User-agent: *\nContent-Usage: train-ai=y, train-ai=n\n",
			[]wayfind.Policy{{Kind: "content_usage", Agents: all, Values: values{"train-ai": "n"}}}},
		"Content-Usage, a broken dictionary": {"User-agent: *\nContent-Usage: train-ai=n search=y\nContent-Usage: train-ai=n,\n", nil},
		"Content-Usage, a path with #":       {"User-agent: *\nContent-Usage: /a#b train-ai=n\n", nil},
		"Content-Usage, a comment": {"User-agent: *\nContent-Usage: /a train-ai=n#b search=y\n",
			[]wayfind.Policy{{Kind: "content_usage", Agents: all, Paths: []string{"/a"}, Values: values{"train-ai": "n"}}}},
		"Content-Usage, a tab": {"User-agent: *\nContent-Usage: /a%20\ttrain-ai=n\n",
			[]wayfind.Policy{{Kind: "content_usage", Agents: all, Paths: []string{"/a%20"}, Values: values{"train-ai": "n"}}}},
		"Content-Usage, letters":        {"User-agent: *\nContent-Usage: Train-AI=n\nContent-Usage: search=Y\n", nil},
		"Content-Usage, another script": {"User-agent: *\nContent-Usage: train-ai=\uff4e\n", nil},
		"Content-Usage, parameters and other names": {"User-agent: *\nContent-Usage: train-ai=n;x=1, other=y\n",
			[]wayfind.Policy{{Kind: "content_usage", Agents: all, Values: values{"train-ai": "n"}}}},
		"Content-Usage outside of a group": {"Content-Usage: train-ai=n\nUser-agent: *\nDisallow:\n", nil},
		"rules of one path stay apart": {"User-agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: /a search=y\n",
			[]wayfind.Policy{{Kind: "content_usage", Agents: all, Paths: []string{"/a"}, Values: values{"train-ai": "n"}},
				{Kind: "content_usage", Agents: all, Paths: []string{"/a"}, Values: values{"search": "y"}}}},
		"for a stranger": {"User-agent: *\nDisallow:\nUser-agent: strange\nContent-Usage: train-ai=n\n",
			[]wayfind.Policy{{Kind: "content_usage", Agents: []string{"strange"}, Values: values{"train-ai": "n"}}}},
		"never merged": {"User-agent: *\nContent-Signal: search=yes\nContent-Usage: search=n\n",
			[]wayfind.Policy{{Kind: "content_signal", Agents: all, Values: values{"search": "yes"}}, {Kind: "content_usage", Agents: all, Values: values{"search": "n"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(row.want, wishes(t, row.body)); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		})
	}
}

// A signal does not allow a place that a rule disallows.
func TestASignalIsNoPermission(t *testing.T) {
	body := []byte("User-agent: *\nContent-Signal: /private search=yes, ai-input=yes, ai-train=yes\nContent-Usage: /private train-ai=y, search=y\nDisallow: /private\n")
	if robots.Allowed(body, "wayfind", "https://shop.example/private") || !robots.Allowed(body, "wayfind", "https://shop.example/open") {
		t.Error("a wish about content decides about a request")
	}
}

// withFields returns an answer with header fields.
func withFields(t testing.TB, at, body string, fields http.Header) *parse.Input {
	t.Helper()
	in := formattest.Input(t, at, "application/json", []byte(body))
	in.Header = fields
	return in
}

// Fields have the same meaning with any document. They apply to the path that answered.
func TestHeaderFieldsSayTheSameBesideAnyDocument(t *testing.T) {
	here := []string{"/a%20b$"}
	for name, row := range map[string]struct {
		fields http.Header
		want   []wayfind.Policy
	}{
		"none":           {http.Header{"Link": {"</a>; rel=b"}}, nil},
		"Content-Signal": {http.Header{"Content-Signal": {"search=yes", "ai-train=no"}}, []wayfind.Policy{{Kind: "content_signal", Text: "search=yes, ai-train=no", Paths: here, Values: values{"search": "yes", "ai-train": "no"}}}},
		"Content-Usage":  {http.Header{"Content-Usage": {"train-ai=y", "train-ai=n"}}, []wayfind.Policy{{Kind: "content_usage", Text: "train-ai=y, train-ai=n", Paths: here, Values: values{"train-ai": "n"}}}},
		"TDM": {http.Header{"Tdm-Reservation": {"1"}, "Tdm-Policy": {"/policy.json"}},
			[]wayfind.Policy{{Kind: "tdm", Paths: here, Values: values{"tdm-reservation": "1", "tdm-policy": "https://shop.example/policy.json"}}}},
		"TDM, not reserved":          {http.Header{"Tdm-Reservation": {" 0 "}}, []wayfind.Policy{{Kind: "tdm", Paths: here, Values: values{"tdm-reservation": "0"}}}},
		"TDM, another value":         {http.Header{"Tdm-Reservation": {"yes"}, "Tdm-Policy": {"/p"}}, nil},
		"TDM, twice":                 {http.Header{"Tdm-Reservation": {"0", "1"}}, nil},
		"TDM, a policy alone":        {http.Header{"Tdm-Policy": {"/p"}}, nil},
		"TDM, a policy that is none": {http.Header{"Tdm-Reservation": {"1"}, "Tdm-Policy": {"java script:x"}}, []wayfind.Policy{{Kind: "tdm", Paths: here, Values: values{"tdm-reservation": "1"}}}},
		"broken":                     {http.Header{"Content-Usage": {"train-ai=n,"}, "Content-Signal": {"\xff"}}, nil},
	} {
		in := withFields(t, "https://shop.example/a%20b", "{}", row.fields)
		if claim := robots.Format().Match(in); claim != (parse.Claim{Aside: name != "none"}) {
			t.Errorf("%s: claim %+v", name, claim)
		}
		if name == "none" {
			continue
		}
		r := formattest.Read(t, robots.Format(), in)
		if d := cmp.Diff(row.want, r.Policies); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		for _, problem := range parsetest.Check(robots.Format(), parsetest.Doc{Header: row.fields, Body: []byte("{}")}) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// A robots.txt with such a field is still a robots.txt.
func TestAFileSentWithSignalsIsARobotsTxt(t *testing.T) {
	in := withFields(t, site, "User-agent: *\nDisallow: /a\n", http.Header{"Content-Signal": {"search=yes"}})
	r := formattest.Read(t, robots.Format(), in)
	if claim := robots.Format().Match(in); claim.Level != parse.Exact || claim.Aside || len(r.Policies) != 1 || r.Policies[0].Kind != "robots" {
		t.Errorf("claim %+v, policies %+v", claim, r.Policies)
	}
}

// Several files may be named, on any host, in any place.
func TestSeveralAgentmapsMayBeNamed(t *testing.T) {
	r := read(t, "Agentmap: https://shop.example/a.json\nUser-agent: strange\nAgentmap: https://other.example/b.json\nDisallow:\nLLMs: https://shop.example/llms\nAI-Manifest: https://shop.example/ai\nSitemap: https://shop.example/sitemap.xml\n")
	followed := map[string]bool{}
	for _, l := range r.Links {
		followed[l.URLs[0]] = true
	}
	if got := slices.Sorted(maps.Keys(followed)); !slices.Equal(got, []string{"https://other.example/b.json", "https://shop.example/a.json"}) || len(r.Documents) != 3 {
		t.Errorf("followed %q, listed %+v", got, r.Documents)
	}
}
