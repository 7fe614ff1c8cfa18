package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// printPolicies shows the site's wishes about agents. The full view has the rules of
// robots.txt as well, and wishes that stand beside a service already.
func (a *app) printPolicies(site *wayfind.Site, v view) {
	var rows [][]string
	said := map[string]bool{}
	for i := range site.Services {
		for _, r := range site.Services[i].Restrictions {
			said[r] = true
		}
	}
	for _, p := range site.Policies {
		if v.full || p.Kind != "robots" && !said[p.Text] {
			rows = append(rows, []string{show(p.Kind), policyText(p)})
		}
	}
	if rows == nil {
		return
	}
	a.line("")
	a.heading("Policies")
	a.table(rows)
}

// policyText is the text of a policy: in its own words, else its values, and the agents
// and paths that they are for.
func policyText(p wayfind.Policy) string {
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

func (a *app) printDiagnostics(list []wayfind.Diagnostic) {
	if len(list) == 0 {
		return
	}
	a.line("")
	a.heading("Diagnostics")
	for i := range list {
		a.line("  %s", diagnosticText(&list[i]))
	}
}

func diagnosticText(d *wayfind.Diagnostic) string {
	text := fmt.Sprintf("%-7s %s: %s", show(string(d.Severity)), show(d.Code), show(d.Message))
	if d.Pointer != "" {
		text += " at " + show(d.Pointer)
	}
	if d.Line > 0 {
		text += fmt.Sprintf(" in line %d", d.Line)
	}
	if d.Spec != nil {
		text += " [" + show(cite(*d.Spec)) + "]"
	}
	return text
}

// cite names a part of a specification: by its number, or by its heading in quotes.
func cite(s wayfind.SpecRef) string {
	if first := strings.TrimLeft(s.Section, "§0123456789."); s.Section == "" || first != s.Section {
		return s.String()
	}
	return s.Title + `, "` + s.Section + `"`
}
