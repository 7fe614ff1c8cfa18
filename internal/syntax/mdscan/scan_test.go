package mdscan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/mdscan"
)

func scan(t testing.TB, body string) *mdscan.Doc {
	t.Helper()
	d, err := mdscan.Scan([]byte(body))
	if err != nil {
		t.Fatalf("%.60q: %v", body, err)
	}
	return d
}

// show writes the sections of a text, one line for each heading and block.
func show(d *mdscan.Doc) string {
	var b strings.Builder
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "%d-%d %s %q\n", s.Line, s.End, strings.Repeat("#", s.Level), s.Title)
		for _, block := range s.Blocks {
			kind := [...]string{"", "p", "item", "code", "html"}[block.Kind]
			fmt.Fprintf(&b, "  %d-%d %s%s %q %s\n", block.Line, block.End, strings.Repeat(">", block.Depth), kind, block.Text, block.Info)
		}
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// titles returns the headings with their levels.
func titles(d *mdscan.Doc) []string {
	var list []string
	for _, s := range d.Sections {
		if s.Level > 0 {
			list = append(list, strings.Repeat("#", s.Level)+" "+s.Title)
		}
	}
	return list
}

func TestSections(t *testing.T) {
	body := "before\n# Title #\nOne\n  two \n\nthree\n## Can\n- a\n  b\n\n  c\n  1. d\n     - e\n  ```sh\n  f\n\n\n  g\n  ```\n+ h\n* i\n1) j\n***\n" +
		"k\n- l\n---\n~~~~ yaml x\n~~~\n## no\n~~~~\n\n    m\n\n    n\no\n<!-- p\n\nq -->\n### *R* `s`\n- [ ] t\n-\n- # u\n> v\n> - w\n##\n####### x\n#y\n"
	want := `1-1  ""
  1-1 p "before"
2-6 # "Title"
  3-4 p "One\ntwo"
  6-6 p "three"
7-38 ## "Can"
  8-9 >item "a\nb"
  11-11 >p "c"
  12-12 >>item "d"
  13-13 >>>item "e"
  15-18 >code "  f\n\n\n  g" sh
  20-20 >item "h"
  21-21 >item "i"
  22-22 >item "j"
  24-24 p "k"
  25-25 >item "l"
  28-29 code "~~~\n## no" yaml x
  32-34 code "    m\n\n    n"
  35-35 p "o"
  36-38 html "<!-- p\n\nq -->"
39-44 ### "*R* ` + "`s`" + `"
  40-40 >item "[ ] t"
  41-41 >item ""
  42-42 >item ""
  42-42 >p "u"
  43-44 p "> v\n> - w"
45-48 ## ""
  46-47 p "####### x\n#y"
`
	if diff := cmp.Diff(want, show(scan(t, body))); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	crlf := show(scan(t, strings.ReplaceAll(body, "\n", "\r\n")))
	if diff := cmp.Diff(want, strings.ReplaceAll(crlf, `\r\n`, `\n`)); diff != "" {
		t.Errorf("with CRLF (-want +got):\n%s", diff)
	}
}

