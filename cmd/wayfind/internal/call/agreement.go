package call

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// agreement answers questions from the flags, or asks the person at the terminal.
type agreement struct {
	app              *ui.App
	yes, destructive bool
	credentials      bool // the command line names credentials
}

// maxPriceShown is the maximum length of a price in a question, in bytes.
const maxPriceShown = 100

// confirm implements call.Options.Confirm.
func (g *agreement) confirm(_ context.Context, q *call.Question) (call.Answer, error) {
	reasons := slices.DeleteFunc(slices.Clone(q.Reasons), func(r call.Reason) bool { return r == call.ReasonNewCredential && g.credentials })
	harmless := !slices.ContainsFunc(reasons, func(r call.Reason) bool { return r != call.ReasonSaysReadOnly })
	switch {
	case len(reasons) == 0, g.destructive, g.yes && harmless:
		return call.Answer{Verdict: call.AllowOnce}, nil
	case !ui.IsTerminal(g.app.In) || !ui.IsTerminal(g.app.Err):
		flag := "--yes"
		if !harmless {
			flag = "--yes-destructive " + ui.Show(q.Key)
		}
		return call.Answer{}, fmt.Errorf("there is no terminal to ask at; to agree, add %s", flag)
	}
	return g.ask(q)
}

// ask shows a person what the site states, and then what would be sent, so that a site cannot move
// the request, its price and its effect out of sight. Any answer except yes means no.
func (g *agreement) ask(q *call.Question) (call.Answer, error) {
	out := g.app.Err
	for _, sentence := range q.Stated {
		fmt.Fprintf(out, "%s\n", ui.Show(sentence))
	}
	fmt.Fprintf(out, "The call %s of %s:\n  arguments %s\n", ui.Show(q.Key), ui.Show(q.Domain), text.EscapeJSON(q.Arguments))
	for _, name := range q.Unplaced {
		fmt.Fprintf(out, "  not sent: %q; the capability has no such argument\n", ui.Show(name))
	}
	for _, name := range q.Nulls {
		fmt.Fprintf(out, "  not sent: %q, which was given as null\n", ui.Show(name))
	}
	for _, c := range q.Request.Credentials {
		fmt.Fprintf(out, "  credential %s for %s\n", ui.Show(c.Scheme), c.Origin)
	}
	if len(q.Scopes) > 0 {
		fmt.Fprintf(out, "  a token with %d scopes: %s\n", len(q.Scopes), ui.Show(strings.Join(q.Scopes, " ")))
	}
	fmt.Fprintf(out, "  %s %s\n", q.Request.Method, ui.Show(q.Request.URL))
	if q.Price != "" {
		price, _ := text.Shorten(q.Price, maxPriceShown)
		fmt.Fprintf(out, "  price %s, as the site says\n", ui.Show(price))
	}
	for _, r := range q.Reasons {
		fmt.Fprintf(out, "  because %s\n", r.Text())
	}
	if yesFromTerminal(g.app, "Send it? [y/N] ") {
		return call.Answer{Verdict: call.AllowOnce}, nil
	}
	return call.Answer{Why: "the user said no"}, nil
}

// askInput returns a function that asks the person for the input that a tool requests, or nil if there
// is no terminal.
func askInput(a *ui.App) func(context.Context, *call.InputRequest) (*call.InputAnswer, error) {
	if !ui.IsTerminal(a.In) || !ui.IsTerminal(a.Err) {
		return nil
	}
	return func(_ context.Context, q *call.InputRequest) (*call.InputAnswer, error) {
		fmt.Fprintf(a.Err, "%s of %s wants to know more. Its words, which are those of a stranger:\n  %s\n", ui.Show(q.Tool), ui.Show(q.Domain), ui.Show(q.Message))
		if q.Schema != nil {
			fmt.Fprintf(a.Err, "It wants JSON of this schema:\n  %s\n", text.EscapeJSON(q.Schema))
		}
		if q.Secret {
			fmt.Fprintln(a.Err, "It asks for a secret, which no tool needs.")
		}
		fmt.Fprint(a.Err, "Never type a password here. Your answer as JSON, or an empty line for none: ")
		line, _ := bufio.NewReader(a.In).ReadString('\n')
		if line = strings.TrimSpace(line); line == "" {
			return &call.InputAnswer{Action: "decline"}, nil
		}
		if !json.Valid([]byte(line)) {
			return nil, errors.New("the answer is no JSON")
		}
		return &call.InputAnswer{Action: "accept", Content: json.RawMessage(line)}, nil
	}
}

// yesFromTerminal asks the person a question. Any answer except yes means no.
func yesFromTerminal(a *ui.App, question string) bool {
	fmt.Fprint(a.Err, question)
	answer, _ := bufio.NewReader(a.In).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
