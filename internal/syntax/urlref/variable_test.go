package urlref_test

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// A value stays in the part of the URL that its variable stands in, and a
// sound one beside it is kept.
func TestVariablesStayInTheirPartOfTheURL(t *testing.T) {
	for _, tt := range []struct {
		template, value string
		dropped         bool
	}{
		{"https://{v}.shop.example/", "eu-1", false},
		{"https://{v}/", "shop.example", false},
		{"https://{v}shop.example/", "evil.example/", true},
		{"https://{v}shop.example/", "u@", true},
		{"https://{v}.shop.example/", "evil.example#", true},
		{"https://{v}/", "shop.example:8443", true},
		{"https://{v}/", "evil%2eexample", true},
		{"https://shop.example/{v}", "v1", false},
		{"https://shop.example/{v}", "v1.2", false},
		{"https://shop.example/{v}", "..", true},
		{"https://shop.example/{v}", "%2E%2e", true},
		{"https://shop.example/.{v}", ".", true},
		{"https://shop.example/{v}", "a%2fb", true},
		{"https://shop.example/{v}", `a\b`, true},
		{"https://shop.example/{v}", "%zz", true},
		{"/{v}/v1", "a/b", true},
		{"{scheme}://shop.example/{v}", "..", true},
		{"{whole}/{v}", "..", true},
		{"{v}", "https://shop.example/v1", false}, // judged as a whole
		{"https://shop.example/?q={v}", "../..", false},
	} {
		list := []wayfind.Variable{{Name: "v", Default: tt.value, Enum: []string{tt.value, "good"}}}
		kept, dropped, err := urlref.ConfineVariables(tt.template, list)
		want := wayfind.Variable{Name: "v", Default: tt.value, Enum: []string{tt.value, "good"}}
		if tt.dropped {
			want.Default, want.Enum = "", []string{"good"}
		}
		if got := kept[0]; err != nil || got.Default != want.Default || !slices.Equal(got.Enum, want.Enum) || (len(dropped) > 0) != tt.dropped {
			t.Errorf("%q in %s: %+v, dropped %v, %v", tt.value, tt.template, got, dropped, err)
		}
		if list[0].Default != tt.value || len(list[0].Enum) != 2 {
			t.Errorf("%q in %s: the list was changed", tt.value, tt.template)
		}
	}
	if _, _, err := urlref.ConfineVariables("https://shop.example:{port}/", nil); err == nil {
		t.Error("a variable in a port")
	}
}
