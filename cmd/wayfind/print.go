package main

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// show escapes foreign text for a terminal, which acts on control sequences. The text of the model
// is clean already.
func show(s string) string { return text.Printable(s) }

// line writes one line.
func (a *app) line(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

// heading writes a line, in bold on a terminal. It escapes the text.
func (a *app) heading(s string) {
	for _, s := range wrap(show(s), a.width()) {
		if a.colour() {
			s = "\x1b[1m" + s + "\x1b[0m"
		}
		a.line("%s", s)
	}
}

// colour reports whether output may have escape sequences: it is a terminal, and NO_COLOR is not
// set.
func (a *app) colour() bool {
	f := fileOf(a.out)
	if f == nil || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// separate writes an empty line between the results of several domains.
func (a *app) separate(i int) {
	if i > 0 {
		a.line("")
	}
}

func printSources(a *app, site *wayfind.Site, t *client.Trace) {
	if len(site.Sources) == 0 {
		return
	}
	a.line("")
	a.heading("Read")
	var rows [][]string
	for i := range site.Sources {
		s := &site.Sources[i]
		name := humanize.Format(s.Format, s.Version, s.Dialect)
		rows = append(rows, []string{show(s.URL), name, string(s.Authority), string(s.Trust),
			fromText(t, s.URL) + "fresh until " + clockText(s.FreshUntil)})
		if len(s.Signatures) > 0 {
			rows = append(rows, []string{"  " + humanize.Signatures(s.Signatures)})
		}
	}
	a.table(rows)
}

// fromText returns the source of a document and its age.
func fromText(t *client.Trace, u string) string {
	if t == nil {
		return ""
	}
	for i := range t.Fetches {
		if f := &t.Fetches[i]; f.URL == u && f.From != "" {
			return fmt.Sprintf("%s, age %s, ", humanize.Origin(f.From, f.Stale), f.Age.Round(time.Second))
		}
	}
	return ""
}

func clockText(t time.Time) string {
	if t.IsZero() {
		return "now"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

func printConflicts(a *app, list []wayfind.Conflict) {
	if len(list) == 0 {
		return
	}
	a.line("")
	a.heading("Conflicts")
	for _, c := range list {
		a.hanging(indent, fmt.Sprintf("%s, %s: %s", show(c.Subject), show(c.Field), show(c.Message)))
	}
}

// printTrace prints the source and the time of each answer.
func printTrace(a *app, t *client.Trace, all bool) {
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
		rows = append(rows, []string{show(f.URL), humanize.Origin(f.From, f.Stale), "age " + f.Age.Round(time.Second).String(),
			"fresh until " + clockText(f.FreshUntil), "took " + f.Duration.Round(100*time.Microsecond).String(), cmp.Or(f.Remote, "-")})
	}
	a.table(rows)
}
