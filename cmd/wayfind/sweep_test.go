package main

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// manyTargets is the number of targets that may be asked without the address of an operator.
const manyTargets = 10_000

// TestSweepNeedsContact: a list of more than 10,000 targets needs the address of
// its operator, from a file before the first request.
func TestSweepNeedsContact(t *testing.T) {
	var list strings.Builder
	for i := range manyTargets + 1 {
		list.WriteString(strings.Repeat("a", 1+i%20) + ".example\n") // named again: not asked again
	}
	file := writeFile(t, list.String())
	code, out, errs := exec(t, "", "batch", "--cache", "none", file)
	if code != ui.ExitUsage || !strings.Contains(errs, "--contact ADDRESS tells the operators") || !strings.Contains(out, `"code":"usage"`) {
		t.Errorf("exit status %d\n%s%s", code, out, errs)
	}
}
