package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
)

// An obligation consists of two keys that expire: "taken", with the token of its holder, and
// "held", which cannot be given back. Scripts read both at once. All times are remaining times in
// milliseconds, so that only the clock of the server is used. A key that never expires is not from
// this package and is ignored.

// maxHold is the longest time until an obligation ends: cache.MaxHold, plus the tolerated
// difference of clocks.
const maxHold = cache.MaxHold + time.Minute

// scripts change several keys, or one key under a condition, in one round trip.
type scripts struct {
	acquire, release, hold, update *rueidis.Lua
}

func newScripts() scripts {
	return scripts{
		// KEYS taken, held; ARGV token, milliseconds (0 takes nothing). The answer is the time for
		// which another caller still has it, or 0 if it was free.
		acquire: script(`
local left = math.max(redis.call('PTTL', KEYS[1]), redis.call('PTTL', KEYS[2]))
if left > 0 then return left end
if tonumber(ARGV[2]) > 0 then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 0`),
		// KEYS taken; ARGV token.
		release: script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`),
		// KEYS held; ARGV milliseconds.
		hold: script(`
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
return 0`),
		// KEYS record; ARGV MAC of the replaced record, value (empty to delete), milliseconds.
		// A value of another type has no MAC.
		update: script(fmt.Sprintf(`
local have = redis.pcall('GETRANGE', KEYS[1], %d, %d)
if type(have) ~= 'string' then have = '' end
if have ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('UNLINK', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`, macAt, generationAt-1)),
	}
}

// script returns a script that the server names: its SHA-1 is not computed here, where FIPS 140 may forbid
// that (GODEBUG=fips140=only).
func script(text string) *rueidis.Lua { return rueidis.NewLuaScript(text, rueidis.WithLoadSHA1(true)) }

// Acquire implements cache.ObligationStore. If ctx ends before there is an answer, the obligation may still
// be taken, because a caller without an answer asks the site.
func (s *Store) Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	taken, token := s.name(key, kindTaken), rand.Text()
	now := s.clock.Now()
	ms, err := s.script(ctx, s.scripts.acquire, []string{taken, s.name(key, kindHeld)}, []string{token, left(now, until)})
	switch {
	case err != nil:
		return false, time.Time{}, nil, failed("acquire", taken, err)
	case ms > 0:
		return false, now.Add(time.Duration(ms) * time.Millisecond), nil, nil
	}
	return true, time.Time{}, sync.OnceFunc(func() { s.release(taken, token) }), nil
}

// maxTaken is the largest number of names in one command, because its reply has an element for
// each.
const maxTaken = maxElements / 2

// Taken implements cache.GlanceStore, in one round trip for 256 keys. A key without a
// value is free.
func (s *Store) Taken(ctx context.Context, of cache.Store, keys []string) (taken []string, err error) {
	if of != cache.Store(s) {
		return nil, errors.ErrUnsupported
	}
	for some := range slices.Chunk(keys, maxTaken/2) {
		names := make([]string, 0, 2*len(some))
		for _, key := range some {
			names = append(names, s.name(key, kindTaken), s.name(key, kindHeld))
		}
		values, err := s.link.do(ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
			return c.Do(ctx, c.B().Mget().Key(names...).Build())
		}).ToArray()
		if err == nil && len(values) != len(names) {
			err = errReply
		}
		if err != nil {
			return nil, failed("acquire", names[0], err)
		}
		for i, key := range some {
			if !values[2*i].IsNil() || !values[2*i+1].IsNil() {
				taken = append(taken, key)
			}
		}
	}
	return taken, nil
}

// Hold implements cache.ObligationStore.
func (s *Store) Hold(ctx context.Context, key string, until time.Time) error {
	name := s.name(key, kindHeld)
	now := s.clock.Now()
	if !until.After(now) {
		return s.link.err()
	}
	_, err := s.script(ctx, s.scripts.hold, []string{name}, []string{left(now, until)})
	return failed("hold", name, err)
}

// release gives back the obligation that token took. If there is no answer within the budget, the
// obligation may last until its end.
func (s *Store) release(name, token string) {
	ctx, cancel := context.WithTimeout(context.Background(), max(s.budget, cache.StoreBudget))
	defer cancel()
	_, _ = s.script(ctx, s.scripts.release, []string{name}, []string{token})
}

// script runs a script, by its hash if the server has it.
func (s *Store) script(ctx context.Context, script *rueidis.Lua, names, args []string) (int64, error) {
	return s.link.do(ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
		return script.Exec(ctx, c, names, args)
	}).AsInt64()
}

// left returns the time until an end, in milliseconds. It is "0" if the end is over.
func left(now, until time.Time) string {
	return strconv.FormatInt(milliseconds(max(min(until.Sub(now), maxHold), 0)), 10)
}
