package parse

import (
	"iter"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// Trace is the record of the questions of formats to a document: so it knows the members
// that they read. It belongs to one goroutine.
type Trace struct {
	objects map[Node]*Asked
	order   []*Asked
}

// Asked are the questions of formats to one object.
type Asked struct {
	// Object that was asked.
	Object Node
	// Wishes are the members that were asked for, in the order of the questions, whether
	// they are there or not.
	Wishes []Wish
	// Listed: all members were looked at, as in an object whose names are free.
	Listed bool
	// Schema: it is a JSON Schema.
	Schema bool
}

// Wish is a member that a format asks for.
type Wish struct {
	Name string
	// Known: it was asked for by a Reader, or is one of its known names. Otherwise a
	// format looked whether there is such a member, as one does for names of other
	// versions.
	Known bool
	// Need is the requirement of the specification, where a Reader asked.
	Need Need
	// Format that asked, and the section of its specification, where a Reader asked.
	Format string
	Spec   wayfind.SpecRef
	// Kinds that are read; none where that is not known.
	Kinds []Kind
}

// Traced returns the same document for formats to read, and the record of their questions.
// A body that is no JSON and no mapping in YAML has an empty record.
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

// own is the same value for readers whose questions are recorded.
func (t *Trace) own(n Node) Node { return Node{n.n.With(t)} }

// Objects yields the objects that were asked, in the order of the first questions.
func (t *Trace) Objects() iter.Seq[*Asked] { return slices.Values(t.order) }

// Of returns the questions to an object of the traced document, nil without any.
func (t *Trace) Of(object Node) *Asked { return t.objects[object] }

// trace is the record of the document of a value, nil for one without.
func (n Node) trace() *Trace {
	t, _ := n.n.Mark().(*Trace)
	return t
}

// of is the record of one object.
func (t *Trace) of(object Node) *Asked {
	a := t.objects[object]
	if a == nil {
		a = &Asked{Object: object}
		t.objects[object] = a
		t.order = append(t.order, a)
	}
	return a
}

// asked notes a question that says no more than a name.
func (t *Trace) asked(object Node, name string) {
	if t != nil && object.n.Kind() == jsonscan.Object {
		t.of(object).add(Wish{Name: name})
	}
}

// wants notes a question for a member.
func (r *Reader) wants(object Node, name string, need Need, section string, kinds []Kind) {
	if t := object.trace(); t != nil {
		t.of(object).add(Wish{Name: name, Known: true, Need: need, Format: r.name, Spec: *r.ref(section), Kinds: kinds})
	}
}

// knows notes names that are known.
func (r *Reader) knows(object Node, names []string) {
	t := object.trace()
	if t == nil || object.Kind() != Object {
		return
	}
	for _, name := range names {
		t.of(object).add(Wish{Name: name, Known: true, Format: r.name, Spec: *r.ref("")})
	}
}

// listed notes that all members are looked at.
func (t *Trace) listed(object Node) {
	if t != nil && object.n.Kind() == jsonscan.Object {
		t.of(object).Listed = true
	}
}

// add joins a question with earlier ones about the same member: the strictest counts.
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
