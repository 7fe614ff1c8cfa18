package agentsmd

import (
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// sectionFields reads the content of an MCP section, which is plain YAML (§3).
// Three other ways to write it are understood and called odd: as code, as a
// list of fields, and with sentences around the fields. The sections below it
// do not count.
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

// plainText returns the paragraphs and lists of a section on the lines they
// have, everything else as empty lines. The markers of lists become blanks, so
// that "- endpoint: x" is a field.
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

// withoutMarker replaces the markers of lists at the beginning of a line by
// blanks.
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

// markerLength returns the length of the marker of a list item that text begins
// with: "-", "+", "*", "1." or "1)".
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

// onlyCode returns the block of code of a section that has one.
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

// dedented removes the blanks that all lines begin with.
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

// fieldLines keeps the lines that are one of the fields.
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
