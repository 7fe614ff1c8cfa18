package warned_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/warned"
)

// Failures with one cause are one warning a minute, whatever names their texts have. Another cause
// is written at once.
func TestFailuresWithOneCauseAreFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := warned.To(slog.New(slog.NewTextHandler(&out, nil)))
		full := errors.New("no space left on device")
		for i := range 90 {
			l.Warn(t.Context(), "cache store failed", "save", &fs.PathError{Op: "write", Path: fmt.Sprint("file", i), Err: full})
			time.Sleep(time.Second)
		}
		l.Warn(t.Context(), "cache store failed", "save", errors.Join(errors.New("permission denied"), full))
		l.Warn(t.Context(), "cache store failed", "load", full)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		want := []string{"file0", "file60: no space left on device\" more=59", "permission denied", "op=load"}
		if len(lines) != len(want) {
			t.Fatalf("%d warnings:\n%s", len(lines), out.String())
		}
		for i, w := range want {
			if !strings.Contains(lines[i], w) {
				t.Errorf("%q is not in %s", w, lines[i])
			}
		}
	})
}

// The number of causes that are kept has a limit.
func TestCausesAreLimited(t *testing.T) {
	var out bytes.Buffer
	l := warned.To(slog.New(slog.NewTextHandler(&out, nil)))
	for i := range 1000 {
		l.Warn(t.Context(), "cache store failed", "save", fmt.Errorf("cause %d", i))
	}
	if n := strings.Count(out.String(), "\n"); n != 65 {
		t.Errorf("%d warnings, want 64 and one for the others", n)
	}
}

// Without a logger nothing is written.
func TestWithoutALogger(t *testing.T) {
	var none *warned.Log
	none.Warn(t.Context(), "", "", errors.New("x"))
	warned.To(nil).Warn(t.Context(), "", "", errors.New("x"))
}
