package fetch

import (
	"fmt"
	"testing"
)

// TestMixedHostsAreBounded: strangers choose the names, so a full table drops some.
func TestMixedHostsAreBounded(t *testing.T) {
	for n, want := range map[int]int{1: 1, 4096: 4096, 5000: 4096} {
		var m mixedHosts
		for i := range n {
			m.note(fmt.Sprint(i), true)
		}
		if size, last := len(m.hosts), m.has(fmt.Sprint(n-1)); size != want || !last {
			t.Errorf("after %d hosts: %d, the last one %v", n, size, last)
		}
	}
}
