package schema

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
)

// Taken are arguments in the types of a schema: see [Schema.Take].
type Taken struct {
	// Args are the arguments as a JSON object.
	Args []byte
	// Retyped are the names of arguments of which a value was written in another type, at most 20.
	Retyped []string
	// Nulls are the names of properties whose null is left out, at most 20. In a call that changes
	// something, null may have meant "remove the value", so a person who agrees to the call and the model
	// need to know them.
	Nulls []string
	// Inexact is a pointer (RFC 6901) to the first argument with an integer beyond 2^53 that is written
	// with a fraction or an exponent; "" if there is none. Its digits may be those of another number.
	Inexact string
}

// Take returns arguments in the types of the schema. Models write some values in other types, and a
// value is taken if it has exactly one meaning:
//
//   - an integer that is written as 5.0 or 1e3, up to 2^53, where only integers are valid;
//   - a string for a number, boolean, array or object, if no string is valid there. The string must
//     be JSON without blanks around it;
//   - null for an optional property that is not nullable, which is left out.
//
// All other text is unchanged, and the digits of numbers are kept. Strings and nulls of valid
// arguments are unchanged too. Arguments that are not valid afterwards are returned as they are, so
// that an error is about what the model wrote.
//
// p is the projection by which args were decoded, nil if there is none. An object in a string has
// the names of the projection, and gets the publisher's.
func (s *Schema) Take(args []byte, p *Projection) Taken {
	exact := &taker{}
	switch changed := exact.run(s, p, args); {
	case changed && s.admits(exact.out):
		return exact.taken()
	case !exact.more || s.admits(args):
		return Taken{Args: args, Inexact: exact.inexact}
	}
	t := &taker{strings: true, nulls: true}
	if t.run(s, p, args) && s.admits(t.out) {
		return t.taken()
	}
	return Taken{Args: args, Inexact: exact.inexact}
}

// maxNames is the number of arguments and of properties that are named.
const maxNames = 20

// taker rewrites values that have one meaning: numbers and, if they may be taken, strings and nulls.
// more reports whether there were others of these.
type taker struct {
	decoder
	shaper                        *shaper
	strings, nulls, changed, more bool
	inside                        int    // strings around the value
	depth                         int    // objects around the value
	of                            string // the argument of the value
	retyped                       []string
	inexact                       string
	gone                          []string // the properties whose null is left out
}

func (t *taker) taken() Taken {
	return Taken{Args: t.out, Retyped: t.retyped, Nulls: t.gone, Inexact: t.inexact}
}

// retype records that a value of an argument is taken in another type.
func (t *taker) retype() {
	t.changed = true
	if len(t.retyped) < maxNames && (len(t.retyped) == 0 || t.retyped[len(t.retyped)-1] != t.of) {
		t.retyped = append(t.retyped, t.of)
	}
}

// run rewrites arguments, and reports whether something has changed.
func (t *taker) run(s *Schema, p *Projection, args []byte) bool {
	t.decoder = decoder{projection: p, count: fuel.Within(jsonschema.MaxSteps), around: make(map[*node][]*node)}
	t.shaper = newShaper(t.count)
	err := guarded(t.count, func() {
		doc := scan(args, jsonschema.MaxValue)
		t.count.Text(len(args))
		t.take(doc.Root(), []*node{s.top()})
	})
	return err == nil && t.changed
}

// types returns the types that all schemas of a list allow together.
func (t *taker) types(schemas []*node) kinds {
	types := kinds(kindAny)
	for _, n := range schemas {
		types &= t.shaper.types(n)
	}
	return types
}

