package awp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/parse"
)

// A list that is read in full replaces that of the document. Another one takes nothing from it.
func TestAnUnreadableListOfDegradedActionsTakesNothingAway(t *testing.T) {
	service := &wayfind.Service{
		Status:       &wayfind.Status{Degraded: []string{"awp:book"}},
		Capabilities: []wayfind.Capability{{ID: "book", Key: "awp:book"}, {ID: "find", Key: "awp:find"}},
	}
	for body, want := range map[string][]string{
		`{"degraded_actions": ["find"]}`:                {"awp:find"},
		`{"degraded_actions": []}`:                      {},
		`{"degraded_actions": [{"action": "book"}]}`:    {"awp:book"},
		`{"degraded_actions": ["unknown", "find", ""]}`: {"awp:book", "awp:find"},
	} {
		root, err := (&parse.Input{Body: []byte(body)}).JSON()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, awp.StatusOf(root, service).Degraded); d != "" {
			t.Errorf("%s (-want +got):\n%s", body, d)
		}
	}
}
