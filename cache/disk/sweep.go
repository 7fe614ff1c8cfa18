package disk

import (
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// staleTemporary is the age at which a file that is being written has no
	// writer any more.
	staleTemporary = time.Hour
	// afterEnd is how long an ended entry stays, so that a clock that was set
	// forward for a while does not empty the directory.
	afterEnd = 48 * time.Hour
	// tidyEvery is how often leftovers are looked for.
	tidyEvery = time.Hour
	// Shares of Options.MaxBytes. A sweep leaves 90 %. This process walks again
	// once it has written an eighth, since others write too; and once it has
	// written a twentieth if the last sweep could not make room.
	keepPercent  = 90
	recountShare = 8
	retryShare   = 20
)

// aged is an entry file as a sweep sees it. Its modification time is when it
// ends.
type aged struct {
	path string
	info fs.FileInfo
	size int64 // with its parts
}

// justMade is the age at which a file that is being written has its lock.
const justMade = 2 * time.Second

// trim makes room when there may be too much. One caller at a time does. The
// others go on, and this one takes their new entries into account.
func (s *Store) trim() {
	made := false
	for s.crowded() && s.sweeping.TryLock() {
		s.makeRoom()
		s.sweeping.Unlock()
		made = true
	}
	if made && s.untidy() && s.tidying.TryLock() {
		defer s.tidying.Unlock()
		s.tidy()
	}
}

// crowded reports whether there may be too much.
func (s *Store) crowded() bool {
	unseen := s.unseen.Load()
	return unseen > s.max/recountShare || s.bytes.Load() > s.max && unseen > s.max/retryShare
}

// untidy reports whether it is time to look for leftovers. A clock that was set
// back makes it so, too.
func (s *Store) untidy() bool {
	return s.clock.Now().Sub(time.Unix(s.tidied.Load(), 0)).Abs() >= tidyEvery
}

// sweep makes room and removes leftovers. A file that cannot be removed stays
// for the next sweep.
func (s *Store) sweep() {
	s.makeRoom()
	s.tidy()
}

// tidy removes abandoned temporary files, past obligations and ended entries of
// other schemas. It looks at every obligation, so it is no part of making room:
// with thousands of obligations, entries written meanwhile would exceed the
// size of the store.
func (s *Store) tidy() {
	s.tidied.Store(s.clock.Now().Unix())
	s.sweepSchemas()
	s.sweepTemporary()
	s.sweepParts()
	s.sweepGenerations()
	s.sweepObligations()
}

// makeRoom counts the entries anew, and removes those that have ended and as
// many others as exceed the limit.
func (s *Store) makeRoom() {
	s.unseen.Store(0)
	before := s.bytes.Load()
	var all []aged
	var total int64
	for a := range s.walk(s.entries) {
		all = append(all, a)
		total += a.size
	}
	s.bytes.Add(total - before) // an entry written meanwhile may count twice
	s.evict(all, total)
}

// evict removes entries, first those written by a clock that was far ahead,
// then those that end soonest.
func (s *Store) evict(all []aged, total int64) {
	now := s.clock.Now()
	foreign := now.Add(maxRetain + futureSlack)
	rank := func(a aged) time.Time {
		if end := a.info.ModTime(); end.Before(foreign) {
			return end
		}
		return time.Time{}
	}
	slices.SortFunc(all, func(a, b aged) int { return rank(a).Compare(rank(b)) })
	goal := s.max
	if total > s.max {
		goal = s.max / 100 * keepPercent
	}
	for _, a := range all {
		past := a.info.ModTime().Before(now.Add(-afterEnd))
		if total <= goal && !past {
			if rank(a).IsZero() {
				continue // sorted first, and ending later than all
			}
			return
		}
		if s.discard(a.path, a.info) && a.info.ModTime().After(now) {
			s.evictions.Add(1)
		}
		total -= a.size
	}
}

// sweepSchemas removes the ended entries of other schemas: perhaps no version
// that knows them will ever run here again. The rest belongs to those versions.
func (s *Store) sweepSchemas() {
	limit := s.clock.Now().Add(-afterEnd)
	for dir, fi := range s.others() {
		if left := s.sweepSchema(dir, limit); left == 0 && fi.ModTime().Before(limit) {
			s.unfurnish(dir)
		}
	}
}

