package aidiscovery

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/parse"
)

// maxNotation bounds a text that is parsed, in bytes (§6.5). Real ones have fewer than
// 200.
const maxNotation = 2048

// form is the notation of a parameter.
type form uint8

// The forms. Only the first is the form of §3.3. The others come from the authors'
// documentation, their converter, their code generator, and people.
const (
	formDraft  form = iota // string, required, max 50 -- description
	formDocs               // description (string, required)
	formCLI                // string (required - description)
	formParens             // string (required) -- description
	formObject             // {"type": "string", "required": true}
	formProse              // description
	forms
)

// notation is the content of a compact text.
type notation struct {
	form        form
	kind        string // the word for the type, as written
	required    *bool
	place       string // "path", "query", …, empty if the text has none
	description string
	standard    string // the default, as written
	least, most string
	choices     []string
	// unread is the number of other clauses. guessed is true if a value was found in
	// the description.
	unread  int
	guessed bool
}

// readNotation parses a text (§3.3):
//
//	<type>, <requirement>[, <constraints>] [-- <description>]
//
// It also parses the other forms. It never fails: a text that cannot be parsed is a
// description.
func readNotation(text string) notation {
	text = strings.TrimSpace(text)
	if len(text) > maxNotation {
		return notation{form: formProse, description: text}
	}
	if n, ok := readCLI(text); ok {
		return n
	}
	head, description := cutDescription(text)
	if n, ok := readHead(head); ok {
		n.describe(description)
		return n
	}
	if n, ok := readDocs(text); ok {
		return n
	}
	return notation{form: formProse, description: text}
}

// readCLI reads the converter's form: "integer (optional - how many)". The converter
// cuts the description at 60 characters and adds a parenthesis after it, so that
// parentheses in it may not match. Such a description is not searched.
func readCLI(text string) (notation, bool) {
	kind, rest, ok := strings.Cut(text, "(")
	kind = strings.TrimSpace(kind)
	if !ok || !isWord(kind) {
		return notation{}, false
	}
	word, description, ok := strings.Cut(rest, " - ")
	required, known := requirement(word)
	if !ok || !known {
		return notation{}, false
	}
	return notation{form: formCLI, kind: kind, required: &required, description: strings.TrimSpace(strings.TrimSuffix(description, ")"))}, true
}

// readHead reads the text before the description, if it begins with a type or with a
// requirement in its place.
func readHead(head string) (n notation, ok bool) {
	i := strings.IndexAny(head, ",(")
	if i < 0 {
		i = len(head)
	}
	kind, rest := strings.TrimSpace(head[:i]), head[i:]
	_, isRequirement := requirement(kind)
	switch {
	case isRequirement:
		kind, rest = "", ","+head
	case isKnown(kind):
	case isWord(kind) && beginsWithRequirement(rest):
	default:
		return n, false
	}
	n.kind = kind
	if inner, after, group := cutGroup(rest); group {
		n.form = formParens
		n.clauses(inner)
		rest = after
	}
	n.clauses(rest)
	return n, true
}

// readDocs reads "how many (integer, optional, default: 20)".
func readDocs(text string) (n notation, ok bool) {
	description, inner, ok := cutLastGroup(text)
	if !ok {
		return n, false
	}
	n.form = formDocs
	n.clauses(inner)
	if n.kind == "" && n.required == nil {
		return notation{}, false
	}
	n.describe(description)
	return n, true
}

// requirement reads the word for the requirement.
func requirement(word string) (required, ok bool) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "required", "mandatory":
		return true, true
	case "optional":
		return false, true
	}
	return false, false
}

// beginsWithRequirement reports whether the first clause is a requirement, inside
// parentheses or not.
func beginsWithRequirement(rest string) bool {
	rest = strings.TrimLeft(rest, " ,(")
	if i := strings.IndexAny(rest, ",()"); i >= 0 {
		rest = rest[:i]
	}
	_, ok := requirement(rest)
	return ok
}

// isKnown reports whether the meaning of a word for a type is known.
func isKnown(word string) bool {
	_, ok := paramspec.TypeSchema(word)
	return ok && word != ""
}

// isWord reports whether text may be the word for a type: a single word, or a type
// that is known.
func isWord(text string) bool {
	const longest = 40
	return isKnown(text) || text != "" && len(text) <= longest && !strings.ContainsAny(text, " \t\r\n")
}

// confidence returns the confidence of the reading, from 0 to 1.
func (n *notation) confidence() float64 {
	percent := [forms]int{formDraft: 100, formDocs: 90, formCLI: 70, formParens: 90, formObject: 100, formProse: 20}[n.form]
	if n.form == formProse {
		return float64(percent) / 100
	}
	switch {
	case n.kind == "" || !isKnown(n.kind):
		percent -= 30
	case !isType(n.kind):
		percent -= 10
	}
	if n.required == nil {
		percent -= 20
	}
	if n.guessed {
		percent -= 10
	}
	percent -= 10 * min(n.unread, 3)
	return float64(max(percent, 10)) / 100
}

// notations counts the parameters of a document by form.
type notations [forms]struct {
	count int
	first parse.Node
}

func (n *notations) count(f form, at parse.Node) {
	if n[f].count == 0 {
		n[f].first = at
	}
	n[f].count++
}

// reportNotations reports the forms other than the specification's, once each.
func (r *reader) reportNotations() {
	words := [forms]string{
		formDocs: "description (type, requirement)", formCLI: "type (requirement - description)",
		formParens: "type (requirement) -- description", formObject: "an object", formProse: "prose",
	}
	for f, seen := range r.notations {
		if seen.count == 0 || words[f] == "" {
			continue
		}
		r.Report(ruleParamNotation, seen.first, "%d parameters are written as %q where \"type, requirement -- description\" belongs", seen.count, words[f])
	}
}
