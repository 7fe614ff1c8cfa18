package tools

import (
	"regexp"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// joined merges calls that several documents describe into one tool, because the call of a
// summary is only known after it is described. Calls are the same if their methods and
// addresses are the same; their names are ignored. Two calls of one document are not merged.
func (l *loader) joined(t *Tool) bool {
	call := callOf(t)
	if call == "" {
		return false
	}
	i, known := l.calls[call]
	if !known {
		l.calls[call] = len(l.box.tools)
		return false
	}
	first := &l.box.tools[i]
	if len(t.Sources) == 0 || slices.ContainsFunc(first.Sources, func(r wayfind.Ref) bool { return r.Source == t.Sources[0].Source }) {
		return false
	}
	first.Aliases = append(append(slices.Clip(first.Aliases), t.Key), t.Aliases...)
	first.Sources = append(slices.Clip(first.Sources), t.Sources...)
	first.addOthers(t.Services()...)
	first.rank = min(first.rank, t.rank)
	both := first.effect().And(*t.effect())
	first.does = &both
	if t.partial != nil {
		first.also = append(slices.Clip(first.also), t.partial)
	}
	first.derive()
	return true
}

// variable is an expression in a template.
var variable = regexp.MustCompile(`\{[^{}]*\}`)

// callOf identifies the HTTP call of a tool. It returns "" for other protocols, whose calls in
// several documents have already been merged.
func callOf(t *Tool) string {
	if t.Capability == nil || t.Capability.Invocation == nil || t.Capability.Invocation.Protocol != "http" {
		return ""
	}
	v := t.Capability.Invocation
	return t.Origin + " " + v.Method + " " + v.URL + variable.ReplaceAllString(v.Template, "{}")
}