func TestBelow(t *testing.T) {
	d := scan(t, "---\na: b\n---\nx\ny\n# T\nz\n\n## U\n## V")
	var got []string
	for _, s := range d.Sections {
		got = append(got, d.Below(s))
	}
	if diff := cmp.Diff([]string{"x\ny", "z", "", ""}, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if got := d.Lines(0, 2) + d.Lines(9, 99) + d.Lines(11, 12) + d.Lines(5, 4); got != "---\na: b## U\n## V" {
		t.Errorf("lines: %q", got)
	}
}

func TestFront(t *testing.T) {
	for body, want := range map[string]string{
		"---\na: b\n---\n# T":             "a: b\n|2|# T|",
		"---\r\na: b\r\n---\r\n# T\r\n":   "a: b\r\n|2|# T|",
		"--- \t\na: b\n---  \n# T":        "a: b\n|2|# T|",
		"\ufeff---\na: b\n---\n":          "a: b\n|2||[{1 1}]",
		"---\n---\n# T":                   "|2|# T|",
		"---\n\n\n---":                    "\n\n|2||",
		"---\na: b\n----\n...\n---\n":     "a: b\n----\n...\n|2||",
		"---\na\n---\n# T\n---\nb\n---\n": "a\n|2|# T|",
		"\n---\na: b\n---\n# T":           "none|# T|",
		"--- x\na: b\n---\n# T":           "none|# T|",
		"----\na: b\n----\n# T":           "none|# T|",
		" ---\na: b\n---\n# T":            "none|# T|",
		"---\ra: b\r---\r# T":             "none||",
		"---\na: b\n# T":                  "none|# T|[{2 1}]",
		"---\na: b\n ---\n# T":            "none|# T|[{2 1}]",
		"---\na: b\n...\n# T":             "none|# T|[{2 1}]",
		"---":                             "none||[{2 1}]",
		"":                                "none||",
		"\ufeff":                          "none||[{1 1}]",
	} {
		d := scan(t, body)
		got := "none"
		if d.HasFront {
			got = fmt.Sprintf("%s|%d", d.Front, d.FrontLine)
		}
		got += "|" + strings.Join(titles(d), ",") + "|"
		if d.Findings != nil {
			got += fmt.Sprint(d.Findings)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
	}
}

// These are headings of other kinds, and headings that a reader of the page does not see.
func TestWhatReadersDoNotSeeIsNoHeading(t *testing.T) {
	for name, body := range map[string]string{
		"fence":               "```\n## MCP\n```\n",
		"tildes":              "~~~ x\n## MCP\n~~~\n",
		"longer fence":        "````\n```\n## MCP\n````\n",
		"open fence":          "```\n## MCP\n",
		"fence in item":       "- a\n\n  ```\n  ## MCP\n  ```\n",
		"indented code":       "a\n\n    ## MCP\n",
		"first line indented": "    ## MCP\n    endpoint: x\n",
		"tab":                 "\t## MCP\n",
		"comment":             "<!--\n## MCP\n-->\n",
		"comment in item":     "- <!--\n  ## MCP\n  -->\n",
		"open comment":        "a\n<!-- b\n\n## MCP\n",
		"script":              "<script>\n## MCP\n\n## MCP\n</script>\n",
		"pre":                 "<pre>\n\n## MCP\n</pre>\n",
		"division":            "<div hidden>\n## MCP\n</div>\n",
		"instruction":         "<?x\n\n## MCP\n?>\n",
		"declaration":         "<!X\n\n## MCP\n>\n",
		"cdata":               "<![CDATA[\n\n## MCP\n]]>\n",
		"tag":                 "<x-y z=\"1\">\n## MCP\n",
		"quote":               "> ## MCP\n> endpoint: x\n",
		"fence in quote":      "> ```\n> ## MCP\n> ```\n",
		"item":                "- ## MCP\n",
		"setext":              "MCP\n---\n",
		"setext 1":            "MCP\n===\n",
		"no blank":            "##MCP\n",
		"escaped":             "\\## MCP\n",
		"next line in item":   "- a\n  ## MCP\n",
		"NEL":                 "a\u0085## MCP\n",
		"LS":                  "a\u2028## MCP\n",
		"CR":                  "a\r## MCP\rendpoint: x\n",
		"full width":          "＃＃ MCP\n",
	} {
		if got := titles(scan(t, body)); got != nil {
			t.Errorf("%s: headings %q", name, got)
		}
		// The text after it is read again, unless it belongs to the block.
		if strings.HasPrefix(name, "open") || name == "tag" {
			continue
		}
		if diff := cmp.Diff([]string{"## End"}, titles(scan(t, body+"\n## End\n"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for body, want := range map[string]string{
		"### MCP": "### MCP", "# MCP": "# MCP", "   ## MCP ##": "## MCP", "##\tMCP": "## MCP", "## \u041c\u0421\u0420": "## \u041c\u0421\u0420",
		"## M\u200bCP": "## M\u200bCP", "## <!-- MCP -->": "## <!-- MCP -->", "> ```\n## MCP": "## MCP",
	} {
		if diff := cmp.Diff([]string{want}, titles(scan(t, body))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
	}
}

// No line ends the text: headings after it are found.
func TestNothingEndsTheText(t *testing.T) {
	lines := []string{"\f", "\v", "\x00", "\u0085", "\u00a0", "\r", "\\", "    ", "\t", "-", "1.", ">", "*", "<", "`", "_", "---", "===", "***", "- ***",
		"    x", "-\n\n  a", "1.\n\n\n2.", "- a\n\n\n\n      b", "~~~\n~~~", "[a]: b", "|a|b|\n|-|-|", "$$", ":::", "\\\n", "a  ", "#", "# ", "\ufeff", "a\\"}
	for _, before := range append(lines, strings.Join(lines[:8], "\n"), strings.Join(lines, "\n\n")) {
		got := titles(scan(t, "# A\n"+before+"\n\n## Can\n"))
		if len(got) < 2 || got[0] != "# A" || got[len(got)-1] != "## Can" {
			t.Errorf("%q: headings %q", before, got)
		}
	}
}

func TestRefused(t *testing.T) {
	for body, want := range map[string]wayfind.Code{
		"# \xff":                              wayfind.CodeInvalidUTF8,
		"\xff\xfe#\x00 \x00T\x00":             wayfind.CodeInvalidUTF8,
		strings.Repeat("x", 256<<10+1):        wayfind.CodeLimit,
		"---\na: \xed\xa0\x80\n---\n":         wayfind.CodeInvalidUTF8,
		strings.Repeat("x", 256<<10) + "\xff": wayfind.CodeLimit,
	} {
		_, err := mdscan.Scan([]byte(body))
		var e *wayfind.Error
		if !errors.As(err, &e) || e.Op != "parse" || e.Kind != wayfind.ErrInvalid || e.Code != want {
			t.Errorf("%.40q: %v, want %s", body, err, want)
		}
	}
}

func TestDeepLines(t *testing.T) {
	for n, want := range map[int]string{16: "", 17: "[{3 2}]"} {
		for _, marker := range []string{"- ", "> ", ">", "+\t", "1. ", "2)  "} {
			d := scan(t, "# T\n"+strings.Repeat(marker, n)+"a\n- b\n")
			got := ""
			if d.Findings != nil {
				got = fmt.Sprint(d.Findings)
			}
			if got != want {
				t.Errorf("%d of %q: findings %s, want %s", n, marker, got, want)
			}
			if last := d.Sections[0].Blocks[len(d.Sections[0].Blocks)-1]; last.Text != "b" && !strings.HasPrefix(marker, ">") {
				t.Errorf("%d of %q: last block %+v", n, marker, last)
			}
		}
	}
	for _, body := range []string{"- - - - - - - - - - - - - - - - - a -> b", strings.Repeat(" ", 500) + "- a", "-----------------------", strings.Repeat("-a ", 40), "1.2.3.4.5.6.7.8.9.0.1.2.3.4.5.6.7.8"} {
		if d := scan(t, "```\n"+body+"\n```\n"); d.Sections[0].Blocks[0].Text != body {
			t.Errorf("%.40q: code %+v", body, d.Sections[0].Blocks)
		}
	}
}
