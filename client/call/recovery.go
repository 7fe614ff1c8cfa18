package call

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/callresult"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	maxRecovery = 500 // code points of a recovery in a result
	maxNamed    = 3   // tools that a recovery names
	maxLooked   = 512 // values of an answer that are compared with the published codes
)

// recover adds what the site says about a call that failed at the service: the published
// recovery, as data, the tools that it names, and the state of the service.
func (m *ModelResult) recover(t *target, p *ProgramResult, secrets veil) {
	if m.state = t.state; m.state == nil {
		m.state = t.tool.State()
	}
	for _, s := range t.tool.Services() {
		if code := failureCode(s.Recovery, p.Status, p.Body); code != "" {
			m.advise(t, s, code, secrets)
			return
		}
	}
}

// advise adds a published recovery.
func (m *ModelResult) advise(t *target, s *wayfind.Service, code string, secrets veil) {
	said := secrets.show(s.Recovery[code], secret.Lines, maxRecovery)
	m.Recovery = said
	m.recoverWith = t.named(said)
	m.recoverFrom = t.tool.Origin + "/"
	if len(s.Sources) > 0 {
		m.recoverFrom = s.Sources[0].Source
	}
}

// failureCode returns the key of the published recoveries that an answer names: in a value of
// its JSON, at the beginning of its text, or as its status. It returns "" if there is none.
func failureCode(published map[string]string, status int, body []byte) string {
	if len(published) == 0 {
		return ""
	}
	root, err := (&parse.Input{Body: body}).JSON()
	if err != nil {
		return firstOf(published, codeOf(published, string(body)), strconv.Itoa(status))
	}
	open, found := []parse.Node{root}, ""
	for looked := 0; len(open) > 0 && looked < maxLooked && found == ""; looked++ {
		n := open[0]
		open = open[1:]
		word, isText := n.Str()
		if n.Kind() == parse.Number {
			word, isText = string(n.Raw()), true
		}
		if isText {
			found = codeOf(published, word)
		}
		for _, inner := range n.Members() {
			open = append(open, inner)
		}
		for _, inner := range n.Items() {
			open = append(open, inner)
		}
	}
	return firstOf(published, found, strconv.Itoa(status))
}

// firstOf returns the first of some words that is published.
func firstOf(published map[string]string, words ...string) string {
	for _, word := range words {
		if published[word] != "" {
			return word
		}
	}
	return ""
}

// codeOf returns the published code with which a text begins, or that is the last part of the
// URL of a type of problem.
func codeOf(published map[string]string, said string) string {
	said = text.Head(strings.TrimSpace(said), 256)
	word := said
	if i := strings.IndexFunc(said, func(r rune) bool { return r == ':' || r == ',' || r == ';' || unicode.IsSpace(r) }); i >= 0 {
		word = said[:i]
	}
	return firstOf(published, said, word, strings.TrimSuffix(word, "."), said[strings.LastIndexAny(said, "/#")+1:])
}

// named returns the names of the tools of the site that a text names by their IDs.
func (t *target) named(said string) (names []string) {
	words := strings.FieldsFunc(said, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	})
	for _, other := range t.box.Tools() {
		c := other.Capability
		if c == nil || other.Origin != t.tool.Origin || len(names) == maxNamed {
			continue
		}
		if slices.ContainsFunc(words, func(w string) bool { w = strings.Trim(w, ".-"); return w == other.Name || w != "" && w == c.ID }) {
			names = append(names, other.Name)
		}
	}
	return names
}

// sentence explains a failure to the model. "Calling again will hardly help" is told only if the
// site says nothing that is better.
func (m *ModelResult) sentence(c Code) string {
	told := c.Sentence()
	if known := c.is().known; known != "" && (m.Recovery != "" || len(m.state) > 0) {
		told = known
	}
	told = strings.Join(append([]string{told}, m.state...), " ")
	switch {
	case m.Recovery == "":
	case m.recoverWith == nil:
		told += " The site publishes what helps then, as data."
	default:
		told += " The site publishes what helps then, as data. It names " + strings.Join(m.recoverWith, " and ") + "."
	}
	return told
}

// suspect adds the ways in which a recovery addresses a model.
func (m *ModelResult) suspect() {
	if m.Recovery == "" {
		return
	}
	for _, class := range callresult.Suspicious(&wayfind.Problem{Detail: m.Recovery}) {
		if !slices.Contains(m.Suspicious, class) {
			m.Suspicious = append(m.Suspicious, class)
		}
	}
	slices.Sort(m.Suspicious)
}
