package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/credentials"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// previewing shows a call that is not made.
type previewing struct {
	app       *ui.App
	client    *client.Client
	box       *tools.Box
	tool      *tools.Tool
	arguments []byte
	opts      *call.Options
}

// dryRun prints the request that would be sent. If the command line does not name a credential, its
// name is shown in its place, with a hint how to give it.
func (v *previewing) dryRun(ctx context.Context, caller *call.Caller, ticket *ticketFile) error {
	p, err := caller.DryRun(ctx, v.box, v.tool.Name, v.arguments)
	lacks := map[string]bool{}
	if isMissing(err) && ticket == nil {
		p, lacks, err = v.lacking(ctx)
	}
	if err != nil {
		show.Call(v.app, nil, err)
		tellUnknown(v.app, v.tool, v.arguments, err)
		if isMissing(err) {
			tellSchemes(v.app, v.tool)
		}
		return nil
	}
	if lacks = neededOf(p, lacks); len(lacks) > 0 {
		name(p.Request, lacks)
	}
	v.print(p)
	if len(lacks) > 0 {
		fmt.Fprintf(v.app.Err, "a credential is needed and was not given: %s\n", ui.Show(strings.Join(slices.Sorted(maps.Keys(lacks)), ", ")))
		tellSchemes(v.app, v.tool)
	}
	switch {
	case ticket == nil:
		return nil
	case p.Ticket == "":
		fmt.Fprintln(v.app.Err, "no ticket was written: the call needs none")
		return nil
	}
	return ticket.write(v.app, p.Ticket)
}

// isMissing reports whether a credential is needed that was not given.
func isMissing(err error) bool {
	e, ok := errors.AsType[*call.Error](err)
	return ok && e.Code == call.CredentialMissing && e.Err == nil
}

// lacking returns the preview with stand-ins for the credentials that were not given, and the names
// of their schemes.
func (v *previewing) lacking(ctx context.Context) (*call.Preview, map[string]bool, error) {
	given, lacks := v.opts.Credentials, map[string]bool{}
	opts := *v.opts
	opts.Credentials = func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		if given != nil {
			if g, err := given(ctx, q); g != nil || err != nil {
				return g, err
			}
		}
		lacks[q.Name] = true
		return credentials.StandIn(q.Scheme, call.Binding{Origin: q.Origin, Proof: call.ProofPerson})
	}
	caller, err := call.New(v.client, &opts)
	if err != nil {
		return nil, nil, err
	}
	p, err := caller.DryRun(ctx, v.box, v.tool.Name, v.arguments)
	return p, lacks, err
}

// neededOf returns the schemes that the request uses. The others belong to an alternative that was
// not taken.
func neededOf(p *call.Preview, lacks map[string]bool) map[string]bool {
	needed := map[string]bool{}
	for _, c := range p.Request.Credentials {
		if lacks[c.Scheme] {
			needed[c.Scheme] = true
		}
	}
	return needed
}

// name puts the names of schemes in the place of credentials that were not given.
func name(r *call.Request, lacks map[string]bool) {
	for _, c := range r.Credentials {
		if !lacks[c.Scheme] {
			continue
		}
		own := "<" + c.Scheme + ">"
		switch c.In {
		case "query":
			r.URL = strings.Replace(r.URL, url.QueryEscape(c.Name)+"="+call.Hidden, url.QueryEscape(c.Name)+"="+own, 1)
		case "cookie":
			r.Header.Set("Cookie", strings.ReplaceAll(r.Header.Get("Cookie"), c.Name+"="+call.Hidden, c.Name+"="+own))
		case "header":
			r.Header.Set(c.Name, own)
		}
	}
}

// curl prints the request as a command for a shell.
func (v *previewing) curl(ctx context.Context) error {
	p, lacks, err := v.lacking(ctx)
	if names := argumentsOf(v.tool); err != nil && len(names) > 0 && string(v.arguments) == "{}" {
		return ui.Usagef("--curl prints the request of one call: write its arguments after the key as NAME=VALUE; the names are %s", strings.Join(names, ", "))
	}
	if err != nil {
		show.Call(v.app, nil, err)
		tellUnknown(v.app, v.tool, v.arguments, err)
		return nil
	}
	fmt.Fprintln(v.app.Out, p.Request.Curl())
	for _, scheme := range slices.Sorted(maps.Keys(neededOf(p, lacks))) {
		fmt.Fprintf(v.app.Err, "%s stands for your credential %s\n", call.Hidden, ui.Show(scheme))
	}
	tellUnplaced(v.app, v.tool, p.Unplaced)
	return nil
}

