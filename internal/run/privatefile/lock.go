package privatefile

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/filelock"
)

// retryLock is how long to wait before a lock is asked for again.
const retryLock = 10 * time.Millisecond

// Lock waits for the lock of a name, which one process and one caller has at a time, and
// returns the function that releases it. The lock is a file, which is removed on release. A
// system without locks gives it to every caller.
func Lock(ctx context.Context, name string) (release func(), err error) {
	for {
		f, err := Open(name)
		if err == nil {
			if err = held(f, name); err == nil {
				return func() { _ = errors.Join(os.Remove(name), f.Close()) }, nil
			}
			_ = f.Close()
		}
		if err != nil && !filelock.Held(err) && !errors.Is(err, errMoved) && !errors.Is(err, os.ErrExist) && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		wait := time.NewTimer(retryLock)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil, ctx.Err()
		}
	}
}

// errMoved is the error of a lock whose file was removed before it was had.
var errMoved = errors.New("the file of the lock was removed")

// held locks a file, and compares it with the one that has the name now: who had the lock
// before has removed its file.
func held(f *os.File, name string) error {
	if err := filelock.Exclusive(f); err != nil {
		return err
	}
	own, err := f.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(name)
	if err != nil || !os.SameFile(own, now) {
		return errMoved
	}
	return nil
}
