package tools

import (
	"regexp"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// joined makes one tool of calls that several documents describe: a summary
// shows its call only once it is described. Calls are the same by method and
// address, never by name. Two calls of one document stay two.
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
	first.rank = min(first.rank, t.rank)
	return true
}

// variable is an expression in a template.
var variable = regexp.MustCompile(`\{[^{}]*\}`)

// callOf names the HTTP call of a tool, "" for other protocols, where calls of
// several documents have been joined already.
func callOf(t *Tool) string {
	if t.Capability == nil || t.Capability.Invocation == nil || t.Capability.Invocation.Protocol != "http" {
		return ""
	}
	v := t.Capability.Invocation
	return t.Origin + " " + v.Method + " " + v.URL + variable.ReplaceAllString(v.Template, "{}")
}
