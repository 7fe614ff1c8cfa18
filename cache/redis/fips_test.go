package redis_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// The store works in a process that may use nothing but FIPS 140: no digest of it is SHA-1. The mode holds for a
// process, so the test runs itself in another one.
func TestTheStoreWorksUnderFIPS(t *testing.T) {
	const mode = "fips140=only"
	server := testkit.StartRedis(t)
	if os.Getenv("GODEBUG") != mode {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		child := exec.CommandContext(t.Context(), self, "-test.run=^TestTheStoreWorksUnderFIPS$")
		child.Env = append(os.Environ(), "GODEBUG="+mode)
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	s := open(t, server.URL())
	save(t, s, "k", "text")
	wantText(t, s, "k", "text")
	ok, _, release, err := s.Acquire(t.Context(), "k", time.Now().Add(time.Minute))
	if !ok || err != nil {
		t.Fatalf("%t, %v", ok, err)
	}
	release()
	if err := s.Hold(t.Context(), "k", time.Now().Add(time.Minute)); err != nil {
		t.Error(err)
	}
}
