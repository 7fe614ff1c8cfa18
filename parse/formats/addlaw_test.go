package formats_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// added returns members that documents of any format may have in addition to their own. They
// were chosen without the corpus. They do not define the kind of a document.
func added() []struct{ name, value string } {
	return []struct{ name, value string }{
		{"url", `"https://shop.example/"`}, {"url", `"/"`}, {"url", `7`}, {"url", `null`},
		{"id", `"shop"`}, {"id", `7`}, {"type", `"service"`}, {"type", `"agent"`}, {"kind", `"manifest"`},
		{"version", `"2.1.0"`}, {"version", `2`}, {"schemaVersion", `"1.0"`}, {"protocolVersion", `"1.0"`}, {"protocolVersion", `"2025-11-25"`},
		{"protocol", `"https"`}, {"skills", `[]`}, {"skills", `["go"]`}, {"skills", `{}`}, {"servers", `[]`}, {"servers", `{}`},
		{"tools", `[]`}, {"tools", `{}`}, {"resources", `[]`}, {"prompts", `[]`}, {"capabilities", `{}`}, {"capabilities", `[]`},
		{"capabilities", `{"tools":true}`}, {"entries", `[]`}, {"agents", `[]`}, {"actions", `[]`}, {"endpoints", `{}`}, {"endpoint", `""`},
		{"api", `{}`}, {"auth", `{}`}, {"auth", `{"type":"none"}`}, {"authentication", `null`}, {"links", `[]`}, {"linkset", `[]`}, {"items", `[]`},
		{"remotes", `[]`}, {"packages", `[]`}, {"transport", `{}`}, {"supportedInterfaces", `[]`}, {"methods", `[]`}, {"paths", `{}`}, {"info", `{}`},
		{"@context", `"https://schema.org"`}, {"@type", `"WebAPI"`}, {"$comment", `"text"`}, {"_meta", `{}`}, {"x-vendor", `{"a":1}`},
		{"publisher", `{"name":"Shop"}`}, {"contact", `"mailto:a@shop.example"`}, {"license", `"MIT"`}, {"homepage", `"https://shop.example/"`},
		{"documentation", `"https://shop.example/docs"`}, {"icon", `"/icon.png"`}, {"lang", `"en"`}, {"updated", `"2026-11-01"`}, {"status", `"active"`},
		{"policies", `[]`}, {"resource", `""`}, {"issuer", `""`}, {"flows", `[]`}, {"keys", `[]`}, {"metadata", `{}`}, {"extensions", `[]`}, {"signatures", `[]`},
	}
}

// meaning returns the parts of a Site that a document defines: its kind, its services and its
// calls. Addresses are counted per service, since a member may add one.
func meaning(r *client.ParseResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Verdict, r.Format)
	if r.Site == nil {
		return b.String()
	}
	for _, s := range r.Site.Services {
		ids := make([]string, 0, len(s.Capabilities))
		for _, c := range s.Capabilities {
			ids = append(ids, c.ID)
		}
		slices.Sort(ids)
		protocols := make([]string, 0, len(s.Interfaces))
		for _, i := range s.Interfaces {
			protocols = append(protocols, string(i.Protocol))
		}
		slices.Sort(protocols)
		if len(ids)+len(protocols) == 0 && s.Name == "" {
			continue // it keeps members without a rule
		}
		fmt.Fprintf(&b, "%q %q %q\n", s.ID, slices.Compact(protocols), ids)
	}
	return b.String()
}

// ownMembers returns the members in the list that the format of a folder defines. A further one
// of them may add an interface.
func ownMembers(folder string) []string {
	switch folder {
	case "a2a-agent-card":
		return []string{"protocolVersion"}
	case "mcp-server-card", "mcp-tools-list":
		return []string{"url"}
	}
	return nil
}

// lawPlace returns the place of a document for the laws: its own place, or a place where
// documents of its kind are published. The place of metadata about authentication follows from
// its identifier.
func lawPlace(folder string, body []byte) string {
	switch folder {
	case "openapi":
		return "https://shop.example/openapi.json"
	case "openrpc":
		return "https://shop.example/openrpc.json"
	case "mcp-server-json":
		return "https://shop.example/server.json"
	case "mcp-tools-list":
		return "https://shop.example/.well-known/mcp.json"
	case "oauth-metadata":
		var doc struct{ Issuer, Resource string }
		if json.Unmarshal(body, &doc) != nil {
			return ""
		}
		word := "oauth-authorization-server"
		if doc.Issuer == "" {
			word = "oauth-protected-resource"
		}
		u, err := url.Parse(cmp.Or(doc.Issuer, doc.Resource))
		if err != nil || u.Host == "" {
			return ""
		}
		return "https://" + u.Host + "/.well-known/" + word + strings.TrimSuffix(u.Path, "/")
	}
	return corpusPlace(folder)
}

// A member that does not define the kind of a document changes neither its format, nor its
// services, nor their protocols, nor its calls. The members are added to each published
// document of each format, at the format's own place: a third of them to each document in turn,
// or all if WAYFIND_LONG is "all".
func TestAnAddedMemberMovesNothing(t *testing.T) {
	type count struct{ tried, moved int }
	counts, step := map[string]*count{}, 3
	if testkit.All() {
		step = 1
	}
	for i, path := range golden.Documents(t) {
		folder, body := filepath.Base(filepath.Dir(path)), golden.Read(t, path)
		place := lawPlace(folder, body)
		var doc map[string]json.RawMessage
		if place == "" || len(body) > 64<<10 || json.Unmarshal(body, &doc) != nil {
			continue
		}
		opts := &client.ParseOptions{URL: place}
		plain := parsed(t, jsonOf(t, doc), opts)
		if plain.Verdict != wayfind.VerdictFound {
			continue
		}
		want, n := meaning(plain), counts[folder]
		if n == nil {
			n = &count{}
			counts[folder] = n
		}
		for j, m := range added() {
			if _, has := doc[m.name]; has || (i+j)%step != 0 {
				continue
			}
			n.tried++
			doc[m.name] = json.RawMessage(m.value)
			got := meaning(parsed(t, jsonOf(t, doc), opts))
			if got != want && !slices.Contains(ownMembers(folder), m.name) {
				n.moved++
				t.Errorf("%s/%s with %q: %s:\n%s, was\n%s", folder, filepath.Base(path), m.name, m.value, got, want)
			}
			delete(doc, m.name)
		}
	}
	for folder, n := range counts {
		t.Logf("| %s | %d | %d |", folder, n.tried, n.moved)
	}
}

func jsonOf(t *testing.T, doc map[string]json.RawMessage) []byte {
	t.Helper()
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
