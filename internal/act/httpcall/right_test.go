package httpcall_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/schema"
)

// vectors is the number of sets of arguments for each operation.
const vectors = 12

// tally counts the outcomes of the vectors of a document.
type tally struct {
	operations, equal, refused, ambiguous, differ int
	vendors                                       int                   // equal with the names of a vendor
	why                                           map[httpcall.Code]int // of those refused
}

func (a *tally) add(b tally) {
	for code, n := range b.why {
		a.tell(code, n)
	}
	a.operations, a.equal, a.refused = a.operations+b.operations, a.equal+b.equal, a.refused+b.refused
	a.ambiguous, a.differ, a.vendors = a.ambiguous+b.ambiguous, a.differ+b.differ, a.vendors+b.vendors
}

func (a *tally) tell(code httpcall.Code, n int) {
	if a.why == nil {
		a.why = make(map[httpcall.Code]int)
	}
	a.why[code] += n
}

// inWordsOfVendors is the share of the requests that are also compared in the words of each vendor,
// which takes most of the time: all, or one of three in the short form.
func inWordsOfVendors() int { return testkit.Size(3, 1) }

// TestRightRequests: for every operation of the corpus's OpenAPI documents, and of a document
// with all styles in each version, the request for generated arguments is the request of an
// independent reader of the specification.
func TestRightRequests(t *testing.T) {
	byVersion := map[string]*tally{}
	run := func(name, group string, raw []byte) {
		got := judgeDocument(t, name, raw)
		if byVersion[group] == nil {
			byVersion[group] = &tally{}
		}
		byVersion[group].add(got)
	}
	for _, file := range golden.Files(t, golden.Corpus(t, "openapi"), "*") {
		raw := golden.Read(t, file)
		run(filepath.Base(file), "corpus "+versionOf(t, raw), raw)
	}
	for _, version := range []string{"2.0", "3.0", "3.1", "3.2"} {
		run("styles "+version, "styles "+version, stylebook(version))
	}
	var all tally
	row := func(name string, c *tally) {
		t.Logf("%-12s %4d operations: %5d requests equal, %4d refused by both, %3d with two parameters of one name, %d different; %d equal in the words of a vendor; refused %v", name, c.operations, c.equal, c.refused, c.ambiguous, c.differ, c.vendors, c.why)
	}
	for _, group := range slices.Sorted(maps.Keys(byVersion)) {
		row(group, byVersion[group])
		all.add(*byVersion[group])
	}
	row("all", &all)
	if least := golden.Least(t, golden.EnvCorpus, 17_000); all.operations < least/10 || all.equal < least || all.vendors < 7*least/inWordsOfVendors() {
		t.Errorf("%+v: fewer than there are", all)
	}
}

// plainJSON returns a document as JSON.
func plainJSON(t *testing.T, raw []byte) []byte {
	t.Helper()
	tree, err := formattest.Input(t, documentURL, "", raw).Tree()
	if err != nil {
		t.Fatal(err)
	}
	return tree.Raw()
}

const documentURL = "https://shop.example/docs/openapi.json"

func versionOf(t *testing.T, raw []byte) string { return bookOf(t, plainJSON(t, raw)).version }

func bookOf(t *testing.T, raw []byte) *book {
	t.Helper()
	at, err := url.Parse(documentURL)
	if err != nil {
		t.Fatal(err)
	}
	return newBook(raw, at)
}

func judgeDocument(t *testing.T, name string, raw []byte) (count tally) {
	in := formattest.Input(t, documentURL, "", raw)
	r := formattest.Read(t, openapi.Format(), in)
	b := bookOf(t, plainJSON(t, raw))
	for _, s := range r.Services {
		for _, c := range s.Capabilities {
			d, err := openapi.Format().Detail(in, parse.Subject{Capability: &c})
			if err != nil {
				t.Errorf("%s: %s: %v", name, c.ID, err)
				continue
			}
			count.operations++
			full := d.Services[0].Capabilities[0]
			count.add(judgeOperation(t, name, b, &full))
		}
	}
	return count
}

