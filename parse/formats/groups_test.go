package formats_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/parse/formats"
)

// Each format is in a group other than "all", each name in a group is the name of a format, and
// no group has the name of a format.
func TestGroups(t *testing.T) {
	all := names(formats.All())
	in := map[string]int{}
	for _, g := range formats.Groups() {
		if slices.Contains(all, g.Name) || g.Title == "" {
			t.Errorf("group %q is called like a format, or has no title", g.Name)
		}
		ordered := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !slices.Contains(g.Formats, name) })
		if diff := cmp.Diff(ordered, g.Formats); diff != "" {
			t.Errorf("group %q is not in order of authority, or has unknown names (-want +got):\n%s", g.Name, diff)
		}
		for _, name := range g.Formats {
			in[name]++
		}
	}
	for _, name := range all {
		if want := map[bool]int{true: 3, false: 2}[name == "robots"]; in[name] != want {
			t.Errorf("%s is in %d groups, want %d", name, in[name], want)
		}
	}
}

func TestSelect(t *testing.T) {
	all := names(formats.All())
	groups := map[string][]string{}
	for _, g := range formats.Groups() {
		groups[g.Name] = g.Formats
	}
	for _, row := range []struct{ wanted, want []string }{
		{[]string{"all"}, all},
		{[]string{"seeds", "field"}, all},
		{[]string{"field"}, groups["field"]},
		{[]string{"seeds", "adp", "adp"}, groups["seeds"]},
		{[]string{"ucp", "adp"}, []string{"adp", "ucp"}},
		{[]string{"robots", "field"}, groups["field"]},
		{nil, nil},
	} {
		got, err := formats.Select(row.wanted...)
		if diff := cmp.Diff(row.want, names(got)); diff != "" || err != nil {
			t.Errorf("%v: %v (-want +got):\n%s", row.wanted, err, diff)
		}
	}
	for _, name := range []string{"", "x402", "ALL", "shops", "adp "} {
		if got, err := formats.Select("adp", name); err == nil || got != nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) ||
			!strings.Contains(err.Error(), "acp") || !strings.Contains(err.Error(), "seeds") {
			t.Errorf("%q: %v, %v", name, names(got), err)
		}
	}
}

func ExampleSelect() {
	list, err := formats.Select("openapi", "ucp", "acp")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range list {
		fmt.Println(f.Name)
	}
	// Output:
	// openapi
	// ucp
	// acp
}
