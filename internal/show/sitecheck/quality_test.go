package sitecheck_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

// has reports whether a tool has a shortfall.
func has(t *sitecheck.ToolQuality, code sitecheck.ShortfallCode) bool {
	return t != nil && slices.ContainsFunc(t.Shortfalls, func(s sitecheck.Shortfall) bool { return s.Code == code })
}

// only judges one tool. It is nil without a shortfall.
func only(d sitecheck.Described) *sitecheck.ToolQuality {
	q := sitecheck.JudgeQuality([]sitecheck.Described{d}, 0)
	if len(q.Worst) == 0 {
		return nil
	}
	return &q.Worst[0]
}

// Two readers judged 50 tools, one of them without knowing the rules. Where both say that a text
// or a name is good, no shortfall is named; where both say that it is not, most are.
func TestTheQualityIsThatOfTwoReaders(t *testing.T) {
	raw, err := os.ReadFile("testdata/quality.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Name, Description string
		Texts, Names      [2]string
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	seen, named := map[string]int{}, map[string]int{}
	for _, e := range list {
		got := only(sitecheck.Described{Tool: "x", Name: e.Name, Description: e.Description})
		for _, rule := range []struct {
			readers [2]string
			found   bool
		}{
			{e.Texts, has(got, sitecheck.ShortDescription) || has(got, sitecheck.ShortRepeats)},
			{e.Names, has(got, sitecheck.ShortName)},
		} {
			if rule.readers[0] != rule.readers[1] {
				continue
			}
			good := rule.readers[0] == "tells" || rule.readers[0] == "fine"
			if good && rule.found {
				t.Errorf("%s: %q has a shortfall, and both readers say %s", e.Name, e.Description, rule.readers[0])
			}
			if !good {
				seen[rule.readers[0]]++
				if rule.found {
					named[rule.readers[0]]++
				} else {
					t.Logf("%s: %q is not named, and both readers say %s", e.Name, e.Description, rule.readers[0])
				}
			}
		}
	}
	for verdict, n := range seen {
		if 4*named[verdict] < 3*n {
			t.Errorf("%d of %d are named that both readers call %s", named[verdict], n, verdict)
		}
	}
	if len(seen) < 3 {
		t.Errorf("the readers agree on %v only", seen)
	}
}

// Each shortfall has a tool that has it, and a like one that does not.
func TestShortfalls(t *testing.T) {
	argument := func(a sitecheck.Argument) []sitecheck.Argument { return []sitecheck.Argument{a} }
	for code, c := range map[sitecheck.ShortfallCode]struct{ with, without sitecheck.Described }{
		sitecheck.ShortName:        {sitecheck.Described{Name: "handler2"}, sitecheck.Described{Name: "list_orders"}},
		sitecheck.ShortDescription: {sitecheck.Described{Name: "n"}, sitecheck.Described{Name: "n", Description: "注文の一覧を返します"}},
		sitecheck.ShortRepeats:     {sitecheck.Described{Name: "createOrders", Description: "Creates a new order."}, sitecheck.Described{Name: "createOrders", Description: "Creates an order. The card is charged at once."}},
		sitecheck.ShortParameters: {sitecheck.Described{Arguments: argument(sitecheck.Argument{Name: "a"})},
			sitecheck.Described{Arguments: argument(sitecheck.Argument{Name: "a", Closed: true})}},
		sitecheck.ShortExamples: {sitecheck.Described{Arguments: argument(sitecheck.Argument{Name: "a", Description: "The code of the station", Required: true, Text: true})},
			sitecheck.Described{Arguments: argument(sitecheck.Argument{Name: "a", Description: `The code of the station, such as "LDS"`, Required: true, Text: true})}},
		sitecheck.ShortSize: {sitecheck.Described{Tokens: 1200}, sitecheck.Described{Tokens: 900}},
	} {
		if !has(only(c.with), code) {
			t.Errorf("%s: not named for %+v", code, c.with)
		}
		if has(only(c.without), code) {
			t.Errorf("%s: named for %+v", code, c.without)
		}
	}
}

// Two tools with one description are named for each other, and the worst ten come first.
func TestSiblingsAndTheWorst(t *testing.T) {
	var list []sitecheck.Described
	for i := range 12 {
		list = append(list, sitecheck.Described{Tool: fmt.Sprintf("tool_%d", i), Name: "list_orders", Description: fmt.Sprintf("Lists the orders of region %s that are still open.", strings.Repeat("x", i+1))})
	}
	list[3].Description = list[5].Description
	list[7].Description = ""
	q := sitecheck.JudgeQuality(list, 2)
	if q.Tools != 12 || q.NotJudged != 2 || len(q.Worst) != 3 {
		t.Fatalf("%+v", q)
	}
	if q.Worst[0].Tool != "tool_7" || !has(&q.Worst[1], sitecheck.ShortSiblings) || !strings.Contains(q.Worst[1].Shortfalls[0].Why, "tool_5") {
		t.Errorf("%+v", q.Worst)
	}
	if want := (9*100 + 2*85 + 60) / 12; q.Score != want {
		t.Errorf("the score is %d, not %d", q.Score, want)
	}
	if sitecheck.JudgeQuality(nil, 0) != nil {
		t.Error("a site without tools has a quality")
	}
}
