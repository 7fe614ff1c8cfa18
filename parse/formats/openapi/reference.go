package openapi

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// maxHops is how many references may follow each other: one names another in
// real documents, and a longer chain is a cycle or a joke.
const maxHops = 16

// deref follows the reference that an object may be, up to a value that is
// none. What leads nowhere is reported and missing.
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

// resolve finds the value that a reference means. References to other
// documents are never followed (a file, another host), only reported.
func (r *reader) resolve(at parse.Node, ref, section string) (parse.Node, bool) {
	fragment, local := r.local(ref)
	if !local {
		r.Doubt("ref_external", at, section, "the reference %q leads out of the document; it is not followed", ref)
		return parse.Node{}, false
	}
	n := r.root
	if fragment != "" && fragment[0] != '/' {
		n = parse.Node{} // an anchor
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
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

// local returns the fragment of a reference to the document itself, decoded
// (RFC 6901 §6).
func (r *reader) local(ref string) (fragment string, ok bool) {
	before, after, _ := strings.Cut(ref, "#")
	if before != "" && !r.isSelf(before) {
		return "", false
	}
	if fragment, err := url.PathUnescape(after); err == nil {
		return fragment, true
	}
	return after, true
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
