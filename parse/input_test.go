package parse_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/parse"
)

// A value that formats derive from a body is computed once.
func TestDerived(t *testing.T) {
	in := &parse.Input{Body: []byte("{}")}
	type one struct{}
	type other struct{}
	var made atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if in.Derived(one{}, func() any { return made.Add(1) }) != int32(1) {
				t.Error("another value")
			}
		})
	}
	all.Wait()
	if in.Derived(other{}, func() any { return "x" }) != "x" || made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
}

// A value inside a document is a document of its own, whose pointers begin at the root of the
// whole.
func TestWithin(t *testing.T) {
	whole := &parse.Input{Body: []byte("\ufeff" + `{"entries": [{"data": {"name": "a", "list": [1]}}]}`)}
	root, err := whole.JSON()
	if err != nil {
		t.Fatal(err)
	}
	part := whole.Within(root.Get("entries").Index(0).Get("data"))
	inner, err := part.JSONObject()
	if err != nil || string(part.Body) != `{"name": "a", "list": [1]}` {
		t.Fatalf("%v, %s", err, part.Body)
	}
	if at := inner.Get("list").Index(0).Pointer(); at != "/entries/0/data/list/0" {
		t.Errorf("pointer %s", at)
	}
	tree, err := part.Tree()
	if err != nil || tree.Get("name").Pointer() != "/entries/0/data/name" {
		t.Errorf("%v, %s", err, tree.Pointer())
	}
	if len(part.Diagnostics()) != 0 || part.Size() != 0 || part.HTML() {
		t.Errorf("%v, %d bytes: what is said of the whole is not said again", part.Diagnostics(), part.Size())
	}
}
