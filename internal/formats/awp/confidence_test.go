package awp_test

import (
	"encoding/json"
	"testing"
)

// A confidence outside 0 to 1 (AWP §14) is invalid: it is dropped, and not treated as the
// maximum.
func TestAConfidenceOutOfRangeIsDropped(t *testing.T) {
	for _, value := range []string{"1e308", "87", "-0.1"} {
		r := read(t, changed(t, object{"source": "synthetic", "generated_by": "g", "last_verified": "2026-03-15T10:00:00Z", "confidence": json.Number(value)}))
		if r.Confidence != nil {
			t.Errorf("%s is read as %v", value, *r.Confidence)
		}
	}
}
