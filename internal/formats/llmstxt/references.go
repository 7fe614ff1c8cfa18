package llmstxt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxLabel is the longest label of a reference link, in bytes (CommonMark §4.7 allows 999 characters).
const maxLabel = 999

// references are the targets of reference links, by their labels (CommonMark §6.3). The first definition of
// a label counts.
type references map[string]*reference

type reference struct {
	label, url string
	line       int
	used       bool
}

// referencesOf finds the definitions of a text: "[label]: url", with or without a title.
func referencesOf(sections []parse.Section) references {
	refs := references{}
	for _, s := range sections {
		for _, b := range s.Blocks {
			if b.Kind == parse.BlockCode || b.Kind == parse.BlockHTML {
				continue
			}
			at := b.Line
			for line := range strings.SplitSeq(b.Text, "\n") {
				if label, url, ok := definition(line); ok && refs[normal(label)] == nil {
					refs[normal(label)] = &reference{label: label, url: url, line: at}
				}
				at++
			}
		}
	}
	return refs
}

// definition reads a line that defines a label.
func definition(line string) (label, url string, ok bool) {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || !strings.HasPrefix(text, "[") {
		return "", "", false
	}
	end := strings.IndexByte(text[:min(len(text), maxLabel+2)], ']')
	if end < 2 || !strings.HasPrefix(text[end:], "]:") || text[1] == '^' { // a footnote
		return "", "", false
	}
	label = text[1:end]
	word, rest, _ := strings.Cut(strings.TrimSpace(text[end+2:]), " ")
	url = strings.TrimSuffix(strings.TrimPrefix(word, "<"), ">")
	if rest = strings.TrimSpace(rest); rest != "" && !strings.ContainsAny(rest[:1], `"'(`) || strings.TrimSpace(label) == "" {
		return "", "", false
	}
	return label, url, isWord(url)
}

// normal returns the form in which labels are compared.
func normal(label string) string {
	return strings.ToLower(strings.Join(strings.Fields(label), " "))
}

// at returns the target of the text between two brackets, and the end of the link: "[text][label]",
// "[label][]" or "[label]".
func (refs references) at(text string, open, closed int) (url string, end int, ok bool) {
	if len(refs) == 0 {
		return "", 0, false
	}
	label, end := text[open+1:closed], closed+1
	if strings.HasPrefix(text[end:], "[") {
		inner := text[end+1 : min(len(text), end+2+maxLabel)]
		i := strings.IndexAny(inner, "[]")
		if i < 0 || inner[i] != ']' {
			return "", 0, false
		}
		if i > 0 {
			label = inner[:i]
		}
		end += i + 2
	}
	if len(label) > maxLabel || strings.IndexByte(label, '[') >= 0 {
		return "", 0, false
	}
	ref := refs[normal(label)]
	if ref == nil {
		return "", 0, false
	}
	ref.used = true
	return ref.url, end, true
}

// withoutDefinitions returns a text with blanks in place of its definitions.
func (refs references) withoutDefinitions(text string) string {
	if len(refs) == 0 || !strings.Contains(text, "]:") {
		return text
	}
	var out strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		bare := strings.TrimSuffix(line, "\n")
		if _, _, ok := definition(bare); ok {
			out.WriteString(strings.Repeat(" ", len(bare)))
			line = line[len(bare):]
		}
		out.WriteString(line)
	}
	return out.String()
}

// unused lists the definitions that no link names.
func (r *reader) unused() {
	var rest []*reference
	for _, ref := range r.refs {
		if !ref.used {
			rest = append(rest, ref)
		}
	}
	slices.SortFunc(rest, func(a, b *reference) int { return cmp.Or(a.line-b.line, strings.Compare(a.label, b.label)) })
	for _, ref := range rest {
		r.document(wayfind.Document{Rel: "documentation", Title: plainText(ref.label), Sources: at(ref.line)}, link{form: named, title: ref.label, url: ref.url})
	}
}
