package disk

import (
	"os"
	"sync"
	"time"
)

// locks are the files of the leases that this process has taken, each with the
// lock of the operating system on it. The lock ends with the process, however
// that ends, so that a lease of the dead delays no other.
type locks struct {
	mu sync.Mutex
	of map[token]*os.File // nil: expected
}

// expect says that a lease is about to be taken. Without a later free the
// expectation stays.
func (l *locks) expect(tok token) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[token]*os.File{}
	}
	l.of[tok] = nil
}

// keep keeps a file, and its lock, until free. A lease that is not expected, or
// no longer, has no lock of ours.
func (l *locks) keep(tok token, file *os.File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, expected := l.of[tok]
	if !expected {
		before = file
	} else {
		l.of[tok] = file
	}
	if before != nil {
		_ = before.Close()
	}
}

// free gives the lock of a lease back; there may be none.
func (l *locks) free(tok token) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if file := l.of[tok]; file != nil {
		_ = file.Close()
	}
	delete(l.of, tok)
}

// close gives all of them back. No operation runs any more.
func (l *locks) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, file := range l.of {
		if file != nil {
			_ = file.Close()
		}
	}
	l.of = nil
}

// locked reports whether a living process has its lock on a generation. It is
// true where that is unknown.
func (s *Store) locked(hash string, g generation) bool {
	if !g.info.Mode().IsRegular() {
		return false
	}
	path := generationPath(hash, g.number)
	file, err := s.files.open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return isLocked(file)
}

// leaseGraceOf is graceOf for a lease without a lock. A time in the future
// belongs to no process that is about to lock it.
func leaseGraceOf(modified, now time.Time) time.Time {
	end := modified.Add(leaseGrace)
	if modified.After(now) || !end.After(now) {
		return time.Time{}
	}
	return end
}
