package ui

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Show escapes foreign text for a terminal, which acts on control sequences. The text of the model
// is clean already.
func Show(s string) string { return text.Printable(s) }

// SiteName returns the name of a site for a heading: the host of its origin, its path, and the host that
// was asked if that is another one.
func SiteName(origin, base, host string) string {
	name := strings.TrimPrefix(origin, "https://") + Show(base)
	if host != "" {
		name += " (at " + Show(host) + ")"
	}
	return name
}

// Line writes one line.
func (a *App) Line(format string, args ...any) { fmt.Fprintf(a.Out, format+"\n", args...) }

// Heading writes a line, in bold on a terminal. It escapes the text.
func (a *App) Heading(s string) {
	for _, s := range Wrap(Show(s), a.Width()) {
		if a.colour() {
			s = "\x1b[1m" + s + "\x1b[0m"
		}
		a.Line("%s", s)
	}
}

// colour reports whether output may have escape sequences: it is a terminal, and NO_COLOR is not
// set.
func (a *App) colour() bool {
	f := FileOf(a.Out)
	if f == nil || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Separate writes an empty line between the results of several domains.
func (a *App) Separate(i int) {
	if i > 0 {
		a.Line("")
	}
}

// ClockText returns a time for a person, and "now" for none.
func ClockText(t time.Time) string {
	if t.IsZero() {
		return "now"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// Parenthesis returns foreign text in parentheses, or "" if there is none.
func Parenthesis(s string) string {
	if s == "" {
		return ""
	}
	return "(" + Show(s) + ")"
}

// Sentence writes a text, broken into lines of the output's width.
func (a *App) Sentence(s string) {
	for _, l := range Wrap(Show(s), a.Width()) {
		a.Line("%s", l)
	}
}
