package inspect

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// recorded is an Inspector that holds documents by URL.
func recorded(pages map[string]string) *Inspector {
	i := &Inspector{Options: Options{Documents: new(Documents)}}
	for url, body := range pages {
		i.Documents.Add(&client.Exchange{URL: url, Status: 200, Body: []byte(body)})
	}
	return i
}

const (
	manifest = "https://shop.example/.well-known/agent"
	other    = "https://shop.example/agent.json"
)

// disputed is a Site with two documents about one call.
func disputed() *wayfind.Site {
	first, second := wayfind.Ref{Source: manifest, Pointer: "/capabilities/0"}, wayfind.Ref{Source: other, Pointer: "/actions/0"}
	return &wayfind.Site{
		Origin: "https://shop.example",
		Services: []wayfind.Service{{ID: "adp", Name: "Shop", Capabilities: []wayfind.Capability{{
			Key: "adp:buy", Kind: wayfind.KindOperation, Description: "Buys.", Price: "1 €", Sources: []wayfind.Ref{first, second},
			Alternatives: []wayfind.Capability{{Key: "awp:buy", Description: "Buys!", Sources: []wayfind.Ref{second}}},
		}}}},
		Sources: []wayfind.Source{{URL: manifest, Format: "adp", Version: "1.0", Authority: wayfind.AuthorityNative, Trust: wayfind.TrustSameOrigin},
			{URL: other, Format: "awp", Authority: wayfind.AuthorityCatalog, Trust: wayfind.TrustSameOrigin}},
		Conflicts:   []wayfind.Conflict{{Subject: "adp:buy", Field: "description", Message: "the statement of adp:buy is kept", Sources: []wayfind.Ref{first, second}}},
		Diagnostics: []wayfind.Diagnostic{{Severity: wayfind.SeverityError, Code: "adp.missing", Message: "x", Source: manifest, Pointer: "/capabilities/0/name"}},
		Probes:      []wayfind.Probe{{URL: manifest, Verdict: wayfind.VerdictFound}},
		Documents:   []wayfind.Document{{Rel: "item", URL: "https://shop.example/listed", MediaType: "text/plain"}},
	}
}

func TestViewSite(t *testing.T) {
	v := viewSite(disputed())
	for _, g := range v.Groups {
		want := map[sort]int{sortPolicy: 0, sortSource: 2}
		n, known := want[g.Sort]
		if !known {
			n = 1
		}
		if g.Count != n {
			t.Errorf("%d of %s, want %d", g.Count, g.Title, n)
		}
	}
	i := recorded(map[string]string{manifest: "{}"})
	for _, it := range v.Items {
		d, err := i.detail(disputed(), it.Sort, it.Index)
		if err != nil || d.Name != it.Name && it.Sort != sortSource {
			t.Errorf("%s %d: %+v %v", it.Sort, it.Index, d, err)
		}
	}
	for _, at := range []struct {
		sort  sort
		index int
	}{{sortCapability, 1}, {sortService, -1}, {sortConflict, 7}, {"other", 0}, {sortListed, 1}} {
		if _, err := i.detail(disputed(), at.sort, at.index); !errors.Is(err, errInput) {
			t.Errorf("%v: %v", at, err)
		}
	}
}

func TestConflictDetail(t *testing.T) {
	i := recorded(map[string]string{manifest: `{"capabilities": [{"d": "Buys."}]}`, other: `{"actions": ["Buys!"]}`})
	d, err := i.detail(disputed(), sortConflict, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := d.Readings
	if !slices.Equal(r.Rows[0].Values, []string{"Buys.", "Buys.", "Buys!"}) || !slices.Equal(r.Rows[0].Same, []bool{true, true, false}) {
		t.Errorf("the statements are %+v", r.Rows[0])
	}
	if r.Columns[1].Authority != "native" || r.Columns[2].Authority != "catalog" || r.Columns[2].URL != other {
		t.Errorf("the documents are %+v", r.Columns)
	}
	if r.Rows[1].Values[2] != "Buys!" {
		t.Errorf("the second document says %q", r.Rows[1].Values[2])
	}
}

func TestDocument(t *testing.T) {
	site := disputed()
	const lines = "{\n  \"capabilities\": [\n    {\n      \"name\": 7\n    }\n  ]\n}\n"
	wide := `{"capabilities":[{"name":7,"text":"` + strings.Repeat("long ", 100) + `"}]}`
	for _, row := range []struct {
		body string
		line int
		note string
	}{{lines, 4, ""}, {wide, 4, "laid out anew"}, {"not JSON\u202e\n", 0, ""}, {"", 0, "not read"}} {
		v := recorded(map[string]string{manifest: row.body}).document(site, manifest)
		if len(v.Marks) != 1 || v.Marks[0].Line != row.line || !strings.Contains(v.Note, row.note) {
			t.Errorf("%.20q: %+v", row.body, v)
		}
		if row.line > 0 && !strings.Contains(v.Lines[row.line-1], `"name"`) {
			t.Errorf("line %d is %q", row.line, v.Lines[row.line-1])
		}
		if strings.Contains(strings.Join(v.Lines, ""), "\u202e") {
			t.Errorf("a character that does not show in %q", v.Lines)
		}
	}
}
