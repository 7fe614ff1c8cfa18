// Package disk keeps responses and obligations in a directory, which several processes may share
// and which remains when they end.
//
//	store, err := disk.Open(dir, nil)
//	if err != nil { ... }
//	defer store.Close()
//	t := cache.NewTransport(store, &http.Transport{}, nil)
//
// # Promises
//
//   - An entry is read as a whole or not at all: files are written under
//     another name, synced and renamed, and contain a SHA-256 over their
//     content and the key that they belong to. A killed process, a full disk and a
//     flipped bit cost at most the entry. A file that differs from the saved
//     one is removed, with an error that wraps cache.ErrCorrupt.
//   - A Purge ends entries for all processes, including answers that were asked for
//     before it and are saved later.
//   - Entries that this Store has saved age even if the clock is set back.
//   - If several processes want an obligation, one gets it. Obligations
//     survive kill -9, but are not synced: they may be lost with the power.
//     A host has at most 64 pauses. If there are more, those that end soonest
//     are lost.
//     Leases (cache.LeasePrefix) end with the process that holds them, if the
//     system has flock.
//   - The entries stay within Options.MaxBytes, except for entries that other
//     processes have written since this one counted. Those that expire soonest
//     are removed first.
//   - Nothing outside the directory is read or written, even through links in
//     it. File names are hashes and reveal no URL, but the files contain it. The
//     checksum does not protect against an attacker with write access to the
//     directory, so Open refuses a directory that others may write to.
//   - Several versions of this package may share the directory. Each keeps its
//     own entries (cache.Schema) and has its own MaxBytes. Obligations are
//     common to all.
//   - Each call ends when its context does. Operations on files cannot be
//     interrupted. A bounded number of them finish in the background, and Close
//     waits for them.
package disk

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/budget"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

// From is the value of Variants.From for entries of a Store.
const From = "disk"

// DefaultBytes is the default of Options.MaxBytes.
const DefaultBytes = 256 << 20

// Reasons why Open refuses a directory, for errors.Is.
var (
	// ErrNotDirectory reports a path that is no directory.
	ErrNotDirectory = errors.New("disk: not a directory")
	// ErrNotPrivate reports a directory that other users may write to.
	ErrNotPrivate = errors.New("disk: others may write to the directory")
)

// errUnmade is the error of a Store that Open did not return.
var errUnmade = errors.New("disk: this Store is nil or zero: disk.Open returns one")

// Options are the options of a Store. Nil and the zero value mean the defaults.
type Options struct {
	// MaxBytes is the largest number of bytes of all entries. Zero means DefaultBytes. A negative
	// value is an error.
	MaxBytes int64
	// Budget is the time limit for one call that a caller waits for. It begins with the work on
	// files, so waiting for other calls is not in it. Zero means cache.StoreBudget. A negative
	// value is an error.
	Budget time.Duration
	// Now returns the time, for tests. Nil means [time.Now].
	Now func() time.Time
	// Logger gets a warning when this version opens the directory for the first time, if there are
	// entries of other versions, which it does not read. If it is nil, nothing is logged.
	Logger *slog.Logger
}

// Store implements [cache.Store] and [cache.Purger] in a directory. It is safe for concurrent
// use.
type Store struct {
	files   files
	id      storeID
	entries string // the directory of the entries
	max     int64
	clock   *clock.Clock

	places  *budget.Places // of the running operations
	budget  time.Duration
	closing sync.Once
	closed  chan struct{}
	turns   turns
	locks   locks
	order   sync.RWMutex // held in front of the lock of the directory

	sweeping sync.Mutex   // held to make room
	tidying  sync.Mutex   // held to look for leftovers
	tidied   atomic.Int64 // the time when tidying began last, in Unix seconds
	bytes    atomic.Int64 // the bytes of all entries, estimated
	unseen   atomic.Int64 // the bytes written by this store since the last walk

	stamp atomic.Pointer[stamp] // the stamp of the last Load

	evictions, corrupt atomic.Uint64
}

// maxRunning is the largest number of operations that run at a time. More would not make a disk
// faster, and a disk that hangs blocks no more goroutines than that.
const maxRunning = 16

// Open opens the store in dir, which it creates (0700) if it does not exist. In the background it
// counts the entries, and removes some if they exceed the limit.
func Open(dir string, opts *Options) (*Store, error) { return openSchema(dir, cache.Schema, opts) }

// openSchema opens the store of a version that writes entries of a schema.
func openSchema(dir string, schema int, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	if opts.MaxBytes < 0 || opts.Budget < 0 {
		return nil, fmt.Errorf("disk: a store of %d bytes, a budget of %v", opts.MaxBytes, opts.Budget)
	}
	s := &Store{entries: entriesOf(schema), max: opts.MaxBytes, clock: clock.Of(opts.Now), places: budget.NewPlaces(maxRunning), budget: opts.Budget, closed: make(chan struct{})}
	if s.max == 0 {
		s.max = DefaultBytes
	}
	s.files.sign = s.places.Sign
	_, _ = rand.Read(s.id[:]) // never fails
	first, err := s.files.enter(dir, s.entries)
	if err != nil {
		return nil, err
	}
	if first && opts.Logger != nil && s.hasOthers() {
		opts.Logger.Warn("the cache directory has answers of another version of wayfind, which are not read and are removed two days after their end", slog.String("dir", dir))
	}
	_ = s.places.Take(context.Background(), nil, nil)
	s.sweeping.Lock()
	s.tidying.Lock()
	go func() {
		defer s.places.Give()
		defer s.tidying.Unlock()
		s.shrink()
		s.sweeping.Unlock()
		s.tidy()
	}()
	return s, nil
}

// Exists reports whether there is a store in dir. It does not create one.
func Exists(dir string) bool {
	fi, err := os.Stat(filepath.Join(dir, layoutDir))
	return err == nil && fi.IsDir()
}

// Close waits for the running operations. It may be called more than once and while other calls are
// running. Later calls return cache.ErrClosed.
func (s *Store) Close() error {
	if s == nil || s.places == nil {
		return nil
	}
	var err error
	s.closing.Do(func() {
		close(s.closed)
		s.places.TakeAll()
		s.locks.close()
		err = s.files.root.Close()
	})
	return err
}

// enter makes the directories, and reports whether the directory of the entries is new. dir itself
// may be a link.
func (f *files) enter(dir, entries string) (first bool, err error) {
	if fi, err := os.Stat(dir); err == nil && !fi.IsDir() {
		return false, fmt.Errorf("%w: %s", ErrNotDirectory, dir)
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return false, fmt.Errorf("disk: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, fmt.Errorf("disk: %w", err)
	}
	f.root = root
	first = !f.isDir(entries)
	if err := f.furnish(dir, entries); err != nil {
		_ = root.Close()
		return false, err
	}
	return first, nil
}

// furnish makes the directories in dir. They must not be links or belong to another user.
func (f *files) furnish(dir, entries string) error {
	for _, name := range []string{".", layoutDir, entries, obligationsDir, temporaryDir} {
		made := f.mkdir(name)
		fi, err := f.lstat(name)
		switch {
		case err != nil:
			return cmp.Or(made, err)
		case !fi.IsDir():
			return fmt.Errorf("%w: %s in %s", ErrNotDirectory, name, dir)
		case !private(fi):
			return fmt.Errorf("%w: %s in %s, %v", ErrNotPrivate, name, dir, fi.Mode())
		}
	}
	return nil
}
