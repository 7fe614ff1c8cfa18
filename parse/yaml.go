package parse

import (
	"iter"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/yamlscan"
)

// ParseYAML reads a small text of YAML that begins at line firstLine of its document. The
// limits are 8 KiB, 2,000 marks of structure, 1,000 values and 8 levels. The result is a
// mapping (Kind Object), or a YAML that is missing if the text has no content.
//
// Anchors, aliases, tags, merge keys, directives, further documents, keys that are not text
// and duplicate keys are refused, and so are characters that some readers take for the end of
// a line and others do not. The error is a *wayfind.Error with Op "parse", Kind ErrInvalid and
// one of the codes yaml_syntax, yaml_forbidden, yaml_duplicate, invalid_utf8 and limit; see
// [SyntaxCause].
func ParseYAML(source string, firstLine int) (YAML, error) {
	n, err := yamlscan.Scan(source, firstLine, yamlscan.FrontMatter())
	return YAML{n}, err
}

// YAML is one value of a YAML text. It is small and meant to be passed by value; it is
// immutable and safe for concurrent use.
//
// Scalars are never converted: except for null, every scalar is a String with its text as
// written, even "1.10" and "no". The zero YAML is a missing value. Every method may be called
// on every YAML, as with [Node].
type YAML struct {
	n yamlscan.Node
}

// Exists reports whether there is a value. Null is a value.
func (y YAML) Exists() bool { return y.n.Kind() != yamlscan.Missing }

// Kind returns the type of the value: Object for a mapping, Array for a sequence, String for a
// scalar, Null, or Missing if there is none.
func (y YAML) Kind() Kind {
	switch y.n.Kind() {
	case yamlscan.Null:
		return Null
	case yamlscan.Scalar:
		return String
	case yamlscan.Sequence:
		return Array
	case yamlscan.Mapping:
		return Object
	}
	return Missing
}

// Get returns the value of a mapping under exactly this key.
func (y YAML) Get(key string) YAML { return YAML{y.n.Get(key)} }

// Index returns element i of a sequence. It returns a missing YAML unless 0 ≤ i < size.
func (y YAML) Index(i int) YAML { return YAML{y.n.Index(i)} }

// size returns the number of elements of a sequence or keys of a mapping.
func (y YAML) size() int { return y.n.Len() }

// Members yields the keys and values of a mapping in the order of the text. Keys are unique.
func (y YAML) Members() iter.Seq2[string, YAML] {
	return func(yield func(string, YAML) bool) {
		for key, value := range y.n.Members() {
			if !yield(key, YAML{value}) {
				return
			}
		}
	}
}

// items yields the elements of a sequence with their indexes.
func (y YAML) items() iter.Seq2[int, YAML] {
	return func(yield func(int, YAML) bool) {
		if y.Kind() != Array {
			return
		}
		for i := range y.size() {
			if !yield(i, y.Index(i)) {
				return
			}
		}
	}
}

// Str returns the text of a scalar: as written without quotes, or decoded if it is quoted. For
// null, ok is false.
func (y YAML) Str() (text string, ok bool) { return y.n.Str() }

// Quoted reports whether a scalar is a string to every reader of YAML: it is in quotes, or is
// a block of text.
func (y YAML) Quoted() bool { return y.n.Quoted() }

// Line returns the line of the document on which the value begins, or 0 if there is no value.
func (y YAML) Line() int { return y.n.Line() }

// Column returns the position, in characters and from 1, at which the value begins in its
// line, or 0 if there is no value.
func (y YAML) Column() int { return y.n.Column() }

// Raw returns the value as JSON, for the Extensions of the model, or nil if there is none.
// Scalars become strings.
func (y YAML) Raw() Raw {
	switch y.Kind() {
	case Null:
		return Raw("null")
	case String:
		text, _ := y.Str()
		return rawjson.Quote(text)
	case Array:
		items := make([]Raw, 0, y.size())
		for _, item := range y.items() {
			items = append(items, item.Raw())
		}
		return rawjson.Arr(items...)
	case Object:
		members := make([]rawjson.Member, 0, y.size())
		for key, value := range y.Members() {
			members = append(members, rawjson.Member{Name: key, Value: value.Raw()})
		}
		return rawjson.Obj(members...)
	}
	return nil
}

// UnknownKeys returns the values of a mapping that are not under one of the known keys, as
// JSON for the Extensions of the model. It returns nil if there are none. Keys that differ
// from a known one in case only are left out: keys are exact.
//
// Keys that are probably misspelt are reported as "misspelt", which is an error for those that
// are meant to be required ones, and others that differ in case as "yaml.case_variant". meant
// has the keys that the first stand for, each with the key as it is written.
func (r *Reader) UnknownKeys(obj YAML, required []string, known ...string) (found map[string]Raw, meant map[string]string) {
	meant = make(map[string]string)
	for key, value := range obj.Members() {
		if slices.Contains(known, key) {
			continue
		}
		variant := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, key) })
		switch near := misspeltKey(obj, key, required, known); {
		case near != "" && meant[near] == "":
			rule := ruleMisspelt
			if !slices.Contains(required, near) {
				rule = rule.AsWarning()
			}
			r.ReportLine(rule, value.Line(), "%s", text.NotKnown(key, near))
			meant[near] = key
		case variant >= 0:
			r.ReportLine(ruleYAMLCaseVariant, value.Line(), "key %q differs from %q in case only; it is ignored", key, known[variant])
		}
		if variant >= 0 {
			continue
		}
		if found == nil {
			found = make(map[string]Raw)
		}
		found[key] = value.Raw()
	}
	return found, meant
}

// misspeltKey returns the known key that is missing in a mapping and most similar to an unknown
// one, or "" if none is similar.
func misspeltKey(obj YAML, key string, required, known []string) (near string) {
	best := 0
	for _, k := range known {
		if obj.Get(k).Exists() {
			continue
		}
		if edits, similar := text.Misspelt(key, k, slices.Contains(required, k)); similar && (near == "" || edits < best) {
			near, best = k, edits
		}
	}
	return near
}
