package disk

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/filelock"
)

// A Purge begins a generation of a URL, of an origin, or of all: a small file with a random text,
// in place of the one before. Without a Purge there is none. Then the Purge removes the entries.
//
// A Save has the texts that its Load found, and is done only if they are the present ones. While it
// compares them and renames the file, it holds a shared lock, and a Purge holds the lock
// exclusively. So no process can save between a Purge and the removal. The texts need not be kept
// as long as an entry, but only longer than the time between Load and Save: a Save later than
// maxAsking after its Load is not done.
const (
	generationSize = 16
	// maxAsking is the longest time between a Load and the Save of an answer that was asked for
	// after it.
	maxAsking = time.Hour
)

// generation returns the present generation of a key. It is empty if there was no Purge.
func (s *Store) generation(key string) string {
	if !s.files.isDir(generationsDir) {
		return ""
	}
	var b strings.Builder
	for _, scope := range cache.ScopesOf(key) {
		text := s.readGeneration(pathOfGeneration(scope))
		if b.WriteString(text); text == "" {
			b.WriteByte('-')
		}
	}
	if b.Len() == 3 {
		return ""
	}
	return b.String()
}

// Generation implements cache.GenerationStore.
func (s *Store) Generation(ctx context.Context, key string) (string, error) {
	return run(ctx, s, nil, func() (string, error) { return "g" + s.generation(key), nil })
}

// pathOfGeneration returns the path of the file of a scope. For a URL, the file has the same name
// as its entry.
func pathOfGeneration(scope cache.Scope) string {
	name, one := scope.Resource()
	if !one {
		name = scope.String()
	}
	return generationsDir + "/" + hashOf(name)
}

// readGeneration returns the text of a generation, or "" if there is none. If it cannot be read,
// the text is random, so that it equals no other.
func (s *Store) readGeneration(path string) string {
	file, err := s.files.open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return rand.Text()[:generationSize]
	}
	defer file.Close()
	text := make([]byte, generationSize)
	switch err := s.files.read(path, file, text); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return cutOff
	case err != nil:
		return rand.Text()[:generationSize]
	}
	return string(text)
}

// cutOff replaces a generation that a loss of power has cut off.
const cutOff = "?"

// isOver reports whether a Purge of a URL has ended the entry of a partition. Such a Purge removes
// only the entry of anonymous callers.
func (s *Store) isOver(r *record) bool {
	return cache.ResourceOf(r.key) != r.key && s.generation(r.key) != r.generation
}

// stamp is the suffix of a stamped generation for one second.
type stamp struct {
	second int64
	text   string
}

// stamped returns a generation with the time, in the form that Load returns.
func (s *Store) stamped(generation string) string {
	second := int64(s.clock.Mono() / time.Second)
	last := s.stamp.Load()
	if last == nil || last.second != second {
		last = &stamp{second, "@" + strconv.FormatInt(second, 36)}
		s.stamp.Store(last)
	}
	return generation + last.text
}

// errOver is the error of a Save in a generation that has ended.
var errOver = errors.New("a Purge came between")

// within does work while no Purge can begin, if the given generation of a key is the present one.
// Otherwise it returns errOver.
func (s *Store) within(key, generation string, work func() error) error {
	s.order.RLock()
	defer s.order.RUnlock()
	lock, err := s.lock(filelock.Shared)
	if err != nil {
		return err
	}
	defer lock.Close()
	if s.generation(key) != generation {
		return errOver
	}
	return work()
}

// maxLocks is the largest number of attempts to take the lock. It is held only for the time of a
// rename.
const maxLocks = 256

// lock locks the directory against other processes. The caller holds order, so that calls of this
// process wait for each other without attempts, however many they are. On a system without locks, another process may save between a Purge and
// the removal.
func (s *Store) lock(how func(*os.File) error) (*os.File, error) {
	file, err := s.files.open(layoutDir)
	if err != nil {
		return nil, err
	}
	for range maxLocks {
		if err = how(file); !filelock.Held(err) {
			return file, nil
		}
		pause()
	}
	_ = file.Close()
	return nil, failed("lock", layoutDir, err)
}

// counts reports whether an entry of a stamped generation may be saved in the present one. If
// stamped is empty, it may.
func (s *Store) counts(stamped, present string) bool {
	if stamped == "" {
		return true
	}
	then, at, _ := strings.Cut(stamped, "@")
	second, err := strconv.ParseInt(at, 36, 64)
	return err == nil && then == present && s.clock.Mono()-time.Duration(second)*time.Second <= maxAsking
}

// Purge implements cache.Purger.
func (s *Store) Purge(ctx context.Context, scope cache.Scope) error {
	if err := s.begin(ctx, scope); err != nil {
		return err
	}
	if resource, one := scope.Resource(); one {
		return errors.Join(s.Delete(ctx, resource), s.purgePart(ctx, resource))
	}
	_, err := s.remove(ctx, func(r *record) bool { return scope.Covers(r.key) })
	return err
}

// begin begins a generation. The file is not synced, because no Save from before survives a loss of
// power.
func (s *Store) begin(ctx context.Context, scope cache.Scope) error {
	path := pathOfGeneration(scope)
	return s.replace(ctx, path, func() error {
		tmp := s.temporary()
		if err := s.writeGeneration(tmp); err != nil {
			_ = s.files.remove(tmp)
			return err
		}
		s.order.Lock()
		defer s.order.Unlock()
		lock, err := s.lock(filelock.Exclusive)
		if err == nil {
			defer lock.Close()
			err = s.files.rename(tmp, path)
		}
		if err != nil {
			_ = s.files.remove(tmp)
		}
		return err
	})
}

func (s *Store) writeGeneration(tmp string) error {
	if err := s.files.mkdir(generationsDir); err != nil {
		return err
	}
	file, err := s.files.create(tmp)
	if err != nil {
		return err
	}
	err = s.files.write(tmp, file, []byte(rand.Text()[:generationSize]))
	if cerr := s.files.close(tmp, file); err == nil {
		err = cerr
	}
	return err
}

// sweepGenerations removes generations that began more than afterEnd ago and whose URL has no
// entry. It keeps the generation of all entries.
func (s *Store) sweepGenerations() {
	limit, all := s.clock.Now().Add(-afterEnd), pathOfGeneration(cache.Everything())
	infos, _ := s.files.list(generationsDir)
	for _, fi := range infos {
		name := fi.Name()
		if !isHash(name) || !fi.ModTime().Before(limit) || generationsDir+"/"+name == all {
			continue
		}
		if _, err := s.files.lstat(s.entries + "/" + name[:2] + "/" + name); errors.Is(err, fs.ErrNotExist) {
			_ = s.files.removeAll(generationsDir + "/" + name)
		}
	}
}
