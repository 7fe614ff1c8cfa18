package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/formatschema"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// formatList is the output of "wayfind formats --json".
type formatList struct {
	// Formats in their order of authority.
	Formats []formatRow `json:"formats"`
	// Groups are words for several formats.
	Groups []groupRow `json:"groups"`
	// NotRead are those that are not read, with the reasons.
	NotRead []absentRow `json:"notRead"`
}

// formatRow is one format.
type formatRow struct {
	// Name is the word for --formats, and begins the codes of diagnostics.
	Name string `json:"name"`
	// Title describes the format.
	Title string `json:"title"`
	// Spec is the specification.
	Spec wayfind.SpecRef `json:"spec"`
	// Locations are the places where it is looked for. The list is empty if only links lead to
	// documents of the format.
	Locations []locationRow `json:"locations"`
}

// groupRow is a group of formats.
type groupRow struct {
	// Name is the word for --formats.
	Name string `json:"name"`
	// Title is the property that the formats have in common.
	Title string `json:"title"`
	// Formats are the names of the formats in the group, in order of authority.
	Formats []string `json:"formats"`
}

// locationRow is a place.
type locationRow struct {
	// Path that is asked for.
	Path string `json:"path"`
	// After is the place that must have answered 404 before.
	After string `json:"after,omitempty"`
	// Base: Path is below the path of the target.
	Base bool `json:"base,omitempty"`
	// Insert: the path of the target comes after Path first.
	Insert bool `json:"insert,omitempty"`
	// Section of the specification that names the place.
	Section string `json:"section,omitempty"`
	// Note describes the special rules of the place.
	Note string `json:"note,omitempty"`
}

// absentRow is a format that is not read.
type absentRow struct {
	// Name of the format.
	Name string `json:"name"`
	// Title describes the format.
	Title string `json:"title"`
	// Reason why it is not read.
	Reason string `json:"reason"`
}

// formatsLong is the help of formats.
const formatsLong = `formats lists the formats that are read, and where they are looked for.

--schema prints a JSON Schema (2020-12) of the documents of one format, for editors,
which then complete names and mark values of a wrong type. It is made from the code
that reads the format, and allows members that the format does not know. Write it to
a file, and name that file in the settings of the editor, or in the document: in JSON
as "$schema" (which the editor reads, and agents ignore), in YAML in a comment at the
top, for the YAML language server:

  # yaml-language-server: $schema=./openapi.schema.json

A schema knows types and names. "wayfind lint" knows all rules.`

// Formats returns the verb formats.
func Formats(a *ui.App) *cobra.Command {
	var asJSON bool
	var schemaOf string
	cmd := &cobra.Command{
		Use:     "formats",
		Short:   "list the formats that are read, and where they are looked for",
		Long:    formatsLong,
		Example: "  wayfind formats\n  wayfind formats --json | jq -r '.formats[].name'\n  wayfind formats --schema a2a > agent-card.schema.json",
		Args:    commandline.NoWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("schema") {
				return printFormatSchema(a, schemaOf)
			}
			if asJSON {
				a.PrintJSON(listFormats(), nil)
				return nil
			}
			printFormats(a)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&schemaOf, "schema", "", "print a JSON Schema of the documents of the format `NAME`, for editors")
	_ = cmd.RegisterFlagCompletionFunc("schema", cobra.FixedCompletions(formatschema.Names(), cobra.ShellCompDirectiveNoFileComp)) // fails for a flag that is not there
	cmd.MarkFlagsMutuallyExclusive("json", "schema")
	return cmd
}

// printFormatSchema prints the JSON Schema of a format.
func printFormatSchema(a *ui.App, name string) error {
	if schema := formatschema.Of(name); schema != nil {
		_, err := a.Out.Write(schema)
		return err
	}
	if slices.ContainsFunc(append(formats.All(), formats.OnRequest()...), func(f *parse.Format) bool { return f.Name == name }) {
		return ui.Usagef("a document of the format %s is not JSON, and has no JSON Schema; \"wayfind lint\" checks it", name)
	}
	return ui.Usage(session.NearestFormat([]string{name}, fmt.Errorf("there is no format %q; these have a schema: %s", name, strings.Join(formatschema.Names(), ", "))))
}

func listFormats() formatList {
	list := formatList{Formats: []formatRow{}, Groups: []groupRow{}, NotRead: []absentRow{}}
	for _, f := range formats.All() {
		list.Formats = append(list.Formats, describeFormat(f))
	}
	for _, g := range formats.Groups() {
		list.Groups = append(list.Groups, groupRow(g))
	}
	for _, f := range formats.Absences() {
		list.NotRead = append(list.NotRead, absentRow{f.Name, f.Title, f.Reason})
	}
	return list
}

func describeFormat(f *parse.Format) formatRow {
	row := formatRow{Name: f.Name, Title: f.Title, Spec: f.Spec, Locations: []locationRow{}}
	for _, l := range f.Locations {
		row.Locations = append(row.Locations, locationRow{Path: l.Path, After: l.After, Base: l.Base, Insert: l.Insert, Section: l.Section, Note: l.Note})
	}
	return row
}

// LinkedOnly is printed in place of the places of a format that has none.
const LinkedOnly = "where other documents link to one"

// printFormats prints two columns, which fit into a narrow terminal.
func printFormats(a *ui.App) {
	rows := [][]string{{"FORMAT", "SPECIFICATION, AND WHERE IT IS LOOKED FOR"}}
	for _, f := range formats.All() {
		rows = append(rows, []string{f.Name, f.Spec.Title})
		for _, l := range f.Locations {
			place := l.Path
			if l.Base {
				place = "BASE" + place + " (for a target with a path)"
			}
			if l.Insert {
				place += " (first with the path of the target after it)"
			}
			if l.After != "" {
				place += " (after a 404 at " + l.After + ")"
			}
			rows = append(rows, []string{"", place})
		}
		if len(f.Locations) == 0 {
			rows = append(rows, []string{"", LinkedOnly})
		}
	}
	a.Table(rows)
	a.Line("")
	a.Heading("Groups, for --formats")
	rows = nil
	for _, g := range formats.Groups() {
		rows = append(rows, []string{g.Name, g.Title + ": " + strings.Join(g.Formats, ", ")})
	}
	a.Table(rows)
	a.Line("")
	a.Heading("Not read")
	rows = nil
	for _, absence := range formats.Absences() {
		rows = append(rows, []string{absence.Name, absence.Title + ": " + absence.Reason})
	}
	a.Table(rows)
}
