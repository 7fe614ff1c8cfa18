package security

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/text"
)

// InjectionClass says how a text speaks to the model that reads it and not to a
// reader who wants to know what is offered. The set is open.
type InjectionClass string

// The classes.
const (
	// InjectionOverride asks to forget or to ignore what was said before.
	InjectionOverride InjectionClass = "override"
	// InjectionTemplate has the tokens by which chat templates divide a prompt.
	InjectionTemplate InjectionClass = "chat_template"
	// InjectionRole begins a line as if somebody else spoke: "SYSTEM:".
	InjectionRole InjectionClass = "role_header"
	// InjectionDelimiter ends something that it did not begin: a quotation, an
	// element, a fence.
	InjectionDelimiter InjectionClass = "delimiter"
	// InjectionAuthority gives itself weight by an element such as <IMPORTANT>.
	InjectionAuthority InjectionClass = "authority_tag"
	// InjectionToolResult looks like a call of a tool or like its result.
	InjectionToolResult InjectionClass = "tool_result"
	// InjectionSteering says which tool to call before or instead of another.
	InjectionSteering InjectionClass = "tool_steering"
	// InjectionExfiltration asks to send something to an address.
	InjectionExfiltration InjectionClass = "exfiltration"
	// InjectionSecrecy asks to keep something from the user.
	InjectionSecrecy InjectionClass = "secrecy"
)

// Injection is one class found in a text.
type Injection struct {
	Class InjectionClass
	// Quote is where it begins: at most 40 code points on one line, with the
	// escapes of [Printable].
	Quote string
}

// maxQuote is how much of a passage is repeated, in code points: enough to find
// it, too little to instruct anybody.
const maxQuote = 40

// PromptInjection looks for passages that address a language model, in text
// that has been cleaned, as all text of a Site has. It returns each class once,
// where it was found first, in the order of their names; nil for nothing.
//
// It is a heuristic in a dozen languages: what it finds may be harmless, and
// what it does not find may be an attack. It is there to warn people. Nothing
// may be allowed because it found nothing; see [Prompt] for what protects. It
// takes one pass, without backtracking.
func PromptInjection(text string) []Injection {
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
func (s *injections) add(class InjectionClass, at int) {
	if slices.ContainsFunc(s.found, func(i Injection) bool { return i.Class == class }) {
		return
	}
	rest := s.text[at:]
	quote, _ := text.Clean(strings.ToValidUTF8(rest[:min(len(rest), maxQuote*utf8.UTFMax)], ""), false, maxQuote)
	s.found = append(s.found, Injection{class, text.Printable(quote)})
}

// phrases looks for what is said in scripts that put no blanks between words:
// two parts that stand close together.
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

// maxPhrase is how many bytes may lie between the parts of a phrase.
const maxPhrase = 60

type phrase struct {
	first, second string
	class         InjectionClass
}

// phraseList: Chinese, Japanese, Korean.
func phraseList() []phrase {
	return []phrase{
		{"忽略", "指令", InjectionOverride}, {"忽略", "指示", InjectionOverride}, {"忽略", "提示", InjectionOverride},
		{"无视", "指令", InjectionOverride}, {"無視", "指令", InjectionOverride}, {"忘记", "指令", InjectionOverride},
		{"指示", "無視", InjectionOverride}, {"命令", "無視", InjectionOverride}, {"プロンプト", "無視", InjectionOverride},
		{"지시", "무시", InjectionOverride}, {"지침", "무시", InjectionOverride}, {"명령", "무시", InjectionOverride},
		{"不要告诉", "用户", InjectionSecrecy}, {"不要告訴", "用戶", InjectionSecrecy}, {"不要告訴", "使用者", InjectionSecrecy},
		{"别告诉", "用户", InjectionSecrecy}, {"ユーザー", "伝えない", InjectionSecrecy}, {"ユーザー", "言わない", InjectionSecrecy},
		{"ユーザー", "知らせない", InjectionSecrecy}, {"사용자", "말하지", InjectionSecrecy}, {"사용자", "알리지", InjectionSecrecy},
	}
}
