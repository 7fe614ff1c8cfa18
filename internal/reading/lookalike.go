package reading

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// resembles reports a document that lies at the place of a format, that no format
// claims, and that has some of the format's marks: its verdict is other_format. What
// the document lacks is said in any case, so that its publisher can mend it.
func (r *Reader) resembles(d *Contents) bool {
	root, err := d.input.JSON()
	if err != nil && !isText(d.input) {
		return false // broken JSON, or a page
	}
	var best *parse.Format
	var has, lacks []string
	for _, f := range r.Formats {
		if len(f.Marks) == 0 || !isPlace(f, d.input) {
			continue
		}
		in, out := marked(root, f.Marks)
		if best == nil || len(in) > len(has) {
			best, has, lacks = f, in, out
		}
	}
	if best == nil || len(lacks) == 0 {
		return false
	}
	rule, said := ruleForeign, fmt.Sprintf("it lies at a place of %s, and lacks %s", best.Spec.Title, named(lacks[:1]))
	if len(has) == 0 {
		rule, said = ruleForeign.AsInfo(), fmt.Sprintf("it lies at a place of %s, and has nothing of what such a document has: %s", best.Spec.Title, named(lacks))
	}
	told := rule.Diagnostic(d.input.URL.String(), "%s", said)
	told.Spec = &wayfind.SpecRef{Title: best.Spec.Title, URL: best.Spec.URL}
	d.diags = append(d.diags, told)
	if len(has) > 0 {
		d.verdict, d.reason = wayfind.VerdictOtherFormat, best.Name+"-lookalike"
	}
	return len(has) > 0
}

// isPlace reports a place where documents of a format lie.
func isPlace(f *parse.Format, in *parse.Input) bool {
	return in.URL != nil && slices.ContainsFunc(f.Locations, func(l parse.Location) bool {
		return !l.Aside && (in.URL.Path == l.Path || l.Base && strings.HasSuffix(in.URL.Path, l.Path))
	})
}

// isText reports a text that is neither a page nor meant as JSON.
func isText(in *parse.Input) bool {
	body := beginning(in)
	return body != "" && body[0] != '{' && body[0] != '[' && !in.HTML()
}

// marked divides the marks of a format by whether a document has them as members.
func marked(root parse.Node, marks []string) (has, lacks []string) {
	for _, m := range marks {
		if root.Get(m).Exists() {
			has = append(has, m)
		} else {
			lacks = append(lacks, m)
		}
	}
	return has, lacks
}

// named writes marks for a message. A part in words has quotes of its own.
func named(marks []string) string {
	list := slices.Clone(marks)
	for i, m := range list {
		if !strings.Contains(m, " ") {
			list[i] = "`" + m + "`"
		}
	}
	return strings.Join(list, ", ")
}
