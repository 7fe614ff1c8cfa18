package formats_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// maxShown is how much of a text that was cut must be there, in characters.
const maxShown = 900

// maxGrowth is how much longer the encoded Site may be than its document, in the
// median.
const maxGrowth = 2.5

// reason says why a string needs no place of its own: general pointers that match
// are of what the model says in other words, or of what is not about the site.
type reason struct {
	format, pointers, why string
}

func reasons() []reason {
	return []reason{
		{"mcp", `/\$schema`, "the dialect and version of the source"},
		{"mcp", `(/result)?/(cacheScope|resultType)|/id|/jsonrpc`, "about the message, not about the server"},
		{"mcp", `/packages/\*/transport/type|/transports/\*/type`, "stdio: that is what an installation means"},
		{"aiplugin", `/auth/verification_tokens/.*`, "proofs of a set-up: only their number is kept"},
		{"aiplugin", `/api/type`, "the role of the link"},
		{"openrpc", `.*/\$ref|/components/.*`, "definitions are shown where a method refers to them"},
		{"openrpc", `/methods/\*/examples/\*/result/name`, "the label of a value, which stands in an example with a title"},
		{"oauth", `/grant_types_supported/\*`, "the model's word for a grant"},
		{"aidiscovery", `/capabilities/\*/endpoint`, "the site and its own way to write variables"},
		{"openapi", `.*/collectionFormat`, "Param.Style and Explode say it in the words of version 3"},
		{"openapi", `.*/\$ref|/(components|definitions|parameters|responses)/.*`, "definitions are shown where an operation refers to them"},
		{"awp", `/actions/\*/(rate_limit|execution_model)`, "numbers and flags of the model"},
		{"awp", `/actions/\*/outputs/.*|/entities/.*`, "types that the schemas write in the words of JSON Schema"},
	}
}

// open are the strings, of each format, that still have no place, and those that
// stand in an extension and in a field. More than that fails.
func open() map[string][2]int {
	return map[string][2]int{
		"a2a":     {1, 8},  // a scheme that says nothing is needed; modes
		"llmstxt": {4, 4},  // headings above prose; words that a title repeats
		"openapi": {37, 1}, // schemas of refusals, extensions of parameters
		"openrpc": {0, 1},  // a default
	}
}

// TestNothingIsLost walks every string of every document of the corpus that is
// read, and finds it, cleaned, in a field of the Site or of its descriptions, in
// an extension, or named by a diagnostic; and in an extension only if it is in no
// field.
func TestNothingIsLost(t *testing.T) {
	lost, twice, strs := map[string]int{}, map[string]int{}, map[string]int{}
	var growth []float64
	for _, path := range golden.Documents(t) {
		folder := filepath.Base(filepath.Dir(path))
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := parsed(t, body, &client.ParseOptions{MaxBytes: 8 << 20, URL: corpusPlace(folder)})
		if !r.Usable {
			continue
		}
		shown := shownBy(t, r)
		growth = append(growth, float64(len(shown.encoded))/float64(len(body)))
		shown.addDetails(t, r, &parse.Input{Body: body})
		walkDocument(r.Format, body, func(at, s string) {
			strs[r.Format]++
			where := shown.find(at, s)
			switch {
			case where == both && !excused(r.Format, general(at)) && strings.Count(string(body), s) == 1:
				twice[r.Format]++
			case where == nowhere && !excused(r.Format, general(at)):
				lost[r.Format]++
			default:
				return
			}
			if bound := open()[r.Format]; testing.Verbose() || bound == [2]int{} {
				t.Logf("%s/%s %s%s: %.80q", folder, filepath.Base(path), map[bool]string{true: "twice", false: "lost"}[where == both], at, s)
			}
		})
	}
	for _, format := range slices.Sorted(maps.Keys(strs)) {
		t.Logf("| %s | %d | %d | %d |", format, strs[format], lost[format], twice[format])
		if got, most := [2]int{lost[format], twice[format]}, open()[format]; got[0] > most[0] || got[1] > most[1] {
			t.Errorf("%s: %d strings are lost and %d stand twice, want at most %v", format, got[0], got[1], most)
		}
	}
	slices.Sort(growth)
	median := growth[len(growth)/2]
	t.Logf("%d documents; the Site is %.2f times the document in the median", len(growth), median)
	if median > maxGrowth {
		t.Errorf("the Site is %.2f times the document, want at most %v", median, maxGrowth)
	}
}

// excused reports a pointer that one of the reasons is about.
func excused(format, pointer string) bool {
	return slices.ContainsFunc(reasons(), func(r reason) bool {
		return r.format == format && regexp.MustCompile("^("+r.pointers+")$").MatchString(pointer)
	})
}