func judgeOperation(t *testing.T, name string, b *book, c *wayfind.Capability) (count tally) {
	steps := strings.Split(c.Sources[0].Pointer, "/")
	path := strings.ReplaceAll(strings.ReplaceAll(steps[2], "~1", "/"), "~0", "~")
	item := b.object(b.root.get("paths").(members).get(path))
	method := steps[len(steps)-1]
	op := b.object(item.get(method))
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if twice(b.parameters(item, op)) {
		count.ambiguous++
		return count
	}
	shown := projections(c)
	for n := range vectors {
		g := &generator{book: b, n: n}
		values, body := g.arguments(item, op, path, c)
		if partsOf(body) == 0 && !b.wantsBody(item, op) && !slices.ContainsFunc(c.Params, func(p wayfind.Param) bool { return p.Whole }) {
			body = nil // no member is given, and neither the method nor the document wants a body
		}
		args := arguments(c, values, body)
		want, wantErr := b.request(method, path, item, op, values, body)
		op := &httpcall.Operation{Invocation: c.Invocation, Params: c.Params}
		got, err := httpcall.Place(op, args)
		switch {
		case err != nil && wantErr != nil:
			count.refused++
			count.tell(codeOf(err), 1)
		case err != nil || wantErr != nil:
			count.differ++
			t.Errorf("%s: %s with %s: %v, the oracle says %v", name, c.ID, args, err, wantErr)
		default:
			if diff := cmp.Diff(want, wireOf(t, got), cmp.AllowUnexported(wire{}, wirePart{})); diff != "" {
				count.differ++
				t.Errorf("%s: %s with %s: %s", name, c.ID, args, diff)
			} else {
				count.equal++
				if (n+len(c.ID))%inWordsOfVendors() == 0 {
					count.vendors += judgeShown(t, op, args, got, shown)
				}
			}
		}
	}
	return count
}

// shown is a schema as models see it.
type shown struct {
	schema *schema.Schema
	forms  []*schema.Projection
}

// projections returns the schema of the arguments in the forms of all vendors.
func projections(c *wayfind.Capability) (s shown) {
	checked, err := schema.Check(c.Input, schema.Draft202012, nil)
	if err != nil {
		return s
	}
	s.schema = checked
	for _, target := range schema.Targets() {
		if p, err := checked.For(target); err == nil {
			s.forms = append(s.forms, p)
		}
	}
	return s
}

// judgeShown passes arguments that the schema accepts in the form of each vendor, with null
// for absent values if the vendor's form uses it, and counts the equal requests.
func judgeShown(t *testing.T, op *httpcall.Operation, args []byte, want *httpcall.Request, s shown) (equal int) {
	t.Helper()
	if s.schema == nil || s.schema.Validate(args, 0) != nil {
		return 0
	}
	for _, p := range s.forms {
		given, list := readTree(args).(members), members{}
		names := make(map[string]string)
		for shown, original := range p.Names {
			names[original] = shown
		}
		for _, m := range given {
			list = append(list, member{either(names[m.name], m.name), m.value})
		}
		if p.Strict && strings.HasPrefix(p.Target.String(), "openai") {
			properties, _ := readTree(p.JSON).(members).get("properties").(members)
			for _, m := range properties {
				original := either(p.Names[m.name], m.name)
				meant := slices.ContainsFunc(p.Loss, func(l schema.Loss) bool { // the publisher accepts null too, which is reported
					return l.Code == "absent_becomes_null" && l.Pointer == "/properties/"+original
				})
				if !meant && !slices.ContainsFunc(given, func(m member) bool { return m.name == original }) {
					list = append(list, member{m.name, nil})
				}
			}
		}
		decoded, err := httpcall.Decode(writeTree(list), s.schema, p, 0)
		if err != nil {
			t.Errorf("%s of %s for %s: %v", writeTree(list), args, p.Target, err)
			continue
		}
		got, err := httpcall.Place(op, decoded.Args)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s for %s: %v, %s", args, p.Target, err, diff)
			continue
		}
		equal++
	}
	return equal
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// twice reports whether two parameters have the same name in different places: a model has one
// name for both.
func twice(list []members) bool {
	seen := map[string]bool{}
	for _, p := range list {
		if name := words(p.get("name")); seen[name] {
			return true
		} else if words(p.get("in")) != "body" {
			seen[name] = true
		}
	}
	return false
}

