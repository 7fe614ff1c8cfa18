package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
)

// Each value of an entry has a generation. A Load that finds no value begins a generation by a
// value without entries. A Save with a generation replaces only a value of that generation. So a
// Purge only has to delete values: the generation of an answer that was asked for before does not
// exist any more, which is also so if the server has evicted the value.

// markTime is the time for which a value without entries is kept. An answer that takes longer is
// not saved.
const markTime = 10 * time.Minute

func newGeneration() string { return rand.Text()[:generationSize] }

// begin begins a generation of a key that has no value, and returns the new value. If another
// caller was faster, it returns the value of the other caller.
func (s *Store) begin(ctx context.Context, name, key string) ([]byte, error) {
	data, err := nothing(key)
	if err != nil {
		return nil, err
	}
	value := s.seal(name, key, newGeneration(), data, markTime)
	reply := s.link.do(ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
		return c.Do(ctx, c.B().Set().Key(name).Value(rueidis.BinaryString(value)).Nx().PxMilliseconds(milliseconds(markTime)).Build())
	})
	switch err := reply.Error(); {
	case rueidis.IsRedisNil(err):
		return s.get(ctx, name)
	case isRefused(err):
		return nil, nil // the server is full or read-only, which is a miss
	default:
		return value, err
	}
}

// Generation implements cache.GenerationStore. It takes one round trip, or two if the resource of the
// key has no value.
func (s *Store) Generation(ctx context.Context, key string) (string, error) {
	key = cache.ResourceOf(key)
	name := s.name(key, kindEntry)
	text, err := s.link.do(ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
		return c.Do(ctx, c.B().Getrange().Key(name).Start(int64(generationAt)).End(int64(originAt-1)).Build())
	}).ToString()
	if text == "" && err == nil {
		var value []byte
		if value, err = s.begin(ctx, name, key); len(value) >= originAt {
			text = string(value[generationAt:originAt])
		}
	}
	if err != nil || len(text) < generationSize {
		return "", failed("load", name, err)
	}
	return text, nil
}

// nothing returns the content of a value without entries.
func nothing(key string) ([]byte, error) {
	if cache.IsRecordKey(key) {
		return new(cache.Record).MarshalBinary()
	}
	return new(cache.Variants).MarshalBinary()
}

// isRefused reports whether an error is the answer of a server that refuses to write.
func isRefused(err error) bool {
	answer, ok := rueidis.IsRedisErr(err)
	return ok && (strings.HasPrefix(answer.Error(), "OOM") || strings.HasPrefix(answer.Error(), "READONLY") || strings.HasPrefix(answer.Error(), "MISCONF"))
}

// scanned is the number of keys that the server reads in one step of a Purge.
const scanned = 256

// Purge implements cache.Purger. If the scope is more than a URL, it reads every key of the server.
func (s *Store) Purge(ctx context.Context, scope cache.Scope) error {
	if resource, one := scope.Resource(); one {
		return errors.Join(s.Delete(ctx, resource), s.purgePart(ctx, resource))
	}
	origin := ""
	if scope != cache.Everything() {
		id := idOf(scope)
		origin = string(id[:])
	}
	pattern := escaped(s.prefix+strconv.Itoa(s.entries)+":") + "{*}:" + string(kindEntry)
	for cursor, more := uint64(0), true; more; more = cursor != 0 {
		reply := s.link.do(ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
			return c.Do(ctx, c.B().Scan().Cursor(cursor).Match(pattern).Count(scanned).Build())
		})
		found, err := reply.AsScanEntry()
		if err == nil && len(found.Elements) > 0 {
			_, err = s.script(ctx, s.scripts.purge, found.Elements, []string{origin})
		}
		if err != nil {
			return failed("purge", pattern, err)
		}
		cursor = found.Cursor
	}
	return nil
}

var patternEscapes = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`)

// escaped returns a pattern of SCAN that matches only the text.
func escaped(text string) string {
	return patternEscapes.Replace(text)
}
