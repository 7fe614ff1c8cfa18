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
// It is a heuristic in a dozen languages: a finding may be harmless, and an
// attack may go unfound. It is there to warn people. Nothing may be allowed
// because it found nothing; [Prompt] is the protection. It takes one pass,
// without backtracking.
func Injections(text string) []Injection {
	s := injections{text: text}
	s.marks()
	s.words()
	s.phrases()
	slices.SortFunc(s.found, func(a, b Injection) int { return cmp.Compare(a.Class, b.Class) })
	return s.found
}

// injections is one text under examination.
type injections struct {
	text  string
	found []Injection
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

// phrases looks for passages in scripts that put no blanks between words: two
// parts that stand close together.
func (s *injections) phrases() {
	if strings.IndexFunc(s.text, func(r rune) bool { return r >= 0x3040 }) < 0 {
		return
	}
	for _, p := range phraseList() {
		if at := strings.Index(s.text, p.first); at >= 0 {
			after := s.text[at+len(p.first):]
			if strings.Contains(after[:min(len(after), maxPhrase)], p.second) {
				s.add(p.class, at)
			}
		}
	}
}

// maxPhrase bounds the bytes between the parts of a phrase.
const maxPhrase = 60

type phrase struct {
	first, second string
	class         string
}

// phraseList: Chinese, Japanese, Korean.
func phraseList() []phrase {
	return []phrase{
		{"忽略", "指令", classOverride}, {"忽略", "指示", classOverride}, {"忽略", "提示", classOverride},
		{"无视", "指令", classOverride}, {"無視", "指令", classOverride}, {"忘记", "指令", classOverride},
		{"指示", "無視", classOverride}, {"命令", "無視", classOverride}, {"プロンプト", "無視", classOverride},
		{"지시", "무시", classOverride}, {"지침", "무시", classOverride}, {"명령", "무시", classOverride},
		{"不要告诉", "用户", classSecrecy}, {"不要告訴", "用戶", classSecrecy}, {"不要告訴", "使用者", classSecrecy},
		{"别告诉", "用户", classSecrecy}, {"ユーザー", "伝えない", classSecrecy}, {"ユーザー", "言わない", classSecrecy},
		{"ユーザー", "知らせない", classSecrecy}, {"사용자", "말하지", classSecrecy}, {"사용자", "알리지", classSecrecy},
	}
}
