package show

import (
	"fmt"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// printPolicies shows the site's policies for agents. The full view also shows the rules of
// robots.txt, and policies that are already shown with a service.
func printPolicies(a *ui.App, site *wayfind.Site, v view) {
	var rows [][]string
	said := map[string]bool{}
	for i := range site.Services {
		for _, r := range site.Services[i].Restrictions {
			said[r] = true
		}
	}
	for _, p := range site.Policies {
		if v.full || p.Kind != "robots" && !said[p.Text] {
			rows = append(rows, []string{ui.Show(p.Kind), humanize.Policy(p)})
		}
	}
	if rows == nil {
		return
	}
	a.Line("")
	a.Heading("Policies")
	a.Table(rows)
}

func printDiagnostics(a *ui.App, list []wayfind.Diagnostic) {
	if len(list) == 0 {
		return
	}
	a.Line("")
	a.Heading("Diagnostics")
	for i := range list {
		a.Hanging(ui.Indent, diagnosticText(&list[i]))
	}
}

func diagnosticText(d *wayfind.Diagnostic) string {
	text := fmt.Sprintf("%-7s %s: %s", humanize.Severity(d.Severity), ui.Show(d.Code), ui.Show(d.Message))
	if d.Pointer != "" {
		text += " at " + ui.Show(d.Pointer)
	}
	if d.Line > 0 {
		text += fmt.Sprintf(" in line %d", d.Line)
	}
	if d.Spec != nil {
		text += " [" + ui.Show(humanize.Cite(*d.Spec)) + "]"
	}
	return text
}
