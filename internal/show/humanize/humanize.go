// Package humanize describes facts of the model in a few words for people. Foreign text in a
// phrase is escaped, so that a terminal can show it.
package humanize

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// show escapes foreign text.
func show(s string) string { return text.Printable(s) }

// Call returns the method and the URL of a call, or how to find them.
func Call(c *wayfind.Capability) string {
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

// Place returns the address of an interface, or the place that contains it.
func Place(f wayfind.Interface) string {
	switch {
	case f.URL != "" || f.Template != "":
		return show(cmp.Or(f.URL, f.Template))
	case f.SpecURL != "":
		return "described at " + show(f.SpecURL)
	}
	return "(no address)"
}

// Install returns the kind, the name and the command of software that a publisher asks users to install.
func Install(l *wayfind.LocalInstall) string {
	words := slices.Concat([]string{l.Kind, l.Name, l.Version, l.Command}, l.Args)
	return show(strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " "))
}

// Effects lists what a call does, as far as it is relevant: "" if nothing is known. A call that costs
// something is not called a read, whatever its method is.
func Effects(c *wayfind.Capability) string {
	e := c.Effects
	if e == nil {
		e = &wayfind.Effects{}
	}
	does := effect.Of(c)
	var parts []string
	for _, f := range []struct {
		is   bool
		text string
	}{
		{does.OnlyReads(true), "read only"},
		{does.Has(effect.Destroys) || does.Has(effect.Deletes) || does.Has(effect.MayDestroy), "destructive"},
		{does.Idempotent(true) || does.Repeatable && !does.Once(), "idempotent"},
		{e.Reversible != nil && *e.Reversible && !does.Has(effect.Irreversible), "reversible"},
		{does.Has(effect.Confirmation), "needs confirmation"},
		{does.Has(effect.Price), "costs something"},
		{e.ReadOnly != nil && !*e.ReadOnly, "changes something"},
		{does.Has(effect.Repeats), "a second time does more than the first"},
		{does.Has(effect.Irreversible), "cannot be undone"},
	} {
		if f.is {
			parts = append(parts, f.text)
		}
	}
	return strings.Join(parts, ", ")
}

// Stated returns what a site states about a service, or about a capability if c is not nil: rows
// with a name and a statement. Facts that have a row of their own are left out.
func Stated(s *wayfind.Service, c *wayfind.Capability, at facts.Surface) (rows [][]string) {
	about := facts.AboutService
	if c != nil {
		about = facts.AboutCapability
	}
	for _, said := range facts.Of(facts.On(s).In(c), at, about) {
		if !said.Apart() {
			rows = append(rows, []string{said.Label(), show(OneLine(strings.Join(strings.Fields(said.Words), " "), maxStated))})
		}
	}
	return rows
}

// StateNote returns notes on what a site states about a capability: that it is degraded or
// deprecated, and its prerequisites.
func StateNote(on facts.Subject) (note string) {
	var first []string
	for _, said := range facts.Of(on, facts.Table, facts.AboutCapability) {
		switch {
		case said.Apart():
		case said.More > 0:
			first = append(first, make([]string, said.More)...) // they are counted only
		case said.Own:
			note += " [" + said.Fact.String() + "]"
		default:
			first = append(first, OneLine(said.Words, maxFirst))
		}
	}
	if first != nil {
		note += " [needs first " + show(text.And(first, mostFirst)) + "]"
	}
	return note
}

const (
	// maxStated is the maximum length of a statement of a site in a row, in code points.
	maxStated = 400
	// mostFirst is the maximum number of prerequisites in a note, and maxFirst the maximum length
	// of one, in code points.
	mostFirst = 3
	maxFirst  = 72
)

// Policy returns the text of a policy, or else its values, and the agents and paths to which it
// applies.
func Policy(p wayfind.Policy) string {
	if p.Text != "" {
		return show(strings.ReplaceAll(p.Text, "\n", "; "))
	}
	var values []string
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		values = append(values, name+"="+p.Values[name])
	}
	text := strings.Join(values, ", ")
	if len(p.Paths) > 0 {
		text += " for " + strings.Join(p.Paths, ", ")
	}
	if len(p.Agents) > 0 {
		text += " (agents: " + strings.Join(p.Agents, ", ") + ")"
	}
	return show(text)
}

// TrustNote returns a warning about a place on another site.
func TrustNote(t wayfind.Trust) string {
	switch t {
	case wayfind.TrustCrossSite:
		return " [another site]"
	case wayfind.TrustNeedsApproval:
		return " [another site: needs approval]"
	}
	return ""
}

// RobotsNote returns a note if the robots.txt of a site disallows crawlers.
func RobotsNote(disallowed bool) string {
	if disallowed {
		return " [robots.txt: not for crawlers]"
	}
	return ""
}

// SuspicionNote returns a warning about texts that address a model.
func SuspicionNote(classes []string) string {
	if len(classes) == 0 {
		return ""
	}
	return " [addresses the model: " + show(strings.Join(classes, ", ")) + "]"
}

// Text escapes foreign text.
func Text(s string) string { return show(s) }

// Word quotes a word for a POSIX shell.
func Word(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Trust describes how the place of a thing relates to the origin that was asked.
func Trust(t wayfind.Trust) string {
	switch t {
	case "":
		return ""
	case wayfind.TrustSameOrigin:
		return "same origin"
	case wayfind.TrustSameSite:
		return "another host of the same site"
	case wayfind.TrustCrossSite:
		return "another site: a claim, and nothing more"
	case wayfind.TrustNeedsApproval:
		return "another site, which is contacted only with an approval"
	}
	return show(string(t))
}

// Authority describes why the statements of a document are relied on.
func Authority(a wayfind.Authority) string {
	texts := map[wayfind.Authority]string{
		wayfind.AuthorityLive: "live: a protocol answered", wayfind.AuthorityVerified: "verified: signed, with a pinned key",
		wayfind.AuthorityNative: "native: a typed document of the origin", wayfind.AuthorityLinked: "linked from one, on the same site",
		wayfind.AuthorityConventional: "conventional: at a place of convention, and no document links to it",
		wayfind.AuthorityCatalog:      "catalog: an entry in a catalogue", wayfind.AuthorityProse: "prose: text for readers",
		wayfind.AuthorityThirdParty: "third party, about the origin", wayfind.AuthoritySynthetic: "synthetic: generated, by its own word",
	}
	return cmp.Or(texts[a], show(string(a)))
}

// Origin describes client.Fetch.From in the terms of HTTP, with the reason why an answer is
// stale. It returns "-" if there is no answer.
func Origin(from, stale string) string {
	switch {
	case from == "validated":
		return "304"
	case stale != "":
		return "stale (" + stale + ")"
	}
	return cmp.Or(from, "-")
}
