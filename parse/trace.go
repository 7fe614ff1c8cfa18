package parse

import (
	"iter"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Trace is the record of the members that formats look up in a document: the members that they
// read. It belongs to one goroutine.
type Trace struct {
	objects map[Node]*Asked
	order   []*Asked
}

// Asked is the record of the lookups in one object.
type Asked struct {
	// Object is the object.
	Object Node
	// Wishes are the members that were looked up, in the order of the first lookups, whether they
	// exist or not.
	Wishes []Wish
	// Listed is set if all members were read, as in an object whose names are free.
	Listed bool
	// Schema is set if the object is a JSON Schema.
	Schema bool
}

// Wish is a member that a format looks up.
type Wish struct {
	Name string
	// Known is set if a Reader looked it up, or if it is one of the Reader's known names.
	// Otherwise a format only checked whether there is such a member, as it does for names of
	// other versions.
	Known bool
	// Need is the requirement of the specification, if a Reader looked the member up.
	Need Need
	// Format is the format that looked it up, and Spec the section of its specification, if a
	// Reader looked it up.
	Format string
	Spec   wayfind.SpecRef
	// Kinds are the kinds that are read; empty if they are unknown.
	Kinds []Kind
}

// Traced returns the same document for formats to read, and the record of their lookups. The
// record is empty if the body is neither JSON nor a mapping in YAML.
func (in *Input) Traced() (*Input, *Trace) {
	t := &Trace{objects: make(map[Node]*Asked)}
	own, _ := in.Rest()
	own.Unclaimed = in.Unclaimed
	switch root, err := in.JSON(); {
	case err == nil:
		own.json.part = t.own(root)
	case in.fitted(err).Exists():
		own.json.part = t.own(in.fitted(err))
	default:
		if root, err := in.Tree(); err == nil {
			own.tree.traced = t.own(root)
		}
	}
	return own, t
}

// own returns the same value for readers whose lookups are recorded.
func (t *Trace) own(n Node) Node { return Node{n.n.With(t)} }

// Objects yields the objects in which members were looked up, in the order of the first
// lookups.
func (t *Trace) Objects() iter.Seq[*Asked] { return slices.Values(t.order) }

// Of returns the lookups in an object of the traced document, or nil if there are none.
func (t *Trace) Of(object Node) *Asked { return t.objects[object] }

// trace returns the record of the document of a value, or nil if it has none.
func (n Node) trace() *Trace {
	t, _ := n.n.Mark().(*Trace)
	return t
}

// of returns the record of one object.
func (t *Trace) of(object Node) *Asked {
	a := t.objects[object]
	if a == nil {
		a = &Asked{Object: object}
		t.objects[object] = a
		t.order = append(t.order, a)
	}
	return a
}

// asked records a lookup of which only the name is known.
func (t *Trace) asked(object Node, name string) {
	if t != nil && object.n.Kind() == jsonscan.Object {
		t.of(object).add(Wish{Name: name})
	}
}

// wants records a lookup of a member by a Reader.
func (r *Reader) wants(object Node, name string, need Need, section string, kinds []Kind) {
	if t := object.trace(); t != nil {
		t.of(object).add(Wish{Name: name, Known: true, Need: need, Format: r.name, Spec: *r.ref(section), Kinds: kinds})
	}
}

// knows records known names.
func (r *Reader) knows(object Node, names []string) {
	t := object.trace()
	if t == nil || object.Kind() != Object {
		return
	}
	for _, name := range names {
		t.of(object).add(Wish{Name: name, Known: true, Format: r.name, Spec: *r.ref("")})
	}
}

// listed records that all members are read.
func (t *Trace) listed(object Node) {
	if t != nil && object.n.Kind() == jsonscan.Object {
		t.of(object).Listed = true
	}
}

// add merges a lookup with earlier ones of the same member: the strictest need is kept.
func (a *Asked) add(w Wish) {
	i := slices.IndexFunc(a.Wishes, func(o Wish) bool { return o.Name == w.Name })
	if i < 0 {
		a.Wishes = append(a.Wishes, w)
		return
	}
	o := &a.Wishes[i]
	o.Known = o.Known || w.Known
	if w.Known && (w.Need > o.Need || len(o.Kinds) == 0) {
		o.Need, o.Format, o.Spec = max(o.Need, w.Need), w.Format, w.Spec
	}
	for _, k := range w.Kinds {
		if !slices.Contains(o.Kinds, k) {
			o.Kinds = append(o.Kinds, k)
		}
	}
}
