// Package uniqname gives each thing of a list a name of its own: of those that
// would have the same one, the second gets "~2", the third "~3" and so on.
package uniqname

import "strconv"

// Taken are the names that are in use, each with the last number that was tried
// for it, so that many that collide cost no more than their number. The zero
// Taken must not be given names; make one.
type Taken map[string]int

// Free returns the first of name, name~2, name~3 … that is not in use, and
// takes it.
func (t Taken) Free(name string) string {
	last, taken := t[name]
	if !taken {
		t[name] = 1
		return name
	}
	for {
		last++
		next := name + "~" + strconv.Itoa(last)
		if _, taken := t[next]; !taken {
			t[name], t[next] = last, 1
			return next
		}
	}
}
