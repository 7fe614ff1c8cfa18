package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// tries is the number of random changes of each kind for each document and place.
const tries = 20

// mutation changes a document at random, and returns a description of the change.
type mutation struct {
	name   string
	change func(rnd *rand.Rand, doc any) (done string)
	// moved is the maximum share of changed documents with another verdict, in percent. hidden
	// is the maximum share of them that named an endpoint of a server and still contain all
	// addresses in their places. The first value is for MCP's own places, the second for any
	// place.
	moved, hidden [2]float64
}

func mutations() []mutation {
	return []mutation{
		{"add", addMember, [2]float64{0, 0}, [2]float64{0, 0}},
		{"remove", removeMember, [2]float64{10, 13}, [2]float64{0.5, 3}},
		{"rename", renameMember, [2]float64{10, 13}, [2]float64{0.5, 3}},
	}
}

// TestLeaveOut checks that the kind of a document does not depend on unrelated members. It
// adds, removes and renames members of published documents at random, and counts changes of the
// verdict. parse/formats/CORPUS.md contains the figures.
func TestLeaveOut(t *testing.T) {
	for p, place := range []string{mcp.PathJSON, ""} {
		for _, m := range mutations() {
			changed, moved, hidden := 0, 0, 0
			for i, doc := range recognised(t, place) {
				rnd := rand.New(rand.NewPCG(17, uint64(i)))
				for range tries {
					tree := decoded(t, doc.body)
					done := m.change(rnd, tree)
					if done == "" {
						continue
					}
					got := judged(t, place, asBytes(t, tree))
					changed++
					if got.verdict == doc.verdict {
						continue
					}
					moved++
					if testing.Verbose() {
						t.Logf("%s at %q: %s: %s, was %s", doc.name, place, done, got.verdict, doc.verdict)
					}
					if doc.spoken && slices.Equal(addressesOf(tree), addressesOf(decoded(t, doc.body))) {
						hidden++
					}
				}
			}
			share := func(n int) float64 { return 100 * float64(n) / float64(changed) }
			t.Logf("| %s | %s | %d | %d (%.1f %%) | %d (%.1f %%) |", m.name, placeName(place), changed, moved, share(moved), hidden, share(hidden))
			most := m.moved[p]
			if !golden.Published(t, golden.EnvCorpus) {
				most *= 3 // the samples are short, so that a change is more often of a member that matters
			}
			if share(moved) > most || share(hidden) > m.hidden[p] {
				t.Errorf("%s at %q: %.1f %% moved and %.1f %% with all their addresses, want at most %v and %v", m.name, place, share(moved), share(hidden), most, m.hidden[p])
			}
		}
	}
}

// TestLeaveOutOthers checks that no such change makes a published document of another kind a
// document of MCP, at any place that is not one of MCP's own places.
func TestLeaveOutOthers(t *testing.T) {
	for _, m := range mutations() {
		documents, changed, became := 0, 0, 0
		for i, path := range golden.Documents(t) {
			folder, body := filepath.Base(filepath.Dir(path)), golden.Read(t, path)
			if slices.Contains(folders(), folder) || len(body) > 64<<10 || !json.Valid(body) || judged(t, "", body).verdict != "unrecognised" {
				continue
			}
			documents++
			rnd := rand.New(rand.NewPCG(17, uint64(i)))
			for range tries {
				tree := decoded(t, body)
				done := m.change(rnd, tree)
				if done == "" {
					continue
				}
				changed++
				if got := judged(t, "", asBytes(t, tree)); got.verdict == "found" {
					became++
					t.Logf("%s/%s: %s: found", folder, filepath.Base(path), done)
				}
			}
		}
		t.Logf("| %s | others | %d of %d | %d |", m.name, changed, documents, became)
		if became > 0 {
			t.Errorf("%s: %d changed documents of other formats became documents of MCP", m.name, became)
		}
	}
}

func placeName(place string) string {
	if place == "" {
		return "anywhere"
	}
	return "MCP's own"
}

// judgement is the result for a document.
type judgement struct {
	name    string
	body    []byte
	verdict string
	// spoken is true if it names an endpoint of a server.
	spoken bool
}

// recognised returns the documents of the corpus that are read as MCP at a place.
func recognised(t *testing.T, place string) []judgement {
	t.Helper()
	var list []judgement
	for _, folder := range folders() {
		for _, path := range golden.Files(t, golden.Corpus(t, folder), "*.json") {
			body := golden.Read(t, path)
			if j := judged(t, place, body); j.verdict != "unrecognised" && json.Valid(body) {
				j.name = folder + "/" + filepath.Base(path)
				list = append(list, j)
			}
		}
	}
	return list
}

