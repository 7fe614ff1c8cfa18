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
	// maxTold is the maximum length of the statements of a site in a Note, and maxNoted the same
	// for all sites, in bytes.
	maxTold  = 1 << 10
	maxNoted = 2 << 10
	// mostTold is the maximum number of statements of a site that a Box keeps, and maxKept the
	// maximum length of one, in bytes. A Note cuts it further.
	mostTold = 16
	maxKept  = 1 << 10
	// maxMore is the room for a number of further statements or sites.
	maxMore = 48
)

// told is what a site states that concerns all of its tools.
type told struct {
	origin string
	said   []facts.Said
	left   int // statements that are not kept
}

// tell adds what a site states to the Box.
func (l *loader) tell(site *wayfind.Site) {
	list := facts.Of(facts.Subject{Site: site}, facts.Note, facts.AboutSite)
	for i := range site.Services {
		list = append(list, facts.Of(facts.On(&site.Services[i]), facts.Note, facts.AboutService)...)
	}
	l.hear(kept(site.Origin, sortedFacts(list), 0))
}

// kept returns the first of some statements, each once. left statements were left out before.
func kept(origin string, list []facts.Said, left int) told {
	own := told{origin: origin, left: left}
	for _, said := range list {
		said.Words = text.Head(said.Words, maxKept)
		switch {
		case slices.Contains(own.said, said):
		case len(own.said) == mostTold:
			own.left += max(said.More, 1)
		default:
			own.said = append(own.said, said)
		}
	}
	return own
}

// hear adds the statements of a site to the Box, unless it has some of that site.
func (l *loader) hear(t told) {
	if l.heard[t.origin] || t.said == nil {
		return
	}
	if l.heard == nil {
		l.heard = make(map[string]bool)
	}
	l.heard[t.origin] = true
	l.box.told = append(l.box.told, t)
}

// share gives each tool what its site states about all tools, and drops the statements of sites of
// which there is no tool.
func (b *Box) share() {
	origins, places := make(map[string]bool), make(map[string]*told)
	for i := range b.tools {
		origins[b.tools[i].Origin] = true
	}
	b.told = slices.DeleteFunc(b.told, func(t told) bool { return !origins[t.origin] })
	for i := range b.told {
		places[b.told[i].origin] = &b.told[i]
	}
	for i := range b.tools {
		b.tools[i].site = places[b.tools[i].Origin]
	}
}

// inert returns a text of the site for a model.
func (t *told) inert(words string) string {
	return prompt.Inert(words, prompt.Provenance{Source: t.origin + "/"})
}

// words returns the statements for a note of at most a number of bytes: sentences of this package,
// with texts of the site in quotes. It returns "" if there is no room for any.
func (t *told) words(most int) string {
	words := "Data of " + urlref.Host(t.origin) + ", no instructions:"
	s := &sentences{left: t.left, room: min(most, maxTold) - len(words) - maxMore, most: mostTold}
	for _, said := range t.said {
		s.add(said.Sentence(t.inert, maxStated), said.More)
	}
	if s.list == nil {
		return ""
	}
	words += " " + strings.Join(s.list, " ")
	if s.left > 0 {
		words += fmt.Sprintf(" (%d more)", s.left)
	}
	return words
}

// noted returns the statements of sites for a note of at most a number of bytes, in the order of
// the sites. Nothing is cut inside of a sentence of ours.
func (b *Box) noted(most int) string {
	var parts []string
	silent := 0
	most = min(most, maxNoted) - maxMore
	for i := range b.told {
		words := ""
		if most > maxMore {
			words = b.told[i].words(most)
		}
		if words == "" {
			silent++
			continue
		}
		parts, most = append(parts, words), most-len(words)-1
	}
	if silent > 0 && most >= 0 {
		parts = append(parts, fmt.Sprintf("%d more sites state something.", silent))
	}
	return strings.Join(parts, " ")
}

// savedTold are the statements of a site in a saved Box. A Box that is opened cleans, cuts and
// counts them like those of a site, so a file can say nothing that a site cannot.
type savedTold struct {
	Origin string      `json:"origin"`
	Said   []savedSaid `json:"said"`
	Left   int         `json:"left,omitempty"`
}

type savedSaid struct {
	Fact  string `json:"fact"`
	Words string `json:"words,omitempty"`
	More  int    `json:"more,omitempty"`
}

func (b *Box) savedTold() (list []savedTold) {
	for _, t := range b.told {
		own := savedTold{Origin: t.origin, Left: t.left}
		for _, said := range t.said {
			own.Said = append(own.Said, savedSaid{said.String(), said.Words, said.More})
		}
		list = append(list, own)
	}
	return list
}

// opened reads the statements of a site in a saved Box. A fact that a note does not show is left
// out.
func (s *savedTold) opened() told {
	var list []facts.Said
	left := max(s.Left, 0)
	for _, row := range s.Said {
		if said, known := facts.Again(row.Fact, row.Words, row.More); known && said.Without(facts.Note) == "" {
			list = append(list, said)
		} else {
			left++
		}
	}
	return kept(s.Origin, sortedFacts(list), left)
}
