package testkit_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// ended is a test that records how it ended.
type ended struct {
	*testing.T
	how string
}

func (e *ended) Skip(args ...any)            { e.end("skipped: " + fmt.Sprint(args...)) }
func (e *ended) Skipf(f string, args ...any) { e.end("skipped: " + fmt.Sprintf(f, args...)) }
func (e *ended) Fatalf(f string, a ...any)   { e.end("failed: " + fmt.Sprintf(f, a...)) }

func (e *ended) end(how string) {
	e.how = how
	runtime.Goexit()
}

// end returns how a test ends.
func end(t *testing.T, check func(testing.TB)) string {
	t.Helper()
	e, done := &ended{T: t}, make(chan struct{})
	go func() {
		defer close(done)
		check(e)
	}()
	<-done
	return e.how
}

func TestWhatNeedsAProgramSkipsWithItsName(t *testing.T) {
	goVersion := func(tb testing.TB) { testkit.RunGo(tb, ".", "version") }
	goNonsense := func(tb testing.TB) { testkit.RunGo(tb, ".", "list", "./nonsense") }
	nothing := map[string]string{"GOCACHE": "", "GOENV": "off", "HOME": "", "XDG_CACHE_HOME": ""}
	for _, row := range []struct {
		name  string
		env   map[string]string
		check func(testing.TB)
		want  string
	}{
		{"another program", nil, func(tb testing.TB) { testkit.Program(tb, "no-such-program") }, "skipped: no-such-program is not installed"},
		{"no go", map[string]string{"PATH": t.TempDir()}, goVersion, "skipped: go is not installed"},
		{"a fault", nil, goNonsense, "failed: go list ./nonsense: exit status 1\n"},
		{"no cache, and none is needed", nothing, goVersion, ""},
		{"no cache", nothing, goNonsense, "skipped: go cannot compile here: exit status 1\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			testkit.RunGo(t, ".", "list", "-export", "errors") // skips this test where go cannot compile
			for name, value := range row.env {
				t.Setenv(name, value)
			}
			if got := end(t, row.check); !strings.HasPrefix(got, row.want) || (row.want == "") != (got == "") {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
