package schema

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
)

// Filled returns the schema with the rule that the values of some properties are not empty: a text
// has a character, a list an item, an object a member, and a text in a list has a character, too. Where
// the schema of a property allows no empty value, it stays as it is. A schema from a [Definitions] is
// returned as it is: see [Member.Filled].
func (s *Schema) Filled(properties []string) *Schema {
	if s.object != nil || len(properties) == 0 {
		return s
	}
	var list []property
	never := s.root.never
	for i, p := range s.root.properties {
		if !slices.Contains(properties, p.name) {
			continue
		}
		if n := p.schema.filled(kindString | kindArray | kindObject); n != p.schema {
			if list == nil {
				list = slices.Clone(s.root.properties)
			}
			list[i].schema = n
			never = never || n.never && slices.Contains(s.root.required, p.name)
		}
	}
	if list == nil {
		return s
	}
	own, root := *s, *s.root
	root.properties, root.byName, root.never = list, nil, never
	root.indexed()
	own.root = &root
	return &own
}

// filled returns the schema without empty values of some types.
func (n *node) filled(most kinds) *node {
	types := kinds(kindAny)
	count := fuel.Within(jsonschema.MaxSteps)
	_ = guarded(count, func() { types = newShaper(count).types(n) })
	if types &= most; n.never || types == 0 {
		return n
	}
	own, changed, one := *n, false, int64(1)
	least := func(bound **int64) {
		if *bound == nil || **bound < 1 {
			*bound, changed = &one, true
		}
	}
	if types&kindString != 0 && n.takesEmptyText() {
		least(&own.minLength)
	}
	if types&kindArray != 0 {
		least(&own.minItems)
	}
	if types&kindObject != 0 {
		least(&own.minProps)
	}
	if types&kindArray != 0 && n.items != nil {
		own.items = n.items.filled(kindString)
		changed = changed || own.items != n.items
	}
	if !changed {
		return n
	}
	_ = guarded(count, func() { own.never = (&prospect{&own, count, nil}).kinds(own.alone(count)) == 0 })
	return &own
}

// takesEmptyText reports whether the keywords of the schema itself allow a text without characters.
func (n *node) takesEmptyText() bool {
	empty := func(v jsonscan.Node) bool { text, is := v.Str(); return is && text == "" }
	switch {
	case n.hasSet:
		return slices.ContainsFunc(n.enum, empty)
	case n.same != "":
		return empty(n.konst)
	}
	return n.pattern == nil || n.pattern.re == nil || n.pattern.re.MatchString("")
}