// wireOf splits the request of the package under test.
func wireOf(t *testing.T, r *httpcall.Request) wire {
	t.Helper()
	// net/http must not change the URL.
	if u, err := url.Parse(r.URL); err != nil || u.Scheme+"://"+u.Host+u.RequestURI() != r.URL {
		t.Errorf("%s is sent as %v, %v", r.URL, u, err)
	}
	w := wire{method: r.Method, url: r.URL, header: map[string]string{}, contentType: r.Header.Get("Content-Type"), body: string(r.Body)}
	for name := range r.Header {
		if name != "Content-Type" {
			w.header[strings.ToLower(name)] = r.Header.Get(name)
		}
	}
	kind, params, _ := mime.ParseMediaType(w.contentType)
	if kind != "multipart/form-data" {
		return w
	}
	w.contentType, w.body = kind, ""
	all := multipart.NewReader(bytes.NewReader(r.Body), params["boundary"])
	for {
		part, err := all.NextRawPart()
		if errors.Is(err, io.EOF) {
			return w
		}
		if err != nil {
			t.Fatalf("%q: %v", r.Body, err)
		}
		body, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		w.parts = append(w.parts, wirePart{part.FormName(), part.FileName(), textproto.TrimString(part.Header.Get("Content-Type")), string(body)})
	}
}

// arguments returns the arguments as a model gives them, by the parameters of the reading.
func arguments(c *wayfind.Capability, values []given, body tree) []byte {
	var list members
	for _, g := range values {
		if g.in != "formData" {
			list = append(list, member{g.name, g.value})
		}
	}
	for _, p := range c.Params {
		if p.In == "body" && p.Whole && body != nil {
			return writeTree(append(list, member{p.Name, body}))
		}
	}
	if m, ok := body.(members); ok {
		list = append(list, m...)
	}
	if list == nil {
		list = members{}
	}
	return writeTree(list)
}

// generator makes arguments from schemas.
type generator struct {
	book *book
	n    int // which vector
	step int
}

