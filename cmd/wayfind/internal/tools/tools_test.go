package tools

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// Capabilities that are skipped for one reason are counted, and a reason of its own stands beside them.
func TestEqualReasonsAreCounted(t *testing.T) {
	var list []tools.Skipped
	for i := range 40 {
		err := wayfind.NewError("url", fmt.Sprintf("http://a.example/details/cap_%d", i), wayfind.CodeScheme, errors.New("only https is asked"))
		list = append(list, tools.Skipped{Domain: "a.example", Key: fmt.Sprintf("adp:cap_%d", i), Reason: err.Error(), Err: err})
	}
	list = append(list, tools.Skipped{Domain: "a.example", Key: "adp:other", Reason: "it has no name", Asked: true})
	var errs bytes.Buffer
	tellTools(ui.New(nil, nil, &errs, nil), &tools.Definitions{}, list, false)
	said := errs.String()
	if n := strings.Count(said, "\n"); n != mostAlike+2 || !strings.Contains(said, "37 more") || !strings.Contains(said, "adp:other: it has no name") {
		t.Errorf("%d lines: %s", n, said)
	}
}
