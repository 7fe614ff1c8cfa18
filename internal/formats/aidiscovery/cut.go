package aidiscovery

import "strings"

// depth returns the nesting depth after a character. All parentheses, brackets and
// braces are equal, because people write the texts and may mismatch them.
func depth(now int, c rune) int {
	switch c {
	case '(', '[', '{':
		return now + 1
	case ')', ']', '}':
		return max(now-1, 0)
	}
	return now
}

// splitTop splits text at the separators outside of parentheses and double quotes.
// Single quotes are ignored, because they are also apostrophes.
func splitTop(text string, separator rune) []string {
	var list []string
	level, begin, quoted := 0, 0, false
	for i, c := range text {
		level = depth(level, c)
		if c == '"' {
			quoted = !quoted
		}
		if c == separator && level == 0 && !quoted {
			list = append(list, text[begin:i])
			begin = i + len(string(c))
		}
	}
	return append(list, text[begin:])
}

// cutDescription cuts text at the separator of the description: an em dash or a double
// hyphen (§3.3). It also accepts an en dash, a hyphen and a colon with spaces on both
// sides, which people write instead.
func cutDescription(text string) (head, description string) {
	level := 0
	for i, c := range text {
		if level = depth(level, c); level > 0 {
			continue
		}
		for _, s := range [...]string{"—", "--", " – ", " - ", " : "} {
			if strings.HasPrefix(text[i:], s) {
				return strings.TrimSpace(text[:i]), strings.TrimSpace(strings.TrimLeft(text[i+len(s):], "-"))
			}
		}
	}
	return text, ""
}

// cutGroup splits "(inner) after". If the closing parenthesis is missing, the whole
// text is inner.
func cutGroup(text string) (inner, after string, ok bool) {
	rest, ok := strings.CutPrefix(text, "(")
	if !ok {
		return "", text, false
	}
	level := 1
	for i, c := range rest {
		if level = depth(level, c); level == 0 {
			return rest[:i], rest[i+1:], true
		}
	}
	return rest, "", true
}

// cutLastGroup splits "before (inner)", with or without a full stop after it.
func cutLastGroup(text string) (before, inner string, ok bool) {
	text, ok = strings.CutSuffix(strings.TrimRight(text, ". "), ")")
	if !ok {
		return "", "", false
	}
	level := 1
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			level++
		case '(':
			level--
		}
		if level == 0 {
			return strings.TrimSpace(text[:i]), text[i+1:], true
		}
	}
	return "", "", false
}
