package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// shape is a schema in the form in which it is written for a target.
type shape struct {
	kind   kinds // one type; 0 for a union, or any value
	null   bool  // also null
	object bool  // a text that represents an object: see projector.text
	title  string
	text   string   // description
	notes  []string // lost rules, for the description
	enum   []string // JSON
	extra  []member
	anyOf  []*shape
	nested // of arrays and objects
}

type nested struct {
	props      []shapeProperty
	required   []string
	closed     bool
	additional *shape
	items      *shape
	prefix     []*shape
	verbatim   []byte // the whole schema, as JSON
}

type shapeProperty struct {
	name  string
	shape *shape
}

// member is a keyword and its value as JSON.
type member struct {
	name, value string
}

// place writes the schema of a place. It returns nil if no value is left.
func (w *projector) place(parts []part, at string) *shape {
	return w.flatPlace(w.flatten(parts), at)
}

// maxLevels is the maximum nesting of places. Each place is two levels of JSON, and readers
// accept 64.
const maxLevels = 30

func (w *projector) flatPlace(f *flat, at string) *shape {
	w.level++
	defer func() { w.level-- }()
	if w.level > maxLevels {
		refuse(CodeOutput, at, "its projection is nested too deep")
	}
	c := w.combine(f, at)
	if c == nil {
		return nil
	}
	w.dropped(c)
	if len(f.unions) > 0 {
		return w.union(f, c)
	}
	return w.typed(f, c)
}

// typed writes a place that has no alternatives other than types.
func (w *projector) typed(f *flat, c *facts) *shape {
	types := c.kindsOf()
	if types == kindAny && !c.listed {
		guess := c.infer()
		switch {
		case w.profile.anyType && guess == 0:
			return w.finish(w.newShape(), c)
		case guess == 0:
			w.lose(c.at, "type", Narrower, "any_value")
			types = kindString | kindNumber | kindBool | kindNull
		default:
			w.lose(c.at, "type", Narrower, "type_inferred")
			types = guess
		}
	}
	var list []*shape
	for _, k := range [...]kinds{kindString, kindNumber, kindBool, kindArray, kindObject} {
		if types&k == 0 {
			continue
		}
		s := w.one(f, c, types&k)
		if s == nil {
			return nil
		}
		list = append(list, s)
	}
	return w.finish(w.unite(list, types&kindNull != 0, c.at), c)
}

// unite makes one shape from alternatives. Null may be one of them.
func (w *projector) unite(list []*shape, null bool, at string) *shape {
	if slices.ContainsFunc(list, func(s *shape) bool { return s.kind == kindString && !s.object && s.enum == nil }) {
		list = slices.DeleteFunc(list, func(s *shape) bool {
			if s.object { // it would be taken for the other text
				w.lose(at, "type", Narrower, objectText)
			}
			return s.object
		})
	}
	switch {
	case len(list) == 1 && null:
		list[0].null = true
		return list[0]
	case len(list) == 1:
		return list[0]
	}
	s := w.newShape()
	s.null = null
	if s.anyOf = list; len(list) == 0 {
		s.kind, s.null = kindNull, false
		if w.profile.upper {
			w.lose(at, "type", Wider, "null_only")
			s.kind, s.null = kindString, true
		}
	}
	return s
}

// finish adds the title and the description.
func (w *projector) finish(s *shape, c *facts) *shape {
	at := spot{at: c.at}
	s.notes = append(s.notes, w.noted(at, c.notes)...)
	c.notes = nil
	if s.title == "" && w.profile.has("title") {
		s.title = w.worded(at, "title", c.title, w.depth, 0)
	}
	if s.text == "" {
		s.text = w.worded(at, "description", c.describe, w.depth, len(remark(s.notes)))
	}
	w.spend(len(s.title) + len(s.text))
	return s
}

