package schema

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Definitions are the schemas of one document that many others refer to. Each of them is read
// and checked once. A reference to the definition with number 7 is "#/$defs/7", unless
// definitions have names.
//
// A Definitions may be used by one goroutine at a time. The schemas that [Definitions.Object]
// returns may be used by several.
type Definitions struct {
	list    []*definition
	settled int    // the number of definitions whose references are resolved
	priced  int    // the number of nodes of these
	cost    walker // of all nodes, by number
	last    int    // the number of the last closure
	names   map[string]int
	top     node   // the parent of all
	free    []node // nodes that the next definition may use
}

// definition is one schema, without the schemas that it refers to.
type definition struct {
	node    *node
	filled  *node   // without empty values; nil if no member needs that
	nodes   []*node // nil after it is settled
	pending []reference
	needs   []int // the definitions that it refers to
	size    size
	tracks  bool
	doubles bool
	err     error // the reason why it is refused
	closure int   // the last closure that includes it
}

// size is the use of the limits of [Check].
type size struct{ bytes, nodes, values int }

func (s *size) add(o size) {
	s.bytes += o.bytes
	s.nodes += o.nodes
	s.values += o.values
}

// Add reads a schema of dialect 2020-12, and returns the number of steps that it took. The
// number of the definition is the number of definitions before it. keyword and name are the
// place in the schemas that use it: "$defs" or "properties". If the schema is refused, this is
// the error of each schema that uses it. A nil raw represents a schema that is too large to be
// shared.
func (d *Definitions) Add(keyword, name string, raw []byte, opts *Options) int64 {
	one := &definition{size: size{bytes: len(raw)}}
	r := &reader{count: fuel.Within(steps(opts)), resources: make(map[string]jsonscan.Node, 1), s: &Schema{dialect: Draft202012}, free: d.free}
	one.err = guarded(r.count, func() { one.node = r.definition(raw, &d.top, keyword, name) })
	d.free = r.free
	one.nodes, one.pending, one.tracks = r.s.nodes, r.pending, r.s.tracks
	one.size.nodes, one.size.values = len(one.nodes), r.values
	for _, n := range one.nodes {
		n.number = len(d.cost.state)
		d.cost.state = append(d.cost.state, visit{})
	}
	d.list = append(d.list, one)
	return r.count.Steps()
}

// Name gives a definition a name: references to it are "#/$defs/" with that name. If one
// definition has a name, all definitions that others refer to must have one.
func (d *Definitions) Name(number int, name string) {
	if d.names == nil {
		d.names = make(map[string]int)
	}
	d.names[name] = number
}

// number returns the number of the definition that a reference refers to.
func (d *Definitions) number(ref string) (number int, known bool) {
	name := strings.TrimPrefix(ref, "#/$defs/")
	if d.names != nil {
		number, known = d.names[name]
		return number, known && name != ref
	}
	number, err := strconv.Atoi(name)
	return number, err == nil && number >= 0 && number < len(d.list)
}

// definition reads a schema that refers to others.
func (r *reader) definition(raw []byte, parent *node, keyword, name string) *node {
	if raw == nil {
		panic(refusal{&Error{Code: CodeSize, Reason: "a part of it is too large to be shared", Unshared: true}})
	}
	r.doc = scan(raw, jsonschema.MaxBytes)
	r.count.Text(len(raw))
	r.count.Add(r.doc.Nodes())
	root := r.doc.Root()
	r.made = make(map[jsonscan.Node]*node, r.doc.Nodes()/3)
	r.numbers(root)
	n := r.schema(root, place{dialect: Draft202012, root: root}, parent, keyword, name, true)
	n.uses = 2 // the number of uses is not known
	return n
}

// settle resolves the references of the new definitions, whose targets must have been added,
// and refuses definitions that are too expensive.
func (d *Definitions) settle(count *fuel.Counter) {
	added := d.list[d.settled:]
	d.settled = len(d.list)
	if len(added) == 0 {
		return
	}
	c := circlesOf(d.priced, len(d.cost.state)-d.priced, nil)
	d.priced = len(d.cost.state)
	find := func(one *definition) { c.find(one.nodes) }
	double := func(one *definition) { one.doubles = c.doubled(one.nodes) }
	for _, work := range [...]func(*definition){d.link, d.price, d.judge, find, double} {
		for _, one := range added {
			if one.err != nil {
				continue
			}
			d.cost.count = fuel.Within(jsonschema.MaxSteps)
			c.count = d.cost.count
			one.err = guarded(d.cost.count, func() { work(one) })
			count.Add(int(d.cost.count.Steps()))
		}
	}
	for _, one := range added {
		one.nodes, one.pending = nil, nil
	}
}

// link resolves the references of a definition.
func (d *Definitions) link(one *definition) {
	for _, p := range one.pending {
		d.cost.count.Add(1)
		number, known := d.number(p.text)
		if !known {
			refuse(codeMissing, p.from.source.Pointer(), "the reference leads to no definition")
		}
		target := d.list[number]
		if target.node == nil {
			panic(refusal{target.err.(*Error)})
		}
		p.from.ref = target.node
		one.needs = append(one.needs, number)
	}
}

