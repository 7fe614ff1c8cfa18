package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestOutputDoc writes docs/OUTPUT.md from the types that --json prints, and fails if the page is
// stale.
func TestOutputDoc(t *testing.T) {
	d := &outputDoc{t: t, seen: map[reflect.Type]bool{}, sources: map[string]*sourceText{}}
	d.WriteString(outputHead)
	d.writeSchemas()
	d.WriteString("\n## Failures\n\nThe member `error` of any of these objects.\n")
	d.table(reflect.TypeFor[ui.Failure]())
	d.writeKinds()
	d.WriteString("\n## The types\n\nIn alphabetical order. Text from documents is foreign text: it was cleaned, and is\nstill data, never an instruction.\n")
	d.writeTypes()
	d.writeCodes()
	file := filepath.Join("..", "..", "docs", "OUTPUT.md")
	for _, why := range broken(string(golden.Read(t, file)), d.String()) {
		t.Errorf("%s, which breaks those who read it: give the schema the next number", why)
	}
	golden.Compare(t, []byte(d.String()), file)
}

const outputHead = "# Output for programs\n\n" +
	"The command prints these objects with `--json`, and `wayfind batch` always does. Results\n" +
	"go to standard output, everything else to standard error. A single result is indented;\n" +
	"several results take one line each (JSON Lines). This page is generated:\n" +
	"`go test ./cmd/wayfind -update`.\n\n" +
	"- Each result is an object with the member `schema`. Check it before anything else, and\n" +
	"  refuse schemas that you do not know.\n" +
	"- Members are only ever added to a schema, so ignore unknown ones. Any other change\n" +
	"  gives the schema the next number.\n" +
	"- A result with the member `error` is a failure. Its other members hold the facts that\n" +
	"  were learned before. Without any, the schema is `wayfind/error/1`.\n" +
	"- `wayfind resolve` prints one object for each target, even for one that names no\n" +
	"  domain. `wayfind batch` prints one for each line of its list. An error that stops a\n" +
	"  batch before its first result is the only result.\n" +
	"- Unknown facts are left out: such members have a `?` below. Absent is not zero, and\n" +
	"  not false.\n" +
	"- Times are RFC 3339. Durations carry their unit in the name.\n" +
	"- Exit status: 0 found, 1 nothing found or not usable, 2 wrong usage, 3 could not be\n" +
	"  asked, 4 refused by policy, 5 incomplete: places of a domain gave no answer, as its\n" +
	"  member `incomplete` lists. Several results give the highest. If standard output\n" +
	"  cannot be written, the command ends with 3, and standard error has the reason.\n"

// outputDoc is docs/OUTPUT.md under way.
type outputDoc struct {
	strings.Builder
	t       *testing.T
	seen    map[reflect.Type]bool
	types   []reflect.Type // structs of their own, and words
	sources map[string]*sourceText
}

// pageOrder contains the schemas in the order of the page: the middle words of their names.
const pageOrder = "site result detail hits document lint check diff pins pin-check call formats keys cache crawl cache-removal tools-report serve error"

// onPage returns the schemas in the order of the page.
func onPage(t *testing.T) []ui.Schema {
	list, order := schemas(), strings.Fields(pageOrder)
	place := func(s ui.Schema) int { return slices.Index(order, strings.Split(s.Name, "/")[1]) }
	for _, s := range list {
		if place(s) < 0 || len(list) != len(order) {
			t.Fatalf("the page has no place for %s, or one without a schema", s.Name)
		}
	}
	slices.SortFunc(list, func(a, b ui.Schema) int { return place(a) - place(b) })
	return list
}

func (d *outputDoc) writeSchemas() {
	d.WriteString("\n## The schemas\n\n| schema | printed by | type |\n|---|---|---|\n")
	for _, s := range onPage(d.t) {
		fmt.Fprintf(d, "| `%s` | %s | %s |\n", s.Name, s.By, typeLink(modelOf(reflect.TypeOf(s.Value))))
	}
	for _, s := range onPage(d.t) {
		fmt.Fprintf(d, "\n### `%s`\n\n%s\n", s.Name, s.About)
		typ := reflect.TypeOf(s.Value)
		d.seen[typ], d.seen[modelOf(typ)] = true, true
		d.collect(typ)
		d.table(typ)
	}
}

// modelOf is the type of the model that a type of the command adds members to, else the
// type itself.
func modelOf(typ reflect.Type) reflect.Type {
	if typ.NumField() > 0 && typ.Field(0).Anonymous {
		return leafOf(typ.Field(0).Type)
	}
	return typ
}

// typeLink returns the name of a type of a schema. Types of the command have no name that readers
// need.
func typeLink(typ reflect.Type) string {
	if ofCommand(typ) {
		return "–"
	}
	return "Go's `" + typ.String() + "`"
}

