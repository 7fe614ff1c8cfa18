package reading

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// suspicions contains the passages of a document that address a model. They are only reported. A
// nil *suspicions examines nothing.
type suspicions struct {
	fields int // with a finding
	first  prompt.Injection
	field  string          // the field of the first
	all    map[string]bool // classes in the document
	own    map[string]bool // classes in the present capability or service
}

// look examines one text that is already clean.
func (s *suspicions) look(text, field string) {
	if s == nil {
		return
	}
	found := prompt.Injections(text)
	if len(found) == 0 {
		return
	}
	if s.fields++; s.fields == 1 {
		s.first, s.field, s.all = found[0], field, map[string]bool{}
	}
	for _, f := range found {
		s.all[f.Class] = true
		if s.own != nil {
			s.own[f.Class] = true
		}
	}
}

// lookJSON examines the strings and names inside a JSON value. If the JSON has no escapes and no
// paired marks, a passage in one of its strings is also found in the JSON as a whole.
func (s *suspicions) lookJSON(raw []byte, field string) {
	if s == nil || !bytes.ContainsAny(raw, "\\<`") && len(prompt.Injections(string(raw))) == 0 {
		return
	}
	root, err := (&parse.Input{Body: raw}).JSON()
	if err != nil {
		return
	}
	s.lookNode(root, field)
}

func (s *suspicions) lookNode(n parse.Node, field string) {
	if text, ok := n.Str(); ok {
		s.look(text, field)
	}
	for _, item := range n.Items() {
		s.lookNode(item, field)
	}
	for name, value := range n.Members() {
		s.look(name, field)
		s.lookNode(value, field)
	}
}

// owned begins a capability or service, whose flag is set when it ends, because a capability is no
// reason to suspect the others of its service.
func (s *suspicions) owned(flag reflect.Value) (end func()) {
	outer := s.own
	s.own = map[string]bool{}
	return func() {
		if len(s.own) > 0 {
			flag.Set(reflect.ValueOf(slices.Sorted(maps.Keys(s.own))))
		}
		s.own = outer
	}
}

// diagnostics returns one diagnostic about the passages of a document.
func (s *suspicions) diagnostics() []wayfind.Diagnostic {
	if s == nil || s.fields == 0 {
		return nil
	}
	return []wayfind.Diagnostic{ruleTextInjection.Diagnostic("", "%s (%s), first in the field %s: %q",
		addresses(s.fields), strings.Join(s.classes(), ", "), s.field, s.first.Quote)}
}

// classes returns the classes of the document, sorted.
func (s *suspicions) classes() []string { return slices.Sorted(maps.Keys(s.all)) }

func addresses(fields int) string {
	if fields == 1 {
		return "a text seems to address the model that reads it"
	}
	return fmt.Sprintf("%d texts seem to address the model that reads them", fields)
}
