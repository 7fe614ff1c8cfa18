package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/text"
)

// show escapes foreign text once more: the model is clean, but a terminal acts
// on control sequences.
func show(s string) string { return text.Printable(s) }

// line writes one line.
func (a *app) line(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

// heading writes a line in bold, on a terminal. It is escaped here, whatever it
// is made of.
func (a *app) heading(s string) {
	s = show(s)
	if a.colour() {
		s = "\x1b[1m" + s + "\x1b[0m"
	}
	a.line("%s", s)
}

// colour only on a terminal, and never against NO_COLOR's word.
func (a *app) colour() bool {
	f, ok := a.out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// separate keeps several domains apart.
func (a *app) separate(i int) {
	if i > 0 {
		a.line("")
	}
}

func count(n int, what string) string { return plural(n, what, what+"s") }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// callText is method and URL, or how to learn them.
func callText(c *wayfind.Capability) string {
	switch inv := c.Invocation; {
	case inv != nil && (inv.URL != "" || inv.Template != ""):
		return strings.TrimSpace(show(inv.Method) + " " + show(cmp.Or(inv.URL, inv.Template)))
	case inv != nil:
		return show(inv.Via) + " " + show(inv.Operation)
	case c.Lazy && len(c.DetailURLs) > 0:
		return "see describe"
	}
	return "-"
}

func robotsNote(disallowed bool) string {
	if disallowed {
		return " [robots.txt: not for crawlers]"
	}
	return ""
}

// suspicionNote warns of texts that address a model.
func suspicionNote(classes []string) string {
	if len(classes) == 0 {
		return ""
	}
	return " [addresses the model: " + show(strings.Join(classes, ", ")) + "]"
}

func trustNote(t wayfind.Trust) string {
	switch t {
	case wayfind.TrustCrossSite:
		return " [another site]"
	case wayfind.TrustNeedsApproval:
		return " [another site: needs approval]"
	}
	return ""
}

func pricingText(p *wayfind.Pricing) string {
	if p == nil {
		return ""
	}
	parts := []string{show(p.Model)}
	for _, plan := range p.Plans {
		parts = append(parts, strings.TrimSpace(show(plan.Name)+" "+show(plan.Price)+" "+show(plan.Limits)))
	}
	if p.URL != "" {
		parts = append(parts, show(p.URL))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

func limitsText(limits []wayfind.Limit) string {
	var parts []string
	for _, l := range limits {
		switch {
		case l.Text != "":
			parts = append(parts, show(l.Text))
		case l.Per > 0:
			parts = append(parts, fmt.Sprintf("%d per %s", l.N, perText(l.Per)))
		}
	}
	return strings.Join(parts, ", ")
}

func perText(d time.Duration) string {
	switch d {
	case time.Second:
		return "second"
	case time.Minute:
		return "minute"
	case time.Hour:
		return "hour"
	case 24 * time.Hour:
		return "day"
	}
	return d.String()
}

// oneLine is the first line, at most n letters of it.
func oneLine(s string, n int) string {
	s, _, _ = strings.Cut(s, "\n")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	short, _ := text.Clean(s, false, n-1)
	return short + "…"
}

func (a *app) printSources(site *wayfind.Site, t *client.Trace) {
	if len(site.Sources) == 0 {
		return
	}
	a.line("")
	a.heading("Read")
	var rows [][]string
	for i := range site.Sources {
		s := &site.Sources[i]
		name := formatText(s.Format, s.Version, s.Dialect)
		rows = append(rows, []string{show(s.URL), name, string(s.Authority), string(s.Trust),
			fromText(t, s.URL) + "fresh until " + clockText(s.FreshUntil)})
		if len(s.Signatures) > 0 {
			rows = append(rows, []string{"  " + signaturesText(s.Signatures)})
		}
	}
	a.table(rows)
}

// formatText names a format with its version and its dialect, where the latter is
// not a part of the former already: "3.0" of "3.0.3".
func formatText(format, version, dialect string) string {
	if strings.HasPrefix(version, dialect) {
		dialect = ""
	}
	return strings.Join(slices.DeleteFunc([]string{show(format), show(version), show(dialect)}, func(s string) bool { return s == "" }), " ")
}

// fromText says where a document came from and how old it is.
func fromText(t *client.Trace, u string) string {
	if t == nil {
		return ""
	}
	for i := range t.Fetches {
		if f := &t.Fetches[i]; f.URL == u && f.From != "" {
			return fmt.Sprintf("%s, age %s, ", originText(f), f.Age.Round(time.Second))
		}
	}
	return ""
}

// originText is Fetch.From in the words of HTTP.
func originText(f *client.Fetch) string {
	switch {
	case f.From == "validated":
		return "304"
	case f.Stale != "":
		return "stale (" + f.Stale + ")"
	}
	return cmp.Or(f.From, "-")
}

func clockText(t time.Time) string {
	if t.IsZero() {
		return "now"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

func (a *app) printConflicts(list []wayfind.Conflict) {
	if len(list) == 0 {
		return
	}
	a.line("")
	a.heading("Conflicts")
	for _, c := range list {
		a.line("  %s, %s: %s", show(c.Subject), show(c.Field), show(c.Message))
	}
}

// printTrace says where answers came from.
func (a *app) printTrace(t *client.Trace, all bool) {
	if !all {
		return
	}
	a.line("")
	a.heading("Trace")
	switch {
	case t.FromMemory:
		a.line("  all from memory")
	case t.Joined:
		a.line("  shared with another call, %s", t.Duration.Round(time.Millisecond))
	default:
		a.line("  asked, %s", t.Duration.Round(time.Millisecond))
	}
	var rows [][]string
	for _, f := range t.Fetches {
		rows = append(rows, []string{show(f.URL), originText(&f), "age " + f.Age.Round(time.Second).String(),
			"fresh until " + clockText(f.FreshUntil), "took " + f.Duration.Round(100*time.Microsecond).String(), cmp.Or(f.Remote, "-")})
	}
	a.table(rows)
}
