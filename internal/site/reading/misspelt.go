package reading

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// Traced returns the document for readers whose questions are recorded, and the record. It
// has those of a reading of the document as a whole.
func (r *Reader) Traced(w *fuel.Counter, d *Contents) (*Contents, *parse.Trace) {
	in, trace := d.input.Traced()
	own := *d
	own.input = in
	r.ask(w, d, in, parse.MaxIndexes)
	return &own, trace
}

// ask lets the formats that claim a document read it from in, and those inside it, and returns their
// reports.
func (r *Reader) ask(w *fuel.Counter, d *Contents, in *parse.Input, depth int) (said []wayfind.Diagnostic) {
	for _, cl := range d.claims {
		if cl.Other || cl.Negative || cl.Level == parse.None || d.sure && cl.Level != parse.Exact {
			continue
		}
		w.Text(len(in.Body))
		made, err := r.call(d, cl.format, "parse", func() (*parse.Reading, error) {
			if cl.Dialect == parse.DialectDetail && cl.format.Detail != nil {
				return cl.format.Detail(in, parse.Subject{})
			}
			return cl.format.Parse(in)
		})
		if err != nil {
			continue // it is reported, and the questions before it count
		}
		said = append(said, made.Diagnostics...)
		if made.Unusable != "" {
			said = append(said, ruleUnusable.Diagnostic("", "%s", "it cannot be used"))
		}
		for _, inner := range made.Inline {
			if depth == 0 {
				break
			}
			part := &Contents{input: &parse.Input{URL: in.URL, FinalURL: in.FinalURL, Body: inner.Value.Raw()}}
			r.match(part)
			said = append(said, r.ask(w, part, in.Within(inner.Value), depth-1)...)
		}
	}
	return said
}

// Misnamed finds the members for whose names no format claims a document: with the names
// that are meant, one would. d is a document that no format has read.
func (r *Reader) Misnamed(w *fuel.Counter, d *Contents, at At) []wayfind.Diagnostic {
	if d.input == nil || d.Read() || slices.ContainsFunc(d.claims, func(c claimed) bool { return c.Level != parse.None }) {
		return nil
	}
	var best *misspelling
	for _, f := range r.Formats {
		w.Text(len(d.input.Body))
		switch m := r.misnamedFor(w, d, f); {
		case m == nil:
		case best != nil && (best.name != m.name || best.meant.Name != m.meant.Name):
			return nil // to choose would be a guess
		case best == nil:
			best = m
		}
	}
	if best == nil {
		return nil
	}
	return at.Diagnostics(sourced([]wayfind.Diagnostic{best.diagnostic()}, at.Requested.String()))
}

// maxRenamed bounds the names that are tried for one format.
const maxRenamed = 8

// misnamedFor finds the member whose other name makes a document one of a format.
func (r *Reader) misnamedFor(w *fuel.Counter, d *Contents, f *parse.Format) *misspelling {
	in, trace := d.input.Traced()
	if _, err := guard(r, "match", f, func() (parse.Claim, error) { return f.Match(in), nil }); err != nil || f.Aside() {
		return nil
	}
	tried := 0
	for asked := range trace.Objects() {
		for i := range asked.Wishes {
			asked.Wishes[i].Known = true // to look whether a member is there is how formats match
		}
		for _, m := range misspellings(asked) {
			begin, end := m.value.NameSpan()
			if tried++; end == 0 || tried > maxRenamed {
				return nil
			}
			body := slices.Concat(d.input.Body[:begin], rawjson.Quote(m.meant.Name), d.input.Body[end:])
			w.Text(len(body))
			if r.fits(f, m.meantPointer(), &parse.Input{URL: d.input.URL, FinalURL: d.input.FinalURL, MediaType: d.input.MediaType, Header: d.input.Header, Body: body}) {
				m.meant.Need, m.meant.Format, m.meant.Spec = parse.Must, f.Name, f.Spec
				return &m
			}
		}
	}
	return nil
}

// fits reports whether a document with another name of a member is one of a format that can be used,
// and whether the value of that member and its elements have the shape of that format.
func (r *Reader) fits(f *parse.Format, member string, renamed *parse.Input) bool {
	claim, err := guard(r, "match", f, func() (parse.Claim, error) { return f.Match(renamed), nil })
	if err != nil || claim.Level != parse.Exact || claim.Negative {
		return false
	}
	made, err := guard(r, "parse", f, func() (*parse.Reading, error) { return f.Parse(renamed) })
	return err == nil && made.Unusable == "" && !slices.ContainsFunc(made.Diagnostics, func(d wayfind.Diagnostic) bool {
		below, in := strings.CutPrefix(d.Pointer, member)
		return in && strings.Count(below, "/") <= 1 && d.Severity != wayfind.SeverityInfo && !strings.HasSuffix(d.Code, ".missing")
	})
}

// misspelling is a member whose name no reader knows, beside the one that is meant.
type misspelling struct {
	object parse.Node
	name   string
	value  parse.Node
	meant  *parse.Wish
	edits  int // 0: it differs in case, or in dashes
}

// NameMisspelt adds the members whose names are misspelt to diagnostics about the document
// at a place. It leaves out other reports about them and about the members that are meant, and
// reports that the document does not cause with the names that are meant.
func (r *Reader) NameMisspelt(w *fuel.Counter, d *Contents, trace *parse.Trace, at At, diags []wayfind.Diagnostic) []wayfind.Diagnostic {
	var found []misspelling
	for asked := range trace.Objects() {
		found = append(found, misspellings(asked)...)
	}
	if len(found) == 0 {
		return diags
	}
	diags = r.withoutConsequences(w, d, found, diags)
	var named []wayfind.Diagnostic
	for i := range found {
		diags = slices.DeleteFunc(diags, found[i].covers)
		named = append(named, found[i].diagnostic())
	}
	return append(diags, at.Diagnostics(sourced(named, at.Requested.String()))...)
}

