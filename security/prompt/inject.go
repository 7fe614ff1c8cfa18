package prompt

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Classes of the ways in which a text addresses the model that reads it, and not a reader who
// wants to know the offer.
const (
	// classOverride asks to forget or to ignore earlier text.
	classOverride = "override"
	// classTemplate contains the tokens with which chat templates divide a prompt.
	classTemplate = "chat_template"
	// classRole begins a line as if another party spoke: "SYSTEM:".
	classRole = "role_header"
	// classDelimiter ends something that it did not begin: a quotation, an element, a fence.
	classDelimiter = "delimiter"
	// classAuthority claims authority with an element such as <IMPORTANT>.
	classAuthority = "authority_tag"
	// classToolResult looks like a tool call or the result of one.
	classToolResult = "tool_result"
	// classSteering asks to call a tool before or instead of another.
	classSteering = "tool_steering"
	// classExfiltration asks to send something to an address.
	classExfiltration = "exfiltration"
	// classSecrecy asks to keep something from the user.
	classSecrecy = "secrecy"
)

// Injection is one class found in a text.
type Injection struct {
	// Class is the way in which the text addresses the model: "override" (asks to ignore
	// earlier text), "chat_template", "role_header", "delimiter", "authority_tag",
	// "tool_result", "tool_steering", "exfiltration" or "secrecy". The set is open.
	Class string
	// Quote is the beginning of the passage: at most 40 code points on one line, with the
	// escapes of [Printable].
	Quote string
}

// maxQuote is the maximum length of a quotation from a passage, in code points: enough to find
// the passage, too little to instruct a model.
const maxQuote = 40

// Injections looks for passages that address a language model, in text that has been cleaned,
// as all text of a Site has. It returns each class once, at its first occurrence, sorted by
// name. It returns nil if nothing is found.
//
// It is a heuristic in about thirty languages: a finding may be harmless, and an attack may not
// be found. Its purpose is to warn people. Nothing may be allowed because Injections found
// nothing; [Prompt] is the protection. A letter is treated like the letter that it looks like.
// The text is read once, and once more with its percent escapes, entities and base64 decoded,
// without backtracking.
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

// injections is the state for one text.
type injections struct {
	text  string
	found []Injection
	begun []string // elements; as a field of markup it would move all of this to the heap
}

// look examines the text in its present form.
func (s *injections) look() {
	s.marks()
	s.words()
	s.pairs()
}

// add records a class that begins at an offset.
func (s *injections) add(class string, at int) {
	if slices.ContainsFunc(s.found, func(i Injection) bool { return i.Class == class }) {
		return
	}
	rest := s.text[at:]
	quote, _ := text.Clean(strings.ToValidUTF8(rest[:min(len(rest), maxQuote*utf8.UTFMax)], ""), false, maxQuote)
	s.found = append(s.found, Injection{class, text.Printable(quote)})
}
