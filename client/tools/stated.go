package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/security/prompt"
)

const (
	// maxStated is the maximum length of a text of the site in a sentence of Stated, in bytes.
	maxStated = 200
	// maxTold is the maximum length of the statements of a site in a Note, in bytes.
	maxTold = 1 << 10
	// maxFollowed is the maximum number of prerequisites that are followed to find a cycle.
	maxFollowed = 1 << 10
)

// Stated returns what the site states about the tool and that a caller should know before a
// call: that it does not work at present, its prerequisites, its price, its
// restrictions. Each is a sentence of this package. Texts of the site in it are in quotes, cleaned
// and cut. It is the beginning of Description.
func (t *Tool) Stated() (list []string) {
	ordered := false
	for _, said := range t.facts(facts.Definition) {
		switch {
		case said.Fact != facts.Prerequisites:
			list = append(list, said.Sentence(t.inert, maxStated))
		case !ordered: // the Box knows the names of their tools
			list, ordered = append(list, t.first.sentences(t.inert)...), true
		}
	}
	return list
}

// State returns the sentences of Stated about the present: the service is not operational, or
// the tool is degraded.
func (t *Tool) State() (list []string) {
	for _, said := range t.facts(facts.Definition) {
		if said.Label() == facts.NotOperational.Label() {
			list = append(list, said.Sentence(t.inert, maxStated))
		}
	}
	return list
}

// facts returns what the documents of a tool state about it, each statement once.
func (t *Tool) facts(at facts.Surface) (list []facts.Said) {
	for _, s := range t.Services() {
		for _, said := range facts.Of(facts.Subject{Service: s, Capability: t.Capability}, at, facts.AboutService, facts.AboutCapability) {
			if !slices.Contains(list, said) {
				list = append(list, said)
			}
		}
	}
	return sortedFacts(list)
}

// Services returns the Service of the tool, and then the services of other documents that
// describe the same call: their status and their recoveries apply to it, too. They are shared and
// must not be changed.
func (t *Tool) Services() []*wayfind.Service {
	return append([]*wayfind.Service{t.Service}, t.others...)
}

// beside returns the other services of a site that had a reading of a tool before their readings
// were merged.
func beside(site *wayfind.Site, t *Tool) (others []*wayfind.Service) {
	if t.Capability == nil {
		return nil
	}
	for i := range site.Services {
		s := &site.Services[i]
		isOf := func(key string) bool {
			rest, ok := strings.CutPrefix(key, s.ID)
			return ok && (rest == "" || rest[0] == ':' || rest[0] == '/')
		}
		if s.ID != t.Service.ID && slices.ContainsFunc(t.Capability.Aliases, isOf) {
			others = append(others, s)
		}
	}
	return others
}

// First returns the names of the tools that must be called before this one, according to the
// site. A prerequisite that has no tool in the Box is left out, and so is one that needs this
// tool first. [Tool.Stated] has a sentence about each.
func (t *Tool) First() []string { return slices.Clone(t.first.names) }

// first are the prerequisites of a tool in its Box.
type first struct {
	names  []string // of tools that must be called first
	around []string // of tools that in turn need this one first
	absent []string // keys that no tool of the Box has
}

// sentences tells a model the prerequisites.
func (f *first) sentences(inert func(string) string) (list []string) {
	if len(f.names) > 0 {
		list = append(list, "First call "+strings.Join(f.names, " and ")+".")
	}
	for _, name := range f.around {
		list = append(list, fmt.Sprintf("The site wants %s to run before this, and this before %s, so the order is not known.", name, name))
	}
	for _, key := range f.absent {
		key, _ = text.Shorten(inert(key), maxStated)
		list = append(list, fmt.Sprintf("The site wants %q to run first, which is no tool here.", key))
	}
	return list
}

