package show

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Call prints the answer to a call, or the reason why there is none.
func Call(a *ui.App, res *call.Result, err error) {
	e, failed := errors.AsType[*call.Error](err)
	if err == nil {
		body := []byte(res.Model.Text)
		if res.Model.JSON != nil {
			body = text.EscapeJSON(bytes.TrimSpace(res.Model.JSON))
		}
		fmt.Fprintf(a.Out, "%s\n", body)
		return
	}
	if !failed {
		a.Fail("", err)
		return
	}
	a.Status = max(a.Status, callStatus(e.Code))
	told := e.Code.Text()
	if e.Detail != "" || e.Err != nil {
		told = strings.TrimSuffix(told, ".")
	}
	if e.Detail != "" {
		told += " (" + e.Detail + ")"
	}
	if e.Err != nil {
		told += ": " + strings.TrimPrefix(e.Err.Error(), "invalid arguments: ")
	}
	for _, line := range ui.Wrap(fmt.Sprintf("wayfind: %s: %s", e.Code, ui.Show(told)), ui.WidthOf(a.Err)) {
		fmt.Fprintln(a.Err, line)
	}
	if res != nil && res.Program.Key != "" {
		fmt.Fprintf(a.Err, "its idempotency key was %s\n", res.Program.Key)
	}
}

// callStatus returns the exit status of a call that was not made or did not succeed.
func callStatus(c call.Code) int {
	if c.Kind() == wayfind.ErrInvalid {
		return ui.ExitUsage
	}
	return verdict.Exit(c.Kind())
}
