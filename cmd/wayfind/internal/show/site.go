// Package show prints results for people: Sites, definitions, and the results of calls.
package show

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// mostShown is the largest number of capabilities of a service in the short view.
const mostShown = 15

// view selects how a Site is shown.
type view struct {
	full   bool   // also show probes, documents and all notes
	origin string // the origin that was asked, left out of URLs in the list of capabilities
}

// Asked describes how places were asked. With refresh, a place that is still answered from memory
// must not be asked yet. With offline, no place is asked.
type Asked struct{ Refresh, Offline bool }

// Answer shows the answer to a person: services, how to authenticate, and capabilities. The
// last lines name the parts that are left out.
func Answer(a *ui.App, site *wayfind.Site, err error, t *client.Trace, how Asked) {
	printTop(a, site, err, view{origin: site.Asked()})
	notes := important(site.Diagnostics)
	printDiagnostics(a, notes)
	a.Line("")
	for _, s := range []string{placesText(site), rememberedText(site, t, how), restText(site, len(notes))} {
		if s != "" {
			a.Sentence(s)
		}
	}
}

// Site shows a Site with all places that were asked, all documents and all notes.
func Site(a *ui.App, site *wayfind.Site, err error, t *client.Trace) {
	printTop(a, site, err, view{full: true, origin: site.Asked()})
	printListed(a, site)
	printSources(a, site, t)
	printProbes(a, site, t)
	printConflicts(a, site.Conflicts)
	printDiagnostics(a, site.Diagnostics)
}

func printTop(a *ui.App, site *wayfind.Site, err error, v view) {
	a.Heading(ui.SiteName(site.Origin, site.Base, site.Host) + ": " + answerText(site, err))
	for i := range site.Services {
		printService(a, &site.Services[i], v)
	}
	printPolicies(a, site, v)
}

// answerText returns the outcome in a few words.
func answerText(site *wayfind.Site, err error) string {
	if readCount(site) > 0 {
		return Summary(site)
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return Summary(site)
	}
	switch {
	case e.Code == wayfind.CodeDNSNotFound:
		return "no such name" + siblingText(err)
	case e.Code == wayfind.CodeOffline && ui.HasHint(err):
		return "nothing is stored for this view of the network, and --offline sends no request"
	case e.Code == wayfind.CodeOffline:
		return "nothing is stored, and --offline sends no request"
	case e.Code == wayfind.CodeCanceled:
		return "interrupted before anything was found"
	case errors.Is(err, wayfind.ErrNotFound):
		return "nothing found" + elsewhereText(err)
	case errors.Is(err, wayfind.ErrUnreachable):
		return "could not be asked" + parenthesised(string(e.Code))
	case e.Code == wayfind.CodeNotBefore:
		return "was not asked again: an earlier request failed, or the site asked for a pause" + notBefore(e.NotBefore)
	case errors.Is(err, wayfind.ErrThrottled):
		return "could not be asked: the site wants to be asked later" + notBefore(e.NotBefore)
	case errors.Is(err, wayfind.ErrBlocked):
		return "could not be asked: the site refuses" + parenthesised(string(e.Code)) + refusalText(e)
	case errors.Is(err, wayfind.ErrRefused):
		return "was not asked: the policy of this run refuses" + parenthesised(string(e.Code))
	case errors.Is(err, wayfind.ErrInvalid):
		return "nothing that can be used, only broken documents" + parenthesised(string(e.Code))
	}
	return "no answer" + parenthesised(string(e.Code))
}

// elsewhereText names the host that a domain redirects everything to, with the command that asks it.
func elsewhereText(err error) string {
	other, ok := errors.AsType[*verdict.Elsewhere](err)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; %s: type \"wayfind %s\" to ask that host", other, other.Host)
}

// siblingText names the host that has an address where the domain has none, with the command that asks
// it.
func siblingText(err error) string {
	other, ok := errors.AsType[*verdict.Sibling](err)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; %s has an address: type \"wayfind %s\" to ask it", other.Host, other.Host)
}

// refusalText names the wall before a site, or the price that it wants.
func refusalText(e *wayfind.Error) string {
	cause, ok := errors.AsType[*wayfind.Error](e.Err)
	if !ok || cause.Err == nil || e.Code != wayfind.CodeFirewall && e.Code != wayfind.CodePrice {
		return ""
	}
	return ": " + cause.Err.Error()
}

