package watch

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/pins"
)

// Diff returns the verb diff.
func Diff(a *ui.App) *cobra.Command {
	var n session.Network
	var asJSON, noText bool
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "show the changes between two answers of a domain",
		Long: `diff compares two Sites: their services and capabilities with auth, effects,
endpoints, contracts, terms and texts. OLD and NEW are files that "wayfind
resolve --json" wrote, or domains, which are asked. With --pins FILE there is one
DOMAIN, which is compared with its pins.

A definition from a document that could not be asked is unknown, and no change.

Exit status, as of diff(1): 0 no difference, 1 differences, 2 wrong usage, 3 could
not be asked, 4 refused by policy, 5 places of a domain gave no answer.`,
		Example: "  wayfind resolve --json example.com > yesterday.json\n  wayfind diff yesterday.json example.com\n  wayfind diff --pins pins.json example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case n.Pins != "" && len(args) == 1:
				p := pinning{Network: n, check: true, asJSON: asJSON}
				return runPin(cmd, a, &p, args[0], nil)
			case n.Pins != "":
				return errors.New(`name one domain to compare with its pins, for example "wayfind diff --pins pins.json example.com"`)
			case len(args) != 2:
				return errors.New(`name two files or domains, for example "wayfind diff yesterday.json example.com"`)
			}
			return runDiff(cmd, a, &n, args, asJSON, noText)
		},
	}
	n.Register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&noText, "no-text", false, "leave out descriptions, titles and examples")
	return cmd
}

func runDiff(cmd *cobra.Command, a *ui.App, n *session.Network, args []string, asJSON, noText bool) error {
	var sites [2]*wayfind.Site
	var asked []string
	for i, arg := range args {
		if !isFile(arg) {
			asked = append(asked, arg)
			continue
		}
		site, err := document.ReadSite(arg)
		if err != nil {
			return err
		}
		sites[i] = site
	}
	if _, err := session.NameTargets(a, cmd, n, asked...); err != nil { // the arguments of a mistyped command are not asked
		return err
	}
	if len(asked) > 0 && !askSites(cmd.Context(), a, n, args, &sites) {
		return nil
	}
	difference := diff.Sites(sites[0], sites[1])
	if noText {
		difference = difference.Without(diff.ClassText)
	}
	if asJSON {
		a.PrintJSON(difference, nil)
	} else {
		printDifference(a, difference)
	}
	if !difference.Empty() {
		a.Ends(ui.ExitNothing)
	}
	return nil
}

// isFile reports whether a word names a file: it has the form of a path, or a file with this name
// exists. A word with a scheme is a URL.
func isFile(arg string) bool {
	switch {
	case strings.Contains(arg, "://"):
		return false
	case strings.ContainsAny(arg, `/\`) || strings.HasSuffix(arg, ".json"):
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

// askSites asks for the Sites that are still missing. A domain that offers nothing has an empty
// Site. It reports false if a Site could not be asked for.
func askSites(ctx context.Context, a *ui.App, n *session.Network, domains []string, sites *[2]*wayfind.Site) bool {
	c, err := n.Open(a)
	if err != nil {
		a.Fail("", err)
		return false
	}
	defer session.End(a, c)
	for i, domain := range domains {
		if sites[i] != nil {
			continue
		}
		site, err := c.Resolve(ctx, domain)
		if err != nil && !errors.Is(err, wayfind.ErrNotFound) {
			a.Fail(domain, err)
			return false
		}
		sites[i] = site
	}
	return true
}

// printDifference shows the changes to a person.
func printDifference(a *ui.App, d *diff.Result) {
	if d.Empty() {
		a.Line("nothing changed")
	}
	printKeys(a, "Added", d.Added)
	printKeys(a, "Removed", d.Removed)
	if len(d.Changed) > 0 {
		a.Heading("Changed")
	}
	for i, c := range d.Changed {
		if i == 0 || c.Key != d.Changed[i-1].Key || c.Kind != d.Changed[i-1].Kind {
			a.Line("  %s %s", c.Kind, ui.Show(c.Key))
		}
		printFields(a, d.Changed[i:i+1])
		if i+1 == len(d.Changed) || d.Changed[i+1].Key != c.Key || d.Changed[i+1].Kind != c.Kind {
			of := slices.IndexFunc(d.Changed, func(o diff.Change) bool { return o.Key == c.Key && o.Kind == c.Kind })
			printGrade(a, diff.Of(d.Changed[of:i+1]...))
		}
	}
	printUnknown(a, d.Unknown)
}

func printKeys(a *ui.App, title string, list []diff.Change) {
	if len(list) == 0 {
		return
	}
	a.Heading(title)
	for _, c := range list {
		a.Line("  %s %s", c.Kind, ui.Show(c.Key))
	}
}

func printUnknown(a *ui.App, keys []string) {
	printList(a, "Unknown, because a document could not be asked", keys)
}

func printList(a *ui.App, title string, list []string) {
	if len(list) == 0 {
		return
	}
	a.Heading(title)
	for _, text := range list {
		a.Line("  %s", ui.Show(text))
	}
}

// printFields shows fields with their values before and after.
func printFields(a *ui.App, list []diff.Change) {
	for _, c := range list {
		a.Line("    %s: %s", c.Class, ui.Show(c.Field))
		a.Line("      - %s", valueText(c.Old))
		a.Line("      + %s", valueText(c.New))
	}
}

// valueText returns a value on one line, shortened to 240 characters.
func valueText(raw json.RawMessage) string {
	if raw == nil {
		return "(none)"
	}
	const longest = 240
	return ui.Show(humanize.OneLine(string(ui.OneLineJSON(raw)), longest))
}

// Schemas returns the schemas of diff and pin.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/diff/1", By: "`diff`", About: "The changes between two Sites. Without a change it has no other member.", Value: diff.Result{}},
		{Name: "wayfind/pins/1", By: "`pin`", About: "All pins, in the order of origin and key.", Value: pinList{}},
		{Name: "wayfind/pin-check/1", By: "`pin --check`, `diff --pins`", About: "The differences from pins. Without one it has no other member.", Value: pins.Report{}},
	}
}
