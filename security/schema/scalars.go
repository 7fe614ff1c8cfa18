package schema

import (
	"slices"
	"strconv"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// string writes the keywords for strings.
func (w *projector) string(s *shape, c *facts) {
	var least, most *int64
	for _, p := range c.parts {
		least = larger(least, p.schema.minLength)
		most = smaller(most, p.schema.maxLength)
	}
	w.counted(s, c, "minLength", "min length", positiveCount(least))
	w.counted(s, c, "maxLength", "max length", most)
	patterns, formats := 0, 0
	for _, p := range c.parts {
		if n := p.schema; n.pattern != nil && n.pattern.re != nil {
			w.pattern(s, c, p, patterns > 0)
			patterns++
		}
		if p.schema.format != "" {
			w.format(s, c, p, formats > 0)
			formats++
		}
	}
}

// pattern writes the first pattern of a place.
func (w *projector) pattern(s *shape, c *facts, p part, another bool) {
	n := p.schema
	if another && slices.ContainsFunc(c.parts, func(o part) bool {
		return o.schema != n && o.schema.pattern != nil && o.schema.pattern.text == n.pattern.text
	}) {
		return
	}
	whole := w.profile.anyType || n.pattern.plain && (w.profile.boundary || !n.pattern.boundary)
	if another || !w.profile.has("pattern") || !whole || !w.takesPattern(n.pattern.text) {
		w.lose(p.at, "pattern", Wider, "pattern")
		c.notes = append(c.notes, "pattern "+n.pattern.text)
		return
	}
	w.add(s, "pattern", quote(n.pattern.text))
}

// takesPattern reports whether the target accepts a pattern that can be matched.
func (w *projector) takesPattern(pattern string) bool { return w.profile.anyRoot || portable(pattern) }

func (w *projector) format(s *shape, c *facts, p part, another bool) {
	format := p.schema.format
	ok := w.profile.has("format") && (w.profile.formats == nil || slices.Contains(w.profile.formats, format))
	if ok && !another {
		w.add(s, "format", quote(format))
		return
	}
	effect := Wider
	if slices.Contains([]string{"binary", "byte", "password"}, format) {
		effect = None
	}
	w.lose(p.at, "format", effect, "format")
	c.notes = append(c.notes, "format "+format)
}

// add writes a keyword.
func (w *projector) add(s *shape, keyword, value string) {
	w.spend(len(keyword) + len(value))
	s.extra = append(s.extra, member{keyword, value})
}

// counted writes a keyword that is a count, or reports its loss.
func (w *projector) counted(s *shape, c *facts, keyword, word string, v *int64) {
	switch {
	case v == nil:
	case w.profile.has(keyword):
		w.add(s, keyword, strconv.FormatInt(*v, 10))
	default:
		w.lose(c.at, keyword, Wider, keyword)
		c.notes = append(c.notes, word+" "+strconv.FormatInt(*v, 10))
	}
}

func larger(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

func smaller(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// positiveCount returns nil for a minimum of zero.
func positiveCount(v *int64) *int64 {
	if v != nil && *v == 0 {
		return nil
	}
	return v
}

// bounds are the tightest bounds of all parts.
type bounds struct {
	minimum, maximum, above, below *jsonscan.Node
}

func tightest(c *facts) (b bounds) {
	pick := func(a, v *jsonscan.Node, sign int) *jsonscan.Node {
		if a == nil || v != nil && decimalOf(*v).compare(decimalOf(*a)) == sign {
			return v
		}
		return a
	}
	for _, p := range c.parts {
		b.minimum = pick(b.minimum, p.schema.minimum, 1)
		b.above = pick(b.above, p.schema.above, 1)
		b.maximum = pick(b.maximum, p.schema.maximum, -1)
		b.below = pick(b.below, p.schema.below, -1)
	}
	return b
}

// number writes the keywords for numbers.
func (w *projector) number(s *shape, c *facts, k kinds) {
	b := tightest(c)
	whole := k == kindInteger
	low, lowOut := w.exclusive(s, c, b.minimum, b.above, "exclusiveMinimum", 1, whole)
	high, highOut := w.exclusive(s, c, b.maximum, b.below, "exclusiveMaximum", -1, whole)
	w.limit(s, c, "minimum", "min", low)
	w.limit(s, c, "exclusiveMinimum", "more than", lowOut)
	w.limit(s, c, "maximum", "max", high)
	w.limit(s, c, "exclusiveMaximum", "less than", highOut)
	first := true
	for _, p := range c.parts {
		if p.schema.multiple == nil {
			continue
		}
		value := decimalOf(*p.schema.multiple).text()
		if !first && slices.ContainsFunc(s.extra, func(m member) bool { return m.name == "multipleOf" && m.value == value }) {
			continue
		}
		if first && w.profile.has("multipleOf") {
			w.add(s, "multipleOf", value)
			first = false
			continue
		}
		w.lose(p.at, "multipleOf", Wider, "multipleOf")
		c.notes = append(c.notes, "multiple of "+value)
	}
}

// exclusive converts an exclusive bound into an inclusive one if the target supports no other.
// For integers this is exact.
func (w *projector) exclusive(s *shape, c *facts, in, out *jsonscan.Node, keyword string, step int64, whole bool) (inclusive, exclusive *decimal) {
	if in != nil {
		d := decimalOf(*in)
		inclusive = &d
	}
	if out == nil {
		return inclusive, nil
	}
	d := decimalOf(*out)
	if w.profile.has(keyword) {
		return inclusive, &d
	}
	if !w.profile.has("minimum") {
		w.lose(c.at, keyword, Wider, keyword)
		word := map[int64]string{1: "more than ", -1: "less than "}[step]
		c.notes = append(c.notes, word+d.text())
		return inclusive, nil
	}
	switch {
	case whole && d.integer():
		d = d.next(step)
		w.lose(c.at, keyword, None, "exclusive_to_inclusive")
	case whole:
		w.lose(c.at, keyword, None, "exclusive_to_inclusive")
	default:
		w.lose(c.at, keyword, Wider, keyword)
	}
	if inclusive == nil || d.compare(*inclusive) == int(step) {
		inclusive = &d
	}
	return inclusive, nil
}

func (w *projector) limit(s *shape, c *facts, keyword, word string, d *decimal) {
	switch {
	case d == nil:
	case w.profile.has(keyword):
		w.add(s, keyword, d.text())
	default:
		w.lose(c.at, keyword, Wider, keyword)
		c.notes = append(c.notes, word+" "+d.text())
	}
}

// quote returns a string as JSON.
func quote(s string) string { return string(jsonscan.AppendQuote(nil, s)) }
