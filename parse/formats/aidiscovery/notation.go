package aidiscovery

import (
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// maxNotation bounds a text that is taken apart, in bytes (§6.5). Real ones
// have less than 200.
const maxNotation = 2048

// form is how a parameter is written.
type form uint8

// The forms. Only the first is that of §3.3; the others are those of the
// authors' documentation, of their converter, of their code generator, and of
// people.
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
	place       string // "path", "query" … when the text says it
	description string
	standard    string // the default, as written
	least, most string
	choices     []string
	// unread counts the other clauses; guessed says that a value was found in
	// the description.
	unread  int
	guessed bool
}

// readNotation takes a text apart (§3.3):
//
//	<type>, <requirement>[, <constraints>] [-- <description>]
//
// and the other forms. It never fails: text that cannot be read is a
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

// readCLI reads the converter's form: "integer (optional - how many)". The
// converter cuts the description at 60 characters, so that parentheses in it
// may not match, and adds one behind it. Such a description is not searched.
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

// readHead reads the text before the description, when it begins with a
// type or has a requirement in its place.
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

// requirement reads the word for it.
func requirement(word string) (required, ok bool) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "required", "mandatory":
		return true, true
	case "optional":
		return false, true
	}
	return false, false
}

// beginsWithRequirement reports a requirement as first clause, inside
// parentheses or not.
func beginsWithRequirement(rest string) bool {
	rest = strings.TrimLeft(rest, " ,(")
	if i := strings.IndexAny(rest, ",()"); i >= 0 {
		rest = rest[:i]
	}
	_, ok := requirement(rest)
	return ok
}

// isKnown reports a word for a type whose meaning is known.
func isKnown(word string) bool {
	_, ok := parse.TypeSchema(word)
	return ok && word != ""
}

// isWord reports text that may be the word for a type: one word, or one that
// is known.
func isWord(text string) bool {
	const longest = 40
	return isKnown(text) || text != "" && len(text) <= longest && !strings.ContainsAny(text, " \t\r\n")
}

// confidence is how sure the reading is, 0 to 1.
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

// reportNotations reports the forms that are not that of the specification,
// once each.
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
