package msagents_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

func list(t testing.TB, agents ...any) *parse.Input {
	return at(t, msagents.Path, string(formattest.JSON(t, map[string]any{"agents": agents})))
}

// A wrong media type is reported, and the list is read.
func TestAnotherMediaTypeIsToldAndTheListIsRead(t *testing.T) {
	formattest.MediaTypes(t, msagents.Format(), list(t, map[string]any{"name": "a"}), map[string]wayfind.Severity{"application/json": "", "text/plain": "error", "application/x+xml": "error"})
}

// Names of members are exact.
func TestNamesOfMembersAreExact(t *testing.T) {
	r := read(t, at(t, msagents.Path, `{"agents": [{"name": "a", "NAME": "evil", "deſcription": "evil"}], "agentſ": [{"name": "evil"}]}`))
	if diff := cmp.Diff([]string{"a"}, ids(r)); diff != "" || r.Services[0].Description != "" || r.Services[0].Extensions != nil {
		t.Errorf("got %+v (-want +got):\n%s", r.Services, diff)
	}
	want := []string{"warning json.case_variant /agentſ", "warning json.case_variant /agents/0/NAME", "warning json.case_variant /agents/0/deſcription"}
	if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// Entries beyond the limit are not read, and the total is reported. Tools and agents share the
// limit.
func TestEntriesBeyondTheLimitAreCounted(t *testing.T) {
	told := func(r *parse.Reading, count string) bool {
		return slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool {
			return d.Code == "msagents.truncated" && strings.Contains(d.Message, "of "+count+" ")
		})
	}
	for _, n := range []int{1000, 1001, 3000} {
		var agents []any
		for i := range n {
			agents = append(agents, map[string]any{"name": fmt.Sprintf("a%d", i)})
		}
		r := read(t, list(t, agents...))
		got := ids(r)
		if len(got) != 1000 || got[0] != "a0" || got[999] != "a999" || len(r.Links) != 1000 {
			t.Errorf("%d agents: read %d with %d links", n, len(got), len(r.Links))
		}
		if told(r, fmt.Sprint(n)) != (n > 1000) {
			t.Errorf("%d agents: diagnostics %v", n, codes(r.Diagnostics))
		}
	}
	tools := make([]string, 2000)
	for i := range tools {
		tools[i] = fmt.Sprintf("t%d", i)
	}
	r := read(t, list(t, map[string]any{"name": "a", "tools": tools}, map[string]any{"name": "b", "tools": tools[:1]}))
	if n := len(r.Services[0].Capabilities) + len(r.Services[1].Capabilities); n != 1000 || !told(r, "2000") || !told(r, "1") {
		t.Errorf("%d capabilities; diagnostics %v", n, codes(r.Diagnostics))
	}
}

// An entry with wrong types is dropped, and its index is reported.
func TestEntriesOfWrongTypesAreDroppedAndTold(t *testing.T) {
	wrong := []any{
		nil, 7, "text", []any{}, map[string]any{}, map[string]any{"name": nil}, map[string]any{"name": 7},
		map[string]any{"name": []any{"a"}}, map[string]any{"name": ""}, map[string]any{"description": "x"},
	}
	for i, entry := range wrong {
		r := read(t, list(t, map[string]any{"name": "sound"}, entry))
		if diff := cmp.Diff([]string{"sound"}, ids(r)); diff != "" || r.Unusable != "" {
			t.Errorf("entry %d: unusable %q (-want +got):\n%s", i, r.Unusable, diff)
		}
		if len(r.Diagnostics) != 1 || !strings.HasPrefix(r.Diagnostics[0].Pointer, "/agents/1") {
			t.Errorf("entry %d: want one diagnostic at its index, got %v", i, codes(r.Diagnostics))
		}
	}
	if r := read(t, list(t, wrong...)); r.Unusable == "" || len(r.Services) != 0 {
		t.Errorf("nothing is left, and it is usable: %+v", r.Services)
	}
}

// The version of an agent is kept as written.
func TestTheVersionOfAnAgentStaysAsWritten(t *testing.T) {
	for value, want := range map[any][]string{
		"1.4.2":              nil,
		"1.0.0-rc.1+build.5": nil,
		json.Number("1.10"):  {"warning msagents.wrong_type /agents/0/version"},
		"1.10":               {"info msagents.version_syntax /agents/0/version"},
		"01.0.0":             {"info msagents.version_syntax /agents/0/version"},
		"latest":             {"info msagents.version_syntax /agents/0/version"},
	} {
		r := read(t, list(t, map[string]any{"name": "a", "version": value}))
		if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" || r.Services[0].Version != fmt.Sprint(value) {
			t.Errorf("%v: version %q (-want +got):\n%s", value, r.Services[0].Version, diff)
		}
	}
}

// The URLs of an agent with any name stay on the host that listed it, below their own prefix.
func TestURLsOfHostileNamesStayOnTheirHost(t *testing.T) {
	for _, id := range []string{
		"//evil.example", `\\evil.example`, "/\t/evil.example", "@evil.example", "a?b#c", "a%2f..%2fb", "%2e%2e", "{+x}", "a\r\nb", "a\x00b", "é",
		"..", ".", "../..", "a/../../..", `..\..`, strings.Repeat("a", 3000),
	} {
		r := read(t, list(t, map[string]any{"name": id}))
		s := r.Services[0]
		var made []string
		for _, f := range s.Interfaces {
			made = append(made, strings.NewReplacer("{actorKey}", "k", "{messageId}", "m").Replace(f.Template))
		}
		for _, l := range append(made, s.Capabilities[0].DetailURLs...) {
			u, err := url.Parse(l)
			if err != nil {
				t.Errorf("%q: %v", id, err)
				continue
			}
			segments := strings.Split(u.EscapedPath(), "/")
			if u.Host != "pirates.example" || u.RawQuery != "" || u.Fragment != "" || slices.Contains(segments, "..") || len(segments) != 4 && len(segments) != 7 {
				t.Errorf("%q makes %q", id, l)
			}
			if name, err := url.PathUnescape(segments[3]); err != nil || name != id {
				t.Errorf("%q became %q", id, name)
			}
		}
		told := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "msagents.name_path" })
		if told != (len(made) == 0) {
			t.Errorf("%q: made %q, diagnostics %v", id, made, codes(r.Diagnostics))
		}
	}
}
