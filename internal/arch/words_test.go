package arch

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// nobodies stand for a subject that has a name: a caller, a process, an
// attacker. A process is "it".
var nobodies = regexp.MustCompile(`(?i)\b(nobody|whoever|whomever|anybody|everybody|somebody|what stands|he|him|his)\b`)

// quotesNobodies are the files whose texts quote the words of others.
var quotesNobodies = map[string]bool{"security/prompt/words.go": true}

// unedited are packages whose words have not been edited yet.
var unedited = map[string]bool{
	"client/call": true, "internal/answer": true, "internal/placing": true, "internal/uritemplate": true,
	"parse/formats/agentskills": true, "parse/formats/aicatalog": true, "parse/formats/links": true, "parse/formats/robots": true,
}

// TestWordsNameTheSubject holds comments and texts of production code, and the
// pages for readers, to nouns.
func TestWordsNameTheSubject(t *testing.T) {
	for _, p := range load(t) {
		if unedited[p.dir] {
			continue
		}
		for _, f := range p.production() {
			if quotesNobodies[f.path] {
				continue
			}
			for _, group := range f.ast.Comments {
				if word := nobodies.FindString(group.Text()); word != "" {
					t.Errorf("%s: a comment says %q: name the subject", f.at(group), word)
				}
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING || !strings.Contains(lit.Value, " ") {
					return true
				}
				if word := nobodies.FindString(unquote(lit)); word != "" {
					t.Errorf("%s: a text says %q: name the subject", f.at(lit), word)
				}
				return true
			})
		}
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("pages %q, error %v", pages, err)
	}
	for _, page := range append(pages, "../../README.md", "../../SECURITY.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := nobodies.FindString(line); word != "" {
				t.Errorf("%s:%d says %q: name the subject", page, i+1, word)
			}
		}
	}
}

func TestNobodiesAreCaught(t *testing.T) {
	for text, want := range map[string]string{
		"Nobody waits.": "Nobody", "while he waits": "he", "whoever asks": "whoever", "no caller waits": "", "the header": "", "this": "",
	} {
		if got := nobodies.FindString(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
