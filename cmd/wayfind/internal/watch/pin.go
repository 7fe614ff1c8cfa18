// Package watch has the verbs that compare a domain with an earlier state: pin and diff.
package watch

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/pins"
)

// pinning holds the flags of "wayfind pin".
type pinning struct {
	session.Network
	check, remove, asJSON bool
}

// Pin returns the verb pin.
func Pin(a *ui.App) *cobra.Command {
	var p pinning
	cmd := &cobra.Command{
		Use:   "pin --pins FILE [DOMAIN [KEY…]]",
		Short: "remember definitions as they are, to notice when they change",
		Long: `pin writes a domain's definitions of its capabilities and services to FILE: all of
them, or those with a KEY. Only a pin by KEY covers the detail document, where there
is one. Look at the definition first, with "wayfind describe".

With --pins FILE the other commands refuse definitions that differ from their pins,
or warn (see --pin-policy). --check shows the changes and writes nothing. Without
DOMAIN all pins are listed. Where a pin exists already, the changes since are shown.

Exit status: 0 pinned or unchanged, 1 changed (--check) or nothing found, 2 wrong
usage, 3 could not be asked, 4 refused by policy, 5 pinned or compared, and places of
the domain gave no answer.`,
		Example: "  wayfind pin --pins pins.json example.com adp:send_email\n  wayfind pin --pins pins.json --check example.com\n  wayfind describe --pins pins.json example.com adp:send_email",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case p.Pins == "":
				return ui.Usagef("name the file of pins with --pins FILE")
			case p.check && (p.remove || len(args) > 1):
				return ui.Usagef("--check compares all pins of one DOMAIN, and writes nothing")
			case len(args) == 0:
				return listPins(a, &p)
			case p.remove:
				return removePins(a, &p, args[0], args[1:])
			}
			return runPin(cmd, a, &p, args[0], args[1:])
		},
	}
	p.Register(cmd)
	cmd.Flags().BoolVar(&p.check, "check", false, "show definitions that differ from their pins, and write nothing")
	cmd.Flags().BoolVar(&p.remove, "remove", false, "forget the pins of DOMAIN, or of its KEYs")
	cmd.Flags().BoolVar(&p.asJSON, "json", false, "print JSON")
	return cmd
}

// runPin asks a domain and pins its definitions, or compares them with their pins.
func runPin(cmd *cobra.Command, a *ui.App, p *pinning, domain string, keys []string) error {
	ctx := cmd.Context()
	open := session.PinsOf
	if !p.check {
		open = session.PinsToBe
	}
	set, err := open(p.Pins)
	if err != nil {
		return err
	}
	if _, err := session.NameTargets(a, cmd, &p.Network, domain); err != nil {
		return err
	}
	c, err := p.openPinning(a)
	if err != nil {
		return err
	}
	defer session.End(a, c)
	site, err := c.Resolve(ctx, domain)
	if err != nil {
		a.Fail(domain, err)
		return nil
	}
	if p.check {
		printReport(a, set.Check(site), p.asJSON)
		return nil
	}
	before := set.Check(site)
	if set, err = pinned(ctx, a, c.Client, set, site, keys); err != nil {
		a.Fail(domain, err)
		return nil
	}
	if p.Upgrade {
		set = set.Upgrade()
	}
	if err := set.Save(p.Pins); err != nil {
		return session.Unsaved(set.Version(), err)
	}
	if !p.asJSON && !before.Empty() {
		a.Heading("Changed since it was pinned")
		printMismatches(a, before)
		a.Line("")
	}
	printPins(a, pinsOf(set, site.Origin), p.asJSON)
	return nil
}

// openPinning returns a Client that computes digests of capabilities but does not compare them with
// pins, so that changed capabilities can be pinned again.
func (p *pinning) openPinning(a *ui.App) (*session.Session, error) {
	own := p.Network
	own.Pins, own.Digests = "", true
	return own.Open(a)
}

// pinned adds definitions of a Site to pins: those with the given keys, with the detail documents
// of capabilities, or all definitions if no key is given.
func pinned(ctx context.Context, a *ui.App, c *client.Client, set *pins.Set, site *wayfind.Site, keys []string) (*pins.Set, error) {
	if len(keys) == 0 {
		return set.With(site)
	}
	for _, key := range keys {
		detail, err := c.Describe(ctx, site, key)
		if err != nil {
			return nil, err
		}
		if detail.Capability == nil {
			set, err = set.With(site, key)
		} else {
			set, err = set.WithDetail(site, detail)
		}
		if err != nil {
			return nil, err
		}
	}
	return set, nil
}

