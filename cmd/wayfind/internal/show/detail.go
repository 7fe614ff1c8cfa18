package show

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
)

// Detail shows how to call one capability, or describes a service.
func Detail(a *ui.App, d *wayfind.Detail) {
	if d.Capability == nil {
		printService(a, d.Service, view{full: true})
	} else {
		printContract(a, d)
		printContent(a, d.Content)
	}
	printConflicts(a, d.Conflicts)
	printDiagnostics(a, d.Diagnostics)
}

// printContract shows how to call a capability.
func printContract(a *ui.App, d *wayfind.Detail) {
	c := d.Capability
	a.Heading(ui.Show(c.Key) + humanize.TrustNote(c.Trust) + humanize.RobotsNote(c.RobotsDisallowed) + humanize.SuspicionNote(c.Suspicious))
	a.Paragraph(cmp.Or(c.Description, c.Title))
	auth := c.Auth
	if auth == nil && d.Service != nil {
		auth = d.Service.Auth
	}
	rows := [][]string{{"call", humanize.Call(c)}}
	rows = append(rows, placeRows(d)...)
	for _, row := range [][]string{{"authenticate", humanize.Auth(auth)}, {"effects", humanize.Effects(c)}} {
		if row[1] != "" {
			rows = append(rows, row)
		}
	}
	rows = append(rows, humanize.Stated(d.Service, c, facts.Describe)...)
	if d.Service != nil {
		rows = append(rows, humanize.Stated(d.Service, nil, facts.Describe)...)
	}
	if d.Source != nil {
		rows = append(rows, []string{"read", ui.Show(d.Source.URL)})
	}
	if f := c.Artifact; f != nil {
		rows = append(rows, []string{"file", strings.TrimSpace(ui.Show(f.URL) + " " + ui.Parenthesis(f.MediaType))})
	}
	if c.Price != "" {
		rows = append(rows, []string{"price", ui.Show(c.Price)})
	}
	for _, o := range c.Offers {
		rows = append(rows, []string{"offer", ui.Show(strings.Join(strings.Fields(o.Protocol+" "+o.Method+" "+o.Intent+" "+o.Mode), " ") + ": " + o.String())})
	}
	if c.Invocation != nil && c.Invocation.ContentType != "" {
		rows = append(rows, []string{"body", ui.Show(c.Invocation.ContentType)})
	}
	a.Table(rows)
	if len(c.Params) > 0 {
		printParams(a, c.Params)
	} else {
		printParams(a, inputParams(c.Input))
	}
	printSchemas(a, c)
	for _, e := range c.Examples {
		printExample(a, &e)
	}
	if err := c.Check(); err != nil {
		a.Line("\n  not callable from this alone: %s", ui.Show(checkText(err)))
		if id, skill, ok := strings.Cut(c.Key, "/"); ok && skill != "" && c.Kind == wayfind.KindSkill {
			a.Line("  to send the agent a message: wayfind call DOMAIN %s message=TEXT", ui.Show(id))
		}
	}
}

// printContent shows a file: the facts about its bytes, and its text.
func printContent(a *ui.App, f *wayfind.Content) {
	if f == nil {
		return
	}
	compared := "the listing has no digest to compare it with"
	if f.Verified {
		compared = "as its listing says"
	}
	a.Line("\n  content %d bytes %s", f.Size, ui.Parenthesis(f.MediaType))
	a.Line("  sha256  %s, %s", ui.Show(f.SHA256), compared)
	if f.Text == "" {
		return
	}
	a.Line("")
	for l := range strings.SplitSeq(strings.TrimRight(f.Text, "\n"), "\n") {
		a.Line("  | %s", ui.Show(l))
	}
}

// printSchemas shows the input schema, unless parameters show it already, and
// the output schema.
func printSchemas(a *ui.App, c *wayfind.Capability) {
	if len(c.Input) > 0 && len(c.Params) == 0 && len(inputParams(c.Input)) == 0 {
		a.Line("\n  input  %s", ui.OneLineJSON(c.Input))
	}
	if len(c.Output) > 0 {
		a.Line("\n  output %s", ui.OneLineJSON(c.Output))
	}
}

// checkText returns the reason of an error without the text before it.
func checkText(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "): "); i >= 0 {
		return text[i+3:]
	}
	return text
}

// Document shows the format and the content of one document. With full it shows the contract of
// each capability. fromNowhere is true if its URL is not known.
func Document(a *ui.App, r *client.ParseResult, full, fromNowhere bool) {
	switch {
	case r.Usable:
		a.Heading("verdict found: " + strings.TrimSpace(ui.Show(r.Format)+" "+ui.Show(r.Dialect)))
	case r.Format != "":
		a.Heading(fmt.Sprintf("verdict %s: %s, not usable (%s)", r.Verdict, ui.Show(r.Format), ui.Show(r.Reason)))
	default:
		a.Heading(strings.TrimSpace(fmt.Sprintf("verdict %s: no format reads it %s", r.Verdict, ui.Parenthesis(r.Reason))))
	}
	for i := range r.Site.Sources {
		if text := humanize.Signatures(r.Site.Sources[i].Signatures); text != "" {
			a.Line("%s", text)
		}
	}
	for i := range r.Site.Services {
		s := &r.Site.Services[i]
		printService(a, s, view{full: true})
		for j := range s.Capabilities {
			if full {
				a.Line("")
				printContract(a, &wayfind.Detail{Service: s, Capability: &s.Capabilities[j]})
			}
		}
	}
	printDocuments(a, r.Site)
	printPolicies(a, r.Site, view{full: true})
	printDiagnostics(a, r.Diagnostics)
	for _, c := range r.Site.Capabilities() {
		if fromNowhere && humanize.TrustNote(c.Trust) != "" {
			a.Line("")
			a.Line("every host counts as another site, because --url does not say where the document is from")
			break
		}
	}
}

// mostListed is the largest number of entries of indexes that are shown. A catalogue can have a
// thousand.
const mostListed = 20

// printListed shows the entries of indexes that were not requested, with the media type or the
// identifier from the index.
func printListed(a *ui.App, site *wayfind.Site) {
	list := humanize.Listed(site)
	if len(list) == 0 {
		return
	}
	more := max(0, len(list)-mostListed)
	list = list[:len(list)-more]
	var rows [][]string
	for _, d := range list {
		rows = append(rows, []string{ui.Show(cmp.Or(d.URL, d.Identifier)), ui.Show(d.MediaType), ui.Show(string(d.Trust)), ui.Show(humanize.OneLine(d.Title, 72))})
	}
	a.Line("")
	a.Heading("Listed, and not read")
	a.Table(rows)
	if more > 0 {
		a.Line("  and %d more: see --json", more)
	}
}

// printDocuments shows the links of the document. They were not requested.
func printDocuments(a *ui.App, site *wayfind.Site) {
	var rows [][]string
	for _, d := range site.Documents {
		rows = append(rows, []string{ui.Show(d.Rel), ui.Show(d.URL), ui.Show(humanize.OneLine(d.Title, 72))})
	}
	for i := range site.Services {
		for _, u := range site.Services[i].DetailURLs {
			rows = append(rows, []string{"detail", ui.Show(u), ui.Show(humanize.OneLine(site.Services[i].Name, 72))})
		}
	}
	if rows == nil {
		return
	}
	a.Line("")
	a.Heading("Links, none of which was asked for")
	a.Table(rows)
}