// sweepSchema removes the entries in a directory that ended before a limit, and
// returns how many are left.
func (s *Store) sweepSchema(dir string, limit time.Time) (left int) {
	for a := range s.walk(dir) {
		if !a.info.ModTime().Before(limit) || s.files.remove(a.path) != nil {
			left++
			continue
		}
		_ = s.files.removeAll(a.path + partsEnd)
	}
	return left
}

// unfurnish removes a directory of entries that is empty, so that the next sweep
// need not look. A version that writes there makes it anew.
func (s *Store) unfurnish(dir string) {
	for _, shard := range append(s.shards(dir), dir) {
		_ = s.files.remove(shard) // unless something else is in it
	}
}

// walk yields the entry files in a directory of entries. Names that are not ours
// are left alone.
func (s *Store) walk(entries string) iter.Seq[aged] {
	return func(yield func(aged) bool) {
		for _, shard := range s.shards(entries) {
			infos, _ := s.files.list(shard)
			parts := map[string]int64{}
			for _, fi := range infos {
				if hash, is := strings.CutSuffix(fi.Name(), partsEnd); is && isHash(hash) && fi.IsDir() {
					parts[hash] = s.sizeOfParts(shard + "/" + fi.Name())
				}
			}
			for _, fi := range infos {
				if isHash(fi.Name()) && fi.Mode().IsRegular() && !yield(aged{shard + "/" + fi.Name(), fi, fi.Size() + parts[fi.Name()]}) {
					return
				}
			}
		}
	}
}

// shards are the directories that the files of entries are in.
func (s *Store) shards(entries string) []string {
	var dirs []string
	infos, _ := s.files.list(entries)
	for _, fi := range infos {
		if fi.IsDir() && len(fi.Name()) == 2 {
			dirs = append(dirs, entries+"/"+fi.Name())
		}
	}
	slices.Sort(dirs)
	return dirs
}

// isHash reports whether a name is one that hashOf gives.
func isHash(name string) bool { return len(name) == 64 && strings.Trim(name, hexDigits) == "" }

const hexDigits = "0123456789abcdef"

// sweepTemporary removes temporary files of killed writers, whose locks ended with
// them. Without locks it waits. A name that is not ours is judged by its modification
// time.
func (s *Store) sweepTemporary() {
	now := s.clock.Now()
	infos, _ := s.files.list(temporaryDir)
	for _, fi := range infos {
		path, made, ours := temporaryDir+"/"+fi.Name(), fi.ModTime(), false
		first, _, _ := strings.Cut(fi.Name(), "-")
		if seconds, err := strconv.ParseInt(first, 10, 64); err == nil {
			made, ours = time.Unix(seconds, 0), true
		}
		age := now.Sub(made).Abs()
		if age > staleTemporary || ours && age > justMade && s.abandoned(path, fi) {
			_ = s.files.removeAll(path)
		}
	}
}

// abandoned reports whether no process has the lock of a file. It is false where that
// is unknown.
func (s *Store) abandoned(path string, fi fs.FileInfo) bool {
	if !fi.Mode().IsRegular() {
		return false
	}
	file, err := s.files.open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return !isLocked(file)
}

// sweepObligations removes those that have ended long ago.
func (s *Store) sweepObligations() {
	limit := s.clock.Now().Add(-afterEnd)
	for _, hash := range s.obligations() {
		s.turns.alone(obligationsDir+"/"+hash, func() {
			v, err := s.look(hash, false)
			if err != nil || !v.state.end().Before(limit) || len(v.skipped) > 0 && !v.newest.Before(limit) {
				return
			}
			for _, n := range v.seen {
				if s.files.removeAll(generationPath(hash, n)) != nil {
					return
				}
			}
			_ = s.files.remove(obligationsDir + "/" + hash)
		})
	}
}

// obligations are the names of the directories of obligations.
func (s *Store) obligations() []string {
	var hashes []string
	infos, _ := s.files.list(obligationsDir)
	for _, fi := range infos {
		if isHash(fi.Name()) && fi.IsDir() {
			hashes = append(hashes, fi.Name())
		}
	}
	slices.Sort(hashes)
	return hashes
}