// price refuses a definition that is too expensive.
func (d *Definitions) price(one *definition) {
	d.cost.path, d.cost.most = d.cost.path[:0], maxChain
	defer d.cost.leave()
	for _, n := range one.nodes {
		d.cost.visit(n)
	}
}

// judge marks the schemas of a definition that no value satisfies.
func (d *Definitions) judge(one *definition) { d.cost.judge(one.nodes) }

// Member is a property of [Definitions.Object].
type Member struct {
	Name string
	// Number is the number of its definition.
	Number   int
	Required bool
	// Filled is true if its values are not empty, whatever the definition allows: see [Schema.Filled].
	Filled bool
}

// Object returns the schema of an object with lists of properties. The lists must not be
// changed, and each name may be in them only once. The error is an *Error: a definition is
// refused, or all definitions that are needed are too large together.
func (d *Definitions) Object(lists ...[]Member) (*Schema, error) {
	s := &Schema{dialect: Draft202012, object: &object{lists: lists}}
	count := fuel.Within(jsonschema.MaxSteps)
	err := guarded(count, func() {
		d.settle(count)
		s.object.list = d.list
		switch total := d.closure(s, count); {
		case total.bytes > jsonschema.MaxBytes:
			refuseSize(total.bytes, jsonschema.MaxBytes)
		case total.nodes > jsonschema.MaxSubschemas || total.values > maxValues:
			refuse(CodeSize, "", "it has more subschemas or values than the limit")
		}
		s.object.fill()
		s.object.never = s.object.needsNever()
		if s.object.properties() <= maxKept {
			s.object.small = s.object.node()
		}
	})
	s.steps = count.Steps()
	return s, err
}

// closure returns the total size of the definitions that a schema needs. If one of them is
// refused, the schema is refused.
func (d *Definitions) closure(s *Schema, count *fuel.Counter) size {
	d.last++
	total := size{nodes: 1}
	var left []int
	need := func(number int) {
		count.Add(1)
		if one := d.list[number]; one.closure != d.last {
			one.closure = d.last
			left = append(left, number)
		}
	}
	for _, list := range s.object.lists {
		for _, m := range list {
			total.bytes += len(m.Name)
			need(m.Number)
		}
	}
	for i := 0; i < len(left); i++ {
		one := d.list[left[i]]
		if one.err != nil {
			panic(refusal{one.err.(*Error)})
		}
		total.add(one.size)
		s.tracks, s.doubles = s.tracks || one.tracks, s.doubles || one.doubles
		for _, number := range one.needs {
			need(number)
		}
	}
	return total
}

// object is a schema that is created when it is used.
type object struct {
	lists [][]Member
	list  []*definition // by number
	small *node         // if it is kept; nil for a large one
	never bool          // no value satisfies a required property
}

// maxKept is the maximum number of properties of a schema that is kept.
const maxKept = 16

// node creates the schema.
func (o *object) node() *node {
	if o.small != nil {
		return o.small
	}
	n := &node{types: kindObject, typed: true, never: o.never, place: place{dialect: Draft202012}}
	n.properties = make([]property, 0, o.properties())
	for _, list := range o.lists {
		for _, m := range list {
			own := o.list[m.Number].node
			if m.Filled {
				own = o.list[m.Number].filled
			}
			n.properties = append(n.properties, property{m.Name, own})
			if m.Required {
				n.required = append(n.required, m.Name)
			}
		}
	}
	n.indexed()
	return n
}

// fill makes the schemas of the members that are not empty, once for each definition.
func (o *object) fill() {
	for _, list := range o.lists {
		for _, m := range list {
			if one := o.list[m.Number]; m.Filled && one.filled == nil {
				one.filled = one.node.filled(kindString | kindArray | kindObject)
			}
		}
	}
}

// needsNever reports whether there is a required property that no value satisfies.
func (o *object) needsNever() bool {
	return slices.ContainsFunc(o.lists, func(list []Member) bool {
		return slices.ContainsFunc(list, func(m Member) bool {
			one := o.list[m.Number]
			return m.Required && (one.node.never || m.Filled && one.filled.never)
		})
	})
}

// properties returns the number of properties of the schema.
func (o *object) properties() (total int) {
	for _, list := range o.lists {
		total += len(list)
	}
	return total
}

// top returns the root of the schema.
func (s *Schema) top() *node {
	if s.object != nil {
		return s.object.node()
	}
	return s.root
}

// all returns the nodes of the schema, starting with its root.
func (s *Schema) all(root *node) []*node {
	if s.object == nil {
		return s.nodes
	}
	list, known := []*node{root}, map[*node]bool{root: true}
	for i := 0; i < len(list); i++ {
		list[i].children(func(n *node) {
			if !known[n] {
				known[n] = true
				list = append(list, n)
			}
		})
	}
	return list
}