// print prints a request, and the questions that would be asked before it is sent.
func (v *previewing) print(p *call.Preview) {
	a := v.app
	fmt.Fprintf(a.Out, "%s %s\n", p.Request.Method, ui.Show(p.Request.URL))
	for _, name := range slices.Sorted(maps.Keys(p.Request.Header)) {
		fmt.Fprintf(a.Out, "%s: %s\n", name, ui.Show(strings.Join(p.Request.Header[name], ", ")))
	}
	if p.Request.Body != nil {
		fmt.Fprintf(a.Out, "\n%s\n", text.EscapeJSON(p.Request.Body))
	}
	fmt.Fprintf(a.Err, "decision: %s: %s\n", p.Decision, p.Decision.Text())
	for _, reason := range p.Reasons {
		fmt.Fprintf(a.Err, "  %s\n", reason.Text())
	}
	tellTaken(a, v.tool, p.Unplaced, p.Retyped, p.Nulls)
	for _, k := range p.DependsOn {
		fmt.Fprintf(a.Err, "to be called before: %s\n", ui.Show(k))
	}
}

// tellUnplaced names the arguments that a tool does not know, and the arguments that it knows.
func tellUnplaced(a *ui.App, t *tools.Tool, unplaced []string) {
	if len(unplaced) == 0 {
		return
	}
	known := argumentsOf(t)
	for _, name := range unplaced {
		hint := ""
		if near := text.Nearest(name, known); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", ui.Show(near))
		}
		fmt.Fprintf(a.Err, "not sent: %q; the capability has no such argument%s\n", ui.Show(name), hint)
	}
	if len(known) > 0 {
		fmt.Fprintf(a.Err, "its arguments are: %s\n", ui.Show(strings.Join(known, ", ")))
	}
}

// tellTaken names the arguments that a tool does not know, those that are sent in another type than they
// were given, and the nulls that are not sent.
func tellTaken(a *ui.App, t *tools.Tool, unplaced, retyped, nulls []string) {
	tellUnplaced(a, t, unplaced)
	for _, name := range retyped {
		fmt.Fprintf(a.Err, "taken in the type of the definition: %q\n", ui.Show(name))
	}
	for _, name := range nulls {
		fmt.Fprintf(a.Err, "not sent: %q, which was given as null\n", ui.Show(name))
	}
}

// tellSchemes prints how to give each credential that the document names.
func tellSchemes(a *ui.App, t *tools.Tool) {
	auth := t.Service.Auth
	if t.Capability != nil && t.Capability.Auth != nil {
		auth = t.Capability.Auth
	}
	schemes := map[string]wayfind.Scheme{}
	if auth != nil {
		schemes = maps.Clone(auth.Schemes)
		maps.DeleteFunc(schemes, func(_ string, s wayfind.Scheme) bool { return s.Kind == wayfind.SchemeNone })
	}
	if len(schemes) == 0 {
		schemes = map[string]wayfind.Scheme{"bearer": {Kind: wayfind.SchemeOAuth2}} // the site asks for one, the document does not
	}
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		scheme := schemes[name]
		fmt.Fprintf(a.Err, "to give one (%s), with the value in the variable NAME:\n  --credential %s\n", ui.Show(string(scheme.Kind)), humanize.Word(ui.Show(name)+"=env:NAME"))
		if authkind.Of(scheme).Issued() {
			fmt.Fprintln(a.Err, "to log in: --client-id ID, or --register")
		}
	}
}

// tellUnknown names the unknown arguments of a call with invalid arguments: if a name is mistyped,
// the right one is missing.
func tellUnknown(a *ui.App, t *tools.Tool, arguments []byte, err error) {
	e, ok := errors.AsType[*call.Error](err)
	var given map[string]json.RawMessage
	if !ok || e.Code != call.InvalidArguments || json.Unmarshal(arguments, &given) != nil {
		return
	}
	known := argumentsOf(t)
	tellUnplaced(a, t, slices.DeleteFunc(slices.Sorted(maps.Keys(given)), func(name string) bool { return slices.Contains(known, name) }))
}

// argumentsOf returns the names of the arguments in the schema of a tool.
func argumentsOf(t *tools.Tool) []string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if raw, err := t.Schema.JSON(); err == nil {
		_ = json.Unmarshal(raw, &schema) // without a schema, nothing is suggested
	}
	return slices.Sorted(maps.Keys(schema.Properties))
}

// Curl prints the request that call would send, as a command for a shell.
func Curl(a *ui.App, cmd *cobra.Command, args []string, n *session.Network) error {
	targets, err := session.NameTargets(a, cmd, n, args[0])
	if err != nil {
		return err
	}
	if err := checkArguments("", args[2:]); err != nil {
		return err
	}
	c, err := n.Open(a)
	if err != nil {
		return err
	}
	defer session.End(a, c)
	if targets, err = c.AddFiles(cmd.Context(), targets); err != nil {
		return err
	}
	box, tool, err := toolOf(cmd.Context(), a, c, targets[0], args[1])
	if err != nil || tool == nil {
		return err
	}
	arguments, err := readArguments(a, tool, "", args[2:])
	if err != nil {
		return err
	}
	p := &previewing{app: a, client: c.Client, box: box, tool: tool, arguments: arguments, opts: &call.Options{Approve: n.Approver()}}
	return p.curl(cmd.Context())
}
