package arch

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
)

// TestC18_NoInternalTypes: what importers see names no internal package. godoc
// cannot show such a type, and importers can neither write it nor make one.
func TestC18_NoInternalTypes(t *testing.T) {
	for _, p := range load(t) {
		if !p.public() {
			continue
		}
		for _, f := range p.production() {
			for _, spec := range f.imports() {
				importPath := unquote(spec.Path)
				if !strings.Contains(importPath, "/internal/") {
					continue
				}
				inExported(f, func(shown ast.Node) {
					ast.Inspect(shown, func(n ast.Node) bool {
						sel, ok := n.(*ast.SelectorExpr)
						if x, is := identOf(sel, ok); is && x == f.localName(importPath) {
							t.Errorf("%s: an exported declaration names %s.%s", f.at(sel), importPath, sel.Sel.Name)
						}
						return true
					})
				})
			}
		}
	}
}

// inExported calls visit for what godoc shows of each declaration of a file.
func inExported(f *source, visit func(ast.Node)) {
	for _, decl := range f.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
				visit(d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				inSpec(spec, visit)
			}
		}
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) string {
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// inSpec calls visit for what godoc shows of one declaration.
func inSpec(spec ast.Spec, visit func(ast.Node)) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
			visit(s)
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		fields, ok := s.Type.(*ast.StructType)
		if !ok {
			visit(s.Type)
			return
		}
		for _, field := range fields.Fields.List {
			if len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
				visit(field.Type)
			}
		}
	}
}

// front are the packages whose exported names are counted.
func front() []string {
	return []string{
		".", "client", "client/clienttest", "cache", "parse", "resolve", "resolve/diff",
		"security", "security/cards", "security/pins", "security/prompt",
	}
}

// Most of each that the packages of the front may export together. What is added
// needs a user: remove something else, or say in the commit who it is.
//
// Three fields are those of calls: Error.Unsent and Answered say whether a request may
// be repeated, Credential.In where a key goes that is no header field.
const (
	maxNames   = 573 // KindWord, for metrics and for what tools and the command print; Offer and AmountUnit, for callers that weigh prices; RegistryKind and its values, for searches in registries of MCP servers; Registration, for agents that get a credential by themselves; parse.FilesMember, for formats whose documents consist of several; Sign, for operators whose requests sites let in by their signature; CodeCrowded, for callers that ask again what a crowd cut short; prompt.Inert, for texts of definitions and of a search; prompt.Explanation, for agents that explain marks once; ReadURL and ReadOrigin, for files that name servers of a private network; TooLarge, its verdict and CutMark, for the limits that documents exceed; IsException, for URLs that only AllowDev or AllowNames lets be asked; TooLarge and its verdict, for the limits that documents exceed; clienttest.OAuth and OAuthRequest, for tests of clients that log in; ScopesOf, for stores that count generations; the scopes of a Purge, cache.Purger, IdentityFields and Close, for users of HTTP caches; Turn, for crawls; Stages and EventExchange, for an inspector; Event and its kinds, for Options.Observe; servers under development: ParseDev and its like; the model of indexes: Artifact, Content and their like; the limits of calls; Problem and Cut, of answers to them
	maxMethods = 323 // Error.LogValue and MarshalJSON, for logs and services that answer in JSON; SchemaWriter.Named, for mappings of discriminators; Input.Sectioned, for formats of Markdown that are asked about every text; Offer.String; those of Sign, which hide its key; Input.Rest, for readers that keep documents; Guard.ParseRequest, for requests of calls that are longer than a URL of a document; Prompt.JSON, for results of calls, and Prompt.Blocks, for agents that explain marks once; TooLarge.Error, Verdict.Unreadable and Rule.Beyond, for the same; Pin.Undigested and Report.UndigestedText, for readers who pin; of clienttest.OAuth; Scope.String, for such stores; Purge, and what a store asks a Scope; Input.YAML, YAML.Index and Column, for places of findings in YAML; Node.Offset, for lines of findings; of Guard, for such servers; what Input.JSONThatFits leaves out of lists: Node.Left and Whole, Reader.Cut; Client.Door, for what internal/door has of a Client; Prompt.JSON, for results of calls
	maxFields  = 862 // Invocation.BodyRequired and Altered, for callers of operations; Input.Unclaimed, for formats that read addresses in documents of no format; those of Offer, Capability.Offers and ProgramResult.Offers; SearchOptions.Registry and Namespace, Hit.Service and Deprecated, for the same; Auth.Registration and those of it; Format.Files, Input.Unread and those of Refs, for formats whose documents consist of several; Network.Sign and those of Sign; Source.Private, and of CredentialRequest the URL, its document, the challenge and the credential that it refuses, for users of servers that want a token; Format.Marks, for publishers whose document lies at a place of the format; Param.Argument, for two parameters of one name; AllowNames and AllowPorts, for companies; those of TooLarge, Probe.TooLarge and Diagnostic.TooLarge; Service.Digest and Report.Undigested, for readers who pin; client.Options.IdentityFields, for a Client whose Store others read; of clienttest.OAuth; Probe.From, for the documents that Load reports; cache.Options.IdentityFields and Answered, Variants.Generation and Purger.Purge; Ask.Foreground, for requests that have a turn; those of Turn, for crawls; Stages and Event.Method, for an inspector; Stats.Obligations, for telemetry; Options.Observe and those of Event; those of Problem and Cut; ParseOptions.Path, Guard.AllowDev, Probe.Extensions; members of listed Documents, and of what is read beside and inside documents; redirects of live endpoints; BatchOptions.Admit
)

