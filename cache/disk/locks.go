package disk

import (
	"os"
	"sync"
	"time"
)

// locks are the files of the leases that this process has taken, each locked by the operating
// system. The lock ends with the process, however that ends, so that its leases do not delay other
// processes.
type locks struct {
	mu sync.Mutex
	of map[token]*os.File // nil if the lease is expected
}

// expect records that a lease is about to be taken. The record stays until free.
func (l *locks) expect(tok token) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[token]*os.File{}
	}
	l.of[tok] = nil
}

// keep keeps a file, and its lock, until free. If the lease is not expected any more, it closes the
// file.
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

// free releases the lock of a lease, if there is one.
func (l *locks) free(tok token) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if file := l.of[tok]; file != nil {
		_ = file.Close()
	}
	delete(l.of, tok)
}

// close releases all locks. No operation may be running.
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

// locked reports whether a running process has its lock on a generation. It returns true if that is
// not known.
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

// leaseGraceOf is graceOf for a lease without a lock. If the time is in the future, no process is
// about to lock it.
func leaseGraceOf(modified, now time.Time) time.Time {
	end := modified.Add(leaseGrace)
	if modified.After(now) || !end.After(now) {
		return time.Time{}
	}
	return end
}
