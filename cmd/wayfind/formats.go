package main

import (
	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// formatRow is one format as "wayfind formats --json" prints it.
type formatRow struct {
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	Spec      wayfind.SpecRef `json:"spec"`
	Locations []locationRow   `json:"locations"`
}

type locationRow struct {
	Path    string `json:"path"`
	After   string `json:"after,omitempty"`
	Base    bool   `json:"base,omitempty"`
	Section string `json:"section,omitempty"`
	Note    string `json:"note,omitempty"`
}

func (a *app) formatsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "list the formats that are read, and where they are looked for",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				rows := []formatRow{}
				for _, f := range formats.All() {
					rows = append(rows, describeFormat(f))
				}
				a.printJSON(rows, true)
				return nil
			}
			a.printFormats()
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func describeFormat(f *parse.Format) formatRow {
	row := formatRow{Name: f.Name, Title: f.Title, Spec: f.Spec, Locations: []locationRow{}}
	for _, l := range f.Locations {
		row.Locations = append(row.Locations, locationRow{Path: l.Path, After: l.After, Base: l.Base, Section: l.Section, Note: l.Note})
	}
	return row
}

// linkedOnly stands for the places of a format that has none of its own.
const linkedOnly = "where other documents link to one"

func (a *app) printFormats() {
	rows := [][]string{{"FORMAT", "LOOKED FOR AT", "SPECIFICATION"}}
	for _, f := range formats.All() {
		name, spec := f.Name, f.Spec.Title
		for _, l := range f.Locations {
			place := l.Path
			if l.Base {
				place = "BASE" + place + " (for a target with a path)"
			}
			if l.After != "" {
				place += " (after a 404 at " + l.After + ")"
			}
			rows = append(rows, []string{name, place, spec})
			name, spec = "", ""
		}
		if len(f.Locations) == 0 {
			rows = append(rows, []string{name, linkedOnly, spec})
		}
	}
	a.table(rows)
	a.line("")
	a.heading("Not read")
	rows = nil
	for _, absence := range formats.Absences() {
		rows = append(rows, []string{absence.Name, absence.Title, absence.Reason})
	}
	a.table(rows)
}
