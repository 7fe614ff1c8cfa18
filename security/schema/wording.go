package schema

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
	"github.com/wayfindhq/wayfind/internal/text"
)

// Wording says how [Schema.Worded] writes the texts of a schema, and how short it is to be.
// The zero value writes the publisher's texts as they are.
type Wording struct {
	// Text returns a title or description as it is written; nil: as it is.
	Text func(string) string
	// Shown reports whether a note about a rule that the target does not take may be
	// written, and a default or example with such a text in it; nil: all are.
	Shown func(string) bool
	// Most bounds a description with its note, and a title, in bytes; 0 is no limit.
	// Longer ones are cut at a sentence.
	Most int
	// Brevity is the step by which the result is made small.
	Brevity Brevity
}

// Brevity is a step of making a schema small. Each step does what those before it do.
type Brevity int

// The steps, in the order in which they are tried. A property of an argument is two deep.
const (
	Whole         Brevity = iota // nothing is left out
	NoExamples                   // without examples
	NoDeepTexts                  // without titles and descriptions two properties deep
	NoThirdLevel                 // without optional properties three deep
	NoSecondLevel                // and two deep
	brevities     = iota
)

// Steps are all steps but Whole.
func Steps() []Brevity {
	list := make([]Brevity, 0, brevities-1)
	for b := NoExamples; b < brevities; b++ {
		list = append(list, b)
	}
	return list
}

// deepest is how deep optional properties may be, 0 for any depth.
func (b Brevity) deepest() int {
	switch b {
	case NoThirdLevel:
		return 2
	case NoSecondLevel:
		return 1
	}
	return 0
}

// deepTexts is how deep titles and descriptions may be if deep ones are left out.
const deepTexts = 1

// The codes of what a Wording leaves out.
const (
	lossCut       = "cut"       // the end of a text
	lossHidden    = "hidden"    // a value or note that Wording.Shown refuses
	lossShortened = "shortened" // what Brevity leaves out
)

// spot is the place of a text: its pointer, or the node that has it.
type spot struct {
	at   string
	node *node
}

// loseText reports what a Wording leaves out of the text of a place.
func (w *projector) loseText(s spot, keyword, code string) {
	if s.node != nil {
		s.at = s.node.pointer()
	}
	w.lose(s.at, keyword, None, code)
}

// worded is a title or description as it is written. beside is the length of a note that
// follows it.
func (w *projector) worded(s spot, keyword, words string, depth, beside int) string {
	switch {
	case words == "":
		return ""
	case w.wording.Brevity >= NoDeepTexts && depth > deepTexts:
		w.lose("", keyword, None, lossShortened)
		return ""
	}
	if w.wording.Text != nil {
		w.count.Text(len(words))
		words = w.wording.Text(words)
	}
	if w.wording.Most == 0 {
		return words
	}
	if beside > 0 {
		beside++ // the blank between them
	}
	words, cut := text.Shorten(words, w.wording.Most-beside)
	if cut {
		w.loseText(s, keyword, lossCut)
	}
	return words
}

// noted are the notes that may be written.
func (w *projector) noted(s spot, notes []string) []string {
	if w.wording.Shown == nil {
		return notes
	}
	return slices.DeleteFunc(notes, func(note string) bool {
		w.count.Text(len(note))
		if w.wording.Shown(note) {
			return false
		}
		w.loseText(s, "description", lossHidden)
		return true
	})
}

// shows reports whether a default or example may be written.
func (w *projector) shows(s spot, keyword string, value jsonscan.Node) bool {
	if w.wording.Shown == nil || w.harmless(value) {
		return true
	}
	w.loseText(s, keyword, lossHidden)
	return false
}

// harmless reports whether all texts in a value may be written.
func (w *projector) harmless(v jsonscan.Node) bool {
	words, isText := v.Str()
	w.count.Text(len(words))
	if isText && !w.wording.Shown(words) || !w.wording.Shown(v.Name()) {
		return false
	}
	for i := range v.Len() {
		if !w.harmless(v.Child(i)) {
			return false
		}
	}
	return true
}

// depths finds how deep in properties each subschema is, in the highest of its places.
func (w *projector) depths() map[*node]int {
	known := make(map[*node]int)
	level := []*node{w.top}
	for depth := 0; len(level) > 0; depth++ {
		var below []*node
		for i := 0; i < len(level); i++ {
			n := level[i]
			if _, seen := known[n]; seen || n == nil {
				continue
			}
			w.count.Add(1)
			known[n] = depth
			n.inPlace(func(c *node) { level = append(level, c) })
			level = append(append(level, n.items, n.contains, n.unevaluatedItems), n.prefix...)
			below = append(below, n.additional, n.unevaluated)
			for _, p := range n.properties {
				below = append(below, p.schema)
			}
			for _, p := range n.patterns {
				below = append(below, p.schema)
			}
		}
		level = below
	}
	return known
}
