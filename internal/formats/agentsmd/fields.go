package agentsmd

import (
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// sectionFields reads the content of an MCP section, which is plain YAML (§3). It also
// reads three other notations and reports them as odd: a code block, a list of fields,
// and sentences around the fields. The sections below it are not read.
func sectionFields(text *parse.Markdown, s parse.Section) (fields parse.YAML, odd bool, err error) {
	body, listed := plainText(text, s)
	if code, ok := onlyCode(s); ok && !strings.Contains(body, "endpoint") {
		fields, err = parse.ParseYAML(dedented(code.Text), code.Line)
		return fields, true, err
	}
	fields, err = parse.ParseYAML(body, s.Line+1)
	if e, ok := errors.AsType[*wayfind.Error](err); ok && e.Code == wayfind.CodeYAMLSyntax {
		if some, again := parse.ParseYAML(fieldLines(body), s.Line+1); again == nil && some.Get("endpoint").Exists() {
			return some, true, nil
		}
	}
	return fields, listed, err
}

// plainText returns the paragraphs and lists of a section on their original lines, and
// empty lines in place of everything else. Spaces replace the markers of lists, so
// that "- endpoint: x" is a field. listed is true if there are lists.
func plainText(text *parse.Markdown, s parse.Section) (body string, listed bool) {
	lines := make([]string, max(s.End-s.Line, 0))
	for _, b := range s.Blocks {
		if b.Kind != parse.BlockParagraph && b.Kind != parse.BlockItem {
			continue
		}
		for n := max(b.Line, s.Line+1); n <= b.End; n++ {
			lines[n-s.Line-1] = strings.TrimRight(text.Lines(n, n), " \t\r")
		}
		if at := b.Line - s.Line - 1; b.Kind == parse.BlockItem && at >= 0 {
			lines[at], listed = withoutMarker(lines[at]), true
		}
	}
	return strings.Join(lines, "\n"), listed
}

// withoutMarker replaces the list markers at the beginning of a line with spaces.
func withoutMarker(line string) string {
	for at := 0; ; {
		at += len(line[at:]) - len(strings.TrimLeft(line[at:], " \t"))
		n := markerLength(line[at:])
		if n == 0 {
			return line
		}
		line = line[:at] + strings.Repeat(" ", n) + line[at+n:]
	}
}

// markerLength returns the length of the list marker at the beginning of text, and 0
// if there is no marker. Markers are "-", "+", "*", "1." and "1)".
func markerLength(text string) int {
	word, _, _ := strings.Cut(text, " ")
	switch number := strings.TrimRight(word, ".)"); {
	case word == "-", word == "+", word == "*":
		return 1
	case len(number) > 0 && len(word) == len(number)+1 && strings.Trim(number, "0123456789") == "":
		return len(word)
	}
	return 0
}

// onlyCode returns the code block of a section that has exactly one.
func onlyCode(s parse.Section) (code parse.Block, ok bool) {
	for _, b := range s.Blocks {
		if b.Kind == parse.BlockCode {
			if ok {
				return parse.Block{}, false
			}
			code, ok = b, true
		}
	}
	return code, ok
}

// dedented removes the spaces that all lines begin with.
func dedented(text string) string {
	lines := strings.Split(text, "\n")
	common := -1
	for _, l := range lines {
		if indent := len(l) - len(strings.TrimLeft(l, " ")); l != "" && (common < 0 || indent < common) {
			common = indent
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l[min(max(common, 0), len(l)):], "\r")
	}
	return strings.Join(lines, "\n")
}

// fieldLines keeps the lines that contain one of the fields, and empties the others.
func fieldLines(body string) string {
	lines := strings.Split(body, "\n")
	for i, l := range lines {
		key, _, found := strings.Cut(strings.TrimSpace(l), ":")
		if !found || key != "endpoint" && key != "transport" && key != "auth" {
			lines[i] = ""
			continue
		}
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}
