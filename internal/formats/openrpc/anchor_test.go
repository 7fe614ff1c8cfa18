package openrpc_test

import (
	"strings"
	"testing"
)

// The schema of a parameter by an anchor of draft-07 ("$id": "#name", §8.2.3) or of later drafts keeps
// its contract, and so does a definition that leads to it.
func TestParametersByAnchor(t *testing.T) {
	for name, schemas := range map[string]object{
		"draft-07":  {"B": object{"$id": "#b", "required": list{"n"}}},
		"later":     {"B": object{"$anchor": "b", "required": list{"n"}}},
		"two steps": {"A": object{"$ref": "#b", "title": "t"}, "B": object{"$anchor": "b", "required": list{"n"}}},
	} {
		ref := "#b"
		if name == "two steps" {
			ref = "#/components/schemas/A"
		}
		param := object{"name": "p", "schema": object{"$ref": ref}}
		c := first(t, one(t, object{"params": list{param}}, object{"components": object{"schemas": schemas}}))
		if got := string(c.Params[0].Schema); !strings.Contains(got, `"required":["n"]`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