func listPins(a *ui.App, p *pinning) error {
	set, err := session.PinsOf(p.Pins)
	if err != nil {
		return err
	}
	printPins(a, set.All(), p.asJSON)
	return nil
}

func removePins(a *ui.App, p *pinning, domain string, keys []string) error {
	set, err := session.PinsOf(p.Pins)
	if err != nil {
		return err
	}
	origin, err := session.OriginOfHost(domain)
	if err != nil {
		return ui.Usagef("%w", err)
	}
	fewer := set.Without(origin, keys...)
	if len(fewer.All()) == len(set.All()) {
		return ui.Usagef("nothing of that is pinned; see: wayfind pin --pins %s", p.Pins)
	}
	if p.Upgrade {
		fewer = fewer.Upgrade()
	}
	if err := fewer.Save(p.Pins); err != nil {
		return session.Unsaved(fewer.Version(), err)
	}
	printPins(a, pinsOf(fewer, origin), p.asJSON)
	return nil
}

func pinsOf(set *pins.Set, origin string) (list []pins.Pin) {
	for _, p := range set.All() {
		if p.Site.Origin == origin {
			list = append(list, p)
		}
	}
	return list
}

// pinList is the output of "wayfind pin --json".
type pinList struct {
	// Pins in the order of origin and key.
	Pins []pinRow `json:"pins"`
}

// pinRow describes a pin, without the pinned definition.
type pinRow struct {
	// Origin of the Site.
	Origin string `json:"origin"`
	// Base is the path of the target, if it has one.
	Base string `json:"base,omitempty"`
	// Key of the capability, or ID of the service; absent if the whole Site is pinned.
	Key string `json:"key,omitempty"`
	// PinnedAt is the time when the Site was resolved.
	PinnedAt time.Time `json:"pinnedAt"`
	// Digest of the definition.
	Digest string `json:"digest,omitempty"`
	// Detail is the digest of the definition in the detail document.
	Detail string `json:"detail,omitempty"`
	// Version is 1 for a pin of an earlier version, which covers less.
	Version int `json:"version,omitempty"`
}

// printPins lists pins without the definitions themselves.
func printPins(a *ui.App, list []pins.Pin, asJSON bool) {
	out := pinList{Pins: make([]pinRow, len(list))}
	rows := [][]string{{"PINNED", "KEY", "DIGEST", "DETAIL", "AS OF"}}
	for i, p := range list {
		out.Pins[i] = pinRow{p.Site.Origin, p.Site.Base, p.Key, p.PinnedAt, p.Digest(), p.Detail, p.Version}
		key := ui.Show(p.Key)
		if key == "" {
			key = "all: " + show.Summary(p.Site)
		}
		detail := session.ShortDigest(p.Detail)
		if p.Version != 0 {
			detail += " (version 1, covers less)"
		}
		rows = append(rows, []string{ui.Show(p.Site.Origin + p.Site.Base), key, session.ShortDigest(p.Digest()), detail, ui.ClockText(p.PinnedAt)})
	}
	switch {
	case asJSON:
		a.PrintJSON(out, nil)
	case len(list) == 0:
		a.Line("nothing is pinned")
	default:
		a.Table(rows)
	}
}

// printReport shows the differences from pins, and records the outcome if there are any.
func printReport(a *ui.App, report *pins.Report, asJSON bool) {
	switch {
	case asJSON:
		a.PrintJSON(report, nil)
	case report.Empty():
		a.Line("all is as it was pinned")
	default:
		printMismatches(a, report)
	}
	if !asJSON {
		printKeys(a, "New, and not pinned", report.Added)
		printList(a, "Documents with other bytes", report.Documents)
		printList(a, "Pinned, and could not be seen", report.Unknown)
		printList(a, "Pinned by an earlier version, which covers less", report.Older)
		printList(a, "Pinned without a digest, which covers less", report.Undigested)
	}
	if !report.Empty() {
		a.Ends(ui.ExitNothing)
	}
}

func printMismatches(a *ui.App, report *pins.Report) {
	for _, m := range report.Mismatches {
		a.Line("%s", m.String())
		if m.Pinned != "" {
			a.Line("  digest %s, pinned %s", session.ShortDigest(m.Now), session.ShortDigest(m.Pinned))
		}
		printFields(a, m.Changes)
		printGrade(a, m.Grade())
	}
}

// printGrade prints the risk of a change, with the reasons.
func printGrade(a *ui.App, g diff.Grade) {
	a.Line("    risk: %s", g.Risk)
	for _, r := range g.Reasons {
		a.Line("      %s: %s", r.Risk, ui.Show(r.Text))
	}
}
