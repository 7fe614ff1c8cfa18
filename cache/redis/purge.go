package redis

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
)

// isRefused reports whether an error is the answer of a server that refuses to write.
func isRefused(err error) bool {
	answer, ok := rueidis.IsRedisErr(err)
	return ok && (strings.HasPrefix(answer.Error(), "OOM") || strings.HasPrefix(answer.Error(), "READONLY") || strings.HasPrefix(answer.Error(), "MISCONF"))
}

// Purge implements cache.Purger. It takes one round trip, and for a URL whose origin has a record two
// more. If the scope is more than a URL, its values are deleted in the background, until Close.
func (s *Store) Purge(ctx context.Context, scope cache.Scope) error {
	if resource, one := scope.Resource(); one {
		return s.purgeURL(ctx, resource)
	}
	hash := s.hashOf(scope)
	reply := s.link.do(ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
		return c.Do(ctx, c.B().Unlink().Key(hash).Build())
	})
	if err := reply.Error(); err != nil {
		return failed("purge", hash, err)
	}
	s.sweepSoon(scope)
	return nil
}

// purgeURL ends the answers of a URL, and deletes those of anonymous callers. If the server refuses to
// write, or the origin has too many purged URLs, all answers of the origin end. If there is no record,
// there is no generation in which another process could save a part.
func (s *Store) purgeURL(ctx context.Context, resource string) error {
	_, origin, field := s.hashes(resource)
	name, record := s.name(resource, kindEntry), s.name(cache.RecordKey(resource), kindEntry)
	results, err := s.link.all(ctx, func(ctx context.Context, c rueidis.Client) []rueidis.RedisResult {
		return c.DoMulti(ctx, c.B().Hset().Key(origin).FieldValue().FieldValue(field, newText()).Build(),
			c.B().Pexpire().Key(origin).Milliseconds(milliseconds(originTime)).Build(),
			c.B().Hlen().Key(origin).Build(), c.B().Unlink().Key(name).Build(), c.B().Exists().Key(record).Build())
	})
	if err != nil {
		return failed("purge", name, err)
	}
	if n, err := results[2].AsInt64(); results[0].Error() == nil && err == nil && n <= maxPurged {
		if err := results[3].Error(); err != nil {
			return failed("purge", name, err)
		}
		if n, err := results[4].AsInt64(); n == 0 || err != nil {
			return failed("purge", name, err)
		}
		return s.purgePart(ctx, resource)
	}
	reply := s.link.do(ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
		return c.Do(ctx, c.B().Unlink().Key(origin, name).Build())
	})
	return failed("purge", name, reply.Error())
}

// sweep deletes the values of purged origins in the background. Nothing depends on it: they have ended,
// but take room until then.
type sweep struct {
	mu      sync.Mutex
	running bool
	before  map[originID]time.Time // when an origin was purged; everything has the zero ID
}

const (
	// scanned is the number of keys that the server reads in one step of a sweep.
	scanned = 256
	// maxSwept is the largest number of origins that wait for a sweep. The values of further ones stay
	// until their time is over.
	maxSwept = 4096
)

// sweepSoon deletes the values of a scope that were saved until now.
func (s *Store) sweepSoon(scope cache.Scope) {
	id := originID{}
	if scope != cache.Everything() {
		id = idOf(scope)
	}
	w := &s.sweep
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.before == nil {
		w.before = map[originID]time.Time{}
	}
	if len(w.before) < maxSwept {
		w.before[id] = s.clock.Now()
	}
	if !w.running {
		w.running = s.link.background(s.sweepAll)
	}
}

// sweepAll sweeps until no origin waits.
func (s *Store) sweepAll() {
	w := &s.sweep
	for {
		w.mu.Lock()
		before := w.before
		w.before = nil
		w.running = len(before) > 0
		w.mu.Unlock()
		if len(before) == 0 {
			return
		}
		for cursor, more := uint64(0), true; more; more = cursor != 0 {
			var err error
			if cursor, err = s.sweepSome(before, cursor); err != nil {
				break
			}
		}
	}
}

// sweepSome makes one step of a sweep, and returns the cursor of the next one, which is 0 at the end.
func (s *Store) sweepSome(before map[originID]time.Time, cursor uint64) (next uint64, err error) {
	pattern := escaped(s.prefix+strconv.Itoa(s.entries)+":") + "{*}:" + string(kindEntry)
	reply := s.link.do(s.link.ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
		return c.Do(ctx, c.B().Scan().Cursor(cursor).Match(pattern).Count(scanned).Build())
	})
	found, err := reply.AsScanEntry()
	if err != nil || len(found.Elements) == 0 {
		return found.Cursor, err
	}
	heads, err := s.link.all(s.link.ctx, func(ctx context.Context, c rueidis.Client) []rueidis.RedisResult {
		var todo []rueidis.Completed
		for _, name := range found.Elements {
			todo = append(todo, c.B().Getrange().Key(name).Start(int64(originAt)).End(int64(retainAt-1)).Build())
		}
		return c.DoMulti(ctx, todo...)
	})
	if err != nil {
		return 0, err
	}
	var over []string
	for i, head := range heads {
		text, err := head.ToString()
		if err != nil || len(text) != retainAt-originAt {
			continue
		}
		saved := timeAt([]byte(text[savedAt-originAt:]))
		if isSwept(before, originID([]byte(text)[:savedAt-originAt]), saved) || isSwept(before, originID{}, saved) {
			over = append(over, found.Elements[i])
		}
	}
	if len(over) > 0 {
		reply := s.link.do(s.link.ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
			return c.Do(ctx, c.B().Unlink().Key(over...).Build())
		})
		err = reply.Error()
	}
	return found.Cursor, err
}

func isSwept(before map[originID]time.Time, id originID, saved time.Time) bool {
	purged, is := before[id]
	return is && !saved.After(purged)
}

var patternEscapes = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`)

// escaped returns a pattern of SCAN that matches only the text.
func escaped(text string) string {
	return patternEscapes.Replace(text)
}
