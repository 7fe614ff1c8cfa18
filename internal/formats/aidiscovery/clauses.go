package aidiscovery

import (
	"slices"
	"strings"
)

// clauses reads the qualifiers of §3.3, which are separated by commas: requirement,
// "default 10", "max 50", "min 1" and choices separated by "|". Any other text becomes
// the description.
func (n *notation) clauses(text string) {
	for _, c := range splitTop(text, ',') {
		c = strings.TrimSpace(c)
		if c == "" || n.clause(c) {
			continue
		}
		n.unread++
		n.addDescription(c)
	}
}

func (n *notation) addDescription(text string) {
	if n.description != "" {
		n.description += ", "
	}
	n.description += text
}

// clause reads one qualifier. Others may follow it in parentheses, as in
// "default 10 (max 100)". Only the first qualifier of a kind is used. clause returns
// false if the text is not a qualifier.
func (n *notation) clause(text string) bool {
	if before, inner, ok := cutLastGroup(text); ok {
		if _, known := requirement(before); known || keyword(before) != "" {
			n.clauses(inner)
			text = before
		}
	}
	if required, ok := requirement(text); ok {
		if n.required == nil {
			n.required = &required
		}
		return true
	}
	if n.value(text) || n.where(text) {
		return true
	}
	if list := choices(text); list != nil && n.choices == nil {
		n.choices = list
		return true
	}
	if n.kind == "" && isKnown(text) {
		n.kind = text
		return true
	}
	return false
}

// value reads "default 10", also with a colon or an equals sign.
func (n *notation) value(text string) bool {
	key := keyword(text)
	value := strings.TrimLeft(text[len(key):], " :=.")
	word, _, _ := strings.Cut(value, " ")
	target := &n.standard
	switch {
	case key == "" || value == "":
		return false
	case strings.HasPrefix(key, "d"), strings.HasPrefix(key, "D"):
		word = value
	case !isNumber(word):
		return false // "max length 100"
	case strings.HasPrefix(strings.ToLower(key), "min"):
		target = &n.least
	default:
		target = &n.most
	}
	if *target == "" {
		*target = word
	}
	return true
}

// keyword returns the word at the beginning of a qualifier with a value, as written,
// and "" for any other text.
func keyword(text string) string {
	for _, k := range [...]string{"defaults to", "default is", "default", "minimum", "min", "maximum", "max"} {
		if len(text) > len(k) && strings.EqualFold(text[:len(k)], k) && strings.ContainsRune(" :=.", rune(text[len(k)])) {
			return text[:len(k)]
		}
	}
	return ""
}

// where reads a place, such as "path param".
func (n *notation) where(text string) bool {
	place, what, _ := strings.Cut(strings.ToLower(text), " ")
	if place == "in" {
		place, what = what, "param"
	}
	switch what {
	case "param", "parameter", "params", "variable", "string":
	default:
		return false
	}
	switch place {
	case "path", "query", "header", "body":
		n.place = place
		return true
	}
	return false
}

// choices reads "a|b|c" and "one of: a|b|c". It returns nil for any other text. The
// words for the requirement are not choices: "required|optional" comes from a
// template.
func choices(text string) []string {
	if rest, ok := cutLead(text); ok {
		text = rest
	}
	list := words(strings.Split(text, "|"))
	if len(list) < 2 {
		return nil
	}
	if _, is := requirement(list[0]); is {
		return nil
	}
	return list
}

// cutLead removes an introduction such as "one of" from choices.
func cutLead(text string) (rest string, ok bool) {
	for _, lead := range [...]string{"one of", "enum", "values"} {
		if len(text) > len(lead) && strings.EqualFold(text[:len(lead)], lead) && strings.ContainsRune(" :=", rune(text[len(lead)])) {
			return strings.TrimLeft(text[len(lead):], " :="), true
		}
	}
	return "", false
}

// words returns the items of a list without quotes and repetitions, nil if one of them
// is not a single word.
func words(items []string) []string {
	var list []string
	seen := make(map[string]bool, len(items))
	for _, w := range items {
		w = unquote(strings.TrimSpace(w))
		if w == "" || strings.ContainsAny(w, " \t\r\n") {
			return nil
		}
		if !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	return list
}

// describe adds the description, and searches it for choices, a default and bounds,
// because the examples of the draft contain them there ("-- metric|imperial, default
// metric").
func (n *notation) describe(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	n.addDescription(text)
	if list := choicesIn(text); n.choices == nil && list != nil {
		n.choices, n.guessed = list, true
	}
	for _, c := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;()", r) }) {
		c = strings.TrimRight(strings.TrimSpace(c), ".")
		key := keyword(c)
		value := strings.TrimLeft(c[len(key):], " :=")
		if key == "" || value == "" || strings.ContainsAny(value, " \t\r\n") {
			continue // "default language of the answer"
		}
		if n.choices != nil && strings.EqualFold(key[:1], "d") && !slices.Contains(n.choices, unquote(value)) {
			continue
		}
		before := [...]string{n.standard, n.least, n.most}
		n.value(c)
		n.guessed = n.guessed || before != [...]string{n.standard, n.least, n.most}
	}
}

// choicesIn returns the list of choices in a description: words separated by bars, or
// "one of: a, b, c" as the whole text. It returns nil if there are two lists, or if
// the list is an example.
func choicesIn(text string) []string {
	if rest, ok := cutLead(text); ok {
		if list := words(strings.Split(strings.TrimRight(rest, "."), ",")); len(list) > 1 {
			return list
		}
	}
	var found []string
	text = strings.ReplaceAll(text, " | ", "|")
	last := ""
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;()[]{}", r) }) {
		list := choices(strings.TrimRight(word, ".:"))
		if list != nil {
			if found != nil || strings.HasPrefix(last, "e.g") || strings.EqualFold(last, "like") || strings.EqualFold(last, "as") {
				return nil
			}
			found = list
		}
		last = word
	}
	return found
}

func unquote(text string) string {
	if len(text) >= 2 && strings.ContainsRune("\"'`", rune(text[0])) && text[0] == text[len(text)-1] {
		return text[1 : len(text)-1]
	}
	return text
}
