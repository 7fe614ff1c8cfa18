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
// lower case. The tools of a single domain would have the former names if the server had other
// domains, too. A host may have saved them.
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
// Names of an earlier table are kept.
func plainNames(part *tools.Box, earlier map[string]row) (map[string]string, error) {
	given := make(map[string]string)
	for name, r := range earlier {
		if isPlain(name) {
			given[name] = tools.NameKey(r.Origin, r.Key)
		}
	}
	var subjects []tools.Subject
	for _, t := range part.Tools() {
		subjects = append(subjects, t.Subject())
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

// withPlain replaces the names of the tools of a Box in a table of names by plain names. It keeps
// names that a person has chosen.
func withPlain(names []byte, part *tools.Box, chosen []tools.OperationName) (table []byte, old saved, err error) {
	own, err := part.OwnNames()
	if err != nil {
		return nil, nil, err
	}
	var all, news struct {
		Schema string         `json:"schema"`
		Names  map[string]row `json:"names"`
	}
	if err := json.Unmarshal(own, &news); err != nil {
		return nil, nil, err
	}
	all.Schema, all.Names = news.Schema, make(map[string]row)
	if len(names) > 0 {
		if err := json.Unmarshal(names, &all); err != nil {
			return nil, nil, err
		}
	}
	plain, err := plainNames(part, all.Names)
	if err != nil {
		return nil, nil, err
	}
	old = make(saved)
	for name, row := range news.Names {
		if slices.ContainsFunc(chosen, func(o tools.OperationName) bool { return o.Name == name }) {
			continue
		}
		if plain := plain[name]; isPlain(plain) {
			delete(all.Names, name)
			all.Names[plain] = row
			old[strings.ToLower(name)] = plain
		}
	}
	table, err = json.Marshal(all)
	return table, old, err
}