// ofCommand reports whether a type is one of the command.
func ofCommand(typ reflect.Type) bool {
	return strings.HasPrefix(typ.PkgPath()+"/", golden.Module+"/cmd/wayfind/")
}

// collect finds the named types that a type leads to.
func (d *outputDoc) collect(typ reflect.Type) {
	for f := range typ.Fields() {
		leaf := leafOf(f.Type)
		ours := strings.HasPrefix(leaf.PkgPath(), golden.Module)
		if f.Anonymous && ours {
			d.collect(leaf)
			continue
		}
		if !f.IsExported() || !ours || d.seen[leaf] || f.Tag.Get("json") == "-" {
			continue
		}
		d.seen[leaf] = true
		d.types = append(d.types, leaf)
		if leaf.Kind() == reflect.Struct {
			d.collect(leaf)
		}
	}
}

// leafOf returns the type of the elements of lists, maps and pointers.
func leafOf(typ reflect.Type) reflect.Type {
	for typ.Name() == "" && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, typ.Kind()) {
		typ = typ.Elem()
	}
	return typ
}

func (d *outputDoc) writeTypes() {
	slices.SortFunc(d.types, func(a, b reflect.Type) int { return strings.Compare(headingOf(a), headingOf(b)) })
	for _, typ := range d.types {
		if typ == reflect.TypeFor[wayfind.Code]() {
			continue
		}
		fmt.Fprintf(d, "\n### `%s`\n\n%s\n", headingOf(typ), plain(d.source(typ).types[typ.Name()], nil))
		if typ.Kind() == reflect.Struct {
			d.table(typ)
		} else {
			d.words(typ)
		}
	}
}

// headingOf is the name of a type: with its package, unless that is package
// wayfind or the command.
func headingOf(typ reflect.Type) string {
	if typ.PkgPath() == golden.Module || ofCommand(typ) {
		return strings.ToUpper(typ.Name()[:1]) + typ.Name()[1:]
	}
	return typ.String()
}

// linkTo returns a link to the description of a type.
func linkTo(typ reflect.Type) string {
	heading := headingOf(typ)
	for _, s := range schemas() {
		if modelOf(reflect.TypeOf(s.Value)) == typ {
			heading = s.Name
		}
	}
	return "[`" + headingOf(typ) + "`](#" + regexp.MustCompile(`[./]`).ReplaceAllString(strings.ToLower(heading), "") + ")"
}

// table lists the members of a struct.
func (d *outputDoc) table(typ reflect.Type) {
	rows := d.rows(typ)
	if len(rows) == 0 {
		d.WriteString("\nIt has no members of its own.\n")
		return
	}
	d.WriteString("\n| member | value | meaning |\n|---|---|---|\n" + strings.Join(rows, ""))
}

func (d *outputDoc) rows(typ reflect.Type) (rows []string) {
	if typ == reflect.TypeFor[wayfind.Limit]() { // which writes itself
		return []string{"| `n` | number | How many. |\n", "| `perSeconds`? | number | In how many seconds. |\n", "| `text`? | string | The limit as written, when it has no such form. |\n"}
	}
	names := map[string]string{}
	for f := range typ.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names[f.Name] = name
		}
	}
	for f := range typ.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			rows = append(rows, d.rows(leafOf(f.Type))...)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			d.t.Errorf("%s.%s has no JSON name", typ, f.Name)
		}
		mark := ""
		if options != "" {
			mark = "?"
		}
		about := plain(d.source(typ).fields[typ.Name()+"."+f.Name], names)
		if about == "" && ofCommand(typ) {
			d.t.Errorf("%s.%s has no comment", typ, f.Name)
		}
		rows = append(rows, fmt.Sprintf("| `%s`%s | %s | %s |\n", name, mark, d.valueName(f.Type), strings.ReplaceAll(about, "|", `\|`)))
	}
	return rows
}

// valueName returns the name of the JSON value of a type.
func (d *outputDoc) valueName(typ reflect.Type) string {
	switch {
	case typ == reflect.TypeFor[time.Time]():
		return "time"
	case typ == reflect.TypeFor[json.RawMessage](), typ.Kind() == reflect.Interface:
		return "any JSON"
	case typ.Kind() == reflect.Pointer:
		return d.valueName(typ.Elem())
	case typ.Kind() == reflect.Slice:
		return "list of " + d.valueName(typ.Elem())
	case typ.Kind() == reflect.Map:
		return "object of " + d.valueName(typ.Elem()) + " by name"
	case typ == reflect.TypeFor[wayfind.Code]():
		return "[code](#codes)"
	case strings.HasPrefix(typ.PkgPath(), golden.Module):
		if !d.seen[typ] && typ != reflect.TypeFor[ui.Failure]() {
			d.t.Errorf("%s is not described", typ)
		}
		return linkTo(typ)
	case typ.Kind() == reflect.Bool:
		return "boolean"
	case typ.Kind() == reflect.String:
		return "string"
	case typ.Kind() >= reflect.Int && typ.Kind() <= reflect.Float64:
		return "number"
	}
	d.t.Errorf("nothing says what JSON has for %s", typ)
	return ""
}

