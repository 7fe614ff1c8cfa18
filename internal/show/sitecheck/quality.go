package sitecheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// Quality is how well a model can tell from the definitions which tool to call, and how.
type Quality struct {
	// Score is the mean of the scores of all tools that were judged: 0 to 100.
	Score int `json:"score"`
	// Tools is the number of tools that were judged.
	Tools int `json:"tools"`
	// NotJudged is the number of tools that were not, because all definitions together are too large.
	NotJudged int `json:"notJudged,omitempty"`
	// Tokens is an estimate for the definitions of the tools that were judged.
	Tokens int `json:"tokens"`
	// Worst are the tools with the lowest scores, the lowest first: ten at most, and none without a
	// shortfall.
	Worst []ToolQuality `json:"worst,omitempty"`
}

// ToolQuality is the quality of one tool.
type ToolQuality struct {
	// Tool is its name, and Key the capability that it is made of.
	Tool string `json:"tool"`
	Key  string `json:"key"`
	// Source is the URL of the document that describes it, and Pointer its place there.
	Source  string `json:"source,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	// Score is 100 less the points of all shortfalls, and 0 at least.
	Score int `json:"score"`
	// Tokens is an estimate for its definition.
	Tokens int `json:"tokens"`
	// Shortfalls are the reasons, the most expensive first.
	Shortfalls []Shortfall `json:"shortfalls,omitempty"`
}

// Shortfall is a reason for a lower score.
type Shortfall struct {
	// Code names the rule.
	Code ShortfallCode `json:"code"`
	// Points that it costs.
	Points int `json:"points"`
	// Why says the reason in a few words, and Mend how to correct it.
	Why  string `json:"why"`
	Mend string `json:"mend"`
}

// ShortfallCode names a rule of [Quality].
type ShortfallCode string

// The rules.
const (
	ShortName        ShortfallCode = "name"        // the name says nothing of the purpose of the tool
	ShortDescription ShortfallCode = "description" // there is none
	ShortRepeats     ShortfallCode = "repeats"     // the description only repeats the name
	ShortParameters  ShortfallCode = "parameters"  // arguments without a description
	ShortExamples    ShortfallCode = "examples"    // free text is asked for, and nothing shows its form
	ShortSize        ShortfallCode = "size"        // the definition is long
	ShortSiblings    ShortfallCode = "siblings"    // another tool reads the same
)

// Described is a tool as its publisher describes it.
type Described struct {
	Tool, Key, Source, Pointer string
	// Name is the publisher's name, and Description its text.
	Name, Description string
	// Arguments of the tool.
	Arguments []Argument
	// Tokens is an estimate for the definition.
	Tokens int
}

// Argument is an argument of a tool.
type Argument struct {
	Name, Description string
	Required          bool
	// Closed: its schema states the values: an enumeration, a constant or a boolean.
	Closed bool
	// Shown: its schema shows the form of a value: an example, a default, a format or a pattern.
	Shown bool
	// Text: it is a string.
	Text bool
}

// mostWorst is the largest number of tools that a Quality lists.
const mostWorst = 10

// The bounds of a definition that costs nothing, in tokens.
const (
	longDefinition  = 1000
	hugeDefinition  = 3000
	wholeScore      = 100
	longestName     = 64 // characters, as the APIs of vendors take them
	fewestNameWords = 2
)

// JudgeQuality judges the definitions of a site.
func JudgeQuality(list []Described, notJudged int) *Quality {
	if len(list) == 0 {
		return nil
	}
	q := &Quality{Tools: len(list), NotJudged: notJudged}
	same := siblings(list)
	sum := 0
	for i := range list {
		d := &list[i]
		t := ToolQuality{Tool: d.Tool, Key: d.Key, Source: d.Source, Pointer: d.Pointer, Tokens: d.Tokens, Score: wholeScore, Shortfalls: shortfalls(d, same)}
		for _, s := range t.Shortfalls {
			t.Score -= s.Points
		}
		t.Score = max(t.Score, 0)
		sum += t.Score
		q.Tokens += t.Tokens
		if len(t.Shortfalls) > 0 {
			q.Worst = append(q.Worst, t)
		}
	}
	q.Score = sum / len(list)
	slices.SortStableFunc(q.Worst, func(a, b ToolQuality) int { return cmp.Compare(a.Score, b.Score) })
	q.Worst = slices.Clip(q.Worst[:min(len(q.Worst), mostWorst)])
	return q
}

// shortfalls are those of one tool, the most expensive first.
func shortfalls(d *Described, same map[string][]string) (list []Shortfall) {
	add := func(code ShortfallCode, points int, why, mend string) {
		if points > 0 {
			list = append(list, Shortfall{code, points, why, mend})
		}
	}
	if why := weakName(d.Name); why != "" {
		add(ShortName, 15, why, "Name it by a verb and its object, such as list_orders.")
	}
	switch about := strings.TrimSpace(d.Description); {
	case about == "":
		add(ShortDescription, 40, "it has no description", "Say in one or two sentences its effect, when to use it, and the result.")
	case !addsWords(about, d.Name):
		add(ShortRepeats, 30, "the description only repeats the name", "Say what the name does not: when to use it, its limits, and the result.")
	}
	bare, unseen := bareArguments(d.Arguments)
	if len(bare) > 0 {
		add(ShortParameters, max(5, 30*len(bare)/len(d.Arguments)), fmt.Sprintf("%d of %s without a description: %s", len(bare), humanize.Count(len(d.Arguments), "argument"), someOf(bare)),
			"Describe each argument: its meaning, its unit, and where its value comes from.")
	}
	if len(unseen) > 0 {
		add(ShortExamples, 5, "nothing shows the form of "+someOf(unseen), "Add an example, a format or an enumeration.")
	}
	switch {
	case d.Tokens > hugeDefinition:
		add(ShortSize, 20, fmt.Sprintf("its definition takes about %d tokens", d.Tokens), "Leave out of the description what the schema says, and split an operation that does several things.")
	case d.Tokens > longDefinition:
		add(ShortSize, 10, fmt.Sprintf("its definition takes about %d tokens", d.Tokens), "Leave out of the description what the schema says.")
	}
	if others := same[likeness(d)]; len(others) > 1 {
		add(ShortSiblings, 15, "its description is that of "+someOf(slices.DeleteFunc(slices.Clone(others), func(o string) bool { return o == d.Tool }))+" too", "Say in each description how it differs from the other.")
	}
	slices.SortStableFunc(list, func(a, b Shortfall) int { return cmp.Compare(b.Points, a.Points) })
	return list
}

// siblings are the names of tools by their likeness.
func siblings(list []Described) map[string][]string {
	same := map[string][]string{}
	for i := range list {
		if key := likeness(&list[i]); key != "" {
			same[key] = append(same[key], list[i].Tool)
		}
	}
	return same
}

// likeness is the same for two tools whose descriptions a model cannot tell apart. It is empty without a
// description: then the names are all that there is.
func likeness(d *Described) string { return strings.Join(wordsOf(d.Description), " ") }

// weakName is the reason why a name says nothing of the purpose of a tool, "" if it says something.
func weakName(name string) string {
	list := wordsOf(name)
	deeds, things, others := 0, 0, 0
	for _, w := range list {
		switch {
		case slices.Contains(verbs[:], w):
			deeds++
		case slices.Contains(vagueThings[:], w):
			things++
		case !slices.Contains(emptyWords[:], strings.TrimRight(w, "0123456789")) && !slices.Contains(emptyWords[:], w) && !isNumber(w):
			others++
		}
	}
	switch length := len([]rune(name)); {
	case name == "":
		return "it has no name of its own"
	case others == 0 && (deeds == 0 || things == 0):
		return fmt.Sprintf("the name %q says nothing of its purpose", name)
	case length > longestName:
		return fmt.Sprintf("the name has %d characters, and vendors take %d", length, longestName)
	case repeats(list):
		return fmt.Sprintf("the name %q repeats words, as a generator writes it from the path", name)
	}
	return ""
}

// The words that alone name no deed on a thing: verbs, things that could be anything, and words of programs.
var (
	verbs       = [...]string{"get", "post", "put", "patch", "delete", "head", "options", "read", "create", "update", "list", "run", "do", "execute", "handle", "process", "call", "invoke", "show", "fetch", "query"}
	vagueThings = [...]string{"data", "item", "items", "object", "objects", "resource", "resources", "thing", "things", "entity", "entities", "record", "records", "result", "results", "info", "value", "values"}
	emptyWords  = [...]string{"a", "an", "the", "of", "to", "by", "for", "in", "and", "with", "api", "op", "operation", "endpoint", "function", "func", "method", "handler",
		"action", "tool", "index", "root", "main", "v", "default", "controller", "service", "request", "test", "id", "all", "mcp", "a2a", "rpc", "jsonrpc", "rest", "http", "graphql"}
)

func isNumber(w string) bool {
	return strings.Trim(w, "0123456789") == "" || len(w) > 1 && w[0] == 'v' && strings.Trim(w[1:], "0123456789") == ""
}

// repeats reports whether a name has a word of more than two letters twice, such as
// create_item_items_post.
func repeats(list []string) bool {
	seen := map[string]bool{}
	for _, w := range list {
		w = stem(w)
		if len(w) > 2 && seen[w] {
			return true
		}
		seen[w] = true
	}
	return false
}

// addsWords reports whether a description has words that the name does not have.
func addsWords(about, name string) bool {
	known := map[string]bool{}
	for _, w := range wordsOf(name) {
		known[stem(w)] = true
	}
	added := 0
	for _, w := range wordsOf(about) {
		if !known[stem(w)] && !slices.Contains(fillers[:], w) {
			added++
		}
	}
	return added >= fewestNameWords
}

// fillers are words that add nothing to a name: articles and the like, words of programs, and verbs that
// stand for any deed.
var fillers = [...]string{"a", "an", "the", "of", "to", "by", "for", "in", "on", "and", "or", "with", "from", "this", "that", "your", "its", "all", "new", "given", "specified", "existing",
	"one", "more", "single", "several", "is", "are", "be", "will", "can", "it", "you", "operation", "endpoint", "method", "function", "tool", "api", "used", "use", "allows",
	"resource", "request", "object", "objects", "kind", "type", "instance", "get", "gets", "fetch", "fetches", "retrieve", "retrieves", "return", "returns", "list", "lists", "show",
	"shows", "create", "creates", "add", "adds", "update", "updates", "delete", "deletes", "remove", "removes", "perform", "performs", "call", "calls",
	"der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une", "el", "los", "las", "de", "des"}

// stem is a word without the endings of English that its siblings differ in.
func stem(w string) string {
	for _, ending := range [...]string{"ies", "ing", "es", "ed", "s", "e", "y"} {
		if rest, ok := strings.CutSuffix(w, ending); ok && len(rest) > 2 {
			return rest
		}
	}
	return w
}

// wordsOf are the words of a text or an identifier in lower case. A character of a script that is written
// without blanks is a word.
func wordsOf(s string) (list []string) {
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			list = append(list, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	before := rune(0)
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			end()
			list = append(list, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsDigit(before)) {
				end() // camelCase
			}
			b.WriteRune(r)
		default:
			end()
		}
		before = r
	}
	end()
	return list
}

// bareArguments are the names of arguments without a description whose name and schema do not say enough,
// and of those whose form nothing shows.
func bareArguments(list []Argument) (bare, unseen []string) {
	for i := range list {
		a := &list[i]
		switch {
		case strings.TrimSpace(a.Description) == "" && !a.Closed:
			bare = append(bare, a.Name)
		case a.Text && a.Required && !a.Closed && !a.Shown && !strings.ContainsAny(a.Description, "0123456789\"'`(:"):
			unseen = append(unseen, a.Name)
		}
	}
	return bare, unseen
}

// someOf lists three names at most.
func someOf(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
