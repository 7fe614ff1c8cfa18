package parsetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/parse"
)

func explaining(rules ...parse.Rule) *parse.Format {
	return &parse.Format{Name: "menu", Rules: rules}
}

func TestRulesAreSentencesInOrder(t *testing.T) {
	rule := func(code string) parse.Rule {
		return parse.Rule{Code: code, Severity: "error", Means: "It is wrong.", Mend: "Mend `it`."}
	}
	for want, f := range map[string]*parse.Format{
		"":                             explaining(rule("a"), rule("a_1"), rule("b")),
		`"menu.a": want lower-case`:    explaining(rule("menu.a")),
		`"": want lower-case`:          explaining(rule("")),
		`"missing" repeats`:            explaining(rule("missing")),
		`"a" comes after "b"`:          explaining(rule("b"), rule("a")),
		`"a" comes after "a"`:          explaining(rule("a"), rule("a")),
		`"a": Severity "bad"`:          explaining(parse.Rule{Code: "a", Severity: "bad", Means: "It is wrong.", Mend: "Mend it."}),
		`"a": Means is empty`:          explaining(parse.Rule{Code: "a", Mend: "Mend it."}),
		`"a": Mend is empty`:           explaining(parse.Rule{Code: "a", Means: "It is wrong."}),
		`"a": Mend does not end`:       explaining(parse.Rule{Code: "a", Means: "It is wrong.", Mend: "Mend it"}),
		`"a": Means has spaces`:        explaining(parse.Rule{Code: "a", Means: "It is wrong. ", Mend: "Mend it."}),
		`"a": Means has spaces at its`: explaining(parse.Rule{Code: "a", Means: "It  is wrong.", Mend: "Mend it."}),
		`"a": Mend has a backquote`:    explaining(parse.Rule{Code: "a", Means: "It is wrong.", Mend: "Mend `it."}),
	} {
		got := strings.Join(checkRules(f), "\n")
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

func TestRulesAndEmittedCodesAreTheSame(t *testing.T) {
	f := explaining(parse.Rule{Code: "bland"}, parse.Rule{Code: "cold"}, parse.Rule{Code: "stale"})
	emitted := []string{"menu.stale", "json.bom", "menu.missing", "menu.burnt", "menu.bland", "menu.burnt",
		"menu.bland", "menu.burnt", "menu.stale", "menu.burnt", "menus.cold"}
	want := []string{`code "menu.burnt" has no rule`, `rule "cold": no document causes this code`}
	if diff := cmp.Diff(want, checkEmitted(f, emitted)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestCodesAreThoseOfQuotedLines(t *testing.T) {
	text := `"error menu.cold §2 /a: x", "info menu.b_2: menu.example", "warning menu.c"
		"error menus.cold §2", "url": "menu.example", error menu.d x "info json.bom x"`
	want := []string{"menu.cold", "menu.b_2", "menu.c"}
	if diff := cmp.Diff(want, Codes(explaining(), []byte(text))); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

func TestExamplesAreChecked(t *testing.T) {
	golden := []byte(`"error menu.missing §1 /a: required member \"cook\" is missing", "error menu.missing §1: recommended member \"fee\" is missing"`)
	f := explaining()
	if got := slices.Concat(checkExamples(f), checkShown(f, golden)); got != nil {
		t.Errorf("a format without examples: %q", got)
	}
	f.Examples = map[string]string{"a.cook": `{"name": "Ann"}`, "soup": `{"hot"`}
	want := []string{`example of "soup": "{\"hot\"" is not JSON`, `member "fee" can be missing and has no example`}
	if diff := cmp.Diff(want, slices.Concat(checkExamples(f), checkShown(f, golden))); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
