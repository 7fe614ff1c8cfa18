package credentials

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
)

// lostFolder is the folder of lost calls in wayfind's state.
const lostFolder = "lost"

// lostCalls implements call.LostStore: a file for each call that is under way or whose answer was lost. The
// next run of the command asks about it.
type lostCalls struct{ dir string }

// lostNote is the content of a file.
type lostNote struct {
	Key   string    `json:"key,omitzero"`
	Until time.Time `json:"until"`
}

// lostIn returns the lost calls of the user; nil if the system has no directory for them.
func lostIn() *lostCalls {
	dir := session.State()
	if dir == "" {
		return nil
	}
	return &lostCalls{filepath.Join(dir, lostFolder)}
}

func (l *lostCalls) name(intention string) string { return filepath.Join(l.dir, intention) }

// Load implements call.LostStore. A user who cannot reach the folder has kept nothing there, and Keep
// tells of a call that it cannot keep.
func (l *lostCalls) Load(_ context.Context, intention string) (key string, until time.Time, err error) {
	if _, err := os.Stat(l.dir); err != nil {
		return "", time.Time{}, nil
	}
	raw, err := privatefile.ReadSecret(l.name(intention))
	if errors.Is(err, fs.ErrNotExist) {
		return "", time.Time{}, nil
	}
	var note lostNote
	if err == nil {
		err = json.Unmarshal(raw, &note)
	}
	return note.Key, note.Until, err
}

// Keep implements call.LostStore.
func (l *lostCalls) Keep(_ context.Context, intention, key string, until time.Time) error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	l.expire()
	raw, err := json.Marshal(lostNote{key, until})
	if err != nil {
		return err
	}
	return privatefile.Write(l.name(intention), privatefile.Bytes(raw))
}

// Forget implements call.LostStore.
func (l *lostCalls) Forget(_ context.Context, intention string) error {
	if err := os.Remove(l.name(intention)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// maxLostAge is the age of a file whose call is no longer remembered for certain.
const maxLostAge = 2 * time.Hour

// expire removes the files of calls that are no longer remembered.
func (l *lostCalls) expire() {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > maxLostAge {
			_ = os.Remove(filepath.Join(l.dir, e.Name()))
		}
	}
}
