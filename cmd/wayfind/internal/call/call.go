// Package call has the verbs that use the offers of a domain: call and logout.
package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/credentials"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// callFlags are the flags of call in addition to the flags of the network.
type callFlags struct {
	input       string // the file of the arguments
	asJSON      bool
	json        jsonFlag
	dryRun      bool
	yes         bool
	destructive string
	ticket      string
	save        string
	credentials.Flags
}

// Command returns the verb call.
func Command(a *ui.App) *cobra.Command {
	var n session.Network
	var f callFlags
	cmd := &cobra.Command{
		Use:   "call DOMAIN|FILE KEY [NAME=VALUE…]",
		Short: "make a call that a domain describes",
		Long: `call sends the request of one capability, or a message to an agent. KEY is as
"wayfind DOMAIN" prints it. Values are texts, or JSON where the schema wants a number,
a truth value, an array or an object.

A FILE is an API description of your own, such as ./openapi.yaml: its path begins with
"./", "../" or "/". The call goes to the server that it names.

You are asked before anything is sent that does more than read. Without a terminal, and
without --yes, --yes-destructive or --ticket, such a call is refused. What the site
answers is data of a stranger.

With --dry-run, --ticket writes a file that agrees to the request as it was shown; a call
with the same arguments and credentials uses it up within ten minutes.

A call that must not be made twice and whose answer was lost, or that was killed, is
remembered for an hour in the user's state ($XDG_STATE_HOME/wayfind or
~/.local/state/wayfind), and so are used tickets, whatever --cache names.`,
		Example: "  wayfind call shop.example openapi:openapi/listOrders customer=7 --dry-run\n  wayfind call shop.example openapi:openapi/newOrder --args order.json --credential key=env:SHOP_KEY --dry-run --ticket yes.json\n  wayfind call shop.example openapi:openapi/newOrder --args order.json --credential key=env:SHOP_KEY --ticket yes.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New(`name a domain and a key, for example "wayfind call example.com adp:send_email to=a@example.org"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("json") {
				args = f.readJSON(a, args)
			} else {
				a.JSON = false // --jq alone filters the answer
			}
			n.Servers.Elicits = askInput(a) != nil
			domain, err := n.Servers.Targets(args[:1])
			if err != nil {
				return err
			}
			return recorded.Saving(a, cmd, f.save, &n, func() error { return runCall(a, cmd, append(domain, args[1:]...), &n, &f) })
		},
	}
	n.Register(cmd)
	n.Servers.Register(cmd)
	n.RegisterMCP(cmd)
	f.Register(cmd)
	cmd.Flags().StringVar(&f.save, "save", "", "write requests and answers to files in `DIR`, for a bug report or a test")
	cmd.Flags().StringVar(&f.input, "args", "", "read the arguments as a JSON object from `FILE`, or with \"-\" from standard input")
	cmd.Flags().Var(&f.json, "json", "print the result as JSON; with a FILE after it, read the arguments from it, as --args does, and print text")
	cmd.Flags().Lookup("json").NoOptDefVal = "true"
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "send nothing: print the request, with "+call.Hidden+" for a credential that you name here and the name of one that is missing, and whether you would be asked")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "agree to a call that reads only, by the site's word; not to one that changes something")
	cmd.Flags().StringVar(&f.ticket, "ticket", "", "agree by a ticket: --dry-run writes it to `FILE`, and the call uses it up")
	cmd.Flags().StringVar(&f.destructive, "yes-destructive", "", "agree to the call of this `KEY`, also where it changes or destroys something")
	return cmd
}

