package schema

import (
	"slices"
	"strconv"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Projection is a schema in the form of a target.
type Projection struct {
	// Target is the target of the projection.
	Target Target
	// JSON is the schema. It is nil if the target requires parameters to be omitted because
	// there are none.
	JSON []byte
	// Strict is true if the vendor may be asked to enforce the schema. It is false for targets
	// that enforce nothing, and for schemas that cannot be strict. In the second case Why is
	// the reason, and JSON is for the vendor's mode that is not strict.
	Strict bool
	Why    string
	// Optional and Unions are, for a strict projection, the number of properties that are not
	// required, and the number of schemas with several types or alternatives. All strict tools
	// of a request to Anthropic together may have 24 and 16 of them.
	Optional, Unions int
	// Loss lists the rules that are expressed in another way or not at all, in the order of the
	// schema.
	Loss []Loss
	// Names are the properties that have another name in the projection: new name → the
	// publisher's.
	Names map[string]string

	schema *Schema
	nulls  bool // null represents an absent property
	texts  bool // a text represents an object without properties
}

// Narrows reports whether values are lost that the publisher accepts.
func (p *Projection) Narrows() bool {
	return slices.ContainsFunc(p.Loss, func(l Loss) bool { return l.Effect == Narrower })
}

// Shown returns the name of a property in the projection.
func (p *Projection) Shown(original string) string {
	if p != nil {
		for shown, name := range p.Names {
			if name == original {
				return shown
			}
		}
	}
	return original
}

// LosesNull reports whether an optional property accepts null, which the model cannot express,
// because null represents an absent property.
func (p *Projection) LosesNull() bool {
	return slices.ContainsFunc(p.Loss, func(l Loss) bool { return l.Code == absentNull })
}

// For returns the schema for a target. If the schema cannot be strict, it is written for the
// target's mode that is not strict. The error is an *Error: no object can be an argument
// (root_type), a required property cannot have a value (never), or the schema is too large when
// references are replaced by their targets (output_size).
func (s *Schema) For(t Target) (*Projection, error) { return s.Worded(t, Wording{}) }

// Worded is like For, with texts written according to a Wording. If the complete schema is
// strict, it is strict with each step of Brevity. If it is not strict, it may become strict
// with a step that omits properties. Its arguments are then decoded in another way than with
// the complete schema.
func (s *Schema) Worded(t Target, words Wording) (*Projection, error) {
	p := t.profile
	if p == nil {
		return nil, noTarget()
	}
	out, why, err := s.project(p, words)
	if p.strict() && (why != "" || sizeError(err)) {
		if why == "" {
			why = string(CodeOutput)
		}
		out, _, err = s.project(targetOf(p.loose).profile, words)
	}
	if err != nil {
		return nil, err
	}
	out.Target, out.Why, out.Strict = t, why, p.strict() && why == ""
	return out, nil
}

func sizeError(err error) bool {
	e, ok := err.(*Error)
	return ok && (e.Code == CodeOutput || e.Code == CodeCost)
}

// JSON returns the schema as it was lifted to 2020-12, with references to "$defs".
func (s *Schema) JSON() ([]byte, error) {
	p, err := s.For(Plain)
	if err != nil {
		return nil, err
	}
	return p.JSON, nil
}

// project writes the schema by a profile. It also returns the reason why the result is not
// strict.
func (s *Schema) project(p *profile, words Wording) (out *Projection, why string, err error) {
	w := &projector{schema: s, profile: p, wording: words, count: fuel.Within(jsonschema.MaxSteps), active: make(map[*node]int), told: make(map[Loss]bool)}
	err = guarded(w.count, func() {
		w.top = s.top()
		w.rename()
		var root *shape
		if w.prints() {
			root = w.printedRoot()
		} else {
			root = w.root()
		}
		w.out = w.render(root)
	})
	if err != nil {
		return nil, "", err
	}
	out = &Projection{JSON: w.out, Loss: w.losses, schema: s, nulls: p.allRequired, texts: p.filled, Names: w.original}
	if p.filled && w.empty {
		out.JSON = nil
	}
	why, err = w.judged(out)
	return out, why, err
}

// judged returns the reason why a projection is not strict. The error is for a projection that a
// vendor would refuse.
func (w *projector) judged(out *Projection) (why string, err error) {
	p := w.profile
	if p.anyRoot || out.JSON == nil || w.why != "" {
		return w.why, nil
	}
	doc, err := jsonscan.Scan(out.JSON)
	switch {
	case err != nil && p.strict():
		return "limit_depth", nil
	case err != nil:
		return "", &Error{Code: CodeOutput, Reason: "its projection is nested too deep"}
	}
	rule := p.broken(doc.Root())
	switch {
	case rule != "" && p.strict():
		return "rule_" + rule, nil
	case rule != "":
		return "", &Error{Code: codeRule, Reason: "its projection is against the rule " + rule + " of vendors"}
	case p.strict():
		t := tallied(p, doc.Root())
		out.Optional, out.Unions = t.optional, t.unions
		return t.exceeded(p), nil
	}
	return "", nil
}

// projector is the state of writing one projection.
type projector struct {
	schema  *Schema
	top     *node
	profile *profile
	wording Wording
	count   *fuel.Counter
	// Names of properties, in both directions.
	renamed, original map[string]string
	active            map[*node]int // targets of references around the place that is written
	losses            []Loss
	told              map[Loss]bool
	bytes, shapes     int
	level             int
	depth             int           // of the place that is written, in properties
	deep              map[*node]int // the depths of all nodes, if texts are omitted by depth
	why               string
	empty             bool // the root has no properties
	out               []byte
	keys              keys
	null              *jsonscan.Doc
	defs              []*node
	defNames          map[*node]string
	taken             map[string]int
}

// lose reports a loss, once.
func (w *projector) lose(at, keyword string, effect Effect, code string) {
	l := Loss{Pointer: at, Keyword: keyword, Effect: effect, Code: code}
	if w.told[l] {
		return
	}
	w.told[l] = true
	w.spend(len(at) + len(keyword) + len(code))
	w.losses = append(w.losses, l)
}

// spend counts bytes that are written.
func (w *projector) spend(bytes int) {
	w.count.Text(bytes)
	if w.bytes += bytes; w.bytes > maxOutputBytes {
		refuse(CodeOutput, "", "its projection has too many bytes")
	}
}

// newShape counts a subschema that is written.
func (w *projector) newShape() *shape {
	if w.shapes++; w.shapes > maxOutput {
		refuse(CodeOutput, "", "its projection has too many subschemas")
	}
	w.count.Add(1)
	return &shape{}
}

// notStrict stores the first reason.
func (w *projector) notStrict(why string) {
	if w.why == "" && w.profile.strict() {
		w.why = why
	}
}

// under returns the pointer of a child of a place.
func under(at, keyword, name string) string {
	if len(at) > maxPointer {
		return at
	}
	if name == "" {
		return at + "/" + keyword
	}
	return cut(at+"/"+keyword+"/"+reftoken.Escape(name), maxPointer+4)
}

// rename finds a new name for each property that is written as a key and whose name the target does
// not accept. No two properties get the same name, and none gets the name of another. A name that is
// only in a list, such as "required", is against no rule.
func (w *projector) rename() {
	rule := w.profile.names
	taken := make(map[string]bool)
	tried := make(map[string]int)
	var bad []string
	for _, n := range w.schema.all(w.top) {
		n.mention(func(name string) {
			w.count.Text(len(name))
			taken[name] = true
		})
		bad = append(bad, w.keysOf(n)...)
	}
	for _, name := range bad {
		if _, done := w.renamed[name]; done || rule.takes(name) {
			continue
		}
		if w.renamed == nil {
			w.renamed, w.original = make(map[string]string), make(map[string]string)
		}
		base := rule.mend(name)
		next := base
		for taken[next] {
			w.count.Add(1)
			tried[base] = max(tried[base], 1) + 1
			suffix := "_" + strconv.Itoa(tried[base])
			next = cutBytes(base, rule.length()-len(suffix)) + suffix
		}
		taken[next] = true
		w.renamed[name], w.original[next] = next, name
	}
}

// keysOf returns the names that may become keys of properties: those that a schema describes, and
// those that it requires where the definition has a property for them. See projector.offered and
// projector.object.
func (w *projector) keysOf(n *node) (names []string) {
	switch {
	case !w.prints():
		names = slices.Clone(n.required)
	case !w.profile.anyRoot && n.describes():
		names = n.undescribed()
	}
	for _, p := range n.properties {
		names = append(names, p.name)
	}
	return names
}

// mention calls f for the names of properties that a schema describes or requires.
func (n *node) mention(f func(name string)) {
	for _, p := range n.properties {
		f(p.name)
	}
	for _, name := range n.required {
		f(name)
	}
	for _, d := range n.dependentRequired {
		f(d.name)
		for _, name := range d.needs {
			f(name)
		}
	}
	for _, d := range n.dependentSchemas {
		f(d.name)
	}
}

// name returns the name of a property in the projection.
func (w *projector) name(name string) string {
	if next, ok := w.renamed[name]; ok {
		return next
	}
	return name
}

func cutBytes(s string, most int) string { return s[:min(len(s), max(most, 0))] }

func (r nameRule) length() int {
	if r.most == 0 {
		return 64
	}
	return r.most
}

// prototype is a name that readers written in JavaScript lose.
const prototype = "__proto__"

// takes reports whether a property may have a name.
func (r nameRule) takes(name string) bool {
	if name == prototype && !r.all {
		return false
	}
	if r.most == 0 {
		return true
	}
	if name == "" || len(name) > r.most {
		return false
	}
	for i := range len(name) {
		if !r.char(name[i], i == 0) {
			return false
		}
	}
	return true
}

func (r nameRule) char(c byte, first bool) bool {
	switch {
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
		return true
	case c >= '0' && c <= '9':
		return !first || !r.letter
	}
	for i := range len(r.extra) {
		if r.extra[i] == c {
			return !first || !r.letter
		}
	}
	return false
}

// longestName is the maximum length of the part of a name that is used for a new name, in
// bytes.
const longestName = 512

// mend makes a valid name: letters lose their accents, and a run of other characters becomes
// one "_".
func (r nameRule) mend(name string) string {
	name = text.Unaccented(cutBytes(name, longestName))
	out := make([]byte, 0, len(name))
	for i := 0; i < len(name) && len(out) < r.length(); i++ {
		switch c := name[i]; {
		case c < 0x80 && c != '_' && r.char(c, false):
			out = append(out, c)
		case len(out) > 0 && out[len(out)-1] != '_':
			out = append(out, '_')
		}
	}
	for len(out) > 0 && out[len(out)-1] == '_' {
		out = out[:len(out)-1]
	}
	if len(out) == 0 {
		return "p"
	}
	if !r.char(out[0], true) {
		out = append([]byte("_"), out...)
	}
	return cutBytes(string(out), r.length())
}
