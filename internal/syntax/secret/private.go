package secret

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// maxNested is how deep JSON in strings of JSON is read.
const maxNested = 4

// Private returns data of a caller without the values under the names of secrets, whatever they look
// like: members of JSON, also in strings of JSON, elements and attributes of markup, parts of forms,
// and lines and options with a name before a value. See [Keeps] for the names. The text may be cut off
// at any place.
func Private(text string) string { return private(text, 0) }

func private(text string, depth int) string {
	if strings.Contains(text, `"`) {
		text = membersOf(text, true, depth)
	}
	text = nameless(text)
	for _, rule := range besideShapes {
		text = rule.hide(text)
	}
	return text
}

// Keeps reports whether a record of a call keeps no value under a name: those of [Names], and proofs, which a
// question of a service may well ask for.
func Keeps(name string) bool {
	if Names(name) {
		return true
	}
	words := foldedWords(name)
	if len(words) == 0 {
		return false
	}
	switch words[len(words)-1] {
	case "signature", "hmac", "schlussel", "schluessel":
		return true
	}
	return false
}

// besides is a form in which a text has a name and a value without a separator between them.
type besides struct {
	shape *regexp.Regexp
	// name and value are groups of the shape. If name is 0, each value is a secret.
	name, value int
}

var besideShapes = []besides{
	// An element of markup. The value goes to the next tag.
	{regexp.MustCompile(`<(?:[\pL\d_.-]+:)?([\pL\pM\d_.-]{1,64})(?:\s[^<>]*)?>([^<]+)`), 1, 2},
	// A name and a value that are attributes, members or lines of their own, as in forms of HTML and in YAML.
	{regexp.MustCompile(`(?i)\b(?:name|id|key|field)["']?\s{0,3}[=:]\s{0,3}["']?([\pL\pM\d_. -]{1,64}?)["']?[\s,;]+["']?(?:value|val|content)["']?\s{0,3}[=:]\s{0,3}["']?([^"'\s<>]+)`), 1, 2},
	// A part of a form (RFC 7578 §4.2).
	{regexp.MustCompile(`(?i)\bname="([^"\r\n]{1,64})"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n([^\r\n]+)`), 1, 2},
	// An option of a command.
	{regexp.MustCompile(`(?:^|\s)--?([\pL\pM\d_-]{1,64})[ \t]+["']?([^\s"'-][^\s"']*)`), 1, 2},
	// A user and a password for curl and its kind.
	{regexp.MustCompile(`(?:^|\s)(?:-u|-U|--user|--proxy-user)[ \t=]*["']?[^\s:"']*:([^\s"']+)`), 0, 1},
}

// hide replaces the values of a shape.
func (b besides) hide(text string) string {
	var out strings.Builder
	last := 0
	for _, at := range b.shape.FindAllStringSubmatchIndex(text, -1) {
		if b.name > 0 && !Keeps(text[at[2*b.name]:at[2*b.name+1]]) {
			continue
		}
		if start, end := at[2*b.value], at[2*b.value+1]; isOpen(text[start:], end-start) {
			out.WriteString(text[last:start] + Mark(ruleNamed))
			last = end
		}
	}
	return out.String() + text[last:]
}

// isOpen reports whether the value of a length at the beginning of a text could be read, and is no mark.
func isOpen(text string, length int) bool {
	return strings.TrimSpace(text[:length]) != "" && !strings.HasPrefix(text, "[redacted: ") && text[:length] != RecordedMark
}

// nameless removes the values that stand after the name of a secret and "=" or ":", to the end of the
// quotation, of the parameter, or of the line.
func nameless(text string) string {
	var out strings.Builder
	last := 0
	for i := 0; i < len(text); i++ {
		size := 1
		switch {
		case text[i] == '=', text[i] == ':':
		case strings.HasPrefix(text[i:], "："):
			size = len("：")
		default:
			continue
		}
		if name := nameAhead(text[last:i]); name == "" || !Keeps(name) {
			continue
		}
		start, end := valueAfter(text, i+size, text[i] == '=')
		if isOpen(text[start:], end-start) {
			out.WriteString(text[last:start] + Mark(ruleNamed))
			last, i = end, end-1
		}
	}
	return out.String() + text[last:]
}

// maxNameWords is the largest number of words before a separator that are read as a name.
const maxNameWords = 4

// nameAhead returns the last words of a text, which are the name of its value.
func nameAhead(text string) string {
	text = strings.TrimRight(text, " \t\u00a0\"'`*")
	start, words, inWord := len(text), 0, false
	for start > 0 && len(text)-start < maxNameLen {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r), strings.ContainsRune("_.-%'[]", r):
			inWord = true
		case r == ' ' && inWord && words+1 < maxNameWords:
			words, inWord = words+1, false
		case r == ' ' && !inWord:
		default:
			return text[start:]
		}
		start -= size
	}
	return text[start:]
}

// valueAfter returns the place of the value behind a separator.
func valueAfter(text string, at int, assigned bool) (start, end int) {
	if start = at; start < len(text) && text[start] == '>' {
		start++ // "=>"
	}
	for start < len(text) && (text[start] == ' ' || text[start] == '\t') {
		start++
	}
	if start == len(text) {
		return start, start
	}
	if quote := text[start]; isQuote(quote) {
		start++
		for end = start; end < len(text) && text[end] != quote; end++ {
			if text[end] == '\\' {
				end++
			}
		}
		return start, min(end, len(text))
	}
	if strings.HasPrefix(text[start:], "//") || strings.HasPrefix(text[start:], `{"`) || strings.HasPrefix(text[start:], `["`) {
		return start, start // a URL, and JSON, whose members are read one by one
	}
	for end = start; end < len(text); end++ {
		switch c := text[end]; {
		case c == '\n', c == '\r', c == '"', c == '<', c == '}':
			return start, end
		case assigned && (c <= ' ' || c == '&' || c == '\'' || c == '>'):
			return start, end
		case assigned && (c == ',' || c == ';') && (end+1 == len(text) || text[end+1] <= ' '):
			return start, end
		}
	}
	return start, end
}

// quotedJSON returns a text as the inside of a string of JSON.
func quotedJSON(text string) string {
	quoted := jsonscan.AppendQuote(nil, text)
	return string(quoted[1 : len(quoted)-1])
}
