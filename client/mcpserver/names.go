package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/client/tools"
)

// separator separates the domain of a tool from the rest of its name.
const separator = "__"

// saved maps names that begin with a domain to the plain names of the same tools. The keys are in
// lower case. A host may have saved the former names from a run in which the tools had them.
type saved map[string]string

// plain returns the name in the Box for a name that a host uses.
func (s saved) plain(name string) string {
	if plain, ok := s[strings.ToLower(name)]; ok {
		return plain
	}
	return name
}

// all returns the names of a tool: the name in the Box, and the name that a host may have saved.
func (s saved) all(plain string) []string {
	for name, is := range s {
		if is == plain {
			return []string{plain, name}
		}
	}
	return []string{plain}
}

// isPlain reports whether a name can be used without its domain: it cannot be confused with a name
// with a domain, nor with a name of the server's own tools.
func isPlain(name string) bool {
	return !strings.Contains(name, separator) && !strings.HasPrefix(strings.ToLower(name), reserved)
}

// plainNames returns names of the tools of a Box without their domain, by their names in the Box.
// Plain names of an earlier table are kept.
func plainNames(part *tools.Box, earlier map[string]row) (map[string]string, error) {
	var subjects []tools.Subject
	own := make(map[string]bool)
	for _, t := range part.Tools() {
		subjects = append(subjects, t.Subject())
		own[t.Origin] = true
	}
	given := make(map[string]string)
	for name, r := range earlier {
		if isPlain(name) && own[r.Origin] {
			given[name] = tools.NameKey(r.Origin, r.Key)
		}
	}
	list, err := tools.Names(subjects, &tools.NameOptions{Max: naming().Max, Given: given})
	if err != nil {
		return nil, err
	}
	plain := make(map[string]string, len(list))
	for i, t := range part.Tools() {
		plain[t.Name] = list[i]
	}
	return plain, nil
}

// row is the tool with a name in a table of names.
type row struct {
	Origin string `json:"origin"`
	Key    string `json:"key"`
	Digest string `json:"digest,omitempty"`
}

// subject returns the tool of a row, as [tools.NameKey] does.
func (r row) subject() string { return tools.NameKey(r.Origin, r.Key) }

// nameTable is a table of names, as [tools.Box.Names] returns it.
type nameTable struct {
	Schema string         `json:"schema"`
	Names  map[string]row `json:"names"`
}

// candidate is a plain name for a tool whose name begins with its domain.
type candidate struct {
	name, plain string
	row         row
}

// withPlain gives the tools of the first domains plain names in a table of names, where a name belongs
// to one tool of all these domains. A tool that has had a plain name keeps it. So do tools whose names
// a person has chosen.
func withPlain(names []byte, first []*tools.Box, chosen []tools.OperationName) (table []byte, old saved, err error) {
	all := nameTable{Names: make(map[string]row)}
	if len(names) > 0 {
		if err := json.Unmarshal(names, &all); err != nil {
			return nil, nil, err
		}
	}
	owners := make(map[string]string) // subjects of the tools with a plain name, by the name in lower case
	for name, r := range all.Names {
		if isPlain(name) {
			owners[strings.ToLower(name)] = r.subject()
		}
	}
	for _, o := range chosen { // a person's name is for the operation that it was given to
		if key := strings.ToLower(o.Name); owners[key] == "" {
			owners[key] = "chosen"
		}
	}
	var list []candidate
	for _, part := range first {
		more, err := candidates(part, &all, chosen)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, more...)
	}
	old = make(saved)
	for _, c := range unique(list, owners) {
		delete(all.Names, c.name)
		all.Names[c.plain] = c.row
		old[strings.ToLower(c.name)] = c.plain
	}
	table, err = json.Marshal(all)
	return table, old, err
}

// candidates returns the plain names for the tools of a Box but for those whose names a person has
// chosen.
func candidates(part *tools.Box, all *nameTable, chosen []tools.OperationName) (list []candidate, err error) {
	raw, err := part.OwnNames()
	if err != nil {
		return nil, err
	}
	var own nameTable
	if err := json.Unmarshal(raw, &own); err != nil {
		return nil, err
	}
	all.Schema = own.Schema
	plain, err := plainNames(part, all.Names)
	if err != nil {
		return nil, err
	}
	for name, r := range own.Names {
		isChosen := slices.ContainsFunc(chosen, func(o tools.OperationName) bool { return o.Name == name })
		if !isChosen && isPlain(plain[name]) {
			list = append(list, candidate{name: name, plain: plain[name], row: r})
		}
	}
	return list, nil
}

// unique returns the candidates whose plain names belong to one tool. owners are the tools that have
// plain names already.
func unique(list []candidate, owners map[string]string) []candidate {
	wanted := make(map[string]map[string]bool) // subjects of the tools that could have a name
	for _, c := range list {
		key := strings.ToLower(c.plain)
		if wanted[key] == nil {
			wanted[key] = make(map[string]bool)
		}
		wanted[key][c.row.subject()] = true
	}
	return slices.DeleteFunc(list, func(c candidate) bool {
		key := strings.ToLower(c.plain)
		if owner, ok := owners[key]; ok {
			return owner != c.row.subject()
		}
		return len(wanted[key]) > 1
	})
}