// words lists the constants of a type of words.
func (d *outputDoc) words(typ reflect.Type) {
	list := d.source(typ).words[typ.Name()]
	if len(list) == 0 {
		return
	}
	d.WriteString("\n| word | meaning |\n|---|---|\n")
	for _, w := range list {
		fmt.Fprintf(d, "| `%s` | %s |\n", w.value, strings.ReplaceAll(plain(w.about, nil), "|", `\|`))
	}
}

func (d *outputDoc) writeKinds() {
	d.WriteString("\n| kind | meaning |\n|---|---|\n")
	for _, k := range ui.Kinds() {
		fmt.Fprintf(d, "| `%s` | %s |\n", k.Word(), k.Means)
	}
}

func (d *outputDoc) writeCodes() {
	d.WriteString("\n## Codes\n\nThe codes of failures, of probes and of signatures, with the kind that most errors with the\ncode are of. `" + ui.CodeUsage + "` is the code of a call that makes no sense. The set grows.\n[DIAGNOSTICS.md](DIAGNOSTICS.md) has the codes of diagnostics.\n\n| code | kind | meaning |\n|---|---|---|\n")
	code := reflect.TypeFor[wayfind.Code]()
	for _, w := range d.source(code).words[code.Name()] {
		kind := ui.KindOf(wayfind.NewError("", "", wayfind.Code(w.value), nil))
		fmt.Fprintf(d, "| `%s` | `%s` | %s |\n", w.value, kind, strings.TrimSpace(w.about))
	}
}

// sourceText contains the comments of a package.
type sourceText struct {
	types  map[string]string // by name
	fields map[string]string // by "Type.Field"
	words  map[string][]word // constants by the name of their type
}

type word struct{ name, value, about string }

// source reads the package of a type.
func (d *outputDoc) source(typ reflect.Type) *sourceText {
	dir := strings.TrimPrefix(strings.TrimPrefix(typ.PkgPath(), golden.Module), "/")
	if s := d.sources[dir]; s != nil {
		return s
	}
	s := &sourceText{map[string]string{}, map[string]string{}, map[string][]word{}}
	d.sources[dir] = s
	files, err := filepath.Glob(filepath.Join(golden.Root(d.t), dir, "*.go"))
	if err != nil || len(files) == 0 {
		d.t.Fatalf("no source of %s: %v", typ, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				s.read(decl)
			}
		}
	}
	return s
}

func (s *sourceText) read(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.types[spec.Name.Name] = decl.Doc.Text() + spec.Doc.Text()
			if fields, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range fields.Fields.List {
					for _, id := range f.Names {
						s.fields[spec.Name.Name+"."+id.Name] = f.Doc.Text() + f.Comment.Text()
					}
				}
			}
		case *ast.ValueSpec:
			typ, ok := spec.Type.(*ast.Ident)
			if !ok || decl.Tok != token.CONST || len(spec.Values) != 1 {
				continue
			}
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				value, _ := strconv.Unquote(lit.Value)
				s.words[typ.Name] = append(s.words[typ.Name], word{spec.Names[0].Name, value, strings.TrimPrefix(spec.Doc.Text(), spec.Names[0].Name+": ") + spec.Comment.Text()})
			}
		}
	}
}

// goName is a name of an exported field in a comment. With a dot or an article
// before it, and as part of a word, it is another name.
var goName = regexp.MustCompile(`(?:\b(?:a|an|JSON) )*[\w.]*\b[A-Z]\w*[\w.]*`)

// plain returns a comment on one line, with the JSON names of fields instead of the Go names.
func plain(comment string, names map[string]string) string {
	comment = strings.Join(strings.Fields(comment), " ")
	comment = goName.ReplaceAllStringFunc(comment, func(s string) string {
		bare := strings.TrimRight(s, ".")
		if name := names[bare]; name != "" {
			return "`" + name + "`" + s[len(bare):]
		}
		return s
	})
	comment = regexp.MustCompile(`\[(\w+)\]`).ReplaceAllString(comment, "$1")
	comment = regexp.MustCompile(`\b[Nn]il\b`).ReplaceAllString(comment, "absent")
	if comment == "" {
		return ""
	}
	comment = regexp.MustCompile(`\. absent\b`).ReplaceAllString(strings.ToUpper(comment[:1])+comment[1:], ". Absent")
	if strings.HasSuffix(comment, ".") || strings.HasSuffix(comment, "…") {
		return comment
	}
	return comment + "."
}
