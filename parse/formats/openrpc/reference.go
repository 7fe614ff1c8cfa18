package openrpc

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// maxHops is how many references may follow each other: one names another in
// real documents, and a longer chain is a cycle or a joke.
const maxHops = 16

// deref follows the reference that an object may be (Reference Object), up to a
// value that is none. What leads nowhere is reported and missing.
func (r *reader) deref(n parse.Node, section string) parse.Node {
	first := n
	for range maxHops {
		ref := n.Get("$ref")
		text, ok := ref.Str()
		if !ok {
			return n
		}
		if n, ok = r.resolve(ref, text, section); !ok {
			return parse.Node{}
		}
	}
	r.Fault("ref_cycle", first, section, "the reference leads to itself, or is one of more than %d", maxHops)
	return parse.Node{}
}

// resolve finds the value that a reference means. References to other documents
// are never followed (a file, another host), only reported.
func (r *reader) resolve(at parse.Node, ref, section string) (parse.Node, bool) {
	before, fragment, _ := strings.Cut(ref, "#")
	if before != "" && !r.isSelf(before) {
		r.Doubt("ref_external", at, section, "the reference %q leads out of the document; it is not followed", ref)
		return parse.Node{}, false
	}
	if decoded, err := url.PathUnescape(fragment); err == nil { // RFC 6901 §6
		fragment = decoded
	}
	n := r.root
	pointer, ok := strings.CutPrefix(fragment, "/")
	if !ok {
		n = parse.Node{} // the document as a whole, or an anchor
	}
	for token := range strings.SplitSeq(pointer, "/") {
		n = r.child(n, token)
	}
	if !n.Exists() {
		r.Fault("ref_dangling", at, section, "the reference %q leads nowhere", ref)
	}
	return n, n.Exists()
}

// child takes one step of a JSON pointer (RFC 6901 §4).
func (r *reader) child(n parse.Node, token string) parse.Node {
	token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	if n.Kind() != parse.Array {
		return r.get(n, token)
	}
	i, err := strconv.Atoi(token)
	if err != nil {
		return parse.Node{}
	}
	return n.Index(i)
}

// isSelf reports a reference to the place of the document.
func (r *reader) isSelf(text string) bool {
	u, err := url.Parse(text)
	if err != nil || r.base == nil {
		return false
	}
	self := *r.base
	self.Fragment = ""
	return r.base.ResolveReference(u).String() == self.String()
}