// judged reads a document at a place.
func judged(t *testing.T, place string, body []byte) judgement {
	t.Helper()
	j := judgement{body: body, verdict: "unrecognised"}
	in := served(t, ":"+place, body)
	claim := mcp.Format().Match(in)
	if claim.Level == parse.None {
		return j
	}
	r, err := mcp.Format().Parse(in)
	switch {
	case err != nil:
		j.verdict = "error"
	case claim.Negative:
		j.verdict = "absent"
	case r.Unusable != "":
		j.verdict = "malformed"
	default:
		j.verdict = "found"
		j.spoken = slices.ContainsFunc(r.Services, func(s wayfind.Service) bool { return len(s.Interfaces) > 0 })
	}
	return j
}

func decoded(t *testing.T, body []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func asBytes(t *testing.T, tree any) []byte {
	t.Helper()
	b, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// objects returns the objects near the top of a document, which define its kind.
func objects(tree any, depth int) []map[string]any {
	var list []map[string]any
	switch v := tree.(type) {
	case map[string]any:
		if len(v) > 0 {
			list = append(list, v)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if depth > 0 {
				list = append(list, objects(v[name], depth-1)...)
			}
		}
	case []any:
		for _, item := range v {
			if depth > 0 {
				list = append(list, objects(item, depth-1)...)
			}
		}
	}
	return list
}

// addressesOf returns the addresses in a document, each with its path.
func addressesOf(tree any) []string {
	var list []string
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, item := range v {
				walk(path+"/"+name, item)
			}
		case []any:
			for i, item := range v {
				walk(fmt.Sprint(path, "/", i), item)
			}
		case string:
			if strings.HasPrefix(v, "https://") {
				list = append(list, path+" "+v)
			}
		}
	}
	walk("", tree)
	slices.Sort(list)
	return list
}

// addMember adds a member of other formats, with a value of any kind, to the document or to an
// object in it. No member is a version of another format or an interface of an agent, because
// these define the kind of a document.
func addMember(rnd *rand.Rand, tree any) string {
	names := []string{
		"openapi", "swagger", "openrpc", "skills", "supportedInterfaces", "entries", "agents", "protocols", "actions", "paths", "info", "linkset",
		"resource", "issuer", "awp_version", "ucp", "api", "auth_note", "x-vendor", "_meta", "license", "contact", "flows", "metadata", "schema_version",
	}
	values := []any{
		"", "text", "https://example.org/other", "/other", true, json.Number("7"), nil, []any{}, []any{"a"}, map[string]any{}, map[string]any{"url": "/other"},
		[]any{map[string]any{"id": "x", "name": "x"}}, []any{map[string]any{"url": "https://example.org/a"}},
	}
	all := objects(tree, 2)
	if len(all) == 0 {
		return ""
	}
	at, name := all[rnd.IntN(len(all))], names[rnd.IntN(len(names))]
	if rnd.IntN(2) == 0 {
		at = all[0]
	}
	value := values[rnd.IntN(len(values))]
	list, _ := value.([]any)
	if _, twice := at[name]; twice || name == "supportedInterfaces" && len(list) > 0 || (name == "openapi" || name == "swagger" || name == "openrpc" || name == "awp_version") && value == json.Number("7") {
		return ""
	}
	at[name] = value
	return fmt.Sprintf("added %q: %v", name, value)
}

func removeMember(rnd *rand.Rand, tree any) string {
	at, name := pickMember(rnd, tree)
	if name == "" {
		return ""
	}
	delete(at, name)
	return fmt.Sprintf("removed %q", name)
}

func renameMember(rnd *rand.Rand, tree any) string {
	at, name := pickMember(rnd, tree)
	to := []string{strings.ToUpper(name), "my_" + name, name + "s", name + "2"}[rnd.IntN(4)]
	if _, twice := at[to]; name == "" || twice {
		return ""
	}
	at[to] = at[name]
	delete(at, name)
	return fmt.Sprintf("renamed %q to %q", name, to)
}

func pickMember(rnd *rand.Rand, tree any) (map[string]any, string) {
	all := objects(tree, 3)
	if len(all) == 0 {
		return nil, ""
	}
	at := all[rnd.IntN(len(all))]
	names := slices.Sorted(maps.Keys(at))
	return at, names[rnd.IntN(len(names))]
}
