package yamlscan

import (
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
)

// prescan refuses texts that yaml.v3 must not read, in one pass.
func prescan(text string, first int, limits Limits) error {
	if len(text) > limits.Bytes {
		return beyond(first, wayfind.TooLarge{Of: "bytes of YAML", Size: int64(len(text)), Limit: int64(limits.Bytes)})
	}
	marks, line := 0, first
	for rest := text; rest != ""; {
		var current string
		current, rest = cutLine(rest)
		if err := checkLine(current, line); err != nil {
			return err
		}
		if marks += countMarks(current); marks > limits.Marks {
			return beyond(line, wayfind.TooLarge{Of: "marks of structure in YAML", Limit: int64(limits.Marks)})
		}
		line++
	}
	return nil
}

// cutLine splits off the first line. Lines end with LF or CRLF.
func cutLine(text string) (line, rest string) {
	line, rest, found := strings.Cut(text, "\n")
	if found {
		line = strings.TrimSuffix(line, "\r")
	}
	return line, rest
}

// checkLine refuses characters and lines that a text must not contain. A line that begins with
// "---", "..." or "%" ends a document or is a directive, in any context (YAML 1.2 §9.1).
func checkLine(line string, number int) error {
	for i, c := range line {
		switch {
		case c == utf8.RuneError && !validAt(line[i:]):
			return fail(wayfind.CodeInvalidUTF8, number, "bytes that are not UTF-8")
		case c != '\t' && forbidden(c), c == '\uFEFF':
			return fail(wayfind.CodeYAMLForbidden, number, "the character %U", c)
		}
	}
	if isMarker(line, "---") || isMarker(line, "...") || strings.HasPrefix(line, "%") {
		return fail(wayfind.CodeYAMLForbidden, number, "a directive, or the marker of another document")
	}
	return nil
}

// validAt distinguishes a written U+FFFD from bytes that are not a character.
func validAt(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	return size > 1
}

// forbidden reports whether c is a control character, or a character that ends a line for
// yaml.v3 and not in YAML 1.2 (§5.4): NEL, LS and PS.
func forbidden(c rune) bool {
	return c < ' ' || c >= 0x7f && c < 0xa0 || c == '\u2028' || c == '\u2029'
}

func isMarker(line, marker string) bool {
	rest, ok := strings.CutPrefix(line, marker)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// countMarks counts characters that could be structure in a line. It does not know which of
// them are quoted, so the number may be too large.
func countMarks(line string) int {
	marks := 0
	for i := range len(line) {
		switch line[i] {
		case '[', ']', '{', '}', ',', ':', '&', '*', '!', '|', '>', '\'', '"', '#', '@', '`':
			marks++
		case '-', '?':
			if i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t' {
				marks++
			}
		}
	}
	return marks
}

// refers returns the first line with an anchor, an alias or a tag where a value may begin, or
// 0. It only distinguishes the two reasons for which an unreadable text is refused.
func refers(text string) (line int) {
	begins := true
	line = 1
	for i := range len(text) {
		switch text[i] {
		case '&', '*', '!':
			if begins {
				return line
			}
		case '\n':
			line++
			begins = true
		case '[', '{', ',', ':', '-', '?':
			begins = true
		case ' ', '\t':
		default:
			begins = false
		}
	}
	return 0
}
