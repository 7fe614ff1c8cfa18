package parse_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

func ExampleInput_Markdown() {
	in := &parse.Input{Body: []byte("---\nversion: 1.10\n---\n# Shop\n\n## Can\n- Search\n- Buy\n")}
	text, err := in.Markdown()
	if err != nil {
		fmt.Println(err)
		return
	}
	front, err := text.FrontMatter()
	version, _ := front.Get("version").Str()
	fmt.Println(version, err)
	for _, s := range text.Sections() {
		for _, b := range s.Blocks {
			fmt.Println(s.Title, b.Line, b.Text)
		}
	}
	// Output:
	// 1.10 <nil>
	// Can 7 Search
	// Can 8 Buy
}

func TestMarkdown(t *testing.T) {
	in := &parse.Input{Body: []byte("---\na: b\n---\nx\n## T\n- i\n\n  p\n```sh\nc\n```\n<b>\n")}
	text, err := in.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	want := []parse.Section{
		{Line: 4, End: 4, Text: "x", Blocks: []parse.Block{{Kind: parse.BlockParagraph, Line: 4, End: 4, Text: "x"}}},
		{Level: 2, Title: "T", Line: 5, End: 13, Text: "- i\n\n  p\n```sh\nc\n```\n<b>", Blocks: []parse.Block{
			{Kind: parse.BlockItem, Line: 6, End: 6, Depth: 1, Text: "i"},
			{Kind: parse.BlockParagraph, Line: 8, End: 8, Depth: 1, Text: "p"},
			{Kind: parse.BlockCode, Line: 10, End: 10, Text: "c", Info: "sh"},
			{Kind: parse.BlockHTML, Line: 12, End: 12, Text: "<b>"},
		}},
	}
	if diff := cmp.Diff(want, text.Sections()); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if written, ok := text.FrontText(); written != "a: b\n" || !ok || text.Lines(4, 5) != "x\n## T" {
		t.Errorf("front matter %q, %t; lines %q", written, ok, text.Lines(4, 5))
	}
}

// All formats get the same outline, computed once.
func TestMarkdownIsShared(t *testing.T) {
	in := &parse.Input{Body: []byte("# T\n")}
	var got [8]*parse.Markdown
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i], _ = in.Markdown() })
	}
	wg.Wait()
	for _, m := range got {
		if m == nil || m != got[0] {
			t.Fatalf("outlines differ: %p and %p", m, got[0])
		}
	}
}

func TestMarkdownErrors(t *testing.T) {
	for body, want := range map[string]wayfind.Code{"\xff": wayfind.CodeInvalidUTF8, "\xff" + strings.Repeat("x", 256<<10): wayfind.CodeInvalidUTF8} {
		if text, err := (&parse.Input{Body: []byte(body)}).Markdown(); code(err) != want || text != nil {
			t.Errorf("%.20q: %v, %v", body, text, err)
		}
	}
	text, err := (&parse.Input{Body: []byte("---\na: *b\n---\n# T\n")}).Markdown()
	if err != nil || len(text.Sections()) != 1 {
		t.Fatalf("front matter that is refused: %v", err)
	}
	if front, err := text.FrontMatter(); code(err) != wayfind.CodeYAMLForbidden || front.Exists() {
		t.Errorf("front matter: %v, %v", front, err)
	}
}

// TestMarkdownAboveTheCapIsCutAtALine: of a text above the cap, the whole lines below it are read,
// and a diagnostic reports the rest. A single line is cut between characters.
func TestMarkdownAboveTheCapIsCutAtALine(t *testing.T) {
	const limit = 256 << 10
	line := strings.Repeat("a", 1023) + "\n"
	for name, c := range map[string]struct {
		body  string
		bytes int // of the last line that is read; 0: all is
	}{
		"below":          {strings.Repeat(line, 256)[:limit-1], 0},
		"at the cap":     {strings.Repeat(line, 256), limit},
		"in a line":      {"a\n" + strings.Repeat(line, 256), limit - 1022},
		"one line":       {strings.Repeat("a", limit+1), limit},
		"in a character": {"a" + strings.Repeat("\u00e4", limit), limit - 1},
		"in a wide one":  {"a" + strings.Repeat("\U0001F441", limit), limit - 3},
		"rubbish behind": {strings.Repeat(line, 256) + "\xff", limit},
	} {
		text, err := (&parse.Input{Body: []byte(c.body)}).Markdown()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := parse.NewReader(format())
		r.MarkdownFindings(text)
		want := fmt.Sprintf("the first %d bytes", c.bytes)
		if d := r.Diagnostics(); len(d) != min(c.bytes, 1) || c.bytes > 0 && (d[0].Code != "markdown.cut" || !strings.Contains(d[0].Message, want)) {
			t.Errorf("%s: %+v, want %s", name, d, want)
		}
	}
}

