package arch

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// papers matches names of documents that a reader of this repository does not have. A comment
// contains the rule itself.
var papers = regexp.MustCompile(`\b(DESIGN|CONVENTIONS|LIBRARIES|PROTOCOLS\d?|SCENARIOS|FAULTS|TOOLS)\b` +
	`|\b(SECURITY|CACHING|PERFORMANCE|ARCHITECTURE)(\.md)?,? §` +
	`|\bfindings/|\b[Ff]inding [A-Z]*\d`)

// labels match numbers of rows in such documents.
var (
	label      = `(P2S\d+|[A-Z]{1,2}\d{1,3})`
	inText     = regexp.MustCompile(`(?:^|[^\w+%\\./-])` + label + `[a-z]?\b`)
	inName     = regexp.MustCompile(`^(?:` + label + `|(?:Bug|Finding|Issue|Section)\d+$)`)
	inSubtest  = regexp.MustCompile(`^` + label + `[a-z]?(?:[ :_]|$)`)
	inFileName = regexp.MustCompile(`^` + label + `_|^findings`)
)

// words look like labels but are generally known.
var words = map[string]bool{
	"A2": true, "A304": true, // A2A, and "a 304"
	"C0": true, "C1": true, "RE2": true, "BM25": true, "AS112": true, // control characters, and names
	"H2": true, "V4": true, "V7": true, // HTTP/2, and versions of UUID
	"ES256": true, "ES384": true, "ES512": true, "HS256": true, "RS256": true, "PS256": true, "S256": true, "MD5": true,
	"S0": true, // a name in a document
}

// cited returns the first label in a text that matches a pattern, or "".
func cited(pattern *regexp.Regexp, text string) string {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		rule := strings.HasPrefix(m[1], "GB") // of Unicode, for grapheme clusters
		if !words[m[1]] && !rule {
			return m[0]
		}
	}
	return ""
}

// citedByName returns the label in the name of a test, or "". A part of the name begins with
// it.
func citedByName(name string) string {
	for _, kind := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			for part := range strings.SplitSeq(rest, "_") {
				if found := cited(inName, part); found != "" {
					return found
				}
			}
		}
	}
	return ""
}

// everything parses the packages of all modules, and the programs of .ci.
func everything(t *testing.T) []*pkg {
	t.Helper()
	list := load(t)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.Name() == ".ci" || d.Name() == "go.mod" && filepath.Dir(name) != root:
			dir := name
			if !d.IsDir() {
				dir = filepath.Dir(name)
			}
			more, err := parseTree(dir)
			list = append(list, more...)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestCommentsCiteNoPapers(t *testing.T) {
	for _, p := range everything(t) {
		for _, f := range p.files {
			for _, group := range f.ast.Comments {
				text := group.Text()
				for _, found := range []string{papers.FindString(text), cited(inText, text)} {
					if found != "" {
						t.Errorf("%s: a comment cites %q: say the rule", f.at(group), found)
					}
				}
			}
		}
	}
}

// TestNamesOfTestsAreSentences checks that the names of tests, subtests and their files are
// sentences about what they prove.
func TestNamesOfTestsAreSentences(t *testing.T) {
	for _, p := range everything(t) {
		for _, f := range p.files {
			if !f.test {
				continue
			}
			for _, decl := range f.ast.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && citedByName(fn.Name.Name) != "" {
					t.Errorf("%s: the name of %s cites %q: say what it proves", f.at(fn), fn.Name.Name, citedByName(fn.Name.Name))
				}
			}
			for node, name := range subtests(f) {
				if found := cited(inSubtest, name); found != "" {
					t.Errorf("%s: the name of a subtest cites %q: say what it proves", f.at(node), found)
				}
			}
		}
	}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if found := cited(inFileName, d.Name()); found != "" {
			t.Errorf("%s: the name of a file cites %q: say what is in it", name, found)
		}
		if filepath.Ext(name) == ".txtar" || filepath.Base(filepath.Dir(name)) == "mutants" {
			return readRemarks(t, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readRemarks checks the comments of a script and the names of faults in the same way.
func readRemarks(t *testing.T, name string) error {
	t.Helper()
	b, err := os.ReadFile(name)
	for line := range strings.Lines(string(b)) {
		for _, mark := range []string{"# ", "== "} {
			if rest, ok := strings.CutPrefix(line, mark); ok && cited(inSubtest, rest) != "" {
				t.Errorf("%s: a remark cites a paper: %s", name, line)
			}
		}
	}
	return err
}

// subtests yields the texts of a test file that are, or may be, names of subtests: the literal
// arguments of Run, and literals with more than one word, which may be in a table.
func subtests(f *source) map[ast.Node]string {
	all := map[ast.Node]string{}
	add := func(e ast.Expr, whole bool) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && (whole || strings.ContainsAny(text, " :_")) {
				all[lit] = text
			}
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if fun, ok := n.Fun.(*ast.SelectorExpr); ok && fun.Sel.Name == "Run" && len(n.Args) == 2 {
				add(n.Args[0], true)
			}
		case *ast.BasicLit:
			add(n, false)
		}
		return true
	})
	return all
}

func TestPapersAreCaught(t *testing.T) {
	for text, want := range map[string]string{
		"as DESIGN §5 says": "DESIGN", "see SECURITY §3": "SECURITY §", "SECURITY.md, §3": "SECURITY.md, §",
		"findings/house.md": "findings/", "finding 12": "finding 1", "PROTOCOLS2": "PROTOCOLS2", "FAULTS R17": "FAULTS",
		"docs/SECURITY.md tells": "", "a finding in two documents": "", "RFC 9111 §4.2": "",
	} {
		if got := papers.FindString(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	row := "P" + "092" // a text of this file must not be a label either
	for text, want := range map[string]string{
		row + ": no verb": row, "(" + row + ")": "(" + row, "see " + row + "a": " " + row + "a",
		"elliptic.P256": "", "U+E0000": "", "%E2%80": "", "Test" + row: "", "ES256 and C1": "", "RFC9111": "", "GB9a, GB12": "",
	} {
		if got := cited(inText, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for name, want := range map[string]string{
		"Test" + row + "_NoVerb": row, "Test" + row: row, "Benchmark" + row: row, "TestX_" + row + "_Y": row, "TestP2S5_3_X": "P2S5", "TestS1_8_Must": "S1",
		"TestSection4_Links": "Section4", "TestBug03_X": "Bug03", "TestScript_N21Out": "N21",
		"TestA2APlaces": "", "TestA304IsKept": "", "TestH2Frames": "", "TestRFC6052": "", "TestNAT64": "", "TestSection": "", "TestX": "", "helper" + row: "",
	} {
		if got := citedByName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for pattern, rows := range map[*regexp.Regexp]map[string]string{
		inSubtest:  {row: row, row + " no verb": row + " ", "no " + row: "", "ES256 RS256": "", "secp256k1": ""},
		inFileName: {row + "_out.txtar": row + "_", "findings_test.go": "findings", "h2_test.go": "", "P256.pem": "", "A.md": ""},
	} {
		for text, want := range rows {
			if got := cited(pattern, text); got != want {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		}
	}
}
