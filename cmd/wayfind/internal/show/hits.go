package show

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// Hits shows the answer of a registry to a person.
func Hits(a *ui.App, result *client.SearchResult) {
	var diags []wayfind.Diagnostic
	for i := range result.Hits {
		h := &result.Hits[i]
		a.Separate(i)
		a.Heading(strings.TrimSpace(ui.Show(host(h))+"  "+ui.Show(h.Name)) + humanize.SuspicionNote(h.Suspicious))
		if h.Description != "" {
			a.Paragraph(h.Description)
		}
		var rows [][]string
		if h.Service != nil {
			for _, f := range h.Service.Interfaces {
				rows = append(rows, []string{ui.Show(f.Transport), ui.Show(f.URL + f.Template)})
			}
			for _, l := range h.Service.LocalInstall {
				rows = append(rows, []string{ui.Show(l.Kind), ui.Show(l.Name)})
			}
		}
		for _, capability := range h.Capabilities {
			rows = append(rows, []string{ui.Show(capability.Name), ui.Show(capability.Description)})
		}
		a.Table(rows)
		diags = append(diags, h.Diagnostics...)
	}
	printDiagnostics(a, append(diags, result.Diagnostics...))
	if len(result.Hits) == 0 {
		a.Line("the registry has no match")
		return
	}
	next := ""
	if i := slices.IndexFunc(result.Hits, func(h client.Hit) bool { return h.Target != "" }); i >= 0 {
		next = ui.Program() + " " + ui.Show(host(&result.Hits[i]))
	}
	a.Line("")
	if next == "" {
		a.Sentence("This is the registry's word.")
		return
	}
	a.Sentence("This is the registry's word. Ask the domain itself for its offers:")
	a.Line("\n  %s", next)
}

// host returns a hit's target as people type it.
func host(h *client.Hit) string { return strings.TrimPrefix(h.Target, "https://") }
