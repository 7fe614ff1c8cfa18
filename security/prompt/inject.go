package prompt

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/text"
)

// Classes: how a text speaks to the model that reads it and not to a reader who
// wants to know the offer.
const (
	// classOverride asks to forget or to ignore earlier text.
	classOverride = "override"
	// classTemplate has the tokens by which chat templates divide a prompt.
	classTemplate = "chat_template"
	// classRole begins a line as if another party spoke: "SYSTEM:".
	classRole = "role_header"
	// classDelimiter ends something that it did not begin: a quotation, an
	// element, a fence.
	classDelimiter = "delimiter"
	// classAuthority gives itself weight by an element such as <IMPORTANT>.
	classAuthority = "authority_tag"
	// classToolResult looks like a call of a tool or like its result.
	classToolResult = "tool_result"
	// classSteering says which tool to call before or instead of another.
	classSteering = "tool_steering"
	// classExfiltration asks to send something to an address.
	classExfiltration = "exfiltration"
	// classSecrecy asks to keep something from the user.
	classSecrecy = "secrecy"
)

// Injection is one class found in a text.
type Injection struct {
	// Class says how the text speaks to the model: "override" (asks to ignore
	// earlier text), "chat_template", "role_header", "delimiter",
	// "authority_tag", "tool_result", "tool_steering", "exfiltration" or
	// "secrecy". The set is open.
	Class string
	// Quote is where it begins: at most 40 code points on one line, with the
	// escapes of [Printable].
	Quote string
}

// maxQuote bounds the part of a passage that is repeated, in code points:
// enough to find it, too little to instruct a model.
const maxQuote = 40

// Injections looks for passages that address a language model, in text
// that has been cleaned, as all text of a Site has. It returns each class once,
// where it was found first, in the order of their names; nil for nothing.
//
// It is a heuristic in some thirty languages: a finding may be harmless, and an
// attack may go unfound. It is there to warn people. Nothing may be allowed
// because it found nothing; [Prompt] is the protection. Letters count as those
// that they look like. The text and what its percent escapes, entities and base64
// stand for take one pass each, without backtracking.
func Injections(text string) []Injection {
	s := injections{text: text}
	s.look()
	if plain := undressed(text); plain != "" {
		s.text = plain
		s.look()
	}
	slices.SortFunc(s.found, func(a, b Injection) int { return cmp.Compare(a.Class, b.Class) })
	return s.found
}

// injections is one text under examination.
type injections struct {
	text  string
	found []Injection
	begun []string // elements; beside the pointer of markup it would move all of this to the heap
}

// look examines the text in one dress.
func (s *injections) look() {
	s.marks()
	s.words()
	s.pairs()
}

// add notes a class that begins at an offset.
func (s *injections) add(class string, at int) {
	if slices.ContainsFunc(s.found, func(i Injection) bool { return i.Class == class }) {
		return
	}
	rest := s.text[at:]
	quote, _ := text.Clean(strings.ToValidUTF8(rest[:min(len(rest), maxQuote*utf8.UTFMax)], ""), false, maxQuote)
	s.found = append(s.found, Injection{class, text.Printable(quote)})
}
