package disk

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	mrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/filelock"
)

// The pauses of a host are a directory of generations, and so is each lease: see directoryOf. Each
// generation is a file that is created once, with O_EXCL, is never written again, and contains the
// states of all keys. The highest generation is valid. So if several writers change a state, only
// one can write the next generation, and the others read again. Nothing is synced. A killed process
// loses nothing, and a loss of power at worst makes a process ask a site too early.

const (
	// maxHold is the longest time until an obligation ends: cache.MaxHold, plus the tolerated
	// difference of clocks.
	maxHold = cache.MaxHold + time.Minute
	// grace is the time for which no obligation is taken in a directory with a generation that
	// cannot be read. Its writer was killed between creating and writing it, or is about to write it.
	grace = 10 * time.Second
	// leaseGrace is the grace of a lease that its writer has not locked. The writer was killed, or
	// is about to take the lock.
	leaseGrace = 250 * time.Millisecond
	// maxTries is the largest number of attempts at a change if another writer is faster. Each time
	// another writer has made progress.
	maxTries = 64
	// maxPause is the longest wait before a try.
	maxPause = 2 * time.Millisecond
	// maxWaits is the largest number of times that a generation without content is read again,
	// before its writer is treated as killed.
	maxWaits = 4
)

// errBusy reports that all attempts failed because of changes by others.
var errBusy = errors.New("changed again and again")

// errLost reports that another writer was faster.
var errLost = errors.New("another writer was faster")

// FreesLeases implements cache.LeaseStore: where the system locks files, a lease ends with its process.
func (s *Store) FreesLeases() bool { return filelock.Exists }

// Acquire implements cache.ObligationStore. If ctx ends before there is an answer, the obligation may still
// be taken, because a caller without an answer asks the site.
func (s *Store) Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	var tok token
	_, _ = rand.Read(tok[:]) // never fails
	if strings.HasPrefix(key, cache.LeasePrefix) {
		s.locks.expect(tok)
	}
	held, err = s.obligation(ctx, key, func(now time.Time, st *state, pending time.Time) (time.Time, bool) {
		if st.token == tok {
			return time.Time{}, false // written by this call, and kept in the state by another caller's Hold
		}
		if end := st.held(now); !end.IsZero() {
			return end, false
		}
		if !until.After(now) { // a look is not delayed by a write
			return time.Time{}, false
		}
		if !pending.IsZero() {
			return pending, false
		}
		st.taken, st.token = spanOf(now, until), tok
		return time.Time{}, true
	})
	if err != nil || !held.IsZero() {
		s.locks.free(tok) // the work may go on after the caller has left
		return false, held, nil, err
	}
	return true, time.Time{}, sync.OnceFunc(func() { s.release(key, tok) }), nil
}

// Taken implements cache.GlanceStore: a key without a state is free.
func (s *Store) Taken(ctx context.Context, of cache.Store, keys []string) ([]string, error) {
	if of != cache.Store(s) {
		return nil, errors.ErrUnsupported
	}
	return run(ctx, s, nil, func() (taken []string, err error) {
		views := map[string]*view{} // nil: another writer has just changed it
		for _, key := range keys {
			hash := directoryOf(key)
			v, known := views[hash]
			if !known {
				seen, err := s.look(hash, false)
				switch {
				case errors.Is(err, errLost):
				case err != nil:
					return nil, err
				default:
					v = &seen
				}
				views[hash] = v
			}
			if v == nil || v.find(key) != nil {
				taken = append(taken, key)
			}
		}
		return taken, nil
	})
}

// Hold implements cache.ObligationStore.
func (s *Store) Hold(ctx context.Context, key string, until time.Time) error {
	_, err := s.obligation(ctx, key, func(now time.Time, st *state, _ time.Time) (time.Time, bool) {
		cooled := spanOf(now, until)
		if !until.After(now) || !cooled.until.After(st.cooled.until) {
			return time.Time{}, false
		}
		st.cooled = cooled
		return time.Time{}, true
	})
	return err
}

// release gives back the obligation that tok took. A cool-down remains. If there is no answer
// within the budget, the work goes on in the background, and at worst the obligation lasts until
// its end.
func (s *Store) release(key string, tok token) {
	ctx, cancel := context.WithTimeout(context.Background(), cache.StoreBudget)
	defer cancel()
	defer s.locks.free(tok)
	_, _ = s.obligation(ctx, key, func(_ time.Time, st *state, _ time.Time) (time.Time, bool) {
		if st.token != tok {
			return time.Time{}, false
		}
		st.taken, st.token = span{}, token{}
		return time.Time{}, true
	})
}

// edit changes a state and reports whether it did. pending is the time until which another writer
// may be writing a state, so that no obligation is taken. The first result of edit is the answer.
type edit func(now time.Time, st *state, pending time.Time) (answer time.Time, changed bool)

