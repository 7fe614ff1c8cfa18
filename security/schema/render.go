package schema

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// render writes a shape as JSON: the type first, and properties in the order of the document.
func (w *projector) render(s *shape) []byte {
	out := w.write(nil, s)
	w.spend(len(out))
	return out
}

// writer writes the members of an object.
type writer struct {
	out   []byte
	comma bool
}

func (o *writer) name(name string) {
	if o.comma {
		o.out = append(o.out, ',')
	}
	o.comma = true
	o.out = append(jsonscan.AppendQuote(o.out, name), ':')
}

// text writes a member that is a string.
func (o *writer) text(name, value string) {
	o.name(name)
	o.out = jsonscan.AppendQuote(o.out, value)
}

func (o *writer) member(name, value string) {
	o.name(name)
	o.out = append(o.out, value...)
}

func (w *projector) write(dst []byte, s *shape) []byte {
	w.count.Add(1)
	if s.verbatim != nil {
		return append(dst, s.verbatim...)
	}
	o := &writer{out: append(dst, '{')}
	description := s.text
	if s.notes != nil {
		description = strings.TrimSpace(description + " " + remark(s.notes))
	}
	switch {
	case s.null && !w.profile.upper && s.wrapped():
		bare := *s
		bare.null, bare.text, bare.notes = false, "", nil
		o.name("anyOf")
		o.out = append(w.write(append(o.out, '['), &bare), `,{"type":"null"}]`...)
		o.describe("", description)
	case s.anyOf != nil:
		o.name("anyOf")
		o.out = append(o.out, '[')
		for i, c := range s.anyOf {
			if i > 0 {
				o.out = append(o.out, ',')
			}
			o.out = w.write(o.out, c)
		}
		if s.null && !w.profile.upper {
			o.out = append(o.out, `,{"type":"null"}`...)
		}
		o.out = append(o.out, ']')
		if s.null && w.profile.upper {
			o.member("nullable", "true")
		}
		o.describe(s.title, description)
	default:
		w.single(o, s, description)
	}
	return append(o.out, '}')
}

// wrapped reports whether the type cannot be a list with null, because other keywords of the
// shape would not allow null, or because vendors require objects and arrays to have a single
// type.
func (s *shape) wrapped() bool {
	return s.anyOf == nil && (s.enum != nil || s.kind == kindArray || s.kind == kindObject)
}

func (o *writer) describe(title, description string) {
	if title != "" {
		o.text("title", title)
	}
	if description != "" {
		o.text("description", description)
	}
}

// single writes a shape of one type.
func (w *projector) single(o *writer, s *shape, description string) {
	if s.kind != 0 {
		word := s.kind.list()[0]
		switch {
		case w.profile.upper:
			o.text("type", strings.ToUpper(word))
		case s.null:
			o.member("type", `[`+quote(word)+`,"null"]`)
		default:
			o.text("type", word)
		}
	}
	o.describe(s.title, description)
	if s.enum != nil {
		o.member("enum", "["+strings.Join(s.enum, ",")+"]")
		if w.profile.upper {
			o.member("format", `"enum"`)
		}
	}
	for _, m := range s.extra {
		if m.name != "format" || s.enum == nil || !w.profile.upper {
			o.member(m.name, m.value)
		}
	}
	if s.null && w.profile.upper {
		o.member("nullable", "true")
	}
	w.container(o, s)
}

// container writes the content of arrays and objects.
func (w *projector) container(o *writer, s *shape) {
	if s.prefix != nil {
		o.name("prefixItems")
		o.out = append(o.out, '[')
		for i, c := range s.prefix {
			if i > 0 {
				o.out = append(o.out, ',')
			}
			o.out = w.write(o.out, c)
		}
		o.out = append(o.out, ']')
	}
	if s.items != nil {
		o.name("items")
		o.out = w.write(o.out, s.items)
	}
	if s.kind != kindObject {
		return
	}
	o.name("properties") // vendors refuse a whole request for one object without them
	o.out = append(o.out, '{')
	inner := &writer{out: o.out}
	for _, p := range s.props {
		inner.name(p.name)
		inner.out = w.write(inner.out, p.shape)
	}
	o.out = append(inner.out, '}')
	if len(s.required) > 0 || w.profile.allRequired {
		o.member("required", quoted(s.required))
	}
	switch {
	case s.closed:
		o.member("additionalProperties", "false")
	case s.additional != nil:
		o.name("additionalProperties")
		o.out = w.write(o.out, s.additional)
	}
}

// quoted writes a list of strings.
func quoted(list []string) string {
	out := []byte{'['}
	for i, s := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = jsonscan.AppendQuote(out, s)
	}
	return string(append(out, ']'))
}

// namesOf returns the projected names, each once.
func (w *projector) namesOf(names []string) (list []string) {
	for _, name := range names {
		list = append(list, w.name(name))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
