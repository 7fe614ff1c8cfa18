package schema

import (
	"fmt"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// ValueError is the error for a value that does not match a schema.
type ValueError struct {
	// Pointer is the JSON Pointer (RFC 6901) of the place in the value, shortened to at most
	// 512 bytes.
	Pointer string
	// Rule is the keyword that refuses the value.
	Rule string
	// Expected describes in a few words the value that is expected. It contains no text of the
	// schema except numbers and names of properties.
	Expected string
	// Name is the name of the property that Expected is about, or empty if it is about none.
	Name string
	// Nearest is the reason why the nearest alternative refuses the value, if no alternative of
	// an anyOf or oneOf accepts it. It is nil if none is nearer than the others.
	Nearest *ValueError
	// By is the property whose value determines which alternative is meant, or empty if there
	// is none.
	By string
}

// Error returns the place, the rule and the expectation, short enough for a model.
func (e *ValueError) Error() string {
	at := "the value"
	if e.Pointer != "" {
		at = fmt.Sprintf("%+q", e.Pointer)
	}
	near := ""
	if e.Nearest != nil {
		near = "; the nearest says " + e.Nearest.Error()
	}
	return fmt.Sprintf("%s: %s (%s)%s", at, e.Expected, e.Rule, near)
}

// Validate checks a value, of at most 1 MiB, against the lifted schema. Each evaluation of a
// keyword is a step. fuel limits the steps; zero means one million. Formats are not
// checked.
//
// The error is a *ValueError if the value does not match. It is an *Error if the result is
// unknown: the value is not JSON, is too large or too deep, or fuel was used up, with CodeCost.
// Unknown never means that the value matches.
func (s *Schema) Validate(value []byte, fuel int64) error {
	_, err := s.validate(value, fuel)
	return err
}

// Admit checks the arguments of a call. It is like Validate, but it also accepts a value that
// several alternatives of a oneOf accept: publishers who write oneOf mostly mean "any of", and
// a model cannot correct it. overlaps are the JSON Pointers (RFC 6901) of such values, at most
// 16.
func (s *Schema) Admit(value []byte, fuel int64) (overlaps []string, err error) {
	if err = s.Validate(value, fuel); err == nil {
		return nil, nil
	}
	if _, refused := err.(*ValueError); !refused {
		return nil, err
	}
	return s.admit(value, fuel)
}

func (s *Schema) validate(value []byte, most int64) (steps int64, err error) {
	r := &run{count: within(most), tracks: s.tracks, letter: true}
	err = r.judgement(s.top(), value)
	return r.count.Steps(), err
}

func within(most int64) *fuel.Counter {
	if most <= 0 || most > jsonschema.MaxSteps {
		most = jsonschema.MaxSteps
	}
	return fuel.Within(most)
}

// judgement returns the error for a whole value.
func (r *run) judgement(root *node, value []byte) error {
	var told *ValueError
	err := guarded(r.count, func() {
		doc := scanShared(value, jsonschema.MaxValue)
		r.count.Text(len(value))
		r.numbers(doc.Root())
		if f, _ := r.eval(root, doc.Root()); f != nil {
			told = f.tell()
			r.explain(f, told)
		}
	})
	if told != nil {
		return told
	}
	return err
}

// numbers refuses numbers that are too large for a fast comparison.
func (r *run) numbers(v jsonscan.Node) {
	if v.Kind() == jsonscan.Number && tooLarge(v) {
		refuse(CodeSize, v.Pointer(), "the number is too large to be compared")
	}
	r.count.Add(1)
	for i := range v.Len() {
		r.numbers(v.Child(i))
	}
}

// run is one validation.
type run struct {
	count   *fuel.Counter
	memo    map[question]answer
	members lookup
	keys    keys
	tracks  bool
	// letter is true if a oneOf accepts only a value that exactly one alternative accepts, as
	// specified.
	letter   bool
	overlaps []string
}

// question is one schema for one part of the value.
type question struct {
	schema *node
	value  jsonscan.Node
	letter bool
}

type answer struct {
	failed *failure
	seen   *seen
}

// failure is the first reason why a part of the value does not match.
type failure struct {
	value  jsonscan.Node
	schema *node
	rule   string
	name   string // of a property
}

// eval evaluates a schema for a part of the value. The results of schemas with several
// references are remembered, so nothing is evaluated twice.
func (r *run) eval(n *node, v jsonscan.Node) (*failure, *seen) {
	r.count.Add(1)
	shared := n.uses > 1
	if shared {
		if a, ok := r.memo[question{n, v, r.letter}]; ok {
			return a.failed, a.seen
		}
	}
	f, e := r.judge(n, v)
	if shared {
		r.count.Add(4)
		if r.memo == nil {
			r.memo = make(map[question]answer)
		}
		r.memo[question{n, v, r.letter}] = answer{f, e}
	}
	return f, e
}

// judge applies the keywords of one schema.
func (r *run) judge(n *node, v jsonscan.Node) (*failure, *seen) {
	if n.never {
		return n.fails(v, "false"), nil
	}
	if f := r.scalar(n, v); f != nil {
		return f, nil
	}
	e := r.newSeen(v)
	if f := r.combined(n, v, e); f != nil {
		return f, nil
	}
	switch v.Kind() {
	case jsonscan.Object:
		if f := r.object(n, v, e); f != nil {
			return f, nil
		}
	case jsonscan.Array:
		if f := r.array(n, v, e); f != nil {
			return f, nil
		}
	}
	return nil, e
}

func (n *node) fails(v jsonscan.Node, rule string) *failure {
	return &failure{value: v, schema: n, rule: rule}
}

// kindOf returns the type of a value.
func kindOf(v jsonscan.Node) kinds {
	switch v.Kind() {
	case jsonscan.Null:
		return kindNull
	case jsonscan.Bool:
		return kindBool
	case jsonscan.Number:
		if decimalOf(v).integer() {
			return kindInteger
		}
		return kindFraction
	case jsonscan.String:
		return kindString
	case jsonscan.Array:
		return kindArray
	}
	return kindObject
}

// scalar applies the keywords that need no other schema (2020-12 validation §6.1 to §6.3).
func (r *run) scalar(n *node, v jsonscan.Node) *failure {
	if n.types != kindAny && n.types&kindOf(v) == 0 {
		return n.fails(v, "type")
	}
	if n.hasSet || n.same != "" {
		key := r.keys.of(r.count, v)
		if _, ok := n.set[key]; n.hasSet && !ok {
			return n.fails(v, "enum")
		}
		if n.same != "" && n.same != key {
			return n.fails(v, "const")
		}
	}
	switch v.Kind() {
	case jsonscan.Number:
		return r.numeric(n, v)
	case jsonscan.String:
		return r.text(n, v)
	}
	return nil
}

func (r *run) numeric(n *node, v jsonscan.Node) *failure {
	if n.minimum == nil && n.maximum == nil && n.above == nil && n.below == nil && n.multiple == nil {
		return nil
	}
	r.count.Text(len(v.Text()) * 8)
	d := decimalOf(v)
	switch {
	case n.minimum != nil && d.compare(decimalOf(*n.minimum)) < 0:
		return n.fails(v, "minimum")
	case n.maximum != nil && d.compare(decimalOf(*n.maximum)) > 0:
		return n.fails(v, "maximum")
	case n.above != nil && d.compare(decimalOf(*n.above)) <= 0:
		return n.fails(v, "exclusiveMinimum")
	case n.below != nil && d.compare(decimalOf(*n.below)) >= 0:
		return n.fails(v, "exclusiveMaximum")
	case n.multiple != nil && !d.multipleOf(decimalOf(*n.multiple)):
		return n.fails(v, "multipleOf")
	}
	return nil
}

func (r *run) text(n *node, v jsonscan.Node) *failure {
	if n.minLength == nil && n.maxLength == nil && n.pattern == nil {
		return nil
	}
	text, _ := v.Str()
	r.count.Text(len(text))
	size := length(text)
	switch {
	case n.minLength != nil && size < *n.minLength:
		return n.fails(v, "minLength")
	case n.maxLength != nil && size > *n.maxLength:
		return n.fails(v, "maxLength")
	case n.pattern != nil && !n.pattern.matches(r.count, text):
		return n.fails(v, "pattern")
	}
	return nil
}

// matches runs a pattern, whose cost is at most its size for each character. A pattern that
// cannot be run here matches everything.
func (p *pattern) matches(count *fuel.Counter, text string) bool {
	if p.re == nil {
		return true
	}
	count.Add(1 + len(text)*(1+p.size/32)/32)
	return p.re.MatchString(text)
}

// combined applies the in-place keywords (2020-12 core §10.2).
func (r *run) combined(n *node, v jsonscan.Node, e *seen) *failure {
	if n.ref != nil {
		f, s := r.eval(n.ref, v)
		if f != nil {
			return f
		}
		r.join(e, s)
	}
	for _, c := range n.allOf {
		f, s := r.eval(c, v)
		if f != nil {
			return f
		}
		r.join(e, s)
	}
	if n.anyOf != nil && r.matching(n.anyOf, v, e) == 0 {
		return n.fails(v, "anyOf")
	}
	if n.oneOf != nil && !r.chosen(n, v, r.matching(n.oneOf, v, e)) {
		return n.fails(v, "oneOf")
	}
	if n.not != nil {
		if f, _ := r.lettered(n.not, v); f == nil {
			return n.fails(v, "not")
		}
	}
	return r.conditional(n, v, e)
}

// matching returns the number of schemas in a list that accept the value.
func (r *run) matching(list []*node, v jsonscan.Node, e *seen) (count int) {
	for _, c := range list {
		if f, s := r.eval(c, v); f == nil {
			count++
			r.join(e, s)
			if e == nil && count > 1 {
				break
			}
		}
	}
	return count
}

func (r *run) conditional(n *node, v jsonscan.Node, e *seen) *failure {
	if n.condition == nil {
		return nil
	}
	f, s := r.lettered(n.condition, v)
	next := n.otherwise
	if f == nil {
		r.join(e, s)
		next = n.consequence
	}
	if next == nil {
		return nil
	}
	f, s = r.eval(next, v)
	if f == nil {
		r.join(e, s)
	}
	return f
}
