package schema

import "github.com/wayfindhq/wayfind/internal/syntax/jsonscan"

// maxOverlaps is the maximum number of values that are reported because several alternatives
// accept them.
const maxOverlaps = 16

func (s *Schema) admit(value []byte, most int64) (overlaps []string, err error) {
	r := &run{count: within(most), tracks: s.tracks}
	if err = r.judgement(s.top(), value); err != nil {
		return nil, err
	}
	return r.overlaps, nil
}

// chosen reports whether a oneOf accepts a value that takers of its alternatives accept.
func (r *run) chosen(n *node, v jsonscan.Node, takers int) bool {
	if takers > 1 && !r.letter && len(r.overlaps) < maxOverlaps {
		r.overlaps = append(r.overlaps, cut(v.Pointer(), maxPointer))
	}
	return takers == 1 || takers > 1 && !r.letter
}

// lettered judges strictly by the specification, for a schema whose refusal admits values:
// under "not" and "if", admitting more values could mean that fewer are valid.
func (r *run) lettered(n *node, v jsonscan.Node) (*failure, *seen) {
	before := r.letter
	r.letter = true
	defer func() { r.letter = before }()
	return r.eval(n, v)
}

// maxNearest is the maximum number of nested alternatives that are explained.
const maxNearest = 4

// explain finds the reason why the nearest alternative refuses a value that all alternatives
// refuse.
func (r *run) explain(f *failure, told *ValueError) {
	for range maxNearest {
		near, by := r.nearest(f)
		if near == nil {
			return
		}
		if f, _ = r.eval(near, f.value); f == nil {
			return
		}
		told.By, told.Nearest = by, f.tell()
		told = told.Nearest
	}
}

// nearest returns the alternative that a value is closest to, and the property that determines
// it. It returns nil if several alternatives are equally close.
func (r *run) nearest(f *failure) (best *node, by string) {
	var list []*node
	switch f.rule {
	case "anyOf":
		list = f.schema.anyOf
	case "oneOf":
		list = f.schema.oneOf
	}
	if best, by = r.discriminated(f.schema.discriminator, list, f.value); best != nil {
		return best, by
	}
	most, tied := 0, false
	for i, n := range list {
		points, constant := r.likeness(n, f.value)
		switch {
		case i == 0 || points > most:
			best, by, most, tied = n, constant, points, false
		case points == most:
			tied = true
		}
	}
	if tied || most < -likeConstant/2 { // even this alternative is for other values
		return nil, ""
	}
	return best, by
}

// discriminated returns the alternative that a discriminator selects for a value: by its
// mapping or, if there is none, by the name of the definition.
func (r *run) discriminated(d jsonscan.Node, list []*node, v jsonscan.Node) (*node, string) {
	by, _ := d.Get("propertyName").Str()
	value, ok := r.members.get(v, by).Str()
	if !ok {
		return nil, ""
	}
	r.count.Text(len(value))
	name, mapped := d.Get("mapping").Get(value).Str()
	if !mapped {
		name = value
	}
	for _, n := range list {
		if r.count.Add(1); n.ref != nil && n.ref.key == name {
			return n, by
		}
	}
	return nil, ""
}

// Weights of the things that an alternative and a value have in common.
const (
	likeKind     = 1
	likeRequired = 4
	likeConstant = 1 << 16
)

// likeness returns how well an alternative matches a value. It counts the type, required
// members that are present, and above all members with the constant of the alternative, by
// which a discriminator selects.
func (r *run) likeness(n *node, v jsonscan.Node) (points int, constant string) {
	for _, s := range r.whole(n) {
		if s.types&kindOf(v) == 0 {
			points -= likeConstant
		} else if s.typed {
			points += likeKind
		}
		r.count.Add(len(s.required) + len(s.properties))
		for _, name := range s.required {
			if r.members.get(v, name).Kind() != jsonscan.Missing {
				points += likeRequired
			} else {
				points -= likeRequired
			}
		}
		for i := range s.properties {
			p := &s.properties[i]
			c := r.members.get(v, p.name)
			if c.Kind() == jsonscan.Missing || !p.schema.hasSet && p.schema.same == "" {
				continue
			}
			if r.scalar(p.schema, c) != nil {
				points -= likeConstant
				continue
			}
			points, constant = points+likeConstant, p.name
		}
	}
	return points, constant
}

// whole returns a schema together with the schemas that it refers to or includes.
func (r *run) whole(n *node) (list []*node) {
	seen := make(map[*node]bool)
	var visit func(*node)
	visit = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		r.count.Add(1)
		seen[n] = true
		list = append(list, n)
		visit(n.ref)
		for _, c := range n.allOf {
			visit(c)
		}
	}
	visit(n)
	return list
}

func (s *Schema) admits(value []byte) bool {
	_, err := s.Admit(value, 0)
	return err == nil
}