// one writes the part of a place that is about one type.
func (w *projector) one(f *flat, c *facts, k kinds) *shape {
	s := w.newShape()
	s.kind = k
	w.values(s, c, k)
	ok := true
	switch {
	case k == kindString:
		w.string(s, c)
	case k&kindNumber != 0:
		w.number(s, c, k)
	case k == kindArray:
		ok = w.array(s, f, c)
	case k == kindObject:
		ok = w.object(s, f, c, false)
	}
	if !ok {
		return nil
	}
	return s
}

// values writes the enum of one type.
func (w *projector) values(s *shape, c *facts, k kinds) {
	if !c.listed {
		return
	}
	var of []jsonscan.Node
	for _, v := range c.values {
		if kindOf(v)&k != 0 {
			of = append(of, v)
		}
	}
	code := ""
	switch {
	case k&w.profile.enums == 0 && w.profile.enums == kindString:
		code = "enum_not_string"
	case k&w.profile.enums == 0:
		code = "enum_not_primitive"
	case k == kindString && w.profile.foldCase && foldsTogether(of):
		code = "enum_case"
	}
	if code != "" {
		w.lose(c.at, "enum", Wider, code)
		c.notes = append(c.notes, "one of "+listed(of))
		return
	}
	shown := w.shownValues(of, c.at)
	for i, v := range of {
		if text, isText := v.Str(); isText && text == "" && !w.profile.emptyOK {
			w.lose(c.at, "enum", Narrower, "enum_empty_string")
			continue
		}
		w.spend(len(shown[i]))
		s.enum = append(s.enum, shown[i])
	}
	if len(s.enum) == 0 {
		w.lose(c.at, "enum", Wider, "enum_empty_string")
	}
}

func foldsTogether(list []jsonscan.Node) bool {
	seen := make(map[string]bool, len(list))
	for _, v := range list {
		text, _ := v.Str()
		text = strings.ToLower(text)
		if seen[text] {
			return true
		}
		seen[text] = true
	}
	return false
}

// listed returns values as text for a description.
func listed(list []jsonscan.Node) string {
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > maxNotes {
			b.WriteString("...")
			break
		}
		b.WriteString(v.Text())
	}
	return b.String()
}

// dropped reports the keywords that no target of this kind supports.
func (w *projector) dropped(c *facts) {
	for _, p := range c.parts {
		n := p.schema
		for _, d := range [...]struct {
			there   bool
			keyword string
		}{
			{n.not != nil && !n.not.never, "not"},
			{n.condition != nil && (n.consequence != nil || n.otherwise != nil), "if"},
			{n.patterns != nil, "patternProperties"},
			{n.names != nil, "propertyNames"},
			{n.contains != nil, "contains"},
			{n.unevaluated != nil, "unevaluatedProperties"},
			{n.unevaluatedItems != nil, "unevaluatedItems"},
			{n.dependentRequired != nil, "dependentRequired"},
			{n.dependentSchemas != nil, "dependentSchemas"},
			{n.unique && !w.profile.has("uniqueItems"), "uniqueItems"},
		} {
			if d.there {
				w.lose(p.at, d.keyword, Wider, d.keyword)
			}
		}
		if p.mute {
			continue
		}
		if n.pattern != nil && n.pattern.re == nil {
			c.notes = append(c.notes, "pattern "+n.pattern.text)
		}
		if n.unique && !w.profile.has("uniqueItems") {
			c.notes = append(c.notes, "items differ")
		}
		for _, note := range n.notes {
			if note.keyword == "default" && note.value.Len() == 0 && w.shows(spot{at: p.at}, "default", note.value) {
				c.notes = append(c.notes, "default "+note.value.Text())
			}
		}
	}
}

// maxNotes is the maximum length of the part of a description that lists lost rules, in bytes.
const maxNotes = 200

// remark returns the text that lists lost rules: "(min 1; max 50; pattern ^a)".
func remark(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return fmt.Sprintf("(%s)", cut(strings.Join(notes, "; "), maxNotes-2))
}
