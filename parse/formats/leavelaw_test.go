package formats_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// thing is a part of the information in a document, with pointers to its places.
type thing struct {
	kind, id string
	at       []string
}

// things returns the format of a document, its services, their interfaces and their
// capabilities.
func things(r *client.ParseResult) []thing {
	list := []thing{{"verdict", string(r.Verdict) + " " + r.Format, nil}}
	if r.Site == nil {
		return list
	}
	add := func(kind, id string, refs []wayfind.Ref) {
		one := thing{kind: kind, id: id}
		for _, ref := range refs {
			one.at = append(one.at, ref.Pointer)
		}
		list = append(list, one)
	}
	for _, s := range r.Site.Services {
		if len(s.Interfaces)+len(s.Capabilities) > 0 || s.Name+s.Description != "" || len(s.Extensions) == 0 { // else it keeps members without a rule
			add("service", s.ID, s.Sources)
		}
		for _, i := range s.Interfaces {
			add("interface", s.ID+" "+string(i.Protocol), i.Sources)
		}
		for _, c := range s.Capabilities {
			add("capability", s.ID+" "+c.ID, c.Sources)
		}
	}
	return list
}

// missing returns the things of a that b does not contain, except the things of one part of the
// document, and except some kinds.
func missing(a, b []thing, part string, without ...string) (list []string) {
	for _, one := range a {
		has := slices.ContainsFunc(b, func(other thing) bool { return other.kind == one.kind && other.id == one.id })
		ofPart := slices.ContainsFunc(one.at, func(at string) bool { return strings.HasPrefix(at+"/", part+"/") })
		if !has && !ofPart && !slices.Contains(without, one.kind) {
			list = append(list, one.kind+" "+one.id)
		}
	}
	return list
}

// needed returns the members that a document of a folder requires to belong to its format, or
// to contain the address of its service.
func needed(folder, format string) []string {
	switch folder {
	case "openapi":
		return []string{"openapi", "swagger", "info", "paths"}
	case "openrpc":
		return []string{"openrpc", "methods"}
	case "mcp-server-json":
		return []string{"name", "packages", "transport", "url"}
	case "mcp-tools-list":
		return []string{"name", "tools", "result", "inputSchema"}
	case "oauth-metadata":
		return []string{"issuer", "resource", "resource_name"}
	}
	address := map[string][]string{
		"a2a": {"url", "supportedInterfaces"},
		"mcp": {"$schema", "servers", "mcpServers", "transport"},
	}[format]
	for _, f := range formats.All() {
		if f.Name == format {
			return append(address, f.Marks...)
		}
	}
	return nil
}

// another reports whether a member makes the document a document of another edition or format,
// which has its own members for services.
func another(format, member string) bool {
	return format == "a2a" && member == "supportedInterfaces" || format == "agentskills" && member == "skills"
}

// cuts calls try with a document without a member, and with a document in which the member is
// empty.
func cuts(doc map[string]any, member string, try func(how string)) {
	was := doc[member]
	delete(doc, member)
	try("without")
	switch was.(type) {
	case []any:
		doc[member] = []any{}
		try("with an empty")
	case map[string]any:
		doc[member] = map[string]any{}
		try("with an empty")
	}
	doc[member] = was
}

// entries returns the first objects in the lists of a document that have several objects, by
// their pointers.
func entries(doc map[string]any) map[string]map[string]any {
	const few = 3
	list := map[string]map[string]any{}
	for member, value := range doc {
		items, _ := value.([]any)
		for i, item := range items[:min(len(items), few)] {
			if entry, ok := item.(map[string]any); ok && len(items) > 1 {
				list[fmt.Sprintf("/%s/%d", member, i)] = entry
			}
		}
	}
	return list
}

