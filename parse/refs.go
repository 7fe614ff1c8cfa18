package parse

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
)

// maxHops bounds a chain of references. In real documents a reference rarely leads to another
// one, and a longer chain is a cycle or an attack.
const maxHops = 16

// FilesMember is the member of a document that contains the other documents that belong to it,
// by their URLs, if a client has read them: see [Format.Files].
const FilesMember = "x-wayfind-files"

// Refs is a [Reader] of a document in which a value may be a reference to another: an object
// with a member "$ref" (JSON Reference, Reference Object). It follows only references inside
// the document; [FilesMember] contains the other documents that were read. Its reports have
// the codes "<format>.ref_external" for a reference that leads out of the document,
// "<format>.ref_dangling" for one that leads nowhere, "<format>.ref_cycle" for one that leads
// to itself and "<format>.ref_siblings" for members next to a reference.
//
// The Reader may be replaced at any time. A copy reads the same document.
type Refs struct {
	*Reader
	// Root is the value that pointers begin at.
	Root Node
	// Base is the URL of the document, or nil if it is unknown. A reference that begins with this
	// URL leads into the document.
	Base *url.URL
	// Unpublished is [Input.Unpublished].
	Unpublished bool
	// Server is [Input.Server].
	Server string
	// Unread is the field Unread of the [Input].
	Unread map[string]string
	// Outside is the first reference that was looked up and leads to a document that was
	// not read, with the reason.
	Outside string
}

// Deref is [Refs.Target]. It also reports the members next to the reference as
// "<format>.ref_siblings": they are ignored.
func (r *Refs) Deref(n Node, section string) Node {
	if n.Get("$ref").Kind() == String {
		for name, value := range n.Members() {
			if name != "$ref" {
				r.Report(ruleRefSiblings.At(section).AsInfo(), value, "%q stands beside $ref; it is ignored", name)
			}
		}
	}
	return r.Target(n, section)
}

// Target follows the reference that a value may be, until it reaches a value that is not a
// reference. A reference that leads nowhere is reported, with the section about references,
// and the result is a missing Node.
func (r *Refs) Target(n Node, section string) Node {
	first := n
	for range maxHops {
		ref := n.Get("$ref")
		text, ok := ref.Str()
		if !ok {
			return n
		}
		if n, ok = r.Resolve(ref, text, section); !ok {
			return Node{}
		}
	}
	r.Report(ruleRefCycle.At(section), first, "the reference leads to itself, or is one of more than %d", maxHops)
	return Node{}
}

// Resolve returns the value that a reference leads to, in one step. Its reports are about the
// value at. It follows JSON pointers, and the anchors of JSON Schema that apply at the value. It
// does not follow references to other documents (a client may have put these into the document), to
// an $id, or to the document as a whole.
func (r *Refs) Resolve(at Node, ref, section string) (Node, bool) {
	before, fragment, _ := strings.Cut(ref, "#")
	if before != "" && !r.isSelf(before) {
		r.Outside = cmp.Or(r.Outside, r.outside(at, ref, before, section))
		return Node{}, false
	}
	if decoded, err := url.PathUnescape(fragment); err == nil { // RFC 6901 §6
		fragment = decoded
	}
	n := Node{} // the document as a whole
	if strings.HasPrefix(fragment, "/") {
		n = r.At(fragment)
	} else if anchored := at.n.Anchor(fragment, FilesMember); fragment != "" && anchored.Kind() != jsonscan.Missing {
		n = r.At(anchored.Pointer()) // as a trace of the document records it
	}
	if !n.Exists() {
		r.Report(ruleRefDangling.At(section), at, "the reference %q leads nowhere", ref)
	}
	return n, n.Exists()
}

// outside reports a reference to a document that was not read.
func (r *Refs) outside(at Node, ref, url, section string) string {
	said := fmt.Sprintf("the reference %q leads out of the document; it is not followed", ref)
	if why := r.Unread[url]; why != "" {
		said += ": " + why
	}
	r.Report(ruleRefExternal.At(section), at, "%s", said)
	return said
}

// At returns the value that a JSON pointer (RFC 6901) leads to from the Root, or the zero Node
// if it leads nowhere. It does not use the Reader.
func (r *Refs) At(pointer string) Node {
	if pointer == "" {
		return r.Root
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return Node{}
	}
	n := r.Root
	for token := range strings.SplitSeq(rest, "/") {
		n = r.child(n, token)
	}
	return n
}

// child takes one step of a JSON pointer (RFC 6901 §4).
func (r *Refs) child(n Node, token string) Node {
	token = reftoken.Unescape(token)
	if n.Kind() != Array {
		return r.Get(n, token)
	}
	i, err := strconv.Atoi(token)
	if err != nil {
		return Node{}
	}
	return n.Index(i)
}

// isSelf reports whether a reference leads to the URL of the document.
func (r *Refs) isSelf(text string) bool {
	u, err := url.Parse(text)
	if err != nil || r.Base == nil {
		return false
	}
	self := *r.Base
	self.Fragment = ""
	return r.Base.ResolveReference(u).String() == self.String()
}

// Get is [Node.Get] for objects that are read often: the members of a large object are sorted
// once, for all readers of the document.
func (r *Refs) Get(n Node, name string) Node {
	n.trace().asked(n, name)
	return Node{n.n.Find(name)}
}
