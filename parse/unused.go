package parse

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
)

// Unused returns the names of definitions that no reference leads to, for each of the objects
// that contain definitions, in their order. A definition that only unused definitions or
// extensions ("x-") refer to is unused. The Reader is not used.
func (r *Refs) Unused(lists ...Node) [][]string {
	u := &unused{refs: r, lists: make(map[string]Node), used: make(map[Node]bool)}
	for _, list := range lists {
		if list.Kind() == Object {
			u.lists[strings.TrimPrefix(list.Pointer(), r.Root.Pointer())] = list
			u.used[list] = true // walked only by the references into it
		}
	}
	if len(u.lists) == 0 {
		return make([][]string, len(lists))
	}
	u.walk(r.Root)
	for len(u.queue) > 0 {
		n := u.queue[0]
		u.queue = u.queue[1:]
		u.walk(n)
	}
	names := make([][]string, len(lists))
	for i, list := range lists {
		for name, n := range list.Members() {
			if !u.used[n] {
				names[i] = append(names[i], name)
			}
		}
	}
	return names
}

// unused searches a document for references to definitions.
type unused struct {
	refs  *Refs
	lists map[string]Node
	used  map[Node]bool
	queue []Node
}

// walk looks for references in a value, but not in lists of definitions.
func (u *unused) walk(n Node) {
	for name, value := range n.Members() {
		switch kind := value.Kind(); {
		case kind == Object && u.used[value], strings.HasPrefix(name, "x-"):
		case kind == Object || kind == Array:
			u.walk(value)
		case name == "$ref":
			text, _ := value.Str()
			u.follow(text)
		}
	}
	for _, item := range n.Items() {
		u.walk(item)
	}
}

// follow marks the definition that a reference leads into.
func (u *unused) follow(ref string) {
	_, fragment, _ := strings.Cut(ref, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	for at := range fragment {
		if fragment[at] != '/' {
			continue
		}
		list, ok := u.lists[fragment[:at]]
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(fragment[at+1:], "/")
		name = reftoken.Unescape(name)
		if n := u.refs.Get(list, name); n.Exists() && !u.used[n] {
			u.used[n] = true
			u.queue = append(u.queue, n)
		}
		return
	}
}
