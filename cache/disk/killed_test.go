//go:build unix

package disk

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/run/filelock"
)

// TestKilledWritersLeaveNoTemporaryFiles: the next process that opens the directory removes their
// files, and no file of an active writer.
func TestKilledWritersLeaveNoTemporaryFiles(t *testing.T) {
	if !filelock.Exists {
		t.Skip("this system has no locks")
	}
	dir := t.TempDir()
	if err := open(t, dir, nil).Hold(t.Context(), "held", time.Now().Add(time.Hour)); err != nil { // its writers look at it
		t.Fatal(err)
	}
	for range testkit.Size(3, 20) {
		c := start(t, dir, "write")
		c.line(t)
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		c.stop(t)
	}
	left := countTemporary(t, dir)
	open(t, dir, &Options{Now: func() time.Time { return time.Now().Add(justMade + time.Second) }})
	if n := countTemporary(t, dir); n != 0 {
		t.Errorf("%d of %d temporary files are left", n, left)
	}
}
