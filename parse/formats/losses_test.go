package formats_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// maxShown is the minimum length of a shown text that was cut, in characters.
const maxShown = 900

// maxGrowth is the maximum ratio of the length of the encoded Site to the length of its
// document, in the median.
const maxGrowth = 2.5

// reason is a reason why a string needs no place of its own. A matching general pointer, with a
// matching value if there is a pattern for values, belongs to information that the model
// contains in another form, or that is not about the site.
type reason struct {
	format, pointers, values, why string
}

func reasons() []reason {
	return []reason{
		{"mcp", `/\$schema`, `.*`, "the dialect and version of the source"},
		{"mcp", `(/result)?/(cacheScope|resultType)|/id|/jsonrpc`, `.*`, "about the message, not about the server"},
		{"mcp", `/packages/\*/transport/type|/transports/\*/type`, `.*`, "stdio: that is what an installation means"},
		{"aiplugin", `/auth/verification_tokens/.*`, `.*`, "proofs of a set-up: only their number is kept"},
		{"aiplugin", `/api/type`, `.*`, "the role of the link"},
		{"openrpc", `.*/\$ref`, `.*`, "the definition stands there"},
		{"openrpc", `/methods/\*/examples/\*/result/name`, `.*`, "the label of a value, which stands in an example with a title"},
		{"oauth", `/grant_types_supported/\*`, `.*`, "the model's word for a grant"},
		{"aidiscovery", `/capabilities/\*/endpoint`, `.*`, "the site and its own way to write variables"},
		{"openapi", `.*/collectionFormat`, `.*`, "Param.Style and Explode say it in the words of version 3"},
		{"openapi", `.*/\$ref|.*/discriminator/mapping/.*`, `.*`, "the definition stands there"},
		{"openapi", `/(components/securitySchemes|securityDefinitions)/[^/]+/type`, `.*`, "the model's word for a kind of scheme"},
		{"openapi", `/securityDefinitions/[^/]+/flow`, `.*`, "the model's word for a grant"},
		{"a2a", `/authentication/schemes/\*`, `public|none|no-?auth|anonymous`, "the model's word for a scheme that needs nothing"},
		{"a2a", `/protocols/\*`, `a2a`, "the model's word for the protocol"},
		{"agentskills", `/skills/\*/type`, `skill-md|archive`, "the media type of the file"},
		{"apicatalog", `/linkset/\*/anchor`, `.*/\.well-known/api-catalog`, "the catalogue itself"},
		{"awp", `/actions/\*/(rate_limit|execution_model)`, `.*`, "numbers and flags of the model"},
		{"awp", `/actions/\*/outputs/.*|/entities/.*`, `.*`, "types that the schemas write in the words of JSON Schema"},
	}
}

// TestNothingIsLost walks each string of each document of the corpus that is read. It must find
// the cleaned string in a field of the Site or of its descriptions, in an extension, or in a
// diagnostic, and in an extension only if no field contains it.
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
		unused := unusedDefinitions(r.Format, body, shown.diagnostics)
		walkDocument(r.Format, body, func(at, s string) {
			strs[r.Format]++
			if unused(at) {
				if !slices.ContainsFunc(shown.diagnostics, func(d wayfind.Diagnostic) bool {
					return strings.HasSuffix(d.Code, ".unused") && strings.HasPrefix(at, d.Pointer+"/")
				}) {
					t.Errorf("%s/%s lost, and not said to be unused: %s: %.80q", folder, filepath.Base(path), at, s)
				}
				return
			}
			where := shown.find(at, s)
			switch {
			case where == both && !strings.Contains(at, "/components/") && !excused(r.Format, general(at), s) && strings.Count(string(body), s) == 1:
				twice[r.Format]++
			case where == nowhere && !excused(r.Format, general(at), s):
				lost[r.Format]++
			default:
				return
			}
			t.Errorf("%s/%s %s %s: %.80q", folder, filepath.Base(path), map[bool]string{true: "twice", false: "lost"}[where == both], at, s)
		})
	}
	for _, format := range slices.Sorted(maps.Keys(strs)) {
		t.Logf("| %s | %d | %d | %d |", format, strs[format], lost[format], twice[format])
	}
	slices.Sort(growth)
	median := growth[len(growth)/2]
	t.Logf("%d documents; the Site is %.2f times the document in the median", len(growth), median)
	if median > maxGrowth && golden.Published(t, golden.EnvCorpus) { // the samples are short
		t.Errorf("the Site is %.2f times the document, want at most %v", median, maxGrowth)
	}
}

// excused reports whether a reason applies to a string.
func excused(format, pointer, value string) bool {
	return slices.ContainsFunc(reasons(), func(r reason) bool {
		return r.format == format && regexp.MustCompile("^("+r.pointers+")$").MatchString(pointer) && regexp.MustCompile("(?s)^("+r.values+")$").MatchString(value)
	})
}

// unusedDefinitions reports pointers into definitions that are only used by other definitions,
// by extensions, or by parts that a diagnostic reports as omitted. They belong to no operation
// and are not shown.
func unusedDefinitions(format string, body []byte, said []wayfind.Diagnostic) func(pointer string) bool {
	definition := regexp.MustCompile("^/(components/[^/]+|definitions|parameters|responses)/[^/]+")
	used := map[string]bool{}
	root, err := (&parse.Input{Body: body}).Tree()
	if err != nil || format != "openapi" && format != "openrpc" {
		return func(string) bool { return false }
	}
	refs := &parse.Refs{Reader: parse.NewReader(&parse.Format{Name: "test"}), Root: root}
	var follow func(n parse.Node)
	follow = func(n parse.Node) {
		walkStrings(n, func(at, s string) {
			name := definition.FindString(strings.TrimPrefix(s, "#"))
			read := strings.HasSuffix(at, "/$ref") && !strings.Contains(at, "/x-") &&
				!slices.ContainsFunc(said, func(d wayfind.Diagnostic) bool {
					return d.Pointer != "" && strings.HasPrefix(at, d.Pointer+"/") && d.Code != "openrpc.bare_schema" // which is read
				})
			if read && name != "" && !used[name] {
				used[name] = true
				follow(refs.At(name))
			}
		})
	}
	for name, n := range root.Members() {
		switch name {
		case "components", "definitions", "parameters", "responses", "webhooks":
		default:
			follow(n)
		}
	}
	return func(pointer string) bool {
		name := definition.FindString(pointer)
		return name != "" && !used[name] && !strings.HasPrefix(name, "/components/securitySchemes/")
	}
}

