package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// Group is a name for several formats. It can be used in place of their names.
type Group struct {
	Name string `json:"name"`
	// Title describes the group for people, in one line.
	Title string `json:"title"`
	// Formats are the names of its formats, in order of authority.
	Formats []string `json:"formats"`
}

// Groups returns the groups. Every format of [All] is in "all" and in one of the other groups;
// robots.txt is in all of them.
func Groups() []Group {
	seeds := []string{
		"adp", "aidiscovery", "awp", "agentsmd", "msagents", "a2a", "mcp", "aiplugin", "openapi", "openrpc", "oauth", "llmstxt", robotsName,
	}
	all := names(All())
	field := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(seeds, name) && name != robotsName })
	return []Group{
		{"all", "every format", all},
		{"seeds", "the formats that agents, and the APIs and servers behind them, are described in", seeds},
		{"field", "the indexes and profiles that sites publish most: catalogues, skills, API catalogs, links and shops", field},
	}
}

// robotsName is the name of the format that belongs to every group: it is about all requests.
const robotsName = "robots"

// Select returns the formats with the given names, which may be names of groups, in order of
// authority. The formats of [OnRequest] are in no group. The error contains the name that is
// neither a format nor a group.
//
// A document that another one links to is read only if its own format is selected: with
// "field" alone, the indexes are read, but not the cards and descriptions that they lead to.
func Select(wanted ...string) ([]*parse.Format, error) {
	list, groups := append(All(), OnRequest()...), Groups()
	known := names(list)
	var chosen []string
	for _, name := range wanted {
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Name == name })
		switch {
		case i >= 0:
			chosen = append(chosen, groups[i].Formats...)
		case slices.Contains(known, name):
			chosen = append(chosen, name)
		default:
			return nil, fmt.Errorf("there is no format %q; there are: %s; and the groups %s", name,
				strings.Join(known, ", "), strings.Join(groupNames(groups), ", "))
		}
	}
	return slices.DeleteFunc(list, func(f *parse.Format) bool { return !slices.Contains(chosen, f.Name) }), nil
}

func names(list []*parse.Format) []string {
	all := make([]string, len(list))
	for i, f := range list {
		all[i] = f.Name
	}
	return all
}

func groupNames(groups []Group) []string {
	all := make([]string, len(groups))
	for i, g := range groups {
		all[i] = g.Name
	}
	return all
}
