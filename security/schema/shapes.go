package schema

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
)

// Shapes are the shapes that a value may have. How a value can be written outside of JSON depends
// on its shape.
type Shapes uint8

// The shapes of values. A list is an array, a record is an object, and deep ones contain arrays or
// objects. Null has no shape, because it means that there is no value.
const (
	Text Shapes = 1 << iota // a string, a number or a boolean
	List
	Record
	DeepList
	DeepRecord

	// Flat are the shapes without nesting, and AnyShape are all.
	Flat     = Text | List | Record
	AnyShape = Flat | DeepList | DeepRecord
)

// Shapes returns the shapes that values of some properties may have, in their order, and the number
// of steps that it took. A member that the schema allows but does not describe is ignored, unless
// nothing describes any member. A property has too many shapes rather than too few. Those for which
// no steps are left have all shapes: steps is the maximum for all properties, up to one million.
func (s *Schema) Shapes(properties []string, steps int64) (list []Shapes, taken int64) {
	w := newShaper(fuel.Within(max(1, min(steps, jsonschema.MaxSteps))))
	_ = guarded(w.count, func() {
		top := s.top()
		for _, name := range properties {
			w.count.Add(1)
			all := Shapes(0)
			if n := top.property(name); n != nil {
				all = w.shapes(n)
			}
			list = append(list, all)
		}
	})
	for len(list) < len(properties) {
		list = append(list, AnyShape)
	}
	return list, w.count.Steps()
}

// shaper finds the shapes of schemas.
type shaper struct {
	count  *fuel.Counter
	known  map[*node]kinds   // what types returned
	around map[*node][]*node // as in a decoder
}

func newShaper(count *fuel.Counter) *shaper {
	return &shaper{count: count, known: make(map[*node]kinds), around: make(map[*node][]*node)}
}

const kindText = kindString | kindNumber | kindBool

func (w *shaper) shapes(n *node) (all Shapes) {
	types := w.types(n)
	if types&kindText != 0 {
		all |= Text
	}
	items, members := w.inner(n)
	if types&kindArray != 0 {
		all |= around(items, List, DeepList)
	}
	if types&kindObject != 0 {
		all |= around(members, Record, DeepRecord)
	}
	return all
}

// around returns the shapes of arrays or objects whose parts have some types.
func around(parts kinds, flat, deep Shapes) (all Shapes) {
	if parts&(kindArray|kindObject) != 0 {
		all = deep
	}
	if parts&kindText != 0 || all == 0 {
		all |= flat
	}
	return all
}

// types returns the types that a schema allows. It finds them once: many schemas may lead to one.
// None leads back to itself, see inPlaceCost.
func (w *shaper) types(n *node) kinds {
	w.count.Add(1)
	if n.never {
		return 0
	}
	if types, ok := w.known[n]; ok {
		return types
	}
	w.count.Add(len(n.enum))
	types := n.types
	if n.hasSet || n.same != "" {
		types &= n.listed()
	}
	if n.ref != nil {
		types &= w.types(n.ref)
	}
	for _, c := range n.allOf {
		types &= w.types(c)
	}
	for _, list := range [...][]*node{n.anyOf, n.oneOf} {
		either := kinds(0)
		for _, c := range list {
			either |= w.types(c)
		}
		if list != nil {
			types &= either
		}
	}
	w.known[n] = types
	return types
}

// listed returns the types of the values in the enum and in the constant.
func (n *node) listed() (types kinds) {
	if n.same != "" {
		return kindOf(n.konst)
	}
	if n.nullToo {
		types = kindNull
	}
	for _, v := range n.enum {
		types |= kindOf(v)
	}
	return types
}

// inner returns the types of the items of an array, and of the members of an object, that all
// schemas describe together that apply to the same value.
func (w *shaper) inner(n *node) (items, members kinds) {
	var seenItems, seenMembers bool
	d := &decoder{count: w.count, around: w.around}
	for _, c := range d.closure(n) {
		each := func(list ...*node) (types kinds) {
			for _, c := range list {
				if c != nil {
					types |= w.types(c)
				}
			}
			return types
		}
		seenItems = seenItems || c.items != nil || c.prefix != nil
		seenMembers = seenMembers || c.properties != nil || c.patterns != nil || c.additional != nil
		items |= each(c.items) | each(c.prefix...)
		members |= each(c.additional)
		for _, p := range c.properties {
			members |= each(p.schema)
		}
		for _, p := range c.patterns {
			members |= each(p.schema)
		}
	}
	if !seenItems {
		items = kindAny
	}
	if !seenMembers {
		members = kindAny
	}
	return items, members
}

// JSON returns a schema of all values that have one of the shapes, and of null.
func (s Shapes) JSON() []byte {
	const text = `"string","number","boolean","null"`
	var types []string
	if s&Text != 0 {
		types = append(types, text)
	} else {
		types = append(types, `"null"`)
	}
	var rules string
	if s&(List|DeepList) != 0 {
		types = append(types, `"array"`)
		if s&DeepList == 0 {
			rules += `,"items":{"type":[` + text + `]}`
		}
	}
	if s&(Record|DeepRecord) != 0 {
		types = append(types, `"object"`)
		if s&DeepRecord == 0 {
			rules += `,"additionalProperties":{"type":[` + text + `]}`
		}
	}
	return []byte(`{"type":[` + strings.Join(types, ",") + `]` + rules + `}`)
}