// parsed reads a document like "wayfind parse".
func parsed(t *testing.T, body []byte, o *client.ParseOptions) *client.ParseResult {
	t.Helper()
	r, err := client.Parse(t.Context(), body, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// general returns a pointer without the numbers of one document.
func general(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// walkDocument calls f for each string of a document: all strings of JSON and YAML, and the
// headings and the texts and targets of links of Markdown. A robots.txt contains rules for all
// kinds of crawlers, which are not part of a Site.
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

// where is the place of a string.
type where int

const (
	nowhere where = iota
	field
	extension
	both
	diagnosed
)

// shown contains the strings of a result.
type shown struct {
	encoded             []byte
	fields, extensions  map[string]bool // in the form of plain, and as written
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
	site.Sources = slices.Clone(site.Sources)
	for i := range site.Sources {
		site.Sources[i].Format, site.Sources[i].Dialect = "", "" // our own words
	}
	s.add(t, site)
	return s
}

// addDetails adds the strings of described capabilities, if the document itself contains the
// details.
func (s *shown) addDetails(t *testing.T, r *client.ParseResult, in *parse.Input) {
	t.Helper()
	i := slices.IndexFunc(formats.All(), func(f *parse.Format) bool { return f.Name == r.Format })
	if f := formats.All()[i]; f.Detail != nil {
		for service, c := range r.Site.Capabilities() {
			if !c.Lazy || !slices.Contains(c.DetailURLs, r.Site.Sources[0].URL) { // other documents contain more
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

// add adds the strings of a value of the model.
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

// collect adds the strings of a value. Strings under the name of extensions are extensions.
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

// find returns the place at which a string of the document is shown.
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
		if at, ok := strings.CutPrefix(pointer, "line "); ok && d.Code == "llmstxt.prose_cut" {
			_, from, _ := strings.Cut(d.Message, "from line ")
			from, _, _ = strings.Cut(from, " ")
			first, err := strconv.Atoi(from)
			if line, _ := strconv.Atoi(at); err == nil && line >= first {
				return diagnosed
			}
		}
		if d.Pointer != "" && (d.Pointer == pointer || strings.HasPrefix(pointer, d.Pointer+"/")) {
			return diagnosed
		}
	}
	// A field of the model contains the instant in UTC.
	if t, err := time.Parse(time.RFC3339, written); err == nil && t.UTC().Format(time.RFC3339Nano) != written {
		return s.find(pointer, t.UTC().Format(time.RFC3339Nano))
	}
	return nowhere
}

// plain returns a string in the form for comparison: cleaned, in lower case, without
// differences of spelling.
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

// TestNothingAddedIsLost adds a member with a unique text to each object of each document of
// the corpus that is read, unless the object is a map. It must find each text: if there is no
// field for it, in an extension or in a diagnostic.
func TestNothingAddedIsLost(t *testing.T) {
	for _, path := range golden.Documents(t) {
		folder := filepath.Base(filepath.Dir(path))
		body := golden.Read(t, path)
		options := &client.ParseOptions{MaxBytes: 8 << 20, URL: corpusPlace(folder)}
		var tree any
		if json.Unmarshal(body, &tree) != nil || len(body) > 100<<10 || !parsed(t, body, options).Usable {
			continue
		}
		added := 0
		addMembers("", tree, &added)
		changed, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		r := parsed(t, changed, options)
		if !r.Usable {
			t.Errorf("%s/%s: with members added it is %s (%s)", folder, filepath.Base(path), r.Verdict, r.Reason)
			continue
		}
		shown := shownBy(t, r)
		shown.addDetails(t, r, &parse.Input{Body: changed})
		if slices.ContainsFunc(shown.diagnostics, func(d wayfind.Diagnostic) bool { return strings.HasSuffix(d.Code, ".more_diagnostics") }) {
			continue // there are hundreds, and not all can be named
		}
		unused := unusedDefinitions(r.Format, changed, shown.diagnostics)
		walkDocument(r.Format, changed, func(at, s string) {
			if strings.HasPrefix(s, "added text ") && !unused(at) && shown.find(at, s) == nowhere {
				t.Errorf("%s/%s lost %s", folder, filepath.Base(path), at)
			}
		})
	}
}

// addMembers adds a member to each object of a value, except objects that are maps.
func addMembers(name string, v any, added *int) {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(v)) {
			addMembers(member, v[member], added)
		}
		switch name {
		case "content", "responses", "headers", "components", "examples", "securitySchemes", "securityDefinitions", "flows", "paths", "parameters",
			"schemas", "properties", "variables", "verification_tokens", "scopes", "patternProperties", "$defs", "definitions", "callbacks", "links", "webhooks":
			return
		}
		*added++
		v[fmt.Sprint("zz_added", *added)] = fmt.Sprint("added text ", *added, ".")
	case []any:
		for _, item := range v {
			addMembers("", item, added)
		}
	}
}
