package schema

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Wording determines how [Schema.Worded] writes the texts of a schema, and how short the result
// should be. The zero value writes the publisher's texts unchanged.
type Wording struct {
	// Text returns the written form of a title or description. If it is nil, they are
	// unchanged.
	Text func(string) string
	// Shown reports whether a note about a rule that the target does not support may be
	// written. For a default or an example it is called with each text in it. If it is nil, all
	// are written.
	Shown func(string) bool
	// Most is the maximum length of a description with its note, and of a title, in bytes; 0
	// means no limit. Longer texts are cut at a sentence.
	Most int
	// Brevity is the step by which the result is shortened.
	Brevity Brevity
}

// Brevity is a step of shortening a schema. Each step includes the steps before it.
type Brevity int

// The steps, in the order in which they are tried. The depth of a property of an argument is
// two.
const (
	Whole         Brevity = iota // nothing is omitted
	noExamples                   // without examples
	noDeepTexts                  // without titles and descriptions two properties deep
	noThirdLevel                 // without optional properties three deep
	noSecondLevel                // without optional properties two deep
	brevities     = iota
)

// Steps returns all steps except Whole.
func Steps() []Brevity {
	list := make([]Brevity, 0, brevities-1)
	for b := noExamples; b < brevities; b++ {
		list = append(list, b)
	}
	return list
}

// deepest returns the maximum depth of optional properties, or 0 for any depth.
func (b Brevity) deepest() int {
	switch b {
	case noThirdLevel:
		return 2
	case noSecondLevel:
		return 1
	}
	return 0
}

// deepTexts is the maximum depth of titles and descriptions if deep ones are omitted.
const deepTexts = 1

// Codes of the omissions of a Wording.
const (
	lossCut       = "cut"       // the end of a text
	lossHidden    = "hidden"    // a value or note that Wording.Shown refuses
	lossShortened = "shortened" // omitted by Brevity
)

// spot is the place of a text: its pointer, or its node.
type spot struct {
	at   string
	node *node
}

// loseText reports an omission of a Wording in the text of a place.
func (w *projector) loseText(s spot, keyword, code string) {
	if s.node != nil {
		s.at = s.node.pointer()
	}
	w.lose(s.at, keyword, None, code)
}

// worded returns the written form of a title or description. beside is the length of a note
// that follows it, in bytes.
func (w *projector) worded(s spot, keyword, words string, depth, beside int) string {
	switch {
	case words == "":
		return ""
	case w.wording.Brevity >= noDeepTexts && depth > deepTexts:
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

// noted returns the notes that may be written.
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

// depths returns the depth of each subschema in properties, at its highest place.
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
