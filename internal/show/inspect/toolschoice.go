package inspect

import (
	"math"
	"slices"

	"github.com/wayfindhq/wayfind/client/tools"
)

// Choice is the selection of tools that fits a number of tokens.
type Choice struct {
	Vendor tools.Vendor `json:"vendor"`
	// Most is the number of tokens that are available; 0 means no limit. Tokens is the number
	// that is used.
	Most   int `json:"most"`
	Tokens int `json:"tokens"`
	// Rows are all tools, in the order in which they are added.
	Rows []ChoiceRow `json:"rows"`
	// Selection describes the text for the model that would replace the definitions.
	Selection SelectionSum `json:"selection"`
}

// ChoiceRow is a tool and the result for it.
type ChoiceRow struct {
	Name string `json:"name"`
	// Score is the score of the words of the query; 0 if they are not found. Exact is true if
	// the query is the name of the tool.
	Score float64 `json:"score"`
	Exact bool    `json:"exact,omitempty"`
	// Tokens is the number of tokens of its definition; 0 if it is not written. Room is the
	// number of tokens that were left before it.
	Tokens int  `json:"tokens,omitempty"`
	Room   int  `json:"room,omitempty"`
	Kept   bool `json:"kept"`
	// Part is the part of it in a Selection: "full", "brief", "name" or "".
	Part string `json:"part,omitempty"`
	// Text is the brief part.
	Text string `json:"text,omitempty"`
}

// SelectionSum contains the numbers of a tools.Selection.
type SelectionSum struct {
	Full   int `json:"full"`
	Brief  int `json:"brief"`
	Names  int `json:"names"`
	Left   int `json:"left"`
	Tokens int `json:"tokens"`
}

// Choose returns the tools that a query and a number of tokens would select, with the reasons.
func (i *Inspector) Choose(v tools.Vendor, query string, most int) (*Choice, error) {
	s := &i.tools
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.render(wanted{vendor: v, query: query})
	if err != nil {
		return nil, err
	}
	kept, err := s.render(wanted{vendor: v, query: query, tokens: most})
	if err != nil {
		return nil, err
	}
	sizes := map[string]int{}
	for n, raw := range all.List {
		sizes[all.Names[n]] = tools.EstimateTokens(string(raw))
	}
	for n, raw := range kept.List { // which may be smaller
		sizes[kept.Names[n]] = tools.EstimateTokens(string(raw))
	}
	out := &Choice{Vendor: v, Most: most, Tokens: kept.Tokens, Rows: s.ordered(query)}
	parts := out.fit(s.box, query, most)
	room := most
	for n := range out.Rows {
		row := &out.Rows[n]
		row.Tokens, row.Kept, row.Room = sizes[row.Name], slices.Contains(kept.Names, row.Name), max(room, 0)
		row.Part, row.Text = parts[row.Name].part, parts[row.Name].text
		if row.Kept {
			room -= row.Tokens
		}
	}
	return out, nil
}

// ordered returns the tools in the order in which they are added: first by the query, then in
// the order of the Box.
func (s *shelf) ordered(query string) []ChoiceRow {
	rows := []ChoiceRow{}
	seen := map[string]bool{}
	if query != "" {
		for _, hit := range s.box.Search(query, s.box.Len()) {
			row := ChoiceRow{Name: hit.Tool.Name, Score: hit.Score, Exact: math.IsInf(hit.Score, 1)}
			if row.Exact {
				row.Score = 0 // infinity is not a JSON number
			}
			seen[row.Name] = true
			rows = append(rows, row)
		}
	}
	for _, t := range s.box.Tools() {
		if !seen[t.Name] {
			rows = append(rows, ChoiceRow{Name: t.Name})
		}
	}
	return rows
}

type fitted struct{ part, text string }

// fit returns the part of each tool that is in a Selection.
func (c *Choice) fit(box *tools.Box, query string, most int) map[string]fitted {
	if most == 0 {
		most = math.MaxInt32
	}
	s := box.Fit(query, most, nil)
	parts := map[string]fitted{}
	for _, t := range s.Full {
		parts[t.Name] = fitted{part: "full"}
	}
	for _, b := range s.Brief {
		parts[b.Name] = fitted{"brief", b.Text}
	}
	for _, name := range s.Names {
		parts[name] = fitted{part: "name"}
	}
	c.Selection = SelectionSum{Full: len(s.Full), Brief: len(s.Brief), Names: len(s.Names), Tokens: s.Tokens}
	for _, n := range s.Left {
		c.Selection.Left += n
	}
	return parts
}
