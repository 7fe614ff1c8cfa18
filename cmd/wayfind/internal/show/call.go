package show

import (
	"bytes"
	"cmp"
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
	tellFailure(a, res, e)
	if res != nil {
		tellTheirs(a, &res.Model)
	}
}

// tellTheirs prints what a service says about a failure, and what its site publishes for it, to standard
// error.
func tellTheirs(a *ui.App, m *call.ModelResult) {
	_, said := m.Apart()
	if m.JSON != nil {
		said = string(text.EscapeJSON(bytes.TrimSpace(m.JSON)))
	}
	for _, row := range [...]struct{ who, said string }{{"the service says:", said}, {"the site publishes for this:", m.Recovery}} {
		if row.said = strings.TrimSpace(row.said); row.said == "" {
			continue
		}
		fmt.Fprintln(a.Err, row.who)
		for line := range strings.Lines(row.said) {
			for _, own := range ui.Wrap(ui.Show(strings.TrimRight(line, "\r\n")), ui.WidthOf(a.Err)) {
				fmt.Fprintln(a.Err, own)
			}
		}
	}
}

// tellFailure prints the reason why a call was not made or did not succeed.
func tellFailure(a *ui.App, res *call.Result, e *call.Error) {
	a.Ends(callStatus(e.Code))
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

// Called is the result of a call as JSON.
type Called struct {
	// Target is the domain, URL or file that describes the call.
	Target string `json:"target"`
	// Key of the capability.
	Key string `json:"key"`
	// Status of the answer; absent if there was none.
	Status int `json:"status,omitempty"`
	// Result is the answer, or the reason why there is none.
	Result *call.ModelResult `json:"result,omitempty"`
	// IdempotencyKey of the request, if it had one.
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
	// Attempts is the number of times that the request was sent.
	Attempts int `json:"attempts,omitempty"`
}

// CallJSON prints the result of a call as JSON. The reason of a failure is printed on standard error, too.
func CallJSON(a *ui.App, target, key string, res *call.Result, err error) {
	out := Called{Target: text.Printable(target), Key: text.Printable(key)}
	if res != nil {
		out.Status, out.Result, out.IdempotencyKey, out.Attempts = res.Program.Status, &res.Model, res.Program.Key, res.Program.Attempts
	}
	failure := ui.NewFailure(target, err)
	e, failed := errors.AsType[*call.Error](err)
	if failed {
		failure.Code, failure.Kind = e.Code.String(), cmp.Or(wayfind.KindWord(e.Code.Kind()), ui.KindFailed)
	}
	a.PrintJSON(&out, failure)
	switch {
	case failed:
		tellFailure(a, res, e) // the words of the service are in the JSON
	case err != nil:
		a.Fail("", err)
	}
}

// callStatus returns the outcome of a call that was not made or did not succeed.
func callStatus(c call.Code) ui.Outcome {
	if c.Kind() == wayfind.ErrInvalid {
		return ui.ExitUsage
	}
	return verdict.Exit(c.Kind())
}
