package parse

import (
	"bytes"
	"iter"
	"slices"
	"strings"
)

// UnknownMembers yields the members of an object that are not among the known names, in the
// order of the document. Members that differ from a known name in case only are reported, as
// [Reader.CaseVariants] does, and not yielded.
func (r *Reader) UnknownMembers(obj Node, known ...string) iter.Seq2[string, Node] {
	r.knows(obj, known)
	return func(yield func(string, Node) bool) {
		for name, value := range obj.members() {
			if slices.Contains(known, name) || r.caseVariant(name, value, known) {
				continue
			}
			if !yield(name, value) {
				return
			}
		}
	}
}

// Extensions returns the members that [Reader.UnknownMembers] yields, as written, for the
// Extensions of the model. It returns nil if there are none. The text is a copy.
func (r *Reader) Extensions(obj Node, known ...string) map[string]Raw {
	var found map[string]Raw
	for name, value := range r.UnknownMembers(obj, known...) {
		if found == nil {
			found = make(map[string]Raw)
		}
		found[name] = bytes.Clone(value.Raw())
	}
	return found
}

// CaseVariants reports members whose names differ from a known one in case
// only, as "json.case_variant". Case is compared by Unicode simple folding,
// as lenient decoders apply it: "capabilitieſ" and "Kind" with a Kelvin sign
// are variants. Such a member is never read: names are exact.
func (r *Reader) CaseVariants(obj Node, known ...string) {
	r.knows(obj, known)
	for name, value := range obj.members() {
		if !slices.Contains(known, name) {
			r.caseVariant(name, value, known)
		}
	}
}

// caseVariant reports a name that is a variant of a known one.
func (r *Reader) caseVariant(name string, value Node, known []string) bool {
	for _, k := range known {
		if strings.EqualFold(name, k) {
			r.Report(ruleJSONCaseVariant, value, "member %q differs from %q in case only; it is ignored", name, k)
			return true
		}
	}
	return false
}
