package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/client/tools"
)

// separator separates the domain of a tool from the rest of its name.
const separator = "__"

// saved are the names that tools of a domain named alone would have beside other domains,
// and the names that they have, by the former in lower case. A host may have saved them.
type saved map[string]string

// plain returns the name that the Box has for a name of a host.
func (s saved) plain(name string) string {
	if plain, ok := s[strings.ToLower(name)]; ok {
		return plain
	}
	return name
}

// all are the names of a tool: the one that the Box has, and the one that a host may have
// saved.
func (s saved) all(plain string) []string {
	for name, is := range s {
		if is == plain {
			return []string{plain, name}
		}
	}
	return []string{plain}
}

// plainName is a name without its domain. A name that could be one with a domain, or one of
// the server's own tools, keeps the domain: saved names win.
func plainName(name string) (plain string, ok bool) {
	_, plain, _ = strings.Cut(name, separator)
	first := strings.ToLower(plain + "0")[0]
	isName := first == '_' || first >= 'a' && first <= 'z'
	return plain, isName && !strings.Contains(plain, separator) && !strings.HasPrefix(strings.ToLower(plain), reserved)
}

// withPlain adds plain names for the tools of a Box to a table of names, in the place of
// their names in it. A name that a person has chosen stays.
func withPlain(names []byte, part *tools.Box, chosen []tools.OperationName) (table []byte, old saved, err error) {
	own, err := part.OwnNames()
	if err != nil {
		return nil, nil, err
	}
	var all, news struct {
		Schema string                     `json:"schema"`
		Names  map[string]json.RawMessage `json:"names"`
	}
	if err := json.Unmarshal(own, &news); err != nil {
		return nil, nil, err
	}
	all.Schema, all.Names = news.Schema, make(map[string]json.RawMessage)
	if len(names) > 0 {
		if err := json.Unmarshal(names, &all); err != nil {
			return nil, nil, err
		}
	}
	old = make(saved)
	for name, row := range news.Names {
		if slices.ContainsFunc(chosen, func(o tools.OperationName) bool { return o.Name == name }) {
			continue
		}
		if plain, ok := plainName(name); ok {
			delete(all.Names, name)
			all.Names[plain] = row
			old[strings.ToLower(name)] = plain
		}
	}
	table, err = json.Marshal(all)
	return table, old, err
}
