package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
)

const (
	// maxStated is the maximum length of a text of the site in a sentence of Stated, in bytes.
	maxStated = 200
	// maxStatements is the maximum length of all sentences of Stated together, in bytes. With
	// mostStatements sentences they fit on a screen, so a person sees all that follows.
	maxStatements  = 2 << 10
	mostStatements = 16
	// maxOthers is the maximum number of services of other documents whose statements a tool has.
	maxOthers = 8
)

// sentences are statements of a site for which there is room.
type sentences struct {
	list       []string
	left       int // statements without room
	room, most int // bytes and sentences
}

// add adds a sentence once, if there is room. A statement that stands for more of its kind adds
// their number if there is none.
func (s *sentences) add(sentence string, more int) {
	switch {
	case slices.Contains(s.list, sentence):
	case len(s.list) == s.most, len(sentence)+1 > s.room:
		s.left += max(more, 1)
	default:
		s.list, s.room = append(s.list, sentence), s.room-len(sentence)-1
	}
}

// rest returns a sentence about the statements without room, or "".
func (s *sentences) rest() string {
	if s.left == 0 {
		return ""
	}
	return fmt.Sprintf("The site states %d more.", s.left)
}

// Stated returns what the site states about the tool and that a caller should know before a
// call: that it does not work at present, that it destroys something or cannot be undone, its
// prerequisites, its price, its restrictions. Each is a sentence of this package. Texts of the site in it are in quotes,
// cleaned and cut. At most 16 sentences with 2 KiB are returned, the state at present first, and
// then one with the number of statements that are left out. Description begins with them, without
// restrictions, which concern all tools of the site: [Box.Note] has them once.
func (t *Tool) Stated() []string {
	s := t.stated(maxStatements)
	for i := 0; t.site != nil && i < len(t.site.said); i++ {
		if said := t.site.said[i]; said.Fact == facts.Restrictions {
			s.add(said.Sentence(t.site.inert, maxStated), said.More)
		}
	}
	if rest := s.rest(); rest != "" {
		return append(s.list, rest)
	}
	return s.list
}

// stated returns the sentences of Stated that fit into a number of bytes. The state at present
// always fits.
func (t *Tool) stated(most int) *sentences {
	s := &sentences{list: t.State(), room: most, most: mostStatements}
	s.room -= len(strings.Join(s.list, " ")) + 1
	ordered := false
	for _, said := range t.facts() {
		switch {
		case said.Label() == facts.NotOperational.Label():
		case said.Fact != facts.Prerequisites:
			s.add(said.Sentence(t.inert, maxStated), said.More)
		case !ordered: // the Box knows the names of their tools
			for _, sentence := range t.first.sentences(t.inert) {
				s.add(sentence, 0)
			}
			ordered = true
		}
	}
	return s
}

// State returns the sentences of Stated about the present: the service is not operational, or
// the tool is degraded.
func (t *Tool) State() (list []string) {
	for _, said := range t.facts() {
		if said.Label() == facts.NotOperational.Label() {
			list = append(list, said.Sentence(t.inert, maxStated))
		}
	}
	return list
}

// facts returns what the documents of a tool state about it, each statement once.
func (t *Tool) facts() (list []facts.Said) {
	for _, on := range t.on() {
		for _, said := range facts.Of(on.In(t.Capability), facts.Definition, facts.AboutService, facts.AboutCapability) {
			if !slices.Contains(list, said) {
				list = append(list, said)
			}
		}
	}
	return sortedFacts(list)
}

// on returns the services of the tool. The Box has read them once for all of its tools.
func (t *Tool) on() []facts.Subject {
	if t.subjects != nil {
		return t.subjects
	}
	return subjectsOf(t, make(map[*wayfind.Service]facts.Subject))
}

// subjectsOf returns the services of a tool. known are those that were read.
func subjectsOf(t *Tool, known map[*wayfind.Service]facts.Subject) (list []facts.Subject) {
	for _, s := range t.Services() {
		on, read := known[s]
		if !read {
			on = facts.On(s)
			known[s] = on
		}
		list = append(list, on)
	}
	return list
}

// sortedFacts sorts statements in the order of the table of facts.
func sortedFacts(list []facts.Said) []facts.Said {
	all := facts.All()
	slices.SortStableFunc(list, func(p, q facts.Said) int { return slices.Index(all, p.Fact) - slices.Index(all, q.Fact) })
	return list
}

// Services returns the Service of the tool, and then at most 8 services of other documents that
// describe the same call: their status and their recoveries apply to it, too. They are shared and
// must not be changed.
func (t *Tool) Services() []*wayfind.Service {
	return append([]*wayfind.Service{t.Service}, t.others...)
}

// addOthers adds services of other documents.
func (t *Tool) addOthers(list ...*wayfind.Service) {
	t.others = slices.Clip(t.others)
	for _, s := range list {
		if len(t.others) < maxOthers && s != t.Service && !slices.Contains(t.others, s) {
			t.others = append(t.others, s)
		}
	}
}

const (
	maxAliases  = 64 // aliases of a tool that are followed to their services
	maxKeyParts = 16 // parts of a key with which the ID of a service may end
)

// beside adds the other services of a site that had a reading of a tool before their readings
// were merged: the ID of a service is the beginning of the keys of its capabilities.
func (l *loader) beside(site *wayfind.Site, t *Tool) {
	if t.Capability == nil {
		return
	}
	if l.ids.site != site {
		l.ids.site, l.ids.services = site, make(map[string]*wayfind.Service, len(site.Services))
		for i := range site.Services {
			l.ids.services[site.Services[i].ID] = &site.Services[i]
		}
	}
	aliases := t.Capability.Aliases
	for _, key := range aliases[:min(len(aliases), maxAliases)] {
		if s := l.ids.of(key); s != nil && s.ID != t.Service.ID {
			t.addOthers(s)
		}
	}
}

// serviceIDs are the services of a site by their IDs.
type serviceIDs struct {
	site     *wayfind.Site
	services map[string]*wayfind.Service
}

// of returns the service with the longest ID with which a key begins, or nil.
func (ids *serviceIDs) of(key string) (found *wayfind.Service) {
	for end, parts := 0, 0; parts < maxKeyParts; parts++ {
		more := strings.IndexAny(key[end:], ":/")
		if more < 0 {
			more = len(key) - end
		}
		if s := ids.services[key[:end+more]]; s != nil {
			found = s
		}
		if end += more + 1; end > len(key) {
			break
		}
	}
	return found
}
