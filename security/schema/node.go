package schema

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
)

// kinds is a set of JSON types. A number is an integer or a fraction.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBool
	kindInteger
	kindFraction
	kindString
	kindArray
	kindObject

	kindNumber = kindInteger | kindFraction
	kindAny    = 1<<7 - 1
)

// node is one schema, lifted to 2020-12. Nodes point to each other for references, so they form
// a graph. They do not change after Check has returned.
type node struct {
	// The place in the tree of the document: the keyword of the parent, and the name or index
	// below it, if there is one.
	parent       *node
	keyword, key string
	keyed        bool // there is a key
	source       jsonscan.Node
	place        place

	never  bool  // no value is valid: see judge
	types  kinds // kindAny if not specified
	typed  bool
	enum   []jsonscan.Node
	hasSet bool                // there is an enum
	set    map[string]struct{} // the keys of enum
	konst  jsonscan.Node
	same   string // the key of konst

	minimum, maximum, above, below, multiple *jsonscan.Node
	minLength, maxLength                     *int64
	minItems, maxItems, minProps, maxProps   *int64
	minContains, maxContains                 *int64
	unique                                   bool
	pattern                                  *pattern
	format                                   string

	properties                             []property
	byName                                 map[string]*node
	patterns                               []patterned
	additional, names, unevaluated         *node
	prefix                                 []*node
	items, contains, unevaluatedItems      *node
	required                               []string
	dependentRequired                      []dependency
	dependentSchemas                       []property
	allOf, anyOf, oneOf                    []*node
	not, condition, consequence, otherwise *node
	ref                                    *node

	discriminator      jsonscan.Node
	title, description string
	notes              []note // other annotations, in the order of the document
	defs               []property
	losses             []Loss // of lifting; the pointers are set later
	patternLost        bool   // the validating copy omits the pattern
	nullToo            bool   // the enum includes null, which is not in its list
	uses               int    // number of references to it
	number             int    // its index in Schema.nodes
}

type property struct {
	name   string
	schema *node
}

type patterned struct {
	pattern *pattern
	text    string
	schema  *node
}

type dependency struct {
	name  string
	needs []string
}

// note is an annotation.
type note struct {
	keyword string
	value   jsonscan.Node
}

// pattern is a regular expression. re is nil if it cannot be translated.
type pattern struct {
	text string
	re   *regexp.Regexp
	size int
	// plain is true if vendors may accept it, see profile.patterns.
	plain, boundary bool
}

// pointer returns the pointer of the node in the lifted schema.
func (n *node) pointer() string {
	var steps []string
	for ; n.parent != nil; n = n.parent {
		if n.keyed {
			steps = append(steps, reftoken.Escape(n.key))
		}
		steps = append(steps, n.keyword)
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0 && b.Len() <= maxPointer; i-- {
		b.WriteByte('/')
		b.WriteString(steps[i])
	}
	return cut(b.String(), maxPointer)
}

// inPlace calls f for every schema that applies to the same value as n.
func (n *node) inPlace(f func(*node)) {
	for _, c := range [...]*node{n.ref, n.not, n.condition, n.consequence, n.otherwise} {
		if c != nil {
			f(c)
		}
	}
	for _, list := range [...][]*node{n.allOf, n.anyOf, n.oneOf} {
		for _, c := range list {
			f(c)
		}
	}
	for _, p := range n.dependentSchemas {
		f(p.schema)
	}
}

// children calls f for every schema below n.
func (n *node) children(f func(*node)) {
	n.inPlace(f)
	for _, c := range [...]*node{n.additional, n.names, n.unevaluated, n.items, n.contains, n.unevaluatedItems} {
		if c != nil {
			f(c)
		}
	}
	for _, c := range n.prefix {
		f(c)
	}
	for _, p := range n.properties {
		f(p.schema)
	}
	for _, p := range n.patterns {
		f(p.schema)
	}
}

// indexed builds an index if there are many properties.
func (n *node) indexed() {
	if len(n.properties) > 8 {
		n.byName = make(map[string]*node, len(n.properties))
		for _, p := range n.properties {
			n.byName[p.name] = p.schema
		}
	}
}

// property returns the schema of a declared property.
func (n *node) property(name string) *node {
	if n.byName != nil {
		return n.byName[name]
	}
	for i := range n.properties {
		if n.properties[i].name == name {
			return n.properties[i].schema
		}
	}
	return nil
}

// lose records a change made by lifting.
func (n *node) lose(keyword string, effect Effect, code string) {
	n.losses = append(n.losses, Loss{Keyword: keyword, Effect: effect, Code: code})
}

func index(i int) string { return strconv.Itoa(i) }
