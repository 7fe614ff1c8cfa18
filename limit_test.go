package wayfind_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
)

// A limit is the same after a JSON round trip, for each number of milliseconds.
func TestALimitComesBackFromJSONAsItWas(t *testing.T) {
	changed := 0
	for ms := range 10_000 {
		limit := wayfind.Limit{N: 1, Per: time.Duration(ms) * time.Millisecond}
		text, err := json.Marshal(limit)
		if err != nil {
			t.Fatal(err)
		}
		var back wayfind.Limit
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if back != limit {
			if changed++; changed == 1 {
				t.Errorf("%v comes back as %v", limit.Per, back.Per)
			}
		}
	}
	if changed > 0 {
		t.Errorf("%d of 10,000 limits change", changed)
	}
}