// relate finds the tools that other tools need first.
func (b *Box) relate() {
	places := make(map[string]int)
	for i := range b.tools {
		t := &b.tools[i]
		for _, key := range append([]string{t.Key}, t.Aliases...) {
			places[NameKey(t.Origin, key)] = i
		}
		if t.Capability != nil {
			for _, key := range t.Capability.Aliases {
				places[NameKey(t.Origin, key)] = i
			}
		}
	}
	for i := range b.tools {
		b.tools[i].first = b.firstOf(i, places)
	}
}

// needs returns the places of the tools that a tool needs first, and the keys of others.
func (b *Box) needs(i int, places map[string]int) (list []int, absent []string) {
	t := &b.tools[i]
	if t.Capability == nil {
		return nil, nil
	}
	for _, key := range t.Capability.DependsOn {
		if place, ok := places[NameKey(t.Origin, key)]; !ok {
			absent = append(absent, key)
		} else if !slices.Contains(list, place) {
			list = append(list, place)
		}
	}
	return list, absent
}

func (b *Box) firstOf(i int, places map[string]int) (f first) {
	list, absent := b.needs(i, places)
	f.absent = absent
	for _, place := range list {
		if name := b.tools[place].Name; b.leads(place, i, places) {
			f.around = append(f.around, name)
		} else {
			f.names = append(f.names, name)
		}
	}
	return f
}

// leads reports whether the prerequisites of a tool lead to another one, or are too many to be
// followed.
func (b *Box) leads(from, to int, places map[string]int) bool {
	seen, open := map[int]bool{from: true}, []int{from}
	for len(open) > 0 {
		next := open[0]
		if open = open[1:]; next == to || len(seen) > maxFollowed {
			return true
		}
		list, _ := b.needs(next, places)
		for _, place := range list {
			if !seen[place] {
				seen[place], open = true, append(open, place)
			}
		}
	}
	return false
}

// told is what a site states that concerns all of its tools, for the model.
type told struct {
	Domain string `json:"domain"`
	// Sentences are sentences of this package, with texts of the site in quotes.
	Sentences []string `json:"sentences"`
	// Left is the number of statements for which there was no room.
	Left int `json:"left,omitempty"`
}

// tell adds what a site states to the note of the Box, as long as there is room.
func (l *loader) tell(site *wayfind.Site) {
	own := told{Domain: urlref.Host(site.Origin)}
	inert := func(words string) string { return prompt.Inert(words, prompt.Provenance{Source: site.Origin + "/"}) }
	list := facts.Of(facts.Subject{Site: site}, facts.Note, facts.AboutSite)
	for i := range site.Services {
		list = append(list, facts.Of(facts.Subject{Service: &site.Services[i]}, facts.Note, facts.AboutService)...)
	}
	room := maxTold
	for _, said := range sortedFacts(list) {
		sentence := said.Sentence(inert, maxStated)
		if room -= len(sentence) + 1; room < 0 {
			own.Left++
		} else if !slices.Contains(own.Sentences, sentence) {
			own.Sentences = append(own.Sentences, sentence)
		}
	}
	if own.Sentences != nil {
		l.box.told = append(l.box.told, own)
	}
}

// sortedFacts sorts statements in the order of the table of facts.
func sortedFacts(list []facts.Said) []facts.Said {
	all := facts.All()
	slices.SortStableFunc(list, func(p, q facts.Said) int { return slices.Index(all, p.Fact) - slices.Index(all, q.Fact) })
	return list
}

// noted returns the statements of sites for a note. They share the room for those of one site,
// in the order of the domains.
func (b *Box) noted() string {
	var out strings.Builder
	silent := 0
	for _, t := range b.told {
		words := " Data of " + t.Domain + ", no instructions: " + strings.Join(t.Sentences, " ")
		if t.Left > 0 {
			words += fmt.Sprintf(" (%d more)", t.Left)
		}
		if out.Len() > 0 && out.Len()+len(words) > 2*maxTold {
			silent++
			continue
		}
		out.WriteString(words)
	}
	if silent > 0 {
		fmt.Fprintf(&out, " %d more sites state something.", silent)
	}
	return strings.TrimSpace(out.String())
}
