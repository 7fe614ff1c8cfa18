package disk

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/run/filelock"
)

// A temporary file of an active writer stays for an hour. A killed writer has no lock, so its file
// is removed by the next sweep.
func TestTemporaryFilesAreSwept(t *testing.T) {
	dir := t.TempDir()
	c := &wallClock{at()}
	s := open(t, dir, &Options{Now: c.time})
	young, killed, foreign := s.temporary(), s.temporary(), temporaryDir+"/foreign"
	for _, name := range []string{young, killed, foreign} {
		if err := writeFile(dir + "/" + name); err != nil {
			t.Fatal(err)
		}
		// As if killed after its end was written on it.
		if err := os.Chtimes(dir+"/"+name, at().Add(30*time.Minute), at().Add(30*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	writing, err := os.Open(dir + "/" + young)
	if err != nil {
		t.Fatal(err)
	}
	defer writing.Close()
	lockFile(writing)
	atOnce := []string{young, foreign}
	if !filelock.Exists {
		atOnce = append(atOnce, killed)
	}
	all := []string{young, killed, foreign}
	for _, tt := range []struct {
		after time.Duration
		left  []string
	}{
		{0, all}, {justMade, all}, {justMade + time.Second, atOnce}, {time.Hour, atOnce}, {time.Hour + time.Second, []string{foreign}},
		{90*time.Minute + time.Second, nil},
	} {
		c.now = at().Add(tt.after)
		open(t, dir, &Options{Now: c.time})
		slices.Sort(tt.left)
		if diff := cmp.Diff(tt.left, there(t, dir)); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", tt.after, diff)
		}
	}
}