func notBefore(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return ", not before " + ui.ClockText(t)
}

// readCount returns the number of documents that were read, without robots.txt.
func readCount(site *wayfind.Site) int {
	n := 0
	for i := range site.Sources {
		if site.Sources[i].Format != "robots" {
			n++
		}
	}
	return n
}

// Summary returns the numbers of services, capabilities and documents of a Site.
func Summary(site *wayfind.Site) string {
	read := readCount(site)
	if read == 0 {
		return "nothing found"
	}
	n := 0
	for range site.Capabilities() {
		n++
	}
	return fmt.Sprintf("%s, %s, from %s", humanize.Count(len(site.Services), "service"), humanize.Plural(n, "capability", "capabilities"), humanize.Count(read, "document"))
}

// placesText returns the number of places that were asked.
func placesText(site *wayfind.Site) string {
	asked, found, silent := 0, 0, 0
	for _, p := range site.Probes {
		switch kind := p.Verdict.Kind(); {
		case p.Verdict == wayfind.VerdictSkipped:
			continue
		case p.Verdict == wayfind.VerdictFound:
			found++
		case !p.Verdict.Answered() && kind != nil:
			silent++
		}
		asked++
	}
	if asked == 0 {
		return humanize.Plural(len(site.Probes), "place was", "places were") + " not asked; --verbose lists them"
	}
	text := fmt.Sprintf("%s asked, %d found", humanize.Count(asked, "place"), found)
	if silent > 0 {
		text += fmt.Sprintf(", %d without an answer", silent)
	}
	return text + "; --verbose lists them"
}

// rememberedText returns the number of remembered answers, with the times since when and until when
// they are valid. It is "" if there are none.
func rememberedText(site *wayfind.Site, t *client.Trace, how Asked) string {
	var since, until time.Time
	n := 0
	for _, m := range memories(site, t) {
		n++
		if since.IsZero() || !m.since.IsZero() && m.since.Before(since) {
			since = m.since
		}
		if m.until.After(until) {
			until = m.until
		}
	}
	if n == 0 {
		return ""
	}
	why := "; --refresh asks again"
	switch {
	case how.Offline:
		why = ""
	case how.Refresh:
		why = ": the site or a format wants a pause before it is asked again; for a site of yours, \"wayfind cache rm\" forgets the pause"
	}
	return humanize.Plural(n, "answer is", "answers are") + " remembered" + span(since, until) + why
}

// span returns the times since when and until when something is valid, as far as they are known.
func span(since, until time.Time) string {
	text := ""
	if !since.IsZero() {
		text = " since " + ui.ClockText(since)
	}
	if !until.IsZero() {
		text += " until " + ui.ClockText(until)
	}
	return text
}

// restText returns the numbers of the parts that the short view leaves out.
func restText(site *wayfind.Site, shown int) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, humanize.Count(n, what))
		}
	}
	n := len(humanize.Listed(site))
	add(n, "listed document that was not read")
	if n > 1 {
		parts[len(parts)-1] = fmt.Sprintf("%d listed documents that were not read", n)
	}
	add(len(site.Conflicts), "conflict")
	add(len(site.Diagnostics)-shown, "note")
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "; --verbose shows them"
}

// important returns the notes that concern the reader rather than the publisher. They are about
// pins, the policy of the run, and answers that are not complete.
func important(list []wayfind.Diagnostic) []wayfind.Diagnostic {
	var keep []wayfind.Diagnostic
	for _, d := range list {
		area, _, _ := strings.Cut(d.Code, ".")
		if slices.Contains([]string{"pin", "policy", "site", "refresh"}, area) || d.Code == "document.stale" {
			keep = append(keep, d)
		}
	}
	return keep
}

// maxInstalls is the largest number of lines about software to install.
const maxInstalls = 3

