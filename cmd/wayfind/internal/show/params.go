package show

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// placeRows returns the URL of a call that uses the URL of an interface: the interface that the
// call names, or all interfaces if there is no contract.
func placeRows(d *wayfind.Detail) (rows [][]string) {
	inv := d.Capability.Invocation
	if d.Service == nil || inv != nil && (inv.URL != "" || inv.Template != "") {
		return nil
	}
	for _, f := range d.Service.Interfaces {
		place := ui.Show(cmp.Or(f.URL, f.Template))
		switch {
		case place == "":
		case inv == nil:
			rows = append(rows, []string{"interface", ui.Show(f.Protocol) + " " + place + humanize.TrustNote(f.Trust)})
		case inv.Via == f.Protocol || inv.Protocol == f.Protocol:
			rows = append(rows, []string{"url", place + humanize.TrustNote(f.Trust)})
		}
	}
	return rows
}

// mostParams is the largest number of rows in the table of parameters. A schema can have thousands.
const mostParams = 100

func printParams(a *ui.App, params []wayfind.Param) {
	if len(params) == 0 {
		return
	}
	rows := [][]string{{"PARAMETER", "IN", "TYPE", "", "WHAT"}}
	for i := range params {
		p := &params[i]
		if i == mostParams {
			rows = append(rows, []string{fmt.Sprintf("and %d more: see --json", len(params)-i)})
			break
		}
		need := ""
		if p.Required != nil && *p.Required {
			need = "required"
		}
		rows = append(rows, []string{ui.Show(p.Name), ui.Show(p.In), ui.Show(cmp.Or(p.Type, typeText(p.Schema))), need, paramText(p)})
	}
	a.Line("")
	a.Table(rows)
}

// paramText returns the description of a parameter and the values that it takes.
func paramText(p *wayfind.Param) string {
	var parts []string
	if p.Description != "" {
		parts = append(parts, ui.Show(humanize.OneLine(p.Description, 72)))
	}
	if len(p.Enum) > 0 {
		parts = append(parts, "one of "+shortValues(p.Enum))
	}
	switch {
	case p.Minimum != nil && p.Maximum != nil:
		parts = append(parts, fmt.Sprintf("%v to %v", *p.Minimum, *p.Maximum))
	case p.Minimum != nil:
		parts = append(parts, fmt.Sprintf("at least %v", *p.Minimum))
	case p.Maximum != nil:
		parts = append(parts, fmt.Sprintf("at most %v", *p.Maximum))
	}
	if len(p.Default) > 0 {
		parts = append(parts, "default "+shortValue(p.Default))
	}
	if len(p.Example) > 0 {
		parts = append(parts, "for example "+shortValue(p.Example))
	}
	return strings.Join(parts, "; ")
}

// mostValues is the largest number of values of an enumeration that are shown.
const mostValues = 12

func shortValues(list []json.RawMessage) string {
	var words []string
	for i, v := range list {
		if i == mostValues {
			words = append(words, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		words = append(words, shortValue(v))
	}
	return strings.Join(words, ", ")
}

// shortValue returns a value as JSON, shortened to 40 characters.
func shortValue(raw json.RawMessage) string {
	return ui.Show(humanize.OneLine(string(ui.OneLineJSON(raw)), 40))
}

// schemaShape are the members of a JSON Schema that a table shows.
type schemaShape struct {
	Type        any                        `json:"type"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Required    []string                   `json:"required"`
	Items       json.RawMessage            `json:"items"`
	Enum        []json.RawMessage          `json:"enum"`
	Minimum     *float64                   `json:"minimum"`
	Maximum     *float64                   `json:"maximum"`
	Default     json.RawMessage            `json:"default"`
}

// inputParams returns the members of the object that a call takes, required ones first. It returns
// none for a schema of anything else.
func inputParams(input json.RawMessage) []wayfind.Param {
	var s schemaShape
	if len(input) == 0 || json.Unmarshal(input, &s) != nil {
		return nil
	}
	var params []wayfind.Param
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		var of schemaShape
		_ = json.Unmarshal(s.Properties[name], &of) // true and false are schemas too
		required := slices.Contains(s.Required, name)
		params = append(params, wayfind.Param{Name: name, Type: typeText(s.Properties[name]), Required: &required,
			Description: cmp.Or(of.Description, of.Title), Enum: of.Enum, Minimum: of.Minimum, Maximum: of.Maximum, Default: of.Default})
	}
	slices.SortStableFunc(params, func(a, b wayfind.Param) int {
		switch {
		case *a.Required == *b.Required:
			return 0
		case *a.Required:
			return -1
		}
		return 1
	})
	return params
}

// typeText returns the type in a schema, such as "string", "string[]" or "string|null".
func typeText(schema json.RawMessage) string {
	var s schemaShape
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil {
		return ""
	}
	switch t := s.Type.(type) {
	case string:
		if item := typeText(s.Items); t == "array" && item != "" && item != t {
			return item + "[]"
		}
		return t
	case []any:
		var words []string
		for _, word := range t {
			words = append(words, fmt.Sprint(word))
		}
		return strings.Join(words, "|")
	}
	return ""
}

func printExample(a *ui.App, e *wayfind.Example) {
	a.Line("")
	a.Line("%s", strings.TrimRight("  example "+ui.Show(e.Title), " "))
	for l := range strings.SplitSeq(e.Text, "\n") {
		if l != "" {
			a.Line("    %s", ui.Show(l))
		}
	}
	if len(e.Request) > 0 {
		a.Line("    request  %s", ui.OneLineJSON(e.Request))
	}
	if len(e.Response) > 0 {
		a.Line("    response %s", ui.OneLineJSON(e.Response))
	}
}
