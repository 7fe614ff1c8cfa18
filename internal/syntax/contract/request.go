package contract

import (
	"cmp"
	"errors"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"slices"

	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/schema"
)

// The reasons why a Request has no schema. ErrInFull: two arguments have one name, or a
// definition of the document was altered by cleaning, and only the definition in full says
// whether a call can be made. ErrAltered: cleaning changed a name or a value that a call
// sends.
var (
	ErrInFull  = errors.New("contract: the definition has to be read in full")
	ErrAltered = errors.New("contract: a name or a value that a call sends is not clean")
)

// Part returns the number of the schema of a property, which write writes if it is new.
// at and schema are where the document has it; both are zero for one that it does not
// have.
func (q *Request) Part(at, schema parse.Node, name string, write func(number int) parse.Raw) int {
	key := place{at: at, schema: schema}
	number, known := q.shared.numbers[key]
	if !known {
		number = q.shared.add(part{keyword: "properties", name: name})
		if at.Exists() || schema.Exists() {
			q.shared.numbers[key] = number
		}
		q.shared.write(number, write)
	}
	return number
}

// write writes a part, if there is room for one more. A part without text cannot be used.
func (s *Shared) write(number int, write func(number int) parse.Raw) {
	if s.left <= 0 {
		return
	}
	text := write(number) // adds parts
	s.parts[number].text = text
	s.left -= len(text)
}

// Cut notes that a schema was not written as a whole. It is not shared: the keywords that
// have to go with the part that is missing depend on all schemas of an operation.
func (q *Request) Cut(number int) { q.shared.parts[number].cut = true }

// Define returns the number of a definition. [Request.Close] calls write if it is new.
func (q *Request) Define(n parse.Node, name string, write func(number int) parse.Raw) int {
	key := place{schema: n, definition: true}
	number, known := q.shared.numbers[key]
	if !known {
		number = q.shared.add(part{keyword: "$defs", name: name})
		q.shared.numbers[key] = number
		q.shared.pending = append(q.shared.pending, func() { q.shared.write(number, write) })
	}
	return number
}

// add numbers a part.
func (s *Shared) add(p part) int {
	s.parts = append(s.parts, p)
	return len(s.parts) - 1
}

// Close writes the definitions that are new. Writing them meets more.
func (q *Request) Close() {
	for s := q.shared; len(s.pending) > 0; {
		write := s.pending[0]
		s.pending = s.pending[1:]
		write()
	}
}

// InFull notes that the definition has to be read in full: two of its arguments have one
// name.
func (q *Request) InFull() { q.inFull = true }

// Add adds a property for a parameter; argument is the name of the property, if it is
// another one than that of the parameter.
func (q *Request) Add(name, argument, in string, required bool, number int) {
	own := cmp.Or(argument, name)
	q.own = append(q.own, Property{Member: schema.Member{Name: own, Number: number, Required: required}, In: in, Param: name})
}

// Require makes a property a required one.
func (q *Request) Require(name string) {
	for i := range q.own {
		q.own[i].Required = q.own[i].Required || q.own[i].Name == name
	}
}

// Body adds the members of a body, which list adds to the Request that it gets if the
// body is new. None of them may have the name of a property.
func (q *Request) Body(n parse.Node, list func(*Request)) {
	known := q.shared.groups[n]
	if known == nil {
		members := &Request{shared: q.shared}
		list(members)
		known = &group{properties: members.own}
		for _, p := range members.own {
			known.members = append(known.members, p.Member)
		}
		q.shared.groups[n] = known
	}
	q.body = known
}

// Whole notes the schema of a body that is one argument.
func (q *Request) Whole(schema parse.Node) { q.whole = schema }

// HasMember reports whether a body that is one argument has a member whose name is of
// some kind. Only the definition in full can hide a member from a model.
func (q *Request) HasMember(is func(name string) bool) bool {
	for name := range q.whole.Get("properties").Members() {
		if is(name) {
			return true
		}
	}
	return false
}

// Empty reports whether there are no arguments.
func (q *Request) Empty() bool { return len(q.own) == 0 && q.body == nil }

// Schema makes the schema of the arguments without the properties that are hidden from a
// model, within a number of steps. The properties for which filled is true have no empty values.
// It returns the steps that it took.
func (q *Request) Schema(hidden, filled func(Property) bool, most int64) (s *schema.Schema, taken int64, err error) {
	q.shared.mu.Lock()
	defer q.shared.mu.Unlock()
	if most <= 0 {
		return nil, 0, tooExpensive()
	}
	if taken, err = q.shared.check(most); err != nil {
		return nil, taken, err
	}
	lists := [][]schema.Member{q.shown(q.own, hidden, filled)}
	if q.body != nil {
		rest := q.body.members
		if slices.ContainsFunc(q.body.properties, hidden) {
			rest = q.shown(q.body.properties, hidden, nil)
		}
		lists = append(lists, rest)
	}
	switch {
	case slices.ContainsFunc(lists, q.shared.anyAltered):
		return nil, taken, ErrAltered
	case q.inFull || q.shared.altered:
		return nil, taken, ErrInFull
	}
	s, err = q.shared.definitions.Object(lists...)
	if s != nil {
		taken += s.Steps()
	}
	return s, taken, err
}

// anyAltered reports whether a member was altered.
func (s *Shared) anyAltered(list []schema.Member) bool {
	return slices.ContainsFunc(list, func(m schema.Member) bool { return s.parts[m.Number].altered })
}

// shown are the members that are not hidden.
func (q *Request) shown(list []Property, hidden, filled func(Property) bool) (shown []schema.Member) {
	for _, p := range list {
		if !hidden(p) {
			p.Filled = filled != nil && filled(p)
			shown = append(shown, p.Member)
		}
	}
	return shown
}

// check checks the parts that are new.
func (s *Shared) check(most int64) (taken int64, err error) {
	for ; s.checked < s.clean; s.checked++ {
		if most-taken < jsonschema.MaxSteps {
			return taken, tooExpensive()
		}
		p := &s.parts[s.checked]
		taken += s.definitions.Add(p.keyword, p.name, p.text, nil)
		p.text = nil
	}
	return taken, nil
}

func tooExpensive() error {
	return &schema.Error{Code: schema.CodeCost, Reason: "the schemas of all tools together take more steps than are allowed"}
}
