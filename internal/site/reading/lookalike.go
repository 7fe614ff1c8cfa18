package reading

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// resembles reports whether a document at the place of a format has some of the format's marks,
// although no format claims it. Its verdict is other_format. The fault of its shape is reported in any
// case, so that its publisher can mend it.
func (r *Reader) resembles(d *Contents) bool {
	root, err := d.input.JSON()
	if d.whole != nil || err != nil && !isText(d.input) {
		return false // a part of a document, which has no place; broken JSON, or a page
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
	if best == nil {
		return false
	}
	rule, said := ruleForeign, ""
	switch {
	case err != nil && isJSON(best):
		rule, said = ruleForeign.AsInfo(), "is a text where JSON belongs"
	case err == nil && root.Kind() != parse.Object && isJSON(best):
		rule, said = ruleForeign.AsInfo(), fmt.Sprintf("is of type %v where an object belongs", root.Kind())
	case len(has) == 0:
		rule, said = ruleForeign.AsInfo(), "has nothing of what such a document has: "+named(lacks)
	case len(lacks) > 0:
		said = "lacks " + named(lacks[:1])
	default:
		said = r.misshapen(d, root, best)
		if len(has) == 1 && !strings.Contains(d.input.URL.Path, "/.well-known/") {
			rule, has = ruleForeign.AsInfo(), nil // a word that others use, at a path that others use
		}
	}
	told := rule.Diagnostic(d.input.URL.String(), "it lies at a place of %s, and %s", best.Spec.Title, said)
	told.Spec = &wayfind.SpecRef{Title: best.Spec.Title, URL: best.Spec.URL}
	d.diags = append(d.diags, told)
	if len(has) > 0 {
		d.verdict, d.reason = wayfind.VerdictOtherFormat, best.Name+"-lookalike"
	}
	return len(has) > 0
}

// misshapen names the fault of a document that has all marks of a format, in the words of the format if
// it has some.
func (r *Reader) misshapen(d *Contents, root parse.Node, f *parse.Format) string {
	var kinds []string
	for _, m := range f.Marks {
		kinds = append(kinds, fmt.Sprintf("its `%s` is of type %v", m, root.Get(m).Kind()))
	}
	said := "is no such document: " + strings.Join(kinds, ", ")
	made, err := r.call(d, f, "parse", func() (*parse.Reading, error) { return f.Parse(d.input) })
	if err != nil {
		return said
	}
	if i := slices.IndexFunc(made.Diagnostics, func(n wayfind.Diagnostic) bool { return n.Severity == wayfind.SeverityError }); i >= 0 {
		said += "; " + made.Diagnostics[i].Message
	}
	return said
}

// isJSON reports whether documents of a format are JSON.
func isJSON(f *parse.Format) bool {
	return slices.ContainsFunc(f.Locations, func(l parse.Location) bool { return strings.Contains(l.Accept, "json") })
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
