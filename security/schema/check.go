package schema

import (
	"errors"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Options are the options of [Check]. Nil and zero values are the safe defaults.
type Options struct {
	// Steps replaces the limit of one million steps if it is smaller and not zero.
	Steps int64
}

// Schema is a schema that has passed [Check]. It is immutable and may be used by several
// goroutines.
type Schema struct {
	root    *node
	nodes   []*node
	object  *object // not nil if made from Definitions: there are no root, nodes and losses
	dialect Dialect
	tracks  bool // there are unevaluated… keywords
	doubles bool // it leads back to itself in two ways at once
	losses  []Loss
	steps   int64
}

// Check reads a schema and lifts it to 2020-12. The dialect is the dialect of the format that
// the schema is from. A known "$schema" overrides it, and with Unknown the keywords decide. If
// a dialect is given, an unknown "$schema" is refused, because it can mean that keywords have
// no effect.
//
// Keywords that are not well-formed are omitted, and so are patterns that cannot be matched in
// linear time: [Schema.Losses] lists them. The error is an *Error.
func Check(raw []byte, dialect Dialect, opts *Options) (*Schema, error) {
	r := &reader{
		count:     fuel.Within(steps(opts)),
		resources: make(map[string]jsonscan.Node, 1),
		s:         &Schema{dialect: dialect},
	}
	err := guarded(r.count, func() { r.read(raw) })
	if err != nil {
		return nil, err
	}
	r.s.steps = r.count.Steps()
	return r.s, nil
}

func steps(opts *Options) int64 {
	if opts != nil && opts.Steps > 0 {
		return min(opts.Steps, jsonschema.MaxSteps)
	}
	return jsonschema.MaxSteps
}

// Dialect returns the dialect by which the schema was read.
func (s *Schema) Dialect() Dialect { return s.dialect }

// Steps returns the number of steps that reading took, out of one million.
func (s *Schema) Steps() int64 { return s.steps }

// Losses returns the changes and omissions from lifting to 2020-12. Validate ignores the
// omitted parts.
func (s *Schema) Losses() []Loss {
	if s.object != nil {
		return lossesOf(s.all(s.top()), nil)
	}
	return append([]Loss(nil), s.losses...)
}

// lossesOf returns the losses of nodes, with their pointers.
func lossesOf(nodes []*node, count *fuel.Counter) (list []Loss) {
	for _, n := range nodes {
		for _, l := range n.losses {
			l.Pointer = n.pointer()
			count.Text(len(l.Pointer))
			list = append(list, l)
		}
	}
	return list
}

// guarded runs work that may end with a refusal or by exceeding its steps.
func guarded(count *fuel.Counter, f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case refusal:
			err = v.err
		default:
			panic(v)
		}
	}()
	if err := count.Do(f); errors.Is(err, fuel.ErrSpent) {
		return &Error{Code: CodeCost, Reason: "it takes more steps than are allowed"}
	} else if err != nil {
		return err
	}
	return nil
}

// scan reads the JSON of a stranger within the limits.
func scan(raw []byte, most int) *jsonscan.Doc { return scanWith(jsonscan.Own, raw, most) }

// scanShared is like scan for a text that does not change while the result is used, which must
// be a short time.
func scanShared(raw []byte, most int) *jsonscan.Doc { return scanWith(jsonscan.Scan, raw, most) }

func scanWith(how func([]byte) (*jsonscan.Doc, error), raw []byte, most int) *jsonscan.Doc {
	if len(raw) > most {
		refuseSize(len(raw), most)
	}
	if depth(raw) > maxDepth {
		refuse(CodeDepth, "", "it is nested deeper than 64 levels")
	}
	doc, err := how(raw)
	if err != nil {
		reason, pointer := "it is not JSON", ""
		if s, ok := errors.AsType[*jsonscan.SyntaxError](err); ok {
			reason, pointer = s.Reason, s.Pointer
		}
		refuse(CodeSyntax, pointer, reason)
	}
	return doc
}

// depth returns the nesting depth of brackets outside strings.
func depth(raw []byte) (deepest int) {
	level, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			level++
			deepest = max(deepest, level)
		case c == ']' || c == '}':
			level--
		}
	}
	return deepest
}

// read does the work of Check.
func (r *reader) read(raw []byte) {
	r.doc = scan(raw, jsonschema.MaxBytes)
	r.count.Text(len(raw))
	r.count.Add(r.doc.Nodes())
	root := r.doc.Root()
	r.made = make(map[jsonscan.Node]*node, r.doc.Nodes()/3)
	r.numbers(root)
	switch root.Kind() {
	case jsonscan.Object, jsonscan.Bool:
	default:
		refuse(codeSchemaType, "", "it is neither an object nor a boolean")
	}
	at := place{dialect: r.dialect(root), root: root}
	r.s.dialect = at.dialect
	r.resources[""] = root
	r.s.root = r.schema(root, at, nil, "", "", false)
	r.references()
	r.inPlaceCost()
	if r.pending != nil {
		c := circlesOf(0, len(r.s.nodes), r.count)
		c.find(r.s.nodes)
		r.s.doubles = c.doubled(r.s.nodes)
	}
	r.s.losses = lossesOf(r.s.nodes, r.count)
}

// dialect returns the dialect whose rules are used.
func (r *reader) dialect(root jsonscan.Node) Dialect {
	given := r.s.dialect
	if uri, ok := root.Get("$schema").Str(); ok {
		if d, known := named(uri); known {
			return d
		}
		if given != Unknown {
			refuse(codeDialect, "/$schema", "$schema names an unknown dialect")
		}
	}
	if given != Unknown {
		return given
	}
	if d := r.sniff(root); d != Unknown {
		return d
	}
	return Draft202012
}

// numbers refuses numbers that are too large for a fast comparison.
func (r *reader) numbers(n jsonscan.Node) {
	if n.Kind() == jsonscan.Number && tooLarge(n) {
		refuse(CodeSize, n.Pointer(), "the number is too large to be compared")
	}
	for i := range n.Len() {
		r.numbers(n.Child(i))
	}
}
