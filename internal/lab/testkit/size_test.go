package testkit_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// Each value of WAYFIND_LONG gives a size, but for -short and the race detector.
func TestSizes(t *testing.T) {
	testkit.Large(t)
	if testing.Short() {
		t.Skip("-short has one size")
	}
	for value, want := range map[string]int{"": 1, "0": 1, "1": 2, "all": 3} {
		t.Setenv(testkit.RunLong, value)
		if got := testkit.Sizes(1, 2, 3); got != want || testkit.Size(1, 2) != min(want, 2) {
			t.Errorf("%s=%q: size %d, want %d; of two %d", testkit.RunLong, value, got, want, testkit.Size(1, 2))
		}
	}
}
