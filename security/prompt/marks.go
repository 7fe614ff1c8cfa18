package prompt

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// maxTag is the maximum length of the name of an element or token, in bytes. Longer names are
// ignored.
const maxTag = 40

// marks looks for markup: tokens of chat templates, elements, fences, and ends without a
// beginning.
func (s *injections) marks() {
	m := markup{injections: s}
	s.begun = nil
	for i := 0; ; i++ {
		next := strings.IndexAny(s.text[i:], "<[]`")
		if next < 0 {
			break
		}
		i += next
		switch s.text[i] {
		case '<':
			m.angle(i)
		case '`':
			i += m.fence(i) - 1
		case '[':
			m.bracket(i)
		case ']':
			if strings.HasPrefix(s.text[i:], "]]>") && !m.cdata {
				s.add(classDelimiter, i)
			}
		}
	}
	if m.fences%2 == 1 && m.bare {
		s.add(classDelimiter, m.fenceAt)
	}
}

// markup is the state of the pass over a text.
type markup struct {
	*injections
	cdata   bool
	fences  int
	fenceAt int  // of the first one
	bare    bool // the first one has no language, so it may end a fence that was not begun
}

// maxBegun is the maximum number of elements that are remembered.
const maxBegun = 64

func (m *markup) bracket(i int) {
	switch rest := m.text[i:]; {
	case hasFold(rest, "[INST]"), hasFold(rest, "[/INST]"), hasFold(rest, "[TOOL_CALLS]"), hasFold(rest, "[AVAILABLE_TOOLS]"),
		hasFold(rest, "[TOOL_RESULTS]"), hasFold(rest, "[SYSTEM_PROMPT]"):
		m.add(classTemplate, i)
	case strings.HasPrefix(rest, "[CDATA["):
		m.cdata = true
	case i > 0 && m.text[i-1] == '!':
		m.image(rest)
	}
}

// image looks for a Markdown image with a placeholder in its address. Displaying an image sends
// a request to its address, so it would send the text that the model puts there.
func (m *markup) image(rest string) {
	_, address, found := strings.Cut(rest[:min(len(rest), maxImage)], "](")
	address, _, closed := strings.Cut(address, ")")
	_, query, asks := strings.Cut(address, "?")
	if found && closed && asks && hasFold(address, "http") && strings.ContainsAny(query, "{[<$") {
		m.add(classExfiltration, len(m.text)-len(rest)-1)
	}
}

// maxImage is the maximum length of the part of an image that is examined, in bytes.
const maxImage = 400

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// angle examines markup that begins with "<".
func (m *markup) angle(i int) {
	rest := m.text[i+1:]
	if inner, token := strings.CutPrefix(rest, "|"); token || strings.HasPrefix(rest, "｜") {
		inner = strings.TrimPrefix(inner, "｜")
		if n := tagName(inner); n > 0 && n < len(inner) && (inner[n] == '|' || strings.HasPrefix(inner[n:], "｜") || strings.HasPrefix(inner[n:], "▁")) {
			m.add(classTemplate, i)
		}
		return
	}
	if hasFold(rest, "<SYS>>") || hasFold(rest, "</SYS>>") {
		m.add(classTemplate, i)
		return
	}
	if hasFold(rest, "img ") {
		m.shown(i, rest)
	}
	rest, closes := strings.CutPrefix(rest, "/")
	n := tagName(rest)
	if n == 0 || n == len(rest) || !strings.ContainsRune("> /", rune(rest[n])) {
		return
	}
	m.element(i, strings.ReplaceAll(strings.ToLower(rest[:n]), "-", "_"), closes)
}

// shown is like image for an HTML element.
func (m *markup) shown(i int, rest string) {
	tag, _, _ := strings.Cut(rest[:min(len(rest), maxImage)], ">")
	_, address, found := strings.Cut(tag, "http")
	_, query, asks := strings.Cut(address, "?")
	if found && asks && strings.ContainsAny(query, "{[$") {
		m.add(classExfiltration, i)
	}
}

// tagName returns the length of a name, or 0 if there is none.
func tagName(s string) int {
	n := 0
	for n < len(s) && n <= maxTag && (text.IsLDH(s[n]) || s[n] == '_') {
		n++
	}
	if n > maxTag {
		return 0
	}
	return n
}

// element classifies an element by its name.
func (m *markup) element(i int, name string, closes bool) {
	switch name {
	case "important", "critical", "system", "system_prompt", "system_message", "system_reminder", "system_instruction",
		"system_instructions", "trusted", "hidden", "secret", "admin", "override", "developer":
		m.add(classAuthority, i)
	case "tool_result", "tool_results", "tool_response", "tool_output", "tool_call", "tool_calls", "tool_use",
		"function_call", "function_calls", "function_result", "function_results", "function_response":
		m.add(classToolResult, i)
	case "start_of_turn", "end_of_turn", "start_of_image", "begin_of_text", "end_of_text", "endoftext":
		m.add(classTemplate, i)
	}
	switch {
	case !closes && len(m.begun) < maxBegun:
		m.begun = append(m.begun, name)
	case closes && wraps(name) && !slices.Contains(m.begun, name):
		m.add(classDelimiter, i)
	}
}

// wraps reports whether a name is a mark that prompts put around text of strangers.
func wraps(name string) bool {
	switch name {
	case "user", "user_input", "user_message", "user_query", "document", "documents", "document_content", "context", "content",
		"instructions", "prompt", "data", "input", "output", "result", "results", "message", "query", "quote", "text",
		"search_result", "search_results", "website", "webpage", "page", "external", "tool_result", "tool_output", "function_result":
		return true
	}
	return strings.HasPrefix(name, "untrusted")
}

// beginsLine reports whether there are only blanks before an offset in its line. More than
// maxIndent blanks cannot be before a fence.
func (m *markup) beginsLine(i int) bool {
	at := i
	for at > 0 && i-at < maxIndent && m.text[at-1] == ' ' {
		at--
	}
	return at == 0 || m.text[at-1] == '\n'
}

// maxIndent is the maximum number of blanks before a fence, because lists can be nested.
const maxIndent = 64

// fence counts Markdown fences and returns the length of a run of backticks.
func (m *markup) fence(i int) int {
	n := 0
	for i+n < len(m.text) && m.text[i+n] == '`' {
		n++
	}
	if n < 3 || !m.beginsLine(i) {
		return n
	}
	if m.fences == 0 {
		info, _, _ := strings.Cut(m.text[i+n:], "\n")
		m.fenceAt, m.bare = i, strings.TrimSpace(info) == ""
	}
	m.fences++
	return n
}
