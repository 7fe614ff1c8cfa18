package reading

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// resembles reports whether a document at the place of a format has some of the format's marks,
// although no format claims it. Its verdict is other_format. The missing marks are reported in any
// case, so that its publisher can mend it.
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

// isPlace reports whether documents of a format are expected at the place of the input.
func isPlace(f *parse.Format, in *parse.Input) bool {
	return in.URL != nil && slices.ContainsFunc(f.Locations, func(l parse.Location) bool {
		return !l.Aside && (in.URL.Path == l.Path || l.Base && strings.HasSuffix(in.URL.Path, l.Path))
	})
}

// isText reports whether an input is a text that is neither a page nor meant as JSON.
func isText(in *parse.Input) bool {
	body := beginning(in)
	return body != "" && body[0] != '{' && body[0] != '[' && !in.HTML()
}

// marked separates the marks of a format that a document has as members from the others.
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

// named returns marks for a message. A mark that consists of several words has quotes of its own.
func named(marks []string) string {
	list := slices.Clone(marks)
	for i, m := range list {
		if !strings.Contains(m, " ") {
			list[i] = "`" + m + "`"
		}
	}
	return strings.Join(list, ", ")
}