// hard returns texts that are difficult to write.
func hard() []string {
	return []string{
		"plain", "a b", "ä€😀", "a/b?c&d=e+f#g", "100%", "%41", "x,y;z|w", "[k]", `"quoted"\`, "*~!$'()", "@:", "=", "日本", "0", "false", "null", "a..b", "%zz",
	}
}

// ascii returns the texts that a header field can contain.
func ascii() []string { return []string{"plain", "a b,c", "x;y=z", "100%", "(c)", "~"} }

func pick[T any](g *generator, list []T) T {
	g.step++
	return list[(g.n*7+g.step*3)%len(list)]
}

// arguments returns values for all parameters, or for the required ones, and a body.
func (g *generator) arguments(item, op members, path string, c *wayfind.Capability) (values []given, body tree) {
	var form members
	hasForm := false
	for _, p := range g.book.parameters(item, op) {
		in, name := words(p.get("in")), words(p.get("name"))
		required, _ := p.get("required").(bool)
		if in == "formData" {
			hasForm = true
		}
		if in == "body" {
			if required || g.n != 0 {
				body = g.value(p.get("schema"), 0, hard())
			}
			continue
		}
		if in == "header" && slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(name)) || in == "path" && !strings.Contains(path, "{"+name+"}") {
			continue
		}
		if g.n == 0 && !required && in != "path" || !slices.Contains([]string{"path", "query", "header", "cookie", "formData", "querystring"}, in) {
			continue
		}
		v := g.parameter(p, in)
		if in == "formData" {
			form = append(form, member{name, v})
			continue
		}
		values = append(values, given{in, name, v})
	}
	if hasForm {
		return values, slices.Concat(members{}, form)
	}
	if kind, media := g.book.mediaOf(op); kind != "" {
		required, _ := g.book.object(op.get("requestBody")).get("required").(bool)
		if required || g.n != 0 || slices.ContainsFunc(c.Params, func(p wayfind.Param) bool { return p.In == "body" && !p.Whole }) {
			body = g.value(media.get("schema"), 0, hard())
			if media.get("schema") == nil {
				body = "aGVsbG8="
			}
		}
	}
	return values, body
}

// wantsBody reports whether a document requires a body, or a field of a form.
func (b *book) wantsBody(item, op members) bool {
	for _, p := range b.parameters(item, op) {
		if required, _ := p.get("required").(bool); required && slices.Contains([]string{"body", "formData"}, words(p.get("in"))) {
			return true
		}
	}
	required, _ := b.object(op.get("requestBody")).get("required").(bool)
	return required
}

func (g *generator) parameter(p members, in string) tree {
	texts := hard()
	if in == "header" || words(p.get("style")) == "cookie" {
		texts = ascii()
	}
	if words(p.get("style")) == "cookie" {
		texts = []string{"plain", "a b", "x=y", "%41"}
	}
	if g.book.version == "2.0" {
		return g.value(p, 1, texts)
	}
	schema := p.get("schema")
	if content, ok := p.get("content").(members); ok {
		schema = g.book.object(content[0].value).get("schema")
	}
	return g.value(schema, 1, texts)
}

// value returns a value of the type of a schema. It ignores other keywords, except enum, so
// that the writers get all kinds of values.
func (g *generator) value(schema tree, depth int, texts []string) tree {
	s := g.book.object(schema)
	if list, ok := s.get("enum").([]tree); ok && len(list) > 0 {
		return pick(g, list)
	}
	kind := s.get("type")
	if list, ok := kind.([]tree); ok && len(list) > 0 {
		kind = list[0]
	}
	if all, ok := s.get("allOf").([]tree); ok && kind == nil && len(all) > 0 {
		return g.value(all[0], depth, texts)
	}
	switch kind {
	case "integer":
		return pick(g, []tree{json.Number("7"), json.Number("0"), json.Number("-1"), json.Number("9007199254740993")})
	case "number":
		return pick(g, []tree{json.Number("0.10"), json.Number("1e+21"), json.Number("-0"), json.Number("3.14159265358979323846")})
	case "boolean":
		return g.n%2 == 0
	case "array":
		list := []tree{}
		for range (g.n + depth) % 4 {
			if depth > 4 {
				break
			}
			list = append(list, g.value(s.get("items"), depth+1, texts))
		}
		return list
	case "object":
		return g.object(s, depth, texts)
	case "file":
		return "aGVsbG8="
	}
	if s.get("properties") != nil {
		return g.object(s, depth, texts)
	}
	if format := words(s.get("format")); format == "binary" || words(s.get("contentEncoding")) == "base64" {
		return "aGVsbG8="
	}
	if g.n == 5 {
		return ""
	}
	return pick(g, texts)
}

func (g *generator) object(s members, depth int, texts []string) tree {
	out := members{}
	properties, _ := s.get("properties").(members)
	required, _ := s.get("required").([]tree)
	for _, p := range properties {
		readOnly, _ := g.book.object(p.value).get("readOnly").(bool)
		if depth > 4 || readOnly || g.n == 0 && !slices.Contains(required, tree(p.name)) {
			continue
		}
		out = append(out, member{p.name, g.value(p.value, depth+1, texts)})
	}
	if properties == nil && g.n > 0 {
		for i := range g.n % 3 {
			out = append(out, member{fmt.Sprintf("k %d", i), g.value(members{{"type", "string"}}, depth+1, texts)})
		}
	}
	return out
}

// stylebook returns a document with every style, of every version, for every kind of value.
func stylebook(version string) []byte {
	kinds := []string{`{"type":"string"}`, `{"type":"integer"}`, `{"type":"array","items":{"type":"string"}}`, `{"type":"object"}`, `{"type":"object","properties":{"R":{"type":"integer"},"G x":{"type":"boolean"}}}`}
	var paths []string
	add := func(in, more, schema string) {
		path, method := fmt.Sprintf("/op%d", len(paths)), "get"
		if in == "path" {
			path += "/{color}"
		}
		if in == "formData" {
			method = "post"
		}
		paths = append(paths, fmt.Sprintf(`%q:{%q:{"parameters":[{"name":"color","in":%q,"required":true%s%s}],"responses":{}}}`, path, method, in, more, schema))
	}
	if version == "2.0" {
		for _, in := range []string{"path", "query", "header", "formData"} {
			add(in, "", `,"type":"string"`)
			for _, format := range []string{"", "csv", "ssv", "tsv", "pipes", "multi"} {
				if format == "multi" && in != "query" && in != "formData" {
					continue
				}
				more := fmt.Sprintf(`,"collectionFormat":%q`, format)
				if format == "" {
					more = ""
				}
				add(in, more, `,"type":"array","items":{"type":"string"}`)
			}
		}
		return fmt.Appendf(nil, `{"swagger":"2.0","info":{"title":"S","version":"1"},"host":"api.shop.example","basePath":"/v1/","schemes":["https"],"paths":{%s}}`, strings.Join(paths, ","))
	}
	styles := map[string][]string{"path": {"", "simple", "label", "matrix"}, "query": {"", "form", "spaceDelimited", "pipeDelimited", "deepObject"}, "header": {"", "simple"}, "cookie": {"", "form"}}
	if version == "3.2" {
		styles["cookie"] = append(styles["cookie"], "cookie")
	}
	for _, in := range slices.Sorted(maps.Keys(styles)) {
		for _, style := range styles[in] {
			for _, explode := range []string{"", `,"explode":true`, `,"explode":false`} {
				for _, reserved := range []string{"", `,"allowReserved":true`} {
					for _, kind := range kinds {
						more := explode + reserved
						if style != "" {
							more += fmt.Sprintf(`,"style":%q`, style)
						}
						add(in, more, `,"schema":`+kind)
					}
				}
			}
		}
		add(in, "", `,"content":{"application/json":{"schema":{"type":"object"}}}`)
	}
	if version == "3.2" {
		for _, kind := range []string{"application/json", "application/x-www-form-urlencoded"} {
			add("querystring", "", fmt.Sprintf(`,"content":{%q:{"schema":{"type":"object"}}}`, kind))
		}
	}
	bodies(&paths)
	return fmt.Appendf(nil, `{"openapi":"%s.0","info":{"title":"S","version":"1"},"servers":[{"url":"../v1/"}],"paths":{%s}}`, version, strings.Join(paths, ","))
}

// bodies adds operations with bodies of every media type, and encodings.
func bodies(paths *[]string) {
	const flat = `{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"number"},"l":{"type":"array","items":{"type":"string"}},"o":{"type":"object"},"f":{"type":"string","format":"binary"}}}`
	const lists = `{"type":"object","properties":{"s":{"type":"string"},"l":{"type":"array","items":{"type":"string"}},"m":{"type":"object"},"p":{"type":"array","items":{"type":"integer"}}}}`
	add := func(kind, schema, encoding string) {
		for _, required := range []bool{true, false} {
			*paths = append(*paths, fmt.Sprintf(`"/body%d":{"post":{"requestBody":{"required":%t,"content":{%q:{"schema":%s%s}}},"responses":{}}}`, len(*paths), required, kind, schema, encoding))
		}
	}
	for _, kind := range []string{"application/json", "application/vnd.api+json", "*/*", "application/x-www-form-urlencoded"} {
		add(kind, strings.Replace(flat, `,"f":{"type":"string","format":"binary"}`, "", 1), "")
	}
	add("application/json", `{"type":"array","items":{"type":"number"}}`, "")
	add("application/json", `{"type":"string"}`, "")
	add("multipart/form-data", flat, "")
	add("multipart/form-data", flat, `,"encoding":{"s":{"contentType":"text/csv"},"o":{"contentType":"application/json"},"f":{"contentType":"image/png, image/jpeg"}}`)
	add("text/plain", `{"type":"string"}`, "")
	add("text/csv", `{"type":"string"}`, "")
	add("application/octet-stream", `{"type":"string","format":"binary"}`, "")
	add("application/xml", `{"type":"string"}`, "")
	for _, encoding := range []string{
		`"l":{"style":"form","explode":false},"m":{"style":"deepObject","explode":true},"p":{"style":"spaceDelimited","explode":false}`,
		`"l":{"style":"pipeDelimited","explode":false},"m":{"style":"form","explode":true},"s":{"allowReserved":true},"p":{"style":"pipeDelimited"}`,
		`"m":{"style":"form","explode":false},"l":{"style":"form"}`,
	} {
		add("application/x-www-form-urlencoded", lists, `,"encoding":{`+encoding+`}`)
	}
}