// parsed reads a document as "wayfind parse" does.
func parsed(t *testing.T, body []byte, o *client.ParseOptions) *client.ParseResult {
	t.Helper()
	r, err := client.Parse(t.Context(), body, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// general is a pointer without the numbers of one document.
func general(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// walkDocument calls f for each string of a document: those of JSON and YAML, and
// of Markdown the headings and the texts and places of links. A robots.txt has
// rules for all kinds of crawlers, which are none of a Site's.
func walkDocument(format string, body []byte, f func(at, s string)) {
	if root, err := (&parse.Input{Body: body}).Tree(); err == nil && root.Kind() != parse.String {
		walkStrings(root, f)
		return
	}
	if format == "robots" {
		return
	}
	link := regexp.MustCompile(`\[([^\]\[]+)\]\(([^)\s]+)[^)]*\)`)
	for i, line := range strings.Split(string(body), "\n") {
		at := fmt.Sprint("line ", i+1)
		if heading := regexp.MustCompile(`^#{1,2} +([^\[]+?) *#*$`).FindStringSubmatch(line); heading != nil {
			f(at, heading[1])
		}
		for _, l := range link.FindAllStringSubmatch(line, -1) {
			f(at, l[1])
			f(at, strings.TrimPrefix(l[2], "./"))
		}
	}
}

// walkStrings calls f for each string in a value that is text.
func walkStrings(n parse.Node, f func(at, s string)) {
	switch n.Kind() {
	case parse.String:
		if s, _ := n.Str(); strings.TrimSpace(s) != "" {
			f(n.Pointer(), s)
		}
	case parse.Object:
		for _, v := range n.Members() {
			walkStrings(v, f)
		}
	case parse.Array:
		for _, v := range n.Items() {
			walkStrings(v, f)
		}
	}
}

// where a string stands.
type where int

const (
	nowhere where = iota
	field
	extension
	both
	diagnosed
)

// shown is what a result shows of a document.
type shown struct {
	encoded             []byte
	fields, extensions  map[string]bool // as plain compares them, and as written
	allFields, allExtra string
	diagnostics         []wayfind.Diagnostic
}

func shownBy(t *testing.T, r *client.ParseResult) *shown {
	t.Helper()
	site := *r.Site
	s := &shown{fields: map[string]bool{}, extensions: map[string]bool{}, diagnostics: r.Diagnostics}
	var err error
	if s.encoded, err = json.Marshal(site); err != nil {
		t.Fatal(err)
	}
	site.Diagnostics, site.Probes = nil, nil
	s.add(t, site)
	return s
}

// addDetails adds what is shown of the capabilities when they are described, where
// the document itself has it.
func (s *shown) addDetails(t *testing.T, r *client.ParseResult, in *parse.Input) {
	t.Helper()
	i := slices.IndexFunc(formats.All(), func(f *parse.Format) bool { return f.Name == r.Format })
	if f := formats.All()[i]; f.Detail != nil {
		for service, c := range r.Site.Capabilities() {
			if !c.Lazy || !slices.Contains(c.DetailURLs, r.Site.Sources[0].URL) { // more stands elsewhere
				continue
			}
			d, err := f.Detail(in, parse.Subject{Service: service, Capability: c})
			if err != nil {
				t.Errorf("%s: %v", c.Key, err)
				continue
			}
			s.diagnostics = append(s.diagnostics, d.Diagnostics...)
			s.add(t, d.Services)
		}
	}
	s.settle()
}

// add takes the strings of a value of the model.
func (s *shown) add(t *testing.T, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	s.collect(tree, s.fields)
}

func (s *shown) settle() {
	s.allFields = strings.Join(slices.Collect(maps.Keys(s.fields)), "\n")
	s.allExtra = strings.Join(slices.Collect(maps.Keys(s.extensions)), "\n")
}

// collect takes the strings of a value; those under the name of extensions are
// extensions.
func (s *shown) collect(v any, into map[string]bool) {
	switch v := v.(type) {
	case string:
		into[plain(v)], into["="+v] = true, true
	case float64:
		into[fmt.Sprint(v)] = true
	case []any:
		for _, item := range v {
			s.collect(item, into)
		}
	case map[string]any:
		for name, item := range v {
			if name == "extensions" {
				s.collect(item, s.extensions)
				continue
			}
			into[plain(name)] = true
			s.collect(item, into)
		}
	}
}

// find says where a string of the document at a pointer is shown.
func (s *shown) find(pointer, written string) where {
	want := plain(written)
	in := func(set map[string]bool, all string) bool {
		return set[want] || len(want) >= 4 && strings.Contains(all, want)
	}
	words := strings.Fields(want)
	if len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !s.fields[w] }) {
		return field // a list that is written as one text
	}
	inField, inExtra := in(s.fields, s.allFields), in(s.extensions, s.allExtra)
	switch {
	case s.fields["="+written] && s.extensions["="+written]:
		return both
	case inField:
		return field
	case inExtra:
		return extension
	}
	start := []rune(want)
	for _, d := range s.diagnostics {
		if d.Code == "text.cut" && len(start) > maxShown && strings.Contains(s.allFields+s.allExtra, string(start[:maxShown])) {
			return diagnosed
		}
		if d.Pointer != "" && (d.Pointer == pointer || strings.HasPrefix(pointer, d.Pointer+"/")) {
			return diagnosed
		}
	}
	return nowhere
}

// plain is a string as it is compared: cleaned, in lower case, without what
// spelling differs in.
func plain(s string) string {
	clean := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector):
			return -1
		}
		return c
	}, s)
	clean = strings.ToLower(strings.Join(strings.Fields(clean), " "))
	return strings.TrimRight(clean, "/")
}
