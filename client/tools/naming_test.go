package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// TestNaming: each name has the rules that produced it.
func TestNaming(t *testing.T) {
	for _, test := range []struct {
		ids  []string
		name string
		want []NameRule
	}{
		{[]string{"listOrders"}, "listOrders", nil},
		{[]string{"refund.order"}, "refund_order", nil},
		{[]string{"3d"}, "_3d", nil},
		{[]string{"straße"}, "", []NameRule{nameLetters}},
		{[]string{"search", "SEARCH"}, "", []NameRule{nameConfused}},
		{[]string{"bash"}, "", []NameRule{nameReserved}},
		{[]string{strings.Repeat("very_", 20)}, "", []NameRule{nameLong}},
	} {
		l, site := loaderOf(t)
		for i, id := range test.ids {
			c := withContract(i, `{"type":"object"}`)
			c.ID, c.Invocation.URL = id, fmt.Sprintf("https://shop.example/%d", i)
			l.take(site, c)
		}
		l.name(fuel.Within(maxSteps))
		for _, tool := range l.box.tools {
			from, rules := l.box.Naming(&tool)
			if !slices.Equal(rules, test.want) || !slices.Contains(test.ids, from) || test.name != "" && tool.Name != test.name {
				t.Errorf("%q: %q from %q by %q, want %q", test.ids, tool.Name, from, rules, test.want)
			}
		}
	}
}

// TestNamingOfSites: with several sites, and with earlier names.
func TestNamingOfSites(t *testing.T) {
	l, site := loaderOf(t)
	l.take(site, withContract(1, `{"type":"object"}`))
	other := &wayfind.Site{Origin: "https://other.example", Services: site.Services}
	l.take(other, withContract(2, `{"type":"object"}`))
	l.name(fuel.Within(maxSteps))
	for _, tool := range l.box.tools {
		if from, rules := l.box.Naming(&tool); !slices.Equal(rules, []NameRule{nameSite}) || !strings.HasPrefix(from, "tool ") {
			t.Errorf("%s from %q by %q", tool.Name, from, rules)
		}
	}
	kept := l.box.tools[0]
	l.box.given = map[string]string{kept.Name: NameKey(kept.Origin, kept.Key)}
	if _, rules := l.box.Naming(&kept); !slices.Equal(rules, []NameRule{nameKept}) {
		t.Errorf("%q", rules)
	}
	for _, r := range []NameRule{nameKept, nameSite, nameLetters, nameLong, nameReserved, nameConfused} {
		if r.Text() == string(r) {
			t.Errorf("%s has no words", r)
		}
	}
}

// A name in another script leaves nothing to read: the name is of the title, or of the method and
// the path. Without any of them, it is a digest.
func TestNamesInAnotherScript(t *testing.T) {
	for _, test := range []struct {
		c    wayfind.Capability
		want string // with "_…" before a digest
	}{
		{wayfind.Capability{ID: "検索", Title: "Search orders"}, "Search_orders"},
		{wayfind.Capability{ID: "検索", Title: "注文", Invocation: &wayfind.Invocation{Method: "GET", Template: "https://shop.example/v1/orders/{id}"}}, "get_v1_orders_id"},
		{wayfind.Capability{Title: "Заказы", Key: "openapi:api/注文", Invocation: &wayfind.Invocation{Method: "POST", URL: "https://shop.example/orders"}}, "post_orders"},
		{wayfind.Capability{ID: "получить_2", Key: "openapi:api/get_orders"}, "get_orders"},
		{wayfind.Capability{ID: "获取user", Title: "Users"}, "Users"},
		{wayfind.Capability{ID: "get_склад", Invocation: &wayfind.Invocation{Method: "GET", URL: "https://shop.example/depots"}}, "get_depots"},
		{wayfind.Capability{ID: "get_склад", Title: "склад", Key: "mcp:get_склад"}, "get_…"},
		{wayfind.Capability{ID: "λίστα", Invocation: &wayfind.Invocation{Method: "GET", URL: "https://shop.example/v2/%CE%BB"}}, "get_v2_…"},
		{wayfind.Capability{ID: "straße", Title: "Street"}, "strasse_…"},
		{wayfind.Capability{ID: "łódź", Title: "City"}, "lodz_…"},
		{wayfind.Capability{ID: "123", Title: "Numbers"}, "_123"},
		{wayfind.Capability{ID: "検索", Key: "mcp:検索"}, "tool_…"},
	} {
		got, lost := baseName(fromOf(&test.c))
		if lost {
			got += "_…"
		}
		if got != test.want {
			t.Errorf("%+v is %q, want %q", test.c, got, test.want)
		}
	}
}
