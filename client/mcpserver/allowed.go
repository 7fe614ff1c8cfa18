package mcpserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// tellAllowed logs once which tools [Options.Allow] allows, when all domains from the start have
// answered. If it allows none, the server ends: a person expects calls that would all be refused.
func (s *Server) tellAllowed() {
	allow := s.surface.opts.Allow
	if len(allow) == 0 {
		return
	}
	s.allowed.Do(func() {
		box, old, none := s.Box(), *s.saved.Load(), true
		for _, word := range allow {
			list := s.allowedBy(word, box, old)
			if len(list) > 0 {
				none = false
				s.surface.opts.Logger.Warn(fmt.Sprintf("--allow %s: calls without a question: %s", word, strings.Join(list, ", ")))
			} else {
				s.surface.opts.Logger.Warn(fmt.Sprintf("--allow %s allows nothing: no tool of the domains that it could be for has this name%s", word, meant(word, box)))
			}
		}
		if none {
			s.err = fmt.Errorf("no tool of the domains has a name that --allow gives: %s", strings.Join(allow, ", "))
			close(s.failed)
		}
	})
}

// allowedBy returns the tools, with their domains, that a name or a pattern in the options allows.
func (s *Server) allowedBy(word string, box *tools.Box, old saved) (list []string) {
	g := s.surface.grants
	for _, t := range box.Tools() {
		does := g.isNamed(&t)
		if strings.Contains(word, "*") {
			does = does && slices.ContainsFunc(old.all(t.Name), func(name string) bool { return matches([]string{word}, name) }) && s.runsByPattern(box, t.Name)
		} else {
			g.mu.Lock()
			_, isBound := g.bound[subject(&t)]
			g.mu.Unlock()
			does = isBound && old.plain(word) == t.Name
		}
		if does {
			list = append(list, fmt.Sprintf("%s (%s)", t.Name, t.Domain))
		}
	}
	return list
}

// runsByPattern reports whether a pattern lets calls of a tool run: those that need not be asked about each
// time.
func (s *Server) runsByPattern(box *tools.Box, name string) bool {
	t, err := box.Tool(name) // with its extensions
	return err == nil && s.surface.caller.Effect(t) == call.Changes && s.surface.caller.Decision(t) != call.AskEach
}

// meant returns a hint with the tools whose names are a word behind their domain, or "".
func meant(word string, box *tools.Box) string {
	var list []string
	for _, t := range box.Tools() {
		if strings.HasSuffix(strings.ToLower(t.Name), strings.ToLower(separator+word)) {
			list = append(list, t.Name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "; did you mean " + someOf(list) + "?"
}

// someOf returns a list for a person.
func someOf(list []string) string {
	more := ""
	if n := len(list) - maxNamed; n > 0 {
		list, more = list[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(list, ", ") + more
}