// exported counts what a package exports: names, methods of types, and fields of
// structs and methods of interfaces.
type exported struct{ names, methods, fields int }

// TestC18_Front keeps the front narrow. With -v it says what each package exports.
func TestC18_Front(t *testing.T) {
	var all exported
	var b strings.Builder
	row := func(name string, e exported) {
		fmt.Fprintf(&b, "%-18s %5d %7d %6d\n", name, e.names, e.methods, e.fields)
	}
	fmt.Fprintf(&b, "%-18s %5s %7s %6s\n", "package", "names", "methods", "fields")
	for _, dir := range front() {
		e := exportedBy(t, dir)
		row(dir, e)
		all.names, all.methods, all.fields = all.names+e.names, all.methods+e.methods, all.fields+e.fields
	}
	row("all", all)
	t.Logf("exported by each package:\n%s", b.String())
	if all.names > maxNames || all.methods > maxMethods || all.fields > maxFields {
		t.Errorf("%d names, %d methods and %d fields are exported; more than %d, %d and %d: remove another, or raise the number beside maxNames in internal/arch/front_test.go and name the user there",
			all.names, all.methods, all.fields, maxNames, maxMethods, maxFields)
	}
}

// exportedBy counts what godoc shows of a package.
func exportedBy(t *testing.T, dir string) (e exported) {
	t.Helper()
	at := slices.IndexFunc(load(t), func(p *pkg) bool { return p.dir == dir })
	if at < 0 {
		t.Fatalf("there is no package %s", dir)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range load(t)[at].production() {
		file, err := parser.ParseFile(fset, filepath.Join("..", "..", f.path), nil, parser.ParseComments) // godoc cuts the tree that it is given
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	d, err := doc.NewFromFiles(fset, files, golden.Module+"/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	e.names = values(d.Consts) + values(d.Vars) + len(d.Funcs) + len(d.Types)
	for _, typ := range d.Types {
		e.names += values(typ.Consts) + values(typ.Vars) + len(typ.Funcs)
		e.methods += len(typ.Methods)
		for _, spec := range typ.Decl.Specs {
			e.fields += members(spec.(*ast.TypeSpec).Type)
		}
	}
	return e
}

// values counts the exported constants or variables of some declarations.
func values(list []*doc.Value) (n int) {
	for _, v := range list {
		for _, name := range v.Names {
			if ast.IsExported(name) {
				n++
			}
		}
	}
	return n
}

// members counts the exported fields of a struct, or the methods of an interface.
func members(typ ast.Expr) (n int) {
	var list []*ast.Field
	switch typ := typ.(type) {
	case *ast.StructType:
		list = typ.Fields.List
	case *ast.InterfaceType:
		list = typ.Methods.List
	}
	for _, f := range list {
		for _, name := range f.Names {
			if name.IsExported() {
				n++
			}
		}
	}
	return n
}

// TestC18_OptionsHaveGroups: a field of client.Options that belongs to a group
// stands in it.
func TestC18_OptionsHaveGroups(t *testing.T) {
	want := map[string][]string{
		"Robots":  {"Mode", "Token"},
		"Trust":   {"Pins", "PinPolicy", "Keys", "FetchKeys"},
		"Network": {"Resolver", "Dial", "UnsafeDial", "UnsafeTLS", "RootCAs", "View", "KeepAlive", "UserAgent", "BeforeHost"},
		"Limits":  {"Memory", "Budget", "Follow", "Concurrency", "MaxBytes", "Parsers", "Bytes", "Foreign"},
		"Lab":     {"Now", "Record", "StrictFloor"},
	}
	fields := map[string][]string{}
	for _, p := range load(t) {
		if p.dir != "client" {
			continue
		}
		for _, f := range p.production() {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						for _, name := range field.Names {
							fields[spec.Name.Name] = append(fields[spec.Name.Name], name.Name)
						}
					}
				}
				return false
			})
		}
	}
	for group, names := range want {
		if !slices.Contains(fields["Options"], group) {
			t.Errorf("client.Options has no group %s", group)
		}
		for _, name := range names {
			if !slices.Contains(fields[group], name) {
				t.Errorf("client.%s has no field %s", group, name)
			}
			if group != "Robots" && slices.Contains(fields["Options"], name) { // Options.Mode is how much is asked
				t.Errorf("client.Options.%s belongs to the group %s", name, group)
			}
		}
	}
}

// TestC18_PlainNames: names of files and declarations explain themselves. These
// words did so to their author only.
func TestC18_PlainNames(t *testing.T) {
	words := []string{"futile", "oblige", "said", "spoken", "talk", "talker", "husk", "flown", "judged", "held", "counted", "removed"}
	say := func(f *source, n *ast.Ident) {
		if slices.Contains(words, n.Name) {
			t.Errorf("%s: %s explains nothing", f.at(n), n.Name)
		}
	}
	for _, p := range load(t) {
		for _, f := range p.production() {
			if name := strings.TrimSuffix(filepath.Base(f.path), ".go"); slices.Contains(words, name) {
				t.Errorf("%s: a name for its author", f.path)
			}
			for _, decl := range f.ast.Decls {
				gen, ok := decl.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range gen.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						say(f, s.Name)
					}
				}
			}
		}
	}
}