// withoutConsequences leaves out the diagnostics that the document does not have with the names that
// are meant. It leaves out none about a document in YAML, whose text has other offsets.
func (r *Reader) withoutConsequences(w *fuel.Counter, d *Contents, found []misspelling, diags []wayfind.Diagnostic) []wayfind.Diagnostic {
	if _, err := d.input.JSON(); err != nil {
		return diags
	}
	renamed := &Contents{input: &parse.Input{URL: d.input.URL, FinalURL: d.input.FinalURL, MediaType: d.input.MediaType, Header: d.input.Header, Body: withNames(d.input.Body, found)}}
	r.match(renamed)
	before, after := r.ask(w, d, d.input, parse.MaxIndexes), r.ask(w, renamed, renamed.input, parse.MaxIndexes)
	same := func(list []wayfind.Diagnostic, d *wayfind.Diagnostic) bool {
		return slices.ContainsFunc(list, func(o wayfind.Diagnostic) bool {
			return o.Code == d.Code && (o.Code == ruleUnusable.Code || o.Pointer == d.Pointer && o.Message == d.Message)
		})
	}
	unusable := ruleUnusable.Diagnostic("", "%s", "it cannot be used")
	if same(before, &unusable) && !same(after, &unusable) {
		for i := range found {
			meant := *found[i].meant
			meant.Need = parse.Must // without it, the document cannot be used
			found[i].meant = &meant
		}
	}
	return slices.DeleteFunc(diags, func(d wayfind.Diagnostic) bool { return same(before, &d) && !same(after, &d) })
}

// withNames returns a document with the names that are meant.
func withNames(body []byte, found []misspelling) []byte {
	sorted := slices.SortedFunc(slices.Values(found), func(a, b misspelling) int { return cmp.Compare(a.value.Offset(), b.value.Offset()) })
	var out []byte
	done := 0
	for _, m := range sorted {
		begin, end := m.value.NameSpan()
		if begin < done || end == 0 {
			continue
		}
		out = append(append(out, body[done:begin]...), rawjson.Quote(m.meant.Name)...)
		done = end
	}
	return append(out, body[done:]...)
}

// misspellings are those of one object, each name once: the most similar ones first.
func misspellings(asked *parse.Asked) (list []misspelling) {
	there := maps.Collect(asked.Object.Members())
	if len(there) == 0 || len(there) > maxMisspelt {
		return nil
	}
	for name, value := range there {
		if free(name) || slices.ContainsFunc(asked.Wishes, func(w parse.Wish) bool { return w.Name == name }) {
			continue
		}
		for i := range asked.Wishes {
			w := &asked.Wishes[i]
			if _, is := there[w.Name]; is || !w.Known {
				continue
			}
			if edits, near := similar(name, value, w); near {
				list = append(list, misspelling{asked.Object, name, value, w, edits})
			}
		}
	}
	slices.SortFunc(list, func(a, b misspelling) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), -cmp.Compare(a.meant.Need, b.meant.Need),
			strings.Compare(a.name, b.name), strings.Compare(a.meant.Name, b.meant.Name))
	})
	return once(list)
}

// maxMisspelt bounds the members of an object in which names are compared: one with more is
// a table of names.
const maxMisspelt = 200

// once takes each name that is there, and each that is meant, once.
func once(list []misspelling) (kept []misspelling) {
	taken := map[string]bool{}
	for _, m := range list {
		if !taken["is "+m.name] && !taken["meant "+m.meant.Name] {
			taken["is "+m.name], taken["meant "+m.meant.Name] = true, true
			kept = append(kept, m)
		}
	}
	return kept
}

// free reports names that specifications leave to publishers: with a prefix that says so,
// or the name of a host in them.
func free(name string) bool {
	return name == "" || strings.HasPrefix(strings.ToLower(name), "x-") || strings.ContainsAny(name, ".:/ ")
}

// similar reports whether a member is probably a misspelt other one, with a kind that is read
// unless only the style of its name differs.
func similar(name string, value parse.Node, w *parse.Wish) (edits int, near bool) {
	edits, near = text.Misspelt(name, w.Name, w.Need == parse.Must)
	return edits, near && (edits == 0 || len(w.Kinds) == 0 || slices.Contains(w.Kinds, value.Kind()))
}

// meantPointer is the pointer of the member with the name that is meant.
func (m *misspelling) meantPointer() string {
	return m.object.Pointer() + "/" + reftoken.Escape(m.meant.Name)
}

// covers reports diagnostics that say a part of the same.
func (m *misspelling) covers(d wayfind.Diagnostic) bool {
	at := m.object.Pointer()
	if d.Pointer == at && strings.HasSuffix(d.Code, ".missing") {
		return strings.HasSuffix(d.Message, fmt.Sprintf(" member %q is missing", m.meant.Name))
	}
	return d.Pointer == m.value.Pointer() && (strings.HasSuffix(d.Code, ".case_variant") || strings.HasSuffix(d.Code, ".snake_case"))
}

func (m *misspelling) diagnostic() wayfind.Diagnostic {
	rule := parse.ReaderRule("misspelt")
	if m.meant.Need != parse.Must {
		rule = rule.AsWarning()
	}
	d := rule.Diagnostic("", "%s", text.NotKnown(m.name, m.meant.Name))
	spec := m.meant.Spec
	d.Code, d.Pointer, d.Spec = m.meant.Format+"."+rule.Code, m.value.Pointer(), &spec
	return d
}
