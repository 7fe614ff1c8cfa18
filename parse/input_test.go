package parse_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/parse"
)

// What a format derives from a body is made once, whoever asks.
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