func runCall(a *ui.App, cmd *cobra.Command, args []string, n *session.Network, f *callFlags) error {
	args = session.InOrder(a, args)
	domain, key := args[0], args[1]
	targets, err := session.NameTargets(a, cmd, n, domain)
	if err != nil {
		return err
	}
	if err := f.check(key, args[2:]); err != nil {
		return err
	}
	opts, ticket, err := f.options(a, n)
	if err != nil {
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
	domain = targets[0]
	opts.Approve = n.Approver()
	caller, lister, err := f.callers(a, c, n, opts)
	if err != nil {
		return err
	}
	defer caller.Close()
	box, tool, err := toolOf(lister.WithCredentials(cmd.Context()), a, c, domain, key)
	if err != nil || tool == nil {
		return err
	}
	arguments, err := readArguments(a, tool, f.input, args[2:])
	if err != nil {
		return err
	}
	if f.dryRun {
		p := &previewing{app: a, client: c.Client, box: box, tool: tool, arguments: arguments, opts: opts}
		return p.dryRun(cmd.Context(), caller, ticket)
	}
	res, err := callTool(cmd.Context(), caller, box, tool.Name, arguments, ticket)
	if res != nil {
		tellTaken(a, tool, res.Program.Unplaced, res.Program.Retyped, res.Program.Nulls)
	}
	tellUnknown(a, tool, arguments, err)
	if err == nil && res.Model.Pending {
		fmt.Fprintln(a.Err, "the work goes on; waiting for it")
		res, err = caller.Wait(cmd.Context(), res.Program.Handle)
	}
	if f.asJSON {
		show.CallJSON(a, domain, key, res, err)
	} else {
		show.Call(a, res, err)
	}
	if isMissing(err) {
		tellSchemes(a, tool)
	}
	return nil
}

// jsonFlag is the value of --json: a truth value, or the name of a file.
type jsonFlag struct {
	on   bool
	file string
}

func (j *jsonFlag) String() string { return strconv.FormatBool(j.on) }
func (j *jsonFlag) Type() string   { return "bool" }

// Set reads the value behind "--json=".
func (j *jsonFlag) Set(s string) error {
	on, err := strconv.ParseBool(s)
	if j.on = on; err != nil {
		j.file = s
	}
	return nil
}

// readJSON settles the meaning of --json, and returns the other arguments. It demands JSON, unless a FILE with
// the arguments of the call follows, as before 0.2.0: then a word stands among the arguments that is neither
// DOMAIN, KEY nor NAME=VALUE.
func (f *callFlags) readJSON(a *ui.App, args []string) []string {
	var words []int
	for i, arg := range args {
		if !strings.Contains(arg, "=") || strings.HasPrefix(arg, "{") {
			words = append(words, i)
		}
	}
	switch {
	case f.json.file != "":
		f.input = f.json.file
		return args
	case !f.json.on || len(words) < 3:
		f.asJSON = f.json.on
		return args
	}
	file := words[2]
	if first := args[words[0]]; document.IsFile(first) && !document.IsPath(first) || document.Absent(first) != nil { // --json FILE DOMAIN KEY
		file = words[0]
	}
	f.input, f.json.on, a.JSON = args[file], false, false
	return slices.Delete(slices.Clone(args), file, file+1)
}

// Schemas returns the schema of call.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/call/1", By: "`call --json`", About: "The result of a call. Texts and values of the site are data of a stranger.", Value: show.Called{}},
	}
}

// callTool makes a call, with a ticket if there is one.
func callTool(ctx context.Context, caller *call.Caller, box *tools.Box, name string, arguments json.RawMessage, ticket *ticketFile) (*call.Result, error) {
	if ticket != nil {
		return caller.CallConfirmed(ctx, box, name, arguments, ticket.Ticket)
	}
	return caller.Call(ctx, box, name, arguments)
}

// check returns an error for a call that makes no sense, before anything is asked.
func (f *callFlags) check(key string, pairs []string) error {
	if f.input != "" && len(pairs) > 0 {
		return ui.Usagef("--args and NAME=VALUE are two ways to give the arguments: use one")
	}
	if f.asJSON && f.dryRun {
		return ui.Usagef("--json prints the result of a call, and --dry-run makes none")
	}
	if f.destructive != "" && f.destructive != key {
		return ui.Usagef("--yes-destructive %q is not the key that is called", f.destructive)
	}
	return checkArguments(f.input, pairs)
}

// options returns the options of the Caller, and the ticket, which is nil without --ticket.
func (f *callFlags) options(a *ui.App, n *session.Network) (*call.Options, *ticketFile, error) {
	f.Unread = f.dryRun && f.ticket == ""
	ask := &agreement{app: a, yes: f.yes, destructive: f.destructive != "", credentials: f.Given()}
	opts := &call.Options{Confirm: ask.confirm, Input: askInput(a), AllowAnyOrder: true} // one run makes one call, and the person knows the order
	if n.Timeout != client.DefaultTimeout {
		opts.Timeout = n.Timeout
	}
	if err := f.Equip(a, opts); err != nil {
		return nil, nil, err
	}
	if f.ticket == "" {
		return opts, nil, nil
	}
	open := openTicket
	if f.dryRun {
		open = newTicketFile
	}
	ticket, err := open(f.ticket)
	if err != nil {
		return nil, nil, err
	}
	ticket.options(opts)
	return opts, ticket, nil
}