func (t *taker) take(v jsonscan.Node, schemas []*node) {
	switch v.Kind() {
	case jsonscan.Object:
		t.members(v, t.together(schemas))
		return
	case jsonscan.Array:
		t.items(v, t.together(schemas))
		return
	case jsonscan.Number:
		if !strings.ContainsAny(v.Text(), ".eE") || t.types(schemas)&kindNumber != kindInteger {
			break
		}
		if text := integerText(v); text != v.Text() {
			t.retype()
			t.out = append(t.out, text...)
			return
		}
		if t.inexact == "" {
			t.inexact = "/" + reftoken.Escape(t.of)
		}
	case jsonscan.Null:
		t.more = true
	case jsonscan.String:
		if t.more = true; !t.strings {
			break
		}
		if inner, ok := t.meant(v, t.types(schemas)); ok {
			t.retype()
			t.inside++
			t.take(inner, schemas)
			t.inside--
			return
		}
	}
	t.out = append(t.out, v.Text()...)
}

// meant returns the only value that a string can mean.
func (t *taker) meant(v jsonscan.Node, types kinds) (inner jsonscan.Node, ok bool) {
	text, _ := v.Str()
	if types&kindString != 0 || types&^kindNull == 0 || text == "" || strings.TrimSpace(text) != text {
		return inner, false
	}
	t.count.Text(len(text))
	doc, err := jsonscan.Own([]byte(text))
	if err != nil || doc.BOM() {
		return inner, false
	}
	inner = doc.Root()
	switch inner.Kind() {
	case jsonscan.String, jsonscan.Null:
		return inner, false
	case jsonscan.Number:
		if tooLarge(inner) {
			return inner, false
		}
		return inner, types&kindOf(inner) != 0 && (types&kindFraction != 0 || !strings.ContainsAny(integerText(inner), ".eE"))
	}
	return inner, types&kindOf(inner) != 0
}

// integerText returns the digits of an integer that is written with a fraction or an exponent, if it
// is at most 2^53; otherwise the number as it is written.
func integerText(v jsonscan.Node) string {
	text := v.Text()
	if !strings.ContainsAny(text, ".eE") || tooLarge(v) {
		return text
	}
	d := decimalOf(v)
	const most = "9007199254740992"
	digits := d.digits
	switch {
	case digits == "":
		return "0"
	case d.exponent < 0 || len(digits)+d.exponent > len(most):
		return text
	}
	digits += strings.Repeat("0", d.exponent)
	if len(digits) == len(most) && digits > most {
		return text
	}
	if d.negative {
		return "-" + digits
	}
	return digits
}

func (t *taker) items(v jsonscan.Node, schemas []*node) {
	t.out = append(t.out, '[')
	for i := range v.Len() {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		t.take(v.Child(i), t.item(schemas, i))
	}
	t.out = append(t.out, ']')
}

func (t *taker) members(v jsonscan.Node, schemas []*node) {
	t.out = append(t.out, '{')
	t.depth++
	first := true
	for i := range v.Len() {
		c := v.Child(i)
		name, declared := t.named(schemas, c.Name())
		if t.depth == 1 {
			t.of = name
		}
		if t.nulls && c.Kind() == jsonscan.Null && t.optional(schemas, name, declared) {
			t.changed = true
			if len(t.gone) < maxNames && !slices.Contains(t.gone, name) {
				t.gone = append(t.gone, name)
			}
			continue
		}
		if !first {
			t.out = append(t.out, ',')
		}
		first = false
		t.out = append(append(t.out, quote(name)...), ':')
		t.take(c, declared)
	}
	t.depth--
	t.out = append(t.out, '}')
}

// named returns the publisher's name of a property, and its schemas. Outside of strings, names are
// decoded already.
func (t *taker) named(schemas []*node, name string) (string, []*node) {
	if t.inside > 0 && t.projection != nil {
		return t.declared(schemas, name)
	}
	return name, t.schemas(schemas, name, true)
}

// optional reports whether a null means that a property is not set: it is declared, not required,
// and not nullable.
func (t *taker) optional(schemas []*node, name string, declared []*node) bool {
	return len(declared) > 0 && t.types(declared)&kindNull == 0 &&
		slices.ContainsFunc(schemas, func(n *node) bool { return n.property(name) != nil }) &&
		!slices.ContainsFunc(schemas, func(n *node) bool { return slices.Contains(n.required, name) })
}
