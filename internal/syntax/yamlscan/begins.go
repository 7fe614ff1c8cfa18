package yamlscan

import "bytes"

// Begins reports whether a text is not JSON by how it begins, so that only YAML can read it. JSON begins
// with a bracket or a brace, and the first thing in it is a bracket too, or a name or text in double
// quotes, a number or a literal. Before it are blanks only: no comment, directive or marker of YAML.
// A mapping in braces whose first key has no double quotes is YAML (YAML 1.2 §7.4).
func Begins(text []byte) bool {
	text = blanks(bytes.TrimPrefix(text, []byte("\uFEFF")))
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return len(text) > 0
	}
	mapping := text[0] == '{'
	text = blanks(text[1:])
	if len(text) == 0 {
		return false
	}
	switch text[0] {
	case '"', '}', ']', '{', '[':
		return false
	case '\'', '#', '?', '&', '*', '!':
		return true
	}
	return mapping && plainKey(text)
}

// plainKey reports whether a text begins with a key without quotes: letters, digits and a few marks up
// to a colon and a blank. The blank tells it from the literals of JavaScript.
func plainKey(text []byte) bool {
	for i, c := range text[:min(len(text), 256)] {
		switch {
		case c == ':':
			return i > 0 && i+1 < len(text) && isBlank(text[i+1])
		case c == ',' || c == '"' || c == '\n' || c == '{' || c == '}':
			return false
		}
	}
	return false
}

func blanks(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n\f") }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
