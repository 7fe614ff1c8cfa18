package tools

import (
	"cmp"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security/prompt"
	"github.com/wayfindhq/wayfind/security/schema"
)

// texts contains the maximum lengths of the texts of a definition, in bytes; zero is the
// default.
type texts struct {
	tool     int
	property int
}

const (
	// maxText is the default of Options.Text, and maxPropertyText the default of
	// Options.PropertyText.
	maxText         = 1 << 10
	maxPropertyText = 512
	// maxTitle is the maximum length of a title, in bytes.
	maxTitle = 128
	// maxSentence is the maximum length of a first sentence, in bytes.
	maxSentence = 120
)

// noText replaces a missing description.
const noText = "no description."

// codeToolCut is the code of a loss: the description or the title of the tool itself was
// shortened.
const codeToolCut = "tool_cut"

// text returns the description of a tool for a model: its origin and what the site states, in our
// words, then the publisher's text. It also reports whether a part was shortened or left out. most
// is the maximum length of a vendor, in bytes, or zero.
func (t *Tool) text(most int) (words string, short bool) {
	length := cmp.Or(t.texts.tool, maxText)
	length = min(length, cmp.Or(most, length))
	from, stated := "From "+t.Domain+": ", t.stated(length/2)
	for _, sentence := range append(stated.list, stated.rest()) {
		if sentence != "" {
			from += sentence + " "
		}
	}
	if published := t.inert(strings.TrimSpace(t.description)); published != "" {
		words, short = text.Shorten(published, length-len(from))
		return strings.TrimSpace(from + words), short || stated.left > 0
	}
	return from + noText, stated.left > 0
}

// title returns the title of a tool for a model. It also reports whether the title was
// shortened.
func (t *Tool) title() (words string, short bool) {
	if t.Capability == nil {
		return "", false
	}
	return text.Shorten(t.inert(t.Capability.Title), maxTitle)
}

// brief returns the state at present and the first sentence of a description for a model, or "" if
// there is none.
func (t *Tool) brief() string {
	return strings.Join(append(t.State(), firstSentence(t.inert(t.description))), " ")
}

// inert returns a text of the publisher for a model.
func (t *Tool) inert(words string) string {
	from := prompt.Provenance{Source: t.Origin + "/"}
	if len(t.Sources) > 0 {
		from.Source = t.Sources[0].Source
	}
	return prompt.Inert(words, from)
}

// wording defines how the texts of the arguments are written. A value that addresses a model is
// omitted, because it is of no use in a call.
func (t *Tool) wording(b schema.Brevity) schema.Wording {
	return schema.Wording{Text: t.inert, Shown: func(value string) bool { return len(prompt.Injections(value)) == 0 },
		Most: cmp.Or(t.texts.property, maxPropertyText), Brevity: b}
}

// firstSentence returns the first sentence of a text.
func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	for i, r := range s {
		if r == '\n' || text.SentenceEnds(s[i:]) {
			s = s[:i+len(string(r))]
			break
		}
	}
	s, _ = text.Shorten(s, maxSentence)
	return strings.TrimSpace(s)
}
