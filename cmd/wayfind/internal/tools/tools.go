// Package tools has the verbs that give tools of domains to models: tools, and mcp, which is a server.
package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/credentials"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	contract "github.com/wayfindhq/wayfind/security/schema"
)

// toolsFlags are the flags of tools in addition to the flags of the network.
type toolsFlags struct {
	vendor, query, report string
	most                  int
	strict, losses        bool
	filterFlags
	credentials.Flags
}

// Command returns the verb tools.
func Command(a *ui.App) *cobra.Command {
	var n session.Network
	var f toolsFlags
	cmd := &cobra.Command{
		Annotations: map[string]string{ui.ResultJSON: "true"},

		Use:   "tools DOMAIN… | FILE | DIR | -",
		Short: "print the offers of domains as tools for a language model",
		Long: `tools reads every contract of the domains and prints the definitions as the API of
a vendor takes them: the value of "tools" in a request. Each domain, document, service
and capability that became no tool goes to standard error with its reason, or into a
file, with a sentence for the model about domains that could not be asked.

A FILE, "-" for standard input, or a DIR with the files of a site is read as if it were
published: at the host that its documents name, else at unpublished.example. With --dev,
that host may be one of this machine, or have no TLS. A document stands where its format
is looked for, and the documents that it refers to are read from its directory. No request is sent. A name that ends in .json, .yaml, .yml or .txt is that
of a file if there is one, and so is every name that begins with a slash or a dot. A DIR
can also be a recording of "wayfind resolve --save DIR".

--tag, --path, --method and --read-only choose operations: one must fit each flag that is
given, and of a flag that is repeated one value.

Descriptions and names are data of strangers. Each definition begins with its
origin.`,
		Example: "  wayfind tools example.com --for anthropic\n  wayfind tools example.com --for openai --strict --query \"refund an order\" --max-tokens 4000\n  wayfind tools example.com --tag orders --read-only\n  wayfind tools ./openapi.json --for anthropic",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args)+len(n.Servers.Lines) == 0 {
				return errors.New(`name a domain, for example "wayfind tools example.com"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			// For tools, --strict is about definitions and not about documents.
			f.strict, n.Strict = n.Strict, false
			targets, err := n.Servers.Targets(args)
			if err != nil {
				return err
			}
			return runTools(a, cmd, n.Servers.With(targets), &n, &f)
		},
	}
	n.Register(cmd)
	n.Servers.Register(cmd)
	n.RegisterMCP(cmd)
	f.Flags.Register(cmd)
	cmd.Flags().Lookup("strict").Usage = "use the vendor's strict mode for each tool that can be said so"
	cmd.Flags().StringVar(&f.vendor, "for", "openai", "write for this `VENDOR`: "+strings.Join(VendorWords(), ", "))
	cmd.Flags().StringVar(&f.query, "query", "", "prefer the tools that fit these `WORDS`, where not all have room")
	f.filterFlags.registerFlags(cmd)
	cmd.Flags().BoolVar(&f.only.ReadOnly, "read-only", false, "only operations whose HTTP method changes nothing")
	cmd.Flags().IntVar(&f.most, "max-tokens", 0, "leave tools out beyond this `NUMBER` of tokens, as estimated")
	cmd.Flags().BoolVar(&f.losses, "losses", false, "also list the rules that the vendor's format cannot express")
	cmd.Flags().StringVar(&f.report, "report", "", "write skipped capabilities and losses to `FILE` as JSON, and not to standard error")
	return cmd
}

// VendorWords returns the values of --for.
func VendorWords() (words []string) {
	for _, v := range tools.Vendors() {
		words = append(words, v.String())
	}
	return words
}

// parseVendor returns the vendor for a value of --for.
func parseVendor(word string) (tools.Vendor, error) {
	vendor, err := tools.ParseVendor(word)
	if e, unknown := errors.AsType[*tools.VendorError](err); unknown {
		hint := "--for "
		if near := e.Nearest(); !near.IsZero() {
			hint = fmt.Sprintf("did you mean --for %s? ", near)
		}
		return vendor, ui.Usagef("%s%q is no vendor; write one of %s", hint, word, strings.Join(VendorWords(), ", "))
	}
	return vendor, err
}

func runTools(a *ui.App, cmd *cobra.Command, words []string, n *session.Network, f *toolsFlags) error {
	vendor, err := parseVendor(f.vendor)
	if err != nil {
		return err
	}
	if f.most < 0 {
		return ui.Usagef("--max-tokens %d is less than nothing", f.most)
	}
	domains, sites, err := recorded.SitesOf(cmd.Context(), a, n, words)
	if err != nil {
		return err
	}
	if sites != nil {
		defer sites.Close()
	}
	if domains, err = session.NameTargets(a, cmd, n, domains...); err != nil {
		return err
	}
	opts := &tools.Options{Only: f.filters()}
	if opts.OperationNames, err = f.operationNames(a); err != nil {
		return err
	}
	c, err := recorded.OpenAt(n, a, sites)
	if err != nil {
		return err
	}
	defer session.End(a, c)
	lister, err := f.Lister(a, c, n)
	if err != nil {
		return err
	}
	box, err := tools.Load(lister.WithCredentials(cmd.Context()), c.Client, domains, opts)
	if box == nil {
		return ui.Usage(err)
	}
	if err != nil {
		a.Tell(err)
	}
	defs := box.Render(vendor, &tools.RenderOptions{Strict: f.strict, Query: f.query, Tokens: f.most})
	skipped := append(box.Skipped(), defs.Skipped...)
	for _, s := range skipped {
		if s.Whole() && s.Err != nil {
			a.Ends(ui.ExitStatus(s.Err))
		}
	}
	tellIncomplete(a, skipped)
	if len(defs.Names) == 0 {
		a.Ends(ui.ExitNothing)
	}
	fmt.Fprintf(a.Out, "%s\n", text.EscapeJSON(defs.Tools))
	if f.report != "" {
		return reportTools(cmd.Context(), a, f.report, defs, skipped)
	}
	tellTools(a, defs, skipped, f.losses)
	if f.query != "" && f.most == 0 && len(defs.Names) > 0 && len(defs.Left) == 0 {
		fmt.Fprintln(a.Err, "--query left out no tool, since all have room; --max-tokens says how much there is")
	}
	return nil
}

// tellIncomplete prints the domains that are incomplete.
func tellIncomplete(a *ui.App, list []tools.Skipped) {
	for _, s := range list {
		if e, ok := errors.AsType[*wayfind.Error](s.Err); ok && s.Part() {
			a.TellPart(s.Domain, s.Reason, e.NotBefore)
		}
	}
}

// tellTools lists the capabilities that became no tools on standard error, with the reasons.
func tellTools(a *ui.App, defs *tools.Definitions, skipped []tools.Skipped, losses bool) {
	filtered, told := 0, map[string]int{}
	for i, s := range skipped {
		verb, asked := "skipped", ""
		switch {
		case s.Part():
			continue // tellIncomplete prints it
		case s.Code == tools.CodeFiltered:
			filtered++
			continue
		case s.Code == tools.CodeUnmatched:
			verb = "unmatched"
		}
		if !s.Asked && s.Code != tools.CodeIncomplete && s.Code != tools.CodeUnlisted {
			asked = "could not be asked: "
		}
		why := verb + " " + s.Domain + ": " + asked + reasonOfAll(&skipped[i])
		reason := s.Reason
		if errors.Is(s.Err, context.Canceled) {
			reason = ui.Sentence(context.Canceled)
		}
		if told[why]++; told[why] <= mostAlike {
			fmt.Fprintf(a.Err, "%s %s: %s%s\n", verb, ui.Show(strings.TrimSpace(s.Domain+" "+s.Key+s.URL)), asked, ui.Show(reason))
		}
	}
	for _, why := range slices.Sorted(maps.Keys(told)) {
		if more := told[why] - mostAlike; more > 0 {
			fmt.Fprintf(a.Err, "%s: %d more; --report lists them\n", ui.Show(why), more)
		}
	}
	if filtered > 0 {
		fmt.Fprintf(a.Err, "left out by the flags: %d; --report lists them\n", filtered)
	}
	for _, name := range slices.Sorted(maps.Keys(defs.NotStrict)) {
		if defs.NotStrict[name] == tools.WhyVendor {
			fmt.Fprintln(a.Err, "--strict changes nothing: the vendor has no strict mode")
			break
		}
		fmt.Fprintf(a.Err, "not strict %s: %s\n", name, defs.NotStrict[name])
	}
	if defs.Note != "" {
		fmt.Fprintf(a.Err, "for the model: %s\n", ui.Show(defs.Note))
	}
	if len(defs.Left) > 0 {
		fmt.Fprintf(a.Err, "no room for %d more: %s\n", len(defs.Left), strings.Join(defs.Left, " "))
	}
	if !losses {
		return
	}
	for _, name := range defs.Names {
		for _, l := range defs.Losses[name] {
			fmt.Fprintf(a.Err, "lost %s: %s %s %s (%s)\n", name, ui.Show(l.Pointer), ui.Show(l.Keyword), l.Code, l.Effect)
		}
	}
}

// mostAlike is the number of capabilities with the same reason that are listed. The others are counted.
const mostAlike = 3

// reasonOfAll returns the reason without what differs between capabilities: their keys and URLs.
func reasonOfAll(s *tools.Skipped) string {
	reason, parts := s.Reason, []string{s.URL, s.Key}
	if e, ok := errors.AsType[*wayfind.Error](s.Err); ok {
		parts = append(parts, e.URL)
	}
	_, name, _ := strings.Cut(s.Key, ":")
	for _, part := range append(parts, name) {
		if part != "" {
			reason = strings.ReplaceAll(reason, part, "…")
		}
	}
	return reason
}

// toolsReport is the file of --report.
type toolsReport struct {
	// Names of the tools that were printed, in their order.
	Names []string `json:"names"`
	// Tokens that the definitions come to, as estimated.
	Tokens int `json:"tokens"`
	// Skipped lists the capabilities that became no tool, with reasons.
	Skipped []tools.Skipped `json:"skipped,omitempty"`
	// Note tells the model what could not be asked.
	Note string `json:"note,omitempty"`
	// Left are tools that --max-tokens has no room for.
	Left []string `json:"left,omitempty"`
	// NotStrict says why a tool is not strict that was to be, by name.
	NotStrict map[string]string `json:"notStrict,omitempty"`
	// Losses are the rules that the vendor's format cannot express, by name.
	Losses map[string][]contract.Loss `json:"losses,omitempty"`
}

func reportTools(ctx context.Context, a *ui.App, file string, defs *tools.Definitions, skipped []tools.Skipped) error {
	var report bytes.Buffer
	inner := *a
	inner.Out = &report
	inner.PrintJSON(toolsReport{defs.Names, defs.Tokens, skipped, defs.Note, defs.Left, defs.NotStrict, defs.Losses}, nil)
	a.Ends(inner.Outcome())
	if err := a.Replace(ctx, file, report.Bytes()); err != nil {
		return ui.Usagef("--report: %w", err)
	}
	return nil
}

// Schemas returns the schema of tools.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/tools-report/1", By: "`tools --report`", About: "The capabilities that became no tool, and the rules that a vendor's format cannot express.", Value: toolsReport{}},
	}
}
