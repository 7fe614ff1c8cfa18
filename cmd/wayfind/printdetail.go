package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// printDetail shows how to call one capability, or describes a service.
func printDetail(a *app, d *wayfind.Detail) {
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
func printContract(a *app, d *wayfind.Detail) {
	c := d.Capability
	a.heading(show(c.Key) + humanize.TrustNote(c.Trust) + humanize.SuspicionNote(c.Suspicious))
	a.paragraph(cmp.Or(c.Description, c.Title))
	auth := c.Auth
	if auth == nil && d.Service != nil {
		auth = d.Service.Auth
	}
	rows := [][]string{{"call", humanize.Call(c)}}
	rows = append(rows, placeRows(d)...)
	for _, row := range [][]string{{"authenticate", humanize.Auth(auth)}, {"limits", humanize.Limits(c.Limits)}, {"effects", humanize.Effects(c.Effects)}} {
		if row[1] != "" {
			rows = append(rows, row)
		}
	}
	if d.Source != nil {
		rows = append(rows, []string{"read", show(d.Source.URL)})
	}
	if f := c.Artifact; f != nil {
		rows = append(rows, []string{"file", strings.TrimSpace(show(f.URL) + " " + parenthesis(f.MediaType))})
	}
	if c.Price != "" {
		rows = append(rows, []string{"price", show(c.Price)})
	}
	for _, o := range c.Offers {
		rows = append(rows, []string{"offer", show(strings.Join(strings.Fields(o.Protocol+" "+o.Method+" "+o.Intent+" "+o.Mode), " ") + ": " + o.String())})
	}
	if c.Invocation != nil && c.Invocation.ContentType != "" {
		rows = append(rows, []string{"body", show(c.Invocation.ContentType)})
	}
	a.table(rows)
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
		a.line("\n  not callable from this alone: %s", show(checkText(err)))
		if id, skill, ok := strings.Cut(c.Key, "/"); ok && skill != "" && c.Kind == wayfind.KindSkill {
			a.line("  to send the agent a message: wayfind call DOMAIN %s message=TEXT", show(id))
		}
	}
}

// printContent shows a file: the facts about its bytes, and its text.
func printContent(a *app, f *wayfind.Content) {
	if f == nil {
		return
	}
	compared := "the listing has no digest to compare it with"
	if f.Verified {
		compared = "as its listing says"
	}
	a.line("\n  content %d bytes %s", f.Size, parenthesis(f.MediaType))
	a.line("  sha256  %s, %s", show(f.SHA256), compared)
	if f.Text == "" {
		return
	}
	a.line("")
	for l := range strings.SplitSeq(strings.TrimRight(f.Text, "\n"), "\n") {
		a.line("  | %s", show(l))
	}
}

// printSchemas shows the input schema, unless parameters show it already, and
// the output schema.
func printSchemas(a *app, c *wayfind.Capability) {
	if len(c.Input) > 0 && len(c.Params) == 0 && len(inputParams(c.Input)) == 0 {
		a.line("\n  input  %s", oneLineJSON(c.Input))
	}
	if len(c.Output) > 0 {
		a.line("\n  output %s", oneLineJSON(c.Output))
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

// printParse shows the format and the content of one document. With full it shows the contract of
// each capability. fromNowhere is true if its URL is not known.
func printParse(a *app, r *client.ParseResult, full, fromNowhere bool) {
	switch {
	case r.Usable:
		a.heading("verdict found: " + strings.TrimSpace(show(r.Format)+" "+show(r.Dialect)))
	case r.Format != "":
		a.heading(fmt.Sprintf("verdict %s: %s, not usable (%s)", r.Verdict, show(r.Format), show(r.Reason)))
	default:
		a.heading(strings.TrimSpace(fmt.Sprintf("verdict %s: no format reads it %s", r.Verdict, parenthesis(r.Reason))))
	}
	for i := range r.Site.Sources {
		if text := humanize.Signatures(r.Site.Sources[i].Signatures); text != "" {
			a.line("%s", text)
		}
	}
	for i := range r.Site.Services {
		s := &r.Site.Services[i]
		printService(a, s, view{full: true})
		for j := range s.Capabilities {
			if full {
				a.line("")
				printContract(a, &wayfind.Detail{Service: s, Capability: &s.Capabilities[j]})
			}
		}
	}
	printDocuments(a, r.Site)
	printPolicies(a, r.Site, view{full: true})
	printDiagnostics(a, r.Diagnostics)
	for _, c := range r.Site.Capabilities() {
		if fromNowhere && humanize.TrustNote(c.Trust) != "" {
			a.line("")
			a.line("every host counts as another site, because --url does not say where the document is from")
			break
		}
	}
}

// mostListed is the largest number of entries of indexes that are shown. A catalogue can have a
// thousand.
const mostListed = 20

// printListed shows the entries of indexes that were not requested, with the media type or the
// identifier from the index.
func printListed(a *app, site *wayfind.Site) {
	list := humanize.Listed(site)
	if len(list) == 0 {
		return
	}
	more := max(0, len(list)-mostListed)
	list = list[:len(list)-more]
	var rows [][]string
	for _, d := range list {
		rows = append(rows, []string{show(cmp.Or(d.URL, d.Identifier)), show(d.MediaType), show(string(d.Trust)), show(humanize.OneLine(d.Title, 72))})
	}
	a.line("")
	a.heading("Listed, and not read")
	a.table(rows)
	if more > 0 {
		a.line("  and %d more: see --json", more)
	}
}

// printDocuments shows the links of the document. They were not requested.
func printDocuments(a *app, site *wayfind.Site) {
	var rows [][]string
	for _, d := range site.Documents {
		rows = append(rows, []string{show(d.Rel), show(d.URL), show(humanize.OneLine(d.Title, 72))})
	}
	for i := range site.Services {
		for _, u := range site.Services[i].DetailURLs {
			rows = append(rows, []string{"detail", show(u), show(humanize.OneLine(site.Services[i].Name, 72))})
		}
	}
	if rows == nil {
		return
	}
	a.line("")
	a.heading("Links, none of which was asked for")
	a.table(rows)
}

func parenthesis(s string) string {
	if s == "" {
		return ""
	}
	return "(" + show(s) + ")"
}
