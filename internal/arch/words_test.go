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

// nobodies matches words that replace a subject with a name: a caller, a process, an attacker.
// A process is "it".
var nobodies = regexp.MustCompile(`(?i)\b(nobody|whoever|whomever|anybody|everybody|somebody|what stands|he|him|his)\b`)

// clauses matches phrases that replace a noun with a name: "what is stored" for the entries,
// "what it was asked" for the request.
var clauses = regexp.MustCompile(`(?i)\bwhat\s+(is|are|was|were|has|had|it|they|we|you|stood|goes|follows|belongs|comes|came|remains|there)\b`)

// unnamed returns the first words of a text that replace a noun, or "". A question may ask what
// a thing is, and a quotation may contain such words.
func unnamed(text string) string {
	if word := nobodies.FindString(text); word != "" {
		return word
	}
	for _, at := range clauses.FindAllStringIndex(text, -1) {
		before, after := text[:at[0]], text[at[1]:]
		end := strings.IndexAny(after, ".?!")
		question := end >= 0 && after[end] == '?'
		paragraph := before[strings.LastIndex(before, "\n\n")+1:]
		if !question && strings.Count(paragraph, `"`)%2 == 0 {
			return text[at[0]:at[1]]
		}
	}
	return ""
}

// fences matches blocks of code in a page. Their comments are notes instead of sentences.
var fences = regexp.MustCompile("(?s)```.*?```")

// quotesNobodies contains the files with texts that quote others.
var quotesNobodies = map[string]bool{"security/prompt/words.go": true}

// TestWordsNameTheSubject checks that comments and texts of production code, and the pages for
// readers, use nouns.
func TestWordsNameTheSubject(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.production() {
			if quotesNobodies[f.path] {
				continue
			}
			for _, group := range f.ast.Comments {
				if word := unnamed(group.Text()); word != "" {
					t.Errorf("%s: a comment says %q: name the subject", f.at(group), word)
				}
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING || !strings.Contains(lit.Value, " ") {
					return true
				}
				if word := unnamed(unquote(lit)); word != "" {
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
		for paragraph := range strings.SplitSeq(fences.ReplaceAllString(string(text), ""), "\n\n") {
			if word := unnamed(paragraph); word != "" {
				first, _, _ := strings.Cut(paragraph, "\n")
				t.Errorf("%s says %q: name the subject in the paragraph %.80q", page, word, first)
			}
		}
	}
}

// performanceWords is the maximum number of words in the prose of docs/PERFORMANCE.md, because
// its figures belong into tables.
const performanceWords = 1500

func TestPerformanceIsShort(t *testing.T) {
	text, err := os.ReadFile("../../docs/PERFORMANCE.md")
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "|") {
			words += len(strings.Fields(line))
		}
	}
	if words > performanceWords {
		t.Errorf("docs/PERFORMANCE.md has %d words outside its tables, at most %d", words, performanceWords)
	}
}

func TestUnnamedSubjectsAreCaught(t *testing.T) {
	for text, want := range map[string]string{
		"Nobody waits.": "Nobody", "while he waits": "he", "whoever asks": "whoever", "no caller waits": "", "the header": "", "this": "",
		"keeps what is left": "what is", "What it\nwas asked.": "What it", "reads what follows. Why?": "what follows",
		"What is a probe?": "", `the text says "what is left" here`: "", "what a server sends": "", "says what to do": "",
	} {
		if got := unnamed(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
