package show

import (
	"cmp"
	"fmt"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

func printSources(a *ui.App, site *wayfind.Site, t *client.Trace) {
	if len(site.Sources) == 0 {
		return
	}
	a.Line("")
	a.Heading("Read")
	var rows [][]string
	for i := range site.Sources {
		s := &site.Sources[i]
		name := humanize.Format(s.Format, s.Version, s.Dialect)
		rows = append(rows, []string{ui.Show(s.URL), name, string(s.Authority), string(s.Trust),
			fromText(t, s.URL) + "fresh until " + ui.ClockText(s.FreshUntil)})
		if len(s.Signatures) > 0 {
			rows = append(rows, []string{"  " + humanize.Signatures(s.Signatures)})
		}
	}
	a.Table(rows)
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

func printConflicts(a *ui.App, list []wayfind.Conflict) {
	if len(list) == 0 {
		return
	}
	a.Line("")
	a.Heading("Conflicts")
	for _, c := range list {
		a.Hanging(ui.Indent, fmt.Sprintf("%s, %s: %s", ui.Show(c.Subject), ui.Show(c.Field), ui.Show(c.Message)))
	}
}

// Trace prints the source and the time of each answer.
func Trace(a *ui.App, t *client.Trace, all bool) {
	if !all {
		return
	}
	a.Line("")
	a.Heading("Trace")
	switch {
	case t.FromMemory:
		a.Line("  all from memory")
	case t.Joined:
		a.Line("  shared with another call, %s", t.Duration.Round(time.Millisecond))
	default:
		a.Line("  asked, %s", t.Duration.Round(time.Millisecond))
	}
	var rows [][]string
	for _, f := range t.Fetches {
		rows = append(rows, []string{ui.Show(f.URL), humanize.Origin(f.From, f.Stale), "age " + f.Age.Round(time.Second).String(),
			"fresh until " + ui.ClockText(f.FreshUntil), "took " + f.Duration.Round(100*time.Microsecond).String(), cmp.Or(f.Remote, "-")})
	}
	a.Table(rows)
}