// obligation reads the state of key, calls change, and writes the result.
func (s *Store) obligation(ctx context.Context, key string, change edit) (time.Time, error) {
	hash := directoryOf(key)
	k := s.turns.join(obligationsDir + "/" + hash)
	return run(ctx, s, k, func() (time.Time, error) {
		k.Lock()
		defer k.Unlock()
		waits := 0
		for range maxTries {
			v, err := s.look(hash, strings.HasPrefix(key, cache.LeasePrefix))
			if errors.Is(err, errLost) || err == nil && !v.pending.IsZero() && waits < maxWaits {
				waits++
				pause()
				continue
			}
			if err != nil {
				return time.Time{}, err
			}
			now := s.clock.Now()
			answer, changed, repaired := v.change(key, now, change)
			if !changed && !repaired {
				return answer, nil
			}
			err = s.follow(hash, v)
			if errors.Is(err, errLost) {
				pause()
				continue
			}
			if !changed {
				err = nil // a call that changes nothing must also work without write access
			}
			return answer, err
		}
		return time.Time{}, failed("change", obligationsDir+"/"+hash, errBusy)
	})
}

// pause waits for a random time, so that writers do not collide again.
func pause() { time.Sleep(mrand.N(maxPause)) }

// follow writes the states as the next generation. It returns errLost if another writer has done so.
// That the name was free is not enough, because generations may have been written and removed since
// look. So a writer that finds an unknown generation withdraws its own.
func (s *Store) follow(hash string, v view) error {
	f := &s.files
	next := uint64(1)
	if n := len(v.seen); n > 0 {
		next = v.seen[n-1] + 1
	}
	if next > maxGeneration {
		return failed("create", generationPath(hash, next), cache.ErrCorrupt)
	}
	path := generationPath(hash, next)
	if err := s.writeStates(hash, path, v.states); err != nil {
		return err
	}
	infos, err := s.generations(hash)
	ours := false
	for _, g := range infos {
		ours = ours || g.number == next
		switch {
		case g.number == next:
		case !slices.Contains(v.seen, g.number):
			err = errLost
		case slices.Contains(v.skipped, g.number):
			// Its writer may have finished and checked before this writer began.
			if _, unread := s.readStates(hash, g); unread == nil {
				err = errLost
			}
		}
	}
	if err == nil && !ours {
		err = errLost
	}
	if err != nil {
		_ = f.remove(path)
		return err
	}
	for _, n := range v.seen {
		_ = f.remove(generationPath(hash, n))
	}
	return nil
}

// writeStates creates the file of a generation.
func (s *Store) writeStates(hash, path string, states []state) error {
	f := &s.files
	file, err := f.create(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := f.mkdir(obligationsDir + "/" + hash); err != nil {
			return err
		}
		file, err = f.create(path)
	}
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return errLost
	case err != nil:
		return err
	}
	lease := leaseOf(states)
	if lease != (token{}) {
		lockFile(file) // if this fails, other processes do not wait, which is safe
	}
	err = f.write(path, file, encode(states))
	if lease != (token{}) && err == nil {
		s.locks.keep(lease, file)
		return nil
	}
	if cerr := f.close(path, file); err == nil {
		err = cerr
	}
	if err != nil {
		_ = f.remove(path)
	}
	return err
}

// leaseOf returns the token of a lease, which is alone in its directory; zero if it is not taken or
// the states are pauses.
func leaseOf(states []state) token {
	if len(states) == 1 && strings.HasPrefix(states[0].key, cache.LeasePrefix) {
		return states[0].token
	}
	return token{}
}

// generation is a file in such a directory.
type generation struct {
	number uint64
	info   fs.FileInfo
}

// maxGeneration is the largest number of a generation, which has fifteen digits. Longer names do
// not belong to this package.
const maxGeneration = 999_999_999_999_999

func generationPath(hash string, n uint64) string {
	return obligationsDir + "/" + hash + "/" + strconv.FormatUint(n, 10)
}

// generations returns the generations in a directory, in order. It removes a file in place of the
// directory.
func (s *Store) generations(hash string) ([]generation, error) {
	dir := obligationsDir + "/" + hash
	infos, err := s.files.list(dir)
	if err != nil {
		if fi, lerr := s.files.lstat(dir); lerr != nil || fi.IsDir() {
			return nil, err
		}
		s.corrupt.Add(1)
		return nil, s.files.remove(dir)
	}
	var all []generation
	for _, fi := range infos {
		n, err := strconv.ParseUint(fi.Name(), 10, 64)
		if err == nil && n > 0 && n <= maxGeneration && strconv.FormatUint(n, 10) == fi.Name() {
			all = append(all, generation{n, fi})
		}
	}
	slices.SortFunc(all, func(a, b generation) int {
		if a.number < b.number {
			return -1
		}
		return 1
	})
	return all, nil
}