func TestMarkdownFindings(t *testing.T) {
	for body, want := range map[string][]string{
		"# T":                            nil,
		"\ufeff# T":                      {"info markdown.bom 1"},
		"---\n# T":                       {"warning markdown.front_matter 1"},
		"a\n" + strings.Repeat("- ", 17): {"warning markdown.too_deep 2"},
		strings.Repeat("\n"+strings.Repeat(">", 20), 300): nil,
	} {
		text, err := (&parse.Input{Body: []byte(body)}).Markdown()
		if err != nil {
			t.Fatal(err)
		}
		r := parse.NewReader(&parse.Format{Name: "x", Spec: wayfind.SpecRef{Title: "X"}})
		r.MarkdownFindings(text)
		var got []string
		for _, d := range r.Diagnostics() {
			got = append(got, fmt.Sprintf("%s %s %d", d.Severity, d.Code, d.Line))
			if d.Spec == nil || d.Spec.Title != "X" || d.Message == "" {
				t.Errorf("%q: %+v", body, d)
			}
		}
		if len(got) > 100 {
			if last := got[len(got)-1]; len(got) != 201 || last != "info x.more_diagnostics 0" {
				t.Errorf("%d diagnostics, the last %q", len(got), last)
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.20q (-want +got):\n%s", body, diff)
		}
	}
}

func TestReportLine(t *testing.T) {
	spec := wayfind.SpecRef{Title: "X"}
	r := parse.NewReader(&parse.Format{Name: "x", Spec: spec})
	r.ReportLine(rule("a").At("§1").AsInfo(), 3, "%q", "b\n")
	r.ReportLine(rule("a").At("§1").AsInfo(), 3, "%q", "b\n")
	r.ReportLine(rule("a").At("§1").AsInfo(), 4, "%s", strings.Repeat("x", 600))
	ref := spec.At("§1")
	want := []wayfind.Diagnostic{
		{Severity: wayfind.SeverityInfo, Code: "x.a", Line: 3, Message: `"b\n"`, Spec: &ref},
		{Severity: wayfind.SeverityInfo, Code: "x.a", Line: 4, Message: strings.Repeat("x", 509) + "…", Spec: &ref},
	}
	if diff := cmp.Diff(want, r.Diagnostics()); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// Only the title of a text may be underlined, and it takes its section with it.
func TestOnlyATitleMayBeUnderlined(t *testing.T) {
	for body, want := range map[string]string{
		"Shop\n====\nText.\n\n## Can\n- a\n": "1 Shop [Text.] Text.;2 Can [a] - a;",
		"A\nShop\n ==  \n":                   "1 A Shop [] ;",
		"<!-- x -->\n\nShop\n=\n\nText.\n":   "0  [<!-- x -->] <!-- x -->;1 Shop [Text.] \nText.;",
		"> Shop\n====\n":                     "0  [> Shop\n====] > Shop\n====;",
		"Shop\n    ====\n":                   "0  [Shop\n====] Shop\n    ====;",
		"- Shop\n  ====\n":                   "0  [Shop\n====] - Shop\n  ====;",
		"# Shop\n\nOther\n=====\n":           "1 Shop [Other\n=====] \nOther\n=====;",
		"Can\n---\n":                         "0  [Can] Can\n---;",
		"Text.\n\nShop\n====\n":              "0  [Text. Shop\n====] Text.\n\nShop\n====;",
	} {
		text, err := (&parse.Input{Body: []byte(body)}).Markdown()
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, s := range text.Sections() {
			blocks := make([]string, len(s.Blocks))
			for i, b := range s.Blocks {
				blocks[i] = b.Text
			}
			fmt.Fprintf(&got, "%d %s %v %s;", s.Level, s.Title, blocks, strings.TrimRight(s.Text, "\n"))
		}
		if got.String() != want {
			t.Errorf("%q:\n got %q\nwant %q", body, got.String(), want)
		}
	}
}

// Every text with front matter or a heading below the title has sections, whatever its lines
// contain.
func TestATextWithSectionsIsSectioned(t *testing.T) {
	var pieces []string
	for _, indent := range []string{"", " ", "   ", "    ", "\t", "- ", "> ", "\ufeff"} {
		for _, line := range []string{"# T", "#", "##\tT", "###### T ##", "#\vT", "#T", "===", "=", "---", "--- ", "a: b", "```", ""} {
			pieces = append(pieces, indent+line)
		}
	}
	sectioned := 0
	for _, first := range pieces {
		for _, second := range pieces {
			for _, end := range []string{"\n", "\r\n"} {
				in := &parse.Input{Body: []byte(first + end + second + end + "x" + end + "---" + end)}
				text, err := in.Markdown()
				if err != nil {
					t.Fatal(err)
				}
				_, sections := text.FrontText()
				for _, s := range text.Sections() {
					sections = sections || s.Level > 1
				}
				if sections {
					sectioned++
				}
				if sections && !in.Sectioned() {
					t.Errorf("%q", in.Body)
				}
			}
		}
	}
	if sectioned < 1000 {
		t.Errorf("only %d texts have sections", sectioned)
	}
}

// A description in YAML has no sections, and neither have texts whose signs are no
// headings.
func TestATextWithoutSectionsIsNotSectioned(t *testing.T) {
	for _, body := range []string{
		"", "openapi: 3.0.3\ninfo:\n  title: T\n    # a comment far in\n  #---\n  # Schemas\n", "---\nopenapi: 3.0.3\n", "\ufeff---\na: b\n", "# T\n", "T\n===\n", "##tag\n", "    ## code\n", "- ## item\n", "a = b\n",
	} {
		if (&parse.Input{Body: []byte(body)}).Sectioned() {
			t.Errorf("%q", body)
		}
	}
}