// callers returns the Caller that makes the call, and the Caller whose credentials are used to list
// the tools of a server. They differ in a preview, which uses stand-ins for credentials.
func (f *callFlags) callers(a *ui.App, c *session.Session, n *session.Network, opts *call.Options) (caller, lister *call.Caller, err error) {
	caller, err = call.New(c.Client, opts)
	switch {
	case err != nil:
		return nil, nil, ui.Usage(err)
	case !f.Unread:
		return caller, caller, nil
	}
	lister, err = f.Lister(a, c, n)
	return caller, lister, err
}

// toolOf returns the tool with a key. The tool is nil if the reason why there is none was already
// reported.
func toolOf(ctx context.Context, a *ui.App, c *session.Session, domain, key string) (*tools.Box, *tools.Tool, error) {
	box, err := tools.Load(ctx, c.Client, []string{domain}, &tools.Options{Keep: func(_ *wayfind.Service, c *wayfind.Capability) bool { return c.HasKey(key) }})
	if err != nil {
		return nil, nil, err
	}
	for _, t := range box.Tools() {
		if t.Key == key || t.Capability != nil && t.Capability.HasKey(key) {
			tool, err := box.Tool(t.Name) // with its whole definition
			return box, tool, err
		}
	}
	for _, s := range box.Skipped() {
		e, _ := errors.AsType[*wayfind.Error](s.Err)
		switch {
		case s.Part() && e != nil: // the key may be in a place that gave no answer
			a.TellPart(s.Domain, s.Reason, e.NotBefore)
		case s.Whole() && s.Err != nil:
			a.Fail(domain, s.Err)
			return nil, nil, nil
		case s.Key == key:
			a.Ends(ui.ExitNothing)
			fmt.Fprintf(a.Err, "wayfind: %s cannot be called: %s\n", ui.Show(key), ui.Show(s.Reason))
			return nil, nil, nil
		}
	}
	return nil, nil, noTool(c, domain, key)
}

// noTool returns an error with the reason why nothing with a key can be called, and with a
// suggestion.
func noTool(c *session.Session, domain, key string) error {
	site, known := c.Client.Peek(domain)
	if !known {
		site = &wayfind.Site{}
	}
	if service, capability := site.Capability(key); capability != nil && capability.Kind == wayfind.KindSkill {
		return ui.Usagef("%s is a skill of an agent, which takes messages: wayfind call %s %s message=…", key, domain, ui.Show(service.ID))
	}
	hint := ""
	for i := range site.Services {
		if slices.ContainsFunc(site.Services[i].Interfaces, func(f wayfind.Interface) bool { return f.Protocol == "mcp" }) && len(site.Services[i].Capabilities) == 0 {
			hint = "; the tools of its MCP server are read with --live"
		}
	}
	if near := text.NearestKey(key, show.PlainKeys(site)); near != "" {
		hint += fmt.Sprintf("; did you mean %q?", near)
	}
	return ui.Usagef("%s has nothing to call with the key %q; see the keys with: wayfind %s%s", domain, key, domain, hint)
}

// checkArguments rejects arguments that cannot belong to any tool, before anything is asked.
func checkArguments(file string, pairs []string) error {
	if strings.HasPrefix(file, "{") {
		return ui.Usagef("--args takes the name of a file, or - for standard input, and not the object itself")
	}
	for _, pair := range pairs {
		if name, _, found := strings.Cut(pair, "="); !found || name == "" {
			return ui.Usagef("%q is no NAME=VALUE; a JSON object is read from a file with --args FILE, or from standard input with --args -", pair)
		}
	}
	return nil
}

// readArguments returns the arguments of a call, from a file or from NAME=VALUE pairs, as a JSON
// object.
func readArguments(a *ui.App, t *tools.Tool, file string, pairs []string) ([]byte, error) {
	if file != "" {
		return document.Read(a, file)
	}
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	if raw, err := t.Schema.JSON(); err == nil {
		_ = json.Unmarshal(raw, &schema) // a value without a known type is a text
	}
	out := []byte("{")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if i > 0 {
			out = append(out, ',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		out = append(append(out, quoted...), ':')
		if kind, _ := schema.Properties[name].Type.(string); slices.Contains([]string{"number", "integer", "boolean", "array", "object", "null"}, kind) {
			if !json.Valid([]byte(value)) || strings.TrimSpace(value) != value {
				return nil, ui.Usagef("%s wants JSON of type %s, and %q is none", name, kind, value)
			}
			out = append(out, value...)
			continue
		}
		if quoted, err = json.Marshal(value); err != nil {
			return nil, err
		}
		out = append(out, quoted...)
	}
	return append(out, '}'), nil
}
