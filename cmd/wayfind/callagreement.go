package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// agreement answers questions from the flags, or asks the person at the terminal.
type agreement struct {
	app              *app
	yes, destructive bool
	credentials      bool // the command line names credentials
}

// confirm implements call.Options.Confirm.
func (g *agreement) confirm(_ context.Context, q *call.Question) (call.Answer, error) {
	reasons := slices.DeleteFunc(slices.Clone(q.Reasons), func(r call.Reason) bool { return r == call.ReasonNewCredential && g.credentials })
	harmless := !slices.ContainsFunc(reasons, func(r call.Reason) bool { return r != call.ReasonSaysReadOnly })
	switch {
	case len(reasons) == 0, g.destructive, g.yes && harmless:
		return call.Answer{Verdict: call.AllowOnce}, nil
	case !isTerminal(g.app.in) || !isTerminal(g.app.err):
		flag := "--yes"
		if !harmless {
			flag = "--yes-destructive " + show(q.Key)
		}
		return call.Answer{}, fmt.Errorf("there is no terminal to ask at; to agree, add %s", flag)
	}
	return g.ask(q)
}

// ask shows a person what would be sent. Any answer except yes means no.
func (g *agreement) ask(q *call.Question) (call.Answer, error) {
	out := g.app.err
	fmt.Fprintf(out, "The call %s of %s:\n  %s %s\n", show(q.Key), show(q.Domain), q.Request.Method, show(q.Request.URL))
	fmt.Fprintf(out, "  arguments %s\n", text.EscapeJSON(q.Arguments))
	for _, name := range q.Unplaced {
		fmt.Fprintf(out, "  not sent: %q; the capability has no such argument\n", show(name))
	}
	for _, c := range q.Request.Credentials {
		fmt.Fprintf(out, "  credential %s for %s\n", show(c.Scheme), c.Origin)
	}
	if len(q.Scopes) > 0 {
		fmt.Fprintf(out, "  a token with %d scopes: %s\n", len(q.Scopes), show(strings.Join(q.Scopes, " ")))
	}
	if q.Price != "" {
		fmt.Fprintf(out, "  price %s, as the site says\n", show(q.Price))
	}
	for _, k := range q.DependsOn {
		fmt.Fprintf(out, "  to be called before: %s\n", show(k))
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
func askInput(a *app) func(context.Context, *call.InputRequest) (*call.InputAnswer, error) {
	if !isTerminal(a.in) || !isTerminal(a.err) {
		return nil
	}
	return func(_ context.Context, q *call.InputRequest) (*call.InputAnswer, error) {
		fmt.Fprintf(a.err, "%s of %s wants to know more. Its words, which are those of a stranger:\n  %s\n", show(q.Tool), show(q.Domain), show(q.Message))
		if q.Schema != nil {
			fmt.Fprintf(a.err, "It wants JSON of this schema:\n  %s\n", text.EscapeJSON(q.Schema))
		}
		if q.Secret {
			fmt.Fprintln(a.err, "It asks for a secret, which no tool needs.")
		}
		fmt.Fprint(a.err, "Never type a password here. Your answer as JSON, or an empty line for none: ")
		line, _ := bufio.NewReader(a.in).ReadString('\n')
		if line = strings.TrimSpace(line); line == "" {
			return &call.InputAnswer{Action: "decline"}, nil
		}
		if !json.Valid([]byte(line)) {
			return nil, errors.New("the answer is no JSON")
		}
		return &call.InputAnswer{Action: "accept", Content: json.RawMessage(line)}, nil
	}
}
