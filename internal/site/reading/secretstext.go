package reading

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// ofText searches a body that is no JSON. For YAML it searches the names and values, and the lines
// for text that YAML ignores; else the text as a whole. The rules for a text as a whole take as
// long as all other work on a large document.
func (s *secrets) ofText(in *parse.Input, words string) {
	root, ok := treeOf(in)
	if !ok {
		s.plain(words, 1)
		return
	}
	s.node("", root)
	s.yaml = len(s.found) > 0
	number := 1
	for line := range strings.Lines(words) {
		s.plain(line, number)
		number++
	}
}

// treeOf returns the YAML that a format has read. For other texts no format has derived a tree.
func treeOf(in *parse.Input) (root parse.Node, ok bool) {
	if in.Size() == 0 {
		return parse.Node{}, false
	}
	root, err := in.Tree()
	return root, err == nil
}

// plain searches a text that begins on a line of the body. It leaves out secrets that are values of
// the body.
func (s *secrets) plain(words string, line int) {
	last := 0
	for _, f := range secret.Find("", words) {
		line += strings.Count(words[last:f.Start], "\n")
		last = f.Start
		if value := words[f.Start:f.End]; !s.yaml || s.values[value] == "" {
			s.add(leak{rule: f.Rule, line: line}, value)
		}
	}
}

// redactBody returns the document without its secrets, for a file that it is read from again. If
// there are no secrets, it returns the body itself. If a secret has a spelling that cannot be
// removed, it returns nil.
func (s *secrets) redactBody(body []byte) []byte {
	if s == nil {
		return body
	}
	clean := func(words string) string {
		plain, _ := text.Clean(words, true, 0)
		if out, _ := s.redact("", plain); out != plain {
			return out
		}
		return words
	}
	if out, err := text.RewriteJSON(body, clean); err == nil {
		return out
	}
	out := []byte(clean(string(body)))
	if s.yaml && !withoutValues(out) {
		return nil
	}
	return out
}

// withoutValues reports whether no value of YAML is a secret. It returns false for a text that is
// no YAML any more, because such a text may still contain a secret.
func withoutValues(body []byte) bool {
	root, err := (&parse.Input{Body: body}).Tree()
	if err != nil {
		return false
	}
	s := newSecrets()
	s.node("", root)
	return len(s.found) == 0
}
