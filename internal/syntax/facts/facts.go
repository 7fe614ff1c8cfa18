// Package facts lists what publishers state for agents that plan, call and recover: whether a
// service works, prerequisites, restrictions, the meaning of failures. The list is one
// table. A row names who states a fact, its subject, and, with a reason, the surfaces that
// do not show it. All other surfaces show it.
//
// A fact is the word of a site. It informs and adds caution, and never takes any away.
package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Surface is a place where people, models or programs see facts.
type Surface string

// The surfaces.
const (
	JSON       Surface = "json"       // a Site as JSON
	Table      Surface = "table"      // wayfind resolve
	Prompt     Surface = "prompt"     // package security/prompt, and --prompt
	Describe   Surface = "describe"   // wayfind describe
	Definition Surface = "definition" // of a tool, for a model
	Note       Surface = "note"       // of a Box, for a model
	Skipped    Surface = "skipped"    // the reason why there is no tool
	Question   Surface = "question"   // to a person, before a call
	Result     Surface = "result"     // of a call that failed
	Lint       Surface = "lint"       // wayfind lint
	Check      Surface = "check"      // wayfind check
	Page       Surface = "page"       // wayfind inspect
	Bridge     Surface = "bridge"     // wayfind mcp
)

// Surfaces returns all surfaces.
func Surfaces() []Surface {
	return []Surface{JSON, Table, Prompt, Describe, Definition, Note, Skipped, Question, Result, Lint, Check, Page, Bridge}
}

// About is what a fact is about.
type About string

// The things that facts are about.
const (
	AboutSite       About = "site"
	AboutService    About = "service"
	AboutCapability About = "capability"
)

// Fact is a fact that publishers state. The list is closed.
type Fact struct{ row *row }

// row holds all that is known about a Fact.
type row struct {
	name, label string
	about       About
	// by names who states it: a format, with the place in its documents.
	by []string
	// sentence tells a model the statement, or quotes it in place of %s.
	sentence string
	// apart is true if lists for people and for models show the fact in a line with others.
	apart bool
	// of returns the statements: in our words, or in those of the publisher.
	of func(Subject) []string
	// own is true if the statement is in our words.
	own bool
	// without are the surfaces that do not show it, each with the reason.
	without reasons
}

// Subject has the things that facts are about. Any of them may be nil.
type Subject struct {
	Site       *wayfind.Site
	Service    *wayfind.Service
	Capability *wayfind.Capability

	degraded map[string]bool // the keys in Service.Status
}

// On returns the Subject of a service. It reads the list of degraded capabilities once for all of
// them, so that the work for a document grows with its size only.
func On(s *wayfind.Service) Subject {
	subject := Subject{Service: s, degraded: make(map[string]bool)}
	if s != nil && s.Status != nil {
		for _, key := range s.Status.Degraded {
			subject.degraded[key] = true
		}
	}
	return subject
}

// In returns the Subject of a capability of the service.
func (s Subject) In(c *wayfind.Capability) Subject {
	s.Capability = c
	return s
}

// has reports whether a Subject has the thing that a fact is about.
func (s *Subject) has(a About) bool {
	return a == AboutSite && s.Site != nil || a == AboutService && s.Service != nil || a == AboutCapability && s.Capability != nil
}

// isDegraded reports whether the service states that the capability is degraded.
func (s *Subject) isDegraded() bool {
	return s.degraded[s.Capability.Key] || slices.ContainsFunc(s.Capability.Aliases, func(key string) bool { return s.degraded[key] })
}

// Said is one statement of a publisher.
type Said struct {
	Fact
	// Words is the statement. Unless Own is true, it is text of a stranger.
	Words string
	Own   bool
	// More is the number of further statements that are not shown, if this is the entry for them.
	More int
}

// Sentence tells a model the statement. inert makes a text of the publisher harmless; it is
// cut to at most the given number of bytes, and quoted.
func (s Said) Sentence(inert func(string) string, most int) string {
	switch {
	case s.More > 0:
		return fmt.Sprintf("The site states %d more (%s).", s.More, s.Label())
	case s.Own:
		return s.is().sentence
	}
	words, _ := text.Shorten(inert(s.Words), most)
	return strings.Replace(s.is().sentence, "%s", strconv.Quote(words), 1)
}

func (f Fact) is() row { return text.Row(f.row) }

// String returns the name of the fact.
func (f Fact) String() string { return f.is().name }

// Label returns the name of the fact in lists for people and for models.
func (f Fact) Label() string { return f.is().label }

// About returns what the fact is about.
func (f Fact) About() About { return f.is().about }

// Apart reports whether lists for people and for models show the fact in a line with others: a
// price, or the effects of a call.
func (f Fact) Apart() bool { return f.is().apart }

// By returns who states the fact.
func (f Fact) By() []string { return slices.Clone(f.is().by) }

// Without returns the reason why a surface does not show the fact, or "" if it shows it.
func (f Fact) Without(at Surface) string { return f.is().without[at] }

const (
	// mostRead is the maximum number of statements of one fact that a list for people or a prompt
	// shows, and mostCalled the maximum at a surface that models and people read with each call.
	mostRead   = 32
	mostCalled = 8
)

// most returns the maximum number of statements of one fact. JSON has all.
func (at Surface) most() int {
	if slices.Contains([]Surface{Definition, Note, Question, Result, Bridge}, at) {
		return mostCalled
	}
	return mostRead
}

// Of returns what a site states about things of a Subject, as far as a surface shows it, in the
// order of the table. If a fact has more statements than the surface shows, the last entry tells
// their number.
func Of(s Subject, at Surface, about ...About) (list []Said) {
	for _, f := range All() {
		if !slices.Contains(about, f.row.about) || !s.has(f.row.about) || f.Without(at) != "" {
			continue
		}
		all := f.row.of(s)
		shown := min(len(all), at.most())
		for _, words := range all[:shown] {
			list = append(list, Said{Fact: f, Words: words, Own: f.row.own})
		}
		if more := len(all) - shown; more > 0 {
			list = append(list, Said{Fact: f, Words: fmt.Sprintf("%d more, which are not shown", more), Own: true, More: more})
		}
	}
	return list
}

// Again returns a statement that was kept by the name of its fact, or false if there is no such
// fact. more is as in Said.
func Again(name, words string, more int) (Said, bool) {
	for _, f := range All() {
		if f.String() == name {
			return Said{Fact: f, Words: words, Own: more > 0 || f.row.own, More: max(more, 0)}, true
		}
	}
	return Said{}, false
}
