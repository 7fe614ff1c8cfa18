package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fake has a test for each way to end.
const fake = `package fake

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestFails(t *testing.T) { t.Error("the fault") }

func TestPasses(t *testing.T) {
	if os.Getenv("WAYFIND_EXPECTED") != "1" {
		t.Error("the variable is not set")
	}
	if _, err := os.Stat("fake_test.go"); err != nil {
		t.Error(err)
	}
}

func TestSkips(t *testing.T) { t.Skip("no server here") }

func TestPartPasses(t *testing.T) {
	t.Run("good", func(*testing.T) {})
	t.Run("bad", func(t *testing.T) { t.Fail() })
}

func TestHangs(*testing.T) { time.Sleep(time.Hour) }

func TestDeadlocks(*testing.T) { select {} }

func TestPanics(*testing.T) { panic("the fault") }

func TestLeavesAChild(t *testing.T) {
	c := exec.Command("sleep", "60")
	c.Stdout = os.Stdout
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	_ = c.Wait()
}

func TestEatsMemory(*testing.T) {
	var all [][]byte
	for range 64 {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		all = append(all, b)
	}
	_ = all
}

func TestEnoughMemory(*testing.T) {
	b := make([]byte, 16<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}
`

// fakeModule changes to a module with the package ./fake.
func fakeModule(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "-buildvcs=false -vet=off")
	for name, text := range map[string]string{"go.mod": "module fake\n\ngo 1.26\n", "fake/fake_test.go": fake, "none/none.go": "package none\n", "broken/a_test.go": "package broken\n\nvar x int = \"\"\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRun(t *testing.T) {
	fakeModule(t)
	all := limits{budget: 2 * time.Minute, time: 10 * time.Second, memory: 512, atOnce: 2}
	short, none := all, all
	short.time = 500 * time.Millisecond
	none.budget = -1
	tests := []struct {
		name, list string
		limits     limits
		err, out   string
	}{
		{"nothing", "# words\n\n", all, "", "list is empty: there are no known faults"},
		{"fails", "TestFails 11 ./fake\n", all, "", "   1 failed as expected   0 passed"},
		{"a subtest fails", "TestPartPasses 11 ./fake\n", all, "", "   1 failed as expected   0 passed"},
		{"panics", "TestPanics 11 ./fake\n", all, "", "   1 failed as expected   0 passed"},
		{"hangs", "TestHangs 11 ./fake\n", short, "", "   1 failed as expected   0 passed"},
		{"deadlocks", "TestDeadlocks 11 ./fake\n", all, "", "   1 failed as expected   0 passed"},
		{"hangs with a child", "TestLeavesAChild 11 ./fake\n", short, "", "   1 failed as expected   0 passed"},
		{"eats memory", "TestEatsMemory 11 ./fake\n", all, "", "   1 failed as expected   0 passed"},
		{"has enough memory", "TestEnoughMemory 11 ./fake\n", all, "1 tests pass: remove them from the list", "PASSES      ./fake"},
		{"passes", "TestFails 11 ./fake\nTestPasses 11 ./fake\n", all, "1 tests pass: remove them from the list", "   1 failed as expected   1 passed"},
		{"skipped", "TestSkips 11 ./fake\n", all, "1 tests were skipped", "no server here"},
		{"missing", "TestFail 11 ./fake\n", all, "1 tests do not exist", "MISSING     ./fake"},
		{"twice", "TestFails 11 ./fake\n\nTestFails 12 ./other\n", all, "list:3: TestFails is also in line 1", ""},
		{"two columns", "TestFails 11\n", all, `list:1: "TestFails 11" is not a test, an issue and a package`, ""},
		{"four columns", "TestFails 11 ./fake x\n", all, "is not a test, an issue and a package", ""},
		{"no test", "fails 11 ./fake\n", all, "is not a test, an issue and a package", ""},
		{"no package", "TestFails 11 ./nowhere\n", all, "./nowhere", ""},
		{"no tests", "TestFails 11 ./none\n", all, "./none has no tests", ""},
		{"does not build", "TestFails 11 ./broken\n", all, "./broken", ""},
		{"no time", "TestFails 11 ./fake\n", none, "context deadline exceeded", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile("list", []byte(tt.list), 0o644); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			err := run(t.Context(), &out, "list", tt.limits)
			if got := message(err); !strings.Contains(got, tt.err) || (tt.err == "") != (err == nil) {
				t.Errorf("error %q, want %q\n%s", got, tt.err, out.String())
			}
			if !strings.Contains(out.String(), tt.out) {
				t.Errorf("printed:\n%s\nwant %q in it", out.String(), tt.out)
			}
		})
	}
}

// TestNotReached: when the time is used up, the tests that are left, and those
// that were stopped before their own time was up, prove nothing.
func TestNotReached(t *testing.T) {
	fakeModule(t)
	faults := []fault{{"TestHangs", "11", "./fake"}, {"TestFails", "11", "./fake"}}
	binaries, err := build(t.Context(), t.TempDir(), faults, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	for r := range runAll(ctx, binaries, faults, limits{time: time.Minute, memory: 512, atOnce: 1}) {
		if r.outcome != notReached {
			t.Errorf("%s %s, want %s", r.name, r.outcome, notReached)
		}
	}
	if err := verdict(map[outcome]int{failed: 1, notReached: 2}); message(err) != "2 tests were not reached: the time has expired" {
		t.Error(err)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