// A document has the same meaning without an optional member: its format, its services, their
// interfaces and their capabilities are the same, except the parts that the member itself
// describes. Without a required member nothing new appears. An incomplete entry of a list does
// not affect the others.
func TestARemovedMemberMovesNothingElse(t *testing.T) {
	type count struct{ documents, members, entries int }
	counts := map[string]*count{}
	for _, path := range golden.Documents(t) {
		folder, body := filepath.Base(filepath.Dir(path)), golden.Read(t, path)
		place := lawPlace(folder, body)
		var doc map[string]any
		if place == "" || len(body) > 64<<10 || json.Unmarshal(body, &doc) != nil {
			continue
		}
		read := func() *client.ParseResult {
			cut, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			return parsed(t, cut, &client.ParseOptions{URL: place})
		}
		whole := read()
		if whole.Verdict != wayfind.VerdictFound {
			continue
		}
		before, name, format := things(whole), folder+"/"+filepath.Base(path), whole.Format
		n := counts[format]
		if n == nil {
			n = &count{}
			counts[format] = n
		}
		n.documents++
		for _, member := range slices.Sorted(maps.Keys(doc)) {
			cuts(doc, member, func(how string) {
				n.members++
				after := things(read())
				if lost := missing(before, after, "/"+member); len(lost) > 0 && !slices.Contains(needed(folder, format), member) {
					t.Errorf("%s %s %q lacks %q", name, how, member, lost)
				}
				if made := missing(after, before, "-", "verdict"); len(made) > 0 && !another(format, member) {
					t.Errorf("%s %s %q has %q, which it had not", name, how, member, made)
				}
			})
		}
		for pointer, entry := range entries(doc) {
			for _, member := range slices.Sorted(maps.Keys(entry)) {
				cuts(entry, member, func(how string) {
					n.entries++
					after := things(read())
					if lost := missing(before, after, pointer, "interface"); len(lost) > 0 {
						t.Errorf("%s, %s %s %q, lacks %q", name, pointer, how, member, lost)
					}
					if made := missing(after, before, pointer, "service"); len(made) > 0 {
						t.Errorf("%s, %s %s %q, has %q, which it had not", name, pointer, how, member, made)
					}
				})
			}
		}
	}
	if len(counts) < 14 {
		t.Errorf("documents of %d formats were read", len(counts))
	}
	for _, format := range slices.Sorted(maps.Keys(counts)) {
		n := counts[format]
		t.Logf("| %s | %d | %d | %d |", format, n.documents, n.members, n.entries)
	}
}

// An empty list, or an empty object instead of it, is not a service: neither alone, nor with
// members that any document may have. The document's description of itself may be kept in a
// service without calls.
func TestAnEmptyListMakesNoService(t *testing.T) {
	lists := []string{
		"actions", "agents", "apis", "capabilities", "endpoints", "entries", "flows", "interfaces", "items", "linkset", "mcpServers", "mcp_servers", "methods",
		"packages", "paths", "prompts", "protocols", "records", "remotes", "resources", "servers", "services", "skills", "supportedInterfaces", "tools", "transports", "ucp",
	}
	tried := 0
	for _, f := range formats.All() {
		for _, l := range f.Locations {
			if l.Aside || l.Base || f.Name == "robots" { // each text is a robots.txt
				continue
			}
			opts := &client.ParseOptions{URL: "https://shop.example" + l.Path}
			for _, rest := range []string{
				``, `"name": "Shop", `, `"name": "Shop", "description": "Sells.", "version": "1.0", `, `"name": "Shop", "version": "1.0", "url": "https://shop.example/", `,
			} {
				before := things(parsed(t, []byte("{"+strings.TrimSuffix(rest, ", ")+"}"), opts))
				for _, list := range lists {
					for _, empty := range []string{"[]", "{}", "null"} {
						tried++
						body := "{" + rest + `"` + list + `": ` + empty + "}"
						r := parsed(t, []byte(body), opts)
						if made := missing(things(r), before, "-", "verdict", "service"); len(made) > 0 {
							t.Errorf("%s at %s has %q", body, l.Path, made)
						}
						if rest == "" && r.Site != nil && len(r.Site.Services) > 0 {
							t.Errorf("%s at %s makes a service of nothing", body, l.Path)
						}
					}
				}
			}
		}
	}
	t.Logf("%d documents", tried)
}
