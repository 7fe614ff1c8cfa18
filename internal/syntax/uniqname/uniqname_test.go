package uniqname_test

import (
	"fmt"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/uniqname"
)

func TestFree(t *testing.T) {
	taken := uniqname.Taken{}
	var got []string
	for _, name := range []string{"a", "a~2", "a", "a", "b", "a~2", "a"} {
		got = append(got, taken.Free(name))
	}
	if want := "[a a~2 a~3 a~4 b a~2~2 a~5]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// A hundred thousand things of one name have as many names, in no time.
func TestManyOfOneName(t *testing.T) {
	const many = 100_000
	taken := uniqname.Taken{}
	for range many {
		taken.Free("")
	}
	if len(taken) != many || taken[fmt.Sprintf("~%d", many)] == 0 {
		t.Errorf("%d names", len(taken))
	}
}
