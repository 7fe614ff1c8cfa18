package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
)

// needing is a Box of tools, each with the numbers of its prerequisites.
func needing(first func(i int) []int, count int) *Box {
	b, service := &Box{}, &wayfind.Service{ID: "awp"}
	key := func(i int) string { return fmt.Sprintf("awp:t%d", i) }
	for i := range count {
		c := &wayfind.Capability{Key: key(i)}
		for _, n := range first(i) {
			c.DependsOn = append(c.DependsOn, key(n))
		}
		b.tools = append(b.tools, Tool{Name: fmt.Sprintf("t%d", i), Origin: "https://a.example", Key: key(i), Capability: c, Service: service})
	}
	return b
}

// stepsOf returns the steps that reading the order of the tools takes.
func stepsOf(b *Box) int64 {
	count := fuel.Within(1 << 40)
	_ = count.Do(func() { b.relate(count) })
	return count.Steps()
}

// The work for prerequisites grows with the size of the document: with tools that all need each
// other, in a ring, in one long chain, and with a list that is longer than what is followed.
func TestTheWorkForPrerequisitesIsLinear(t *testing.T) {
	for _, row := range []struct {
		name  string
		first func(count int) func(i int) []int
		most  int64 // steps for a tool
	}{
		{"each needs all", func(count int) func(int) []int {
			return func(int) []int { return seq(0, min(count, 50)) }
		}, 260},
		{"each needs far too many", func(int) func(int) []int {
			return func(int) []int { return seq(0, 400) }
		}, 6 * maxFirst},
		{"a ring", func(count int) func(int) []int { return func(i int) []int { return []int{(i + 1) % count} } }, 20},
		{"a chain", func(count int) func(int) []int { return func(i int) []int { return seq(i+1, min(i+2, count)) } }, 20},
	} {
		for _, count := range []int{500, 2000} {
			if steps := stepsOf(needing(row.first(count), count)); steps > row.most*int64(count) {
				t.Errorf("%s: %d tools take %d steps, more than %d each", row.name, count, steps, row.most)
			}
		}
	}
}

func seq(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// A tool that needs this one in turn, directly or by way of others, is told apart from a tool that
// must be called first.
func TestTheOrderOfTools(t *testing.T) {
	b := needing(func(i int) []int { return [][]int{{1, 4}, {2}, {0, 3}, nil, {3}, {5, 3}}[i] }, 6)
	b.relate(nil)
	for i, want := range []struct{ names, around []string }{
		{[]string{"t4"}, []string{"t1"}}, {nil, []string{"t2"}}, {[]string{"t3"}, []string{"t0"}}, {}, {[]string{"t3"}, nil}, {[]string{"t3"}, []string{"t5"}},
	} {
		f := b.tools[i].first
		var names []string
		for _, first := range b.tools[i].First() {
			names = append(names, first.Name)
		}
		if !slices.Equal(names, want.names) || !slices.Equal(f.around, want.around) {
			t.Errorf("t%d: %q around %q", i, names, f.around)
		}
	}
	many := needing(func(i int) []int { return seq(1, 141*(1-min(i, 1))) }, 150)
	many.relate(nil)
	said := strings.Join(many.tools[0].first.sentences(strings.ToUpper), " ")
	if got := many.tools[0].First(); len(got) != maxFirst || said != "First call t1 and t2 and t3 and t4 and t5 and t6 and t7 and t8 and 92 more. The site wants 40 others to run first." {
		t.Errorf("%d tools: %s", len(got), said)
	}
}

// The list of degraded capabilities is read once for all tools of a service, and the services of a
// site once for all aliases.
func TestAServiceIsReadOnceForItsTools(t *testing.T) {
	b := needing(func(int) []int { return nil }, 3)
	b.tools[0].Service.Status = &wayfind.Status{Degraded: []string{"awp:t1"}}
	b.relate(nil)
	for i := range b.tools {
		if state := b.tools[i].State(); (state != nil) != (i == 1) || len(b.tools[i].subjects) != 1 {
			t.Errorf("t%d: %q", i, state)
		}
	}
	other := &wayfind.Service{ID: "openapi:a/b", Status: &wayfind.Status{Operational: new(false)}}
	site := &wayfind.Site{Services: []wayfind.Service{{ID: "openapi:a"}, *other, {ID: "awp"}}}
	l, tool := &loader{}, &b.tools[0]
	tool.Capability.Aliases = []string{"openapi:a/b/get", "awp:x", "mcp:none", strings.Repeat("/", 10_000)}
	l.beside(site, tool)
	if len(tool.others) != 1 || tool.others[0].ID != other.ID {
		t.Errorf("%+v", tool.others)
	}
	for i := range 100 {
		tool.addOthers(&wayfind.Service{ID: fmt.Sprint(i)})
	}
	if len(tool.Services()) != 1+maxOthers {
		t.Errorf("%d services", len(tool.Services()))
	}
}

// What a tool states fits on a screen: the state is first, and the rest is counted.
func TestStatedIsBounded(t *testing.T) {
	b := needing(func(i int) []int { return seq(1, 99*(1-min(i, 1))) }, 100)
	tool := &b.tools[0]
	long := strings.Repeat("no bots ", 100)
	for i := range 500 {
		tool.Service.Restrictions = append(tool.Service.Restrictions, fmt.Sprint(i, long))
		tool.Capability.DependsOn = append(tool.Capability.DependsOn, fmt.Sprint(i, long))
		tool.Capability.Offers = append(tool.Capability.Offers, wayfind.Offer{Amount: fmt.Sprint(i, long)})
	}
	tool.Service.Status, tool.Capability.Deprecated = &wayfind.Status{Operational: new(false), Degraded: []string{tool.Key}}, true
	tool.Capability.Effects = &wayfind.Effects{Reversible: new(false), NeedsConfirmation: new(true)}
	b.relate(nil)
	list := tool.Stated()
	text := strings.Join(list, "\n")
	if len(text) > maxStatements+maxMore || len(list) > mostStatements+1 {
		t.Errorf("%d sentences with %d bytes", len(list), len(text))
	}
	for i, want := range []string{"The site states that the service is not operational.", "The site states that this action is degraded.",
		"The site states that it is deprecated.", "The site states that it cannot be undone.", "The site wants a person to agree to each call."} {
		if list[i] != want {
			t.Errorf("%d: %s", i, list[i])
		}
	}
	if last := list[len(list)-1]; !strings.HasPrefix(last, "The site states ") || !strings.HasSuffix(last, " more.") {
		t.Error(last)
	}
	if said := facts.Of(facts.On(tool.Service), facts.Table, facts.AboutService); len(said) > 40 || said[len(said)-1].More != 500-32 {
		t.Errorf("%d statements in a table", len(said))
	}
}
