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
	// staleTemporary is the age at which a temporary file is treated as abandoned.
	staleTemporary = time.Hour
	// afterEnd is the time for which an ended entry is kept, so that a clock that was set forward
	// for a while does not empty the directory.
	afterEnd = 48 * time.Hour
	// tidyEvery is the time between two searches for leftovers.
	tidyEvery = time.Hour
	// Shares of Options.MaxBytes. A sweep leaves 90 %. This process counts again after it has
	// written an eighth, because other processes write, too. If the last sweep could not make room,
	// it counts again after it has written a twentieth.
	keepPercent  = 90
	recountShare = 8
	retryShare   = 20
)

// aged is an entry file in a sweep. Its modification time is the end of the entry.
type aged struct {
	path string
	info fs.FileInfo
	size int64 // with its parts
}

// justMade is the age from which a file that is being written must be locked.
const justMade = 2 * time.Second

// trim makes room if the entries may exceed the limit. Only one caller at a time makes room. It
// takes new entries of the others into account.
func (s *Store) trim() {
	made := false
	for s.crowded() && s.sweeping.TryLock() {
		s.shrink()
		s.sweeping.Unlock()
		made = true
	}
	if made && s.untidy() && s.tidying.TryLock() {
		defer s.tidying.Unlock()
		s.tidy()
	}
}

// crowded reports whether the entries may exceed the limit.
func (s *Store) crowded() bool {
	unseen := s.unseen.Load()
	return unseen > s.max/recountShare || s.bytes.Load() > s.max && unseen > s.max/retryShare
}

// untidy reports whether it is time to look for leftovers. It also returns true after the clock was
// set back.
func (s *Store) untidy() bool {
	return s.clock.Now().Sub(time.Unix(s.tidied.Load(), 0)).Abs() >= tidyEvery
}

// sweep makes room and removes leftovers. A file that cannot be removed is left for the next sweep.
func (s *Store) sweep() {
	s.shrink()
	s.tidy()
}

// tidy removes abandoned temporary files, past obligations and ended entries of other schemas. It
// reads every obligation, so it is not a part of shrink: with thousands of obligations, entries
// written meanwhile would exceed the size of the store.
func (s *Store) tidy() {
	s.tidied.Store(s.clock.Now().Unix())
	s.sweepSchemas()
	s.sweepTemporary()
	s.sweepParts()
	s.sweepGenerations()
	s.sweepObligations()
}

// shrink counts the entries again. It removes ended entries, and others until the limit is kept.
func (s *Store) shrink() {
	s.unseen.Store(0)
	before := s.bytes.Load()
	var all []aged
	var total int64
	for a := range s.walk(s.entries) {
		all = append(all, a)
		total += a.size
	}
	s.bytes.Add(total - before) // an entry written meanwhile may be counted twice
	s.evict(all, total)
}

// evict removes entries, first those written with a clock that was far ahead, then those that end
// soonest.
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

// sweepSchemas removes the ended entries of other schemas, because perhaps no version that reads
// them will run here again. The other entries belong to those versions.
func (s *Store) sweepSchemas() {
	limit := s.clock.Now().Add(-afterEnd)
	for dir, fi := range s.others() {
		if left := s.sweepSchema(dir, limit); left == 0 && fi.ModTime().Before(limit) {
			s.unfurnish(dir)
		}
	}
}

// sweepSchema removes the entries in a directory that ended before a limit, and returns the number
// of entries that are left.
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

// unfurnish removes an empty directory of entries, so that the next sweep need not read it. A
// version that writes there makes it again.
func (s *Store) unfurnish(dir string) {
	for _, shard := range append(s.shards(dir), dir) {
		_ = s.files.remove(shard) // fails if something else is in it
	}
}

// walk yields the entry files in a directory of entries. Other names are ignored.
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

// shards returns the directories with the files of entries.
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

// isHash reports whether a name has the form of a result of hashOf.
func isHash(name string) bool { return len(name) == 64 && strings.Trim(name, hexDigits) == "" }

const hexDigits = "0123456789abcdef"

// sweepTemporary removes temporary files of killed writers, whose locks ended with them. On a
// system without locks, it removes them when they are older than staleTemporary. For other names it
// uses the modification time.
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

// abandoned reports whether no process has the lock of a file. It returns false if that is not
// known.
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

// sweepObligations removes the directories whose last obligation ended more than afterEnd ago.
func (s *Store) sweepObligations() {
	limit := s.clock.Now().Add(-afterEnd)
	for _, hash := range s.obligations() {
		s.turns.alone(obligationsDir+"/"+hash, func() {
			v, err := s.look(hash, false)
			if err != nil || !v.end().Before(limit) || len(v.skipped) > 0 && !v.newest.Before(limit) {
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

// obligations returns the names of the directories of obligations.
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
