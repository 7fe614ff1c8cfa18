package schema

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
)

// maxURI is the maximum length of identifiers, in bytes, because they are repeated for the
// schemas below them.
const maxURI = 1024

// reference is a reference that is resolved after the whole document has been read.
type reference struct {
	from    *node
	keyword string
	text    string
}

// enter returns the place inside a schema, and registers its names (2020-12 core §8.2). Before
// 2019-09 names in the same schema as a reference are ignored.
func (r *reader) enter(v jsonscan.Node, at place) place {
	rank := at.dialect.rank()
	if rank <= 7 && v.Get("$ref").Kind() == jsonscan.String || at.dialect.openAPI() {
		return at
	}
	keyword := "$id"
	if rank <= 4 {
		keyword = "id"
	}
	if id, ok := v.Get(keyword).Str(); ok {
		at = r.identify(v, at, id)
	}
	if rank < 2019 {
		return at
	}
	for _, keyword := range [...]string{"$anchor", "$dynamicAnchor"} {
		if name, ok := v.Get(keyword).Str(); ok && len(name) <= maxURI {
			r.anchor(v, at, name)
			r.dynamic[at.base+"#"+name] = r.dynamic[at.base+"#"+name] || keyword == "$dynamicAnchor"
		}
	}
	if yes, _ := v.Get("$recursiveAnchor").Bool(); yes {
		r.recursive = true
	}
	return at
}

// identify enters a separate resource, or registers a plain anchor. Before 2019-09 an id that
// is only a fragment was an anchor.
func (r *reader) identify(v jsonscan.Node, at place, id string) place {
	r.count.Text(len(id))
	if len(id) > maxURI {
		return at
	}
	whole, fragment, _ := strings.Cut(id, "#")
	if whole != "" {
		if base, ok := resolve(at.base, whole); ok {
			at.base, at.root = base, v
			if _, taken := r.resources[base]; !taken {
				r.resources[base] = v
			}
			if uri, ok := v.Get("$schema").Str(); ok {
				if d, known := named(uri); known {
					at.dialect = d
				}
			}
		}
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") && at.dialect.rank() <= 7 {
		r.anchor(v, at, fragment)
	}
	return at
}

func (r *reader) anchor(v jsonscan.Node, at place, name string) {
	if r.anchors == nil {
		r.anchors, r.dynamic = make(map[string]jsonscan.Node), make(map[string]bool)
	}
	key := at.base + "#" + name
	if _, taken := r.anchors[key]; !taken {
		r.anchors[key] = v
	}
}

// resolve makes a reference without a fragment absolute (RFC 3986 §5.2).
func resolve(base, ref string) (string, bool) {
	u, err := url.Parse(ref)
	if err != nil {
		return "", false
	}
	if base != "" {
		b, err := url.Parse(base)
		if err != nil {
			return "", false
		}
		u = b.ResolveReference(u)
	}
	text := u.String()
	return text, len(text) <= maxURI
}

// reference reads the keywords that refer to other schemas.
func (r *reader) reference(n *node, keyword string, v jsonscan.Node) bool {
	rank := n.place.dialect.rank()
	switch {
	case keyword == "$ref":
	case keyword == "$dynamicRef" && rank >= 2020, keyword == "$recursiveRef" && rank == 2019:
	default:
		return false
	}
	text, ok := v.Str()
	if !ok {
		n.lose(keyword, Wider, "malformed")
		return true
	}
	r.count.Text(len(text))
	r.pending = append(r.pending, reference{n, keyword, text})
	return true
}

// references resolves all references. Their targets may add more.
func (r *reader) references() {
	for i := 0; i < len(r.pending); i++ {
		p := r.pending[i]
		target := r.target(p)
		target.uses++
		if p.from.ref != nil { // in addition to a dynamic one
			p.from.allOf = append(p.from.allOf, target)
			continue
		}
		p.from.ref = target
	}
}

// target returns the schema that a reference refers to.
func (r *reader) target(p reference) *node {
	fail := func(code Code, reason string) {
		refuse(code, p.from.source.Pointer(), reason+": "+strconv.Quote(cut(p.text, 128)))
	}
	at := p.from.place
	whole, fragment, _ := strings.Cut(p.text, "#")
	if p.keyword == "$recursiveRef" && r.recursive {
		fail(codeDynamic, "the reference depends on the path that leads to it")
	}
	base := at.base
	if whole != "" {
		var ok bool
		if base, ok = resolve(at.base, whole); !ok {
			fail(codeRemote, "the reference is not a URI that can be followed")
		}
	}
	root, known := r.resources[base]
	if !known {
		fail(codeRemote, "the reference leads out of the document")
	}
	text, err := url.PathUnescape(fragment)
	if err != nil {
		fail(codeMissing, "the reference is not well-formed")
	}
	if text != "" && !strings.HasPrefix(text, "/") {
		key := base + "#" + text
		target, found := r.anchors[key]
		switch {
		case p.keyword == "$dynamicRef" && r.dynamic[key]:
			fail(codeDynamic, "the reference depends on the path that leads to it")
		case !found:
			fail(codeRemote, "the reference names an anchor that is not in the document")
		}
		return r.made[target]
	}
	target := r.walk(root, text)
	if k := target.Kind(); k != jsonscan.Object && k != jsonscan.Bool {
		fail(codeMissing, "the reference leads to no schema")
	}
	return r.found(target, root, text)
}

// walk follows a JSON Pointer (RFC 6901).
func (r *reader) walk(v jsonscan.Node, pointer string) jsonscan.Node {
	if pointer == "" {
		return v
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = reftoken.Unescape(token)
		r.count.Add(1)
		switch v.Kind() {
		case jsonscan.Object:
			v = r.members.get(v, token)
		case jsonscan.Array:
			i, err := strconv.Atoi(token)
			if err != nil || token != strconv.Itoa(i) {
				return jsonscan.Node{}
			}
			v = v.Child(i)
		default:
			return jsonscan.Node{}
		}
	}
	return v
}

// found returns the node of a target. If the target is not at the place of a schema, it is read
// now as a definition: OpenAPI has its schemas in components.
func (r *reader) found(v, root jsonscan.Node, pointer string) *node {
	if n, ok := r.made[v]; ok {
		return n
	}
	around := r.made[root]
	at := around.place
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	// The nearest enclosing schema determines the rules by which it is read.
	for p := pointer; p != ""; p = p[:strings.LastIndexByte(p, '/')] {
		if n, ok := r.made[r.walk(root, p)]; ok && n.source.Kind() == jsonscan.Object {
			at = n.place
			break
		}
	}
	n := r.schema(v, at, r.s.root, "$defs", name, true)
	r.s.root.defs = append(r.s.root.defs, property{name, n})
	return n
}