func printService(a *ui.App, s *wayfind.Service, v view) {
	a.Line("")
	name := ui.Show(cmp.Or(s.Name, s.ID))
	if s.Version != "" {
		name += " " + ui.Show(s.Version)
	}
	a.Heading(name + humanize.SuspicionNote(s.Suspicious))
	a.Paragraph(s.Description)
	var rows [][]string
	add := func(what, text string) {
		if text != "" {
			rows = append(rows, []string{what, text})
		}
	}
	own := humanize.Auth(s.Auth)
	for _, f := range s.Interfaces {
		add("interface", ui.Show(f.Protocol)+" "+humanize.Place(f)+humanize.TrustNote(f.Trust))
		add("authenticate", humanize.Auth(f.Auth))
		if humanize.Auth(f.Auth) == own {
			own = ""
		}
	}
	if own != "" && len(rows) > 0 && slices.ContainsFunc(rows, func(row []string) bool { return row[0] == "authenticate" }) {
		add("it says itself", own) // an interface requires other authentication than the service
	} else {
		add("authenticate", own)
	}
	for i := range s.LocalInstall[:min(len(s.LocalInstall), maxInstalls)] {
		add("to be installed", humanize.Install(&s.LocalInstall[i])+" (nothing here runs it)")
	}
	if more := len(s.LocalInstall) - maxInstalls; more > 0 {
		add("to be installed", fmt.Sprintf("%d more", more))
	}
	add("documentation", ui.Show(s.DocsURL))
	add("status", ui.Show(s.StatusURL))
	rows = append(rows, humanize.Stated(s, nil, facts.Table)...)
	a.Table(rows)
	printCapabilities(a, s, v)
}

func printCapabilities(a *ui.App, s *wayfind.Service, v view) {
	list, on := s.Capabilities, facts.On(s)
	if len(list) == 0 {
		return
	}
	more := 0
	if !v.full && len(list) > mostShown {
		list, more = list[:mostShown], len(list)-mostShown
	}
	rows := [][]string{{"KIND", "CAPABILITY", "CALL", "WHAT"}}
	var keys []string
	for i := range list {
		keys = append(keys, list[i].Key)
	}
	tell := text.Telling(keys)
	for i := range list {
		c := &list[i]
		what := ui.Show(humanize.OneLine(cmp.Or(c.Description, c.Title, c.Name), 72))
		notes := humanize.TrustNote(c.Trust) + humanize.RobotsNote(c.RobotsDisallowed) + humanize.SuspicionNote(c.Suspicious) + humanize.StateNote(on.In(c))
		rows = append(rows, []string{strings.ReplaceAll(ui.Show(string(c.Kind)), "_", " "), ui.Show(tell(c.Key)), v.short(humanize.Call(c)), what + notes})
	}
	a.Line("")
	a.Table(fitting(a, rows))
	if more > 0 {
		a.Line("  and %d more; --verbose lists them", more)
	}
}

// short returns a call without the origin that was asked.
func (v view) short(call string) string {
	method, place, ok := strings.Cut(call, " "+v.origin+"/")
	if !ok || v.origin == "" {
		return call
	}
	return method + " /" + place
}

// fitting removes the column of calls if the line has no room for them and the descriptions.
// "wayfind describe" shows them.
func fitting(a *ui.App, rows [][]string) [][]string {
	if a.Fits(rows) {
		return rows
	}
	const call, what = 2, 3
	for i, row := range rows {
		rows[i] = slices.Concat(row[:call], row[what:])
	}
	return rows
}

// printProbes lists the places that were asked. For an answer of an earlier run it adds the times
// since when and until when it is valid.
func printProbes(a *ui.App, site *wayfind.Site, t *client.Trace) {
	a.Line("")
	a.Heading("Asked")
	remembered, again := memories(site, t), map[string]int{}
	if t != nil {
		for i := range t.Fetches {
			again[t.Fetches[i].URL] = t.Fetches[i].Repeats
		}
	}
	var rows [][]string
	for _, p := range site.Probes {
		status := "-"
		if p.Status != 0 {
			status = fmt.Sprint(p.Status)
		}
		why := cmp.Or(p.Reason, p.Format)
		if len(p.Redirects) > 0 {
			why = strings.TrimSpace(why + " → " + p.Redirects[len(p.Redirects)-1])
		}
		if p.Decides {
			why = strings.TrimSpace(why + " (decides for the domain)")
		}
		why = ui.Show(why) + humanize.RobotsNote(p.RobotsDisallowed)
		if n := again[p.URL]; n > 0 {
			why = strings.TrimPrefix(fmt.Sprintf("%s, asked %d times", why, n+1), ", ")
		}
		if m, is := remembered[p.URL]; is {
			why += " remembered" + span(m.since, m.until)
		}
		rows = append(rows, []string{ui.Show(p.URL), string(p.Verdict), status, strings.TrimSpace(why)})
	}
	a.Table(rows)
}

func parenthesised(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
