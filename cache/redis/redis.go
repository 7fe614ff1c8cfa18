// Package redis keeps responses and obligations in a Redis server, which
// processes on many machines may share.
//
//	store, err := redis.Open("rediss://user:password@cache.internal:6379/0", &redis.Options{Key: key})
//	if err != nil { ... }
//	defer store.Close()
//	c, err := client.New(&client.Options{Store: store})
//
// # Promises
//
//   - The server is not trusted. A value is used only if it contains an
//     HMAC-SHA-256, with a key of the caller, over the version, the name in
//     Redis, the full key, the times and the bytes of the entries. Any other
//     value (altered, moved to another key, cut, of another type, too large) is
//     an error that wraps cache.ErrCorrupt, which a caller treats as a miss.
//     No more than Options.MaxBytes of a value are read, and no memory is
//     allocated for more, even if the server announces more.
//   - Obligations are kept by the server's clock, as remaining times: clocks of
//     processes may differ. They have no MAC. A party with write access to the
//     server can release them, so that a site is asked too early, or take them,
//     so that a site is not asked for at most a day.
//   - Open sends nothing, and no call waits for a connection longer than its
//     context. A connection that is lost, or silent for two seconds, is
//     replaced. No call is repeated.
//   - Several versions of this package may share the server. Each keeps its
//     own entries (cache.Schema). Obligations are common to all.
//   - A Purge ends entries for all processes, including answers that were asked for
//     before it and are saved later. It takes one command, or two for a URL of an origin with a
//     record. The values of an origin are deleted in the background, until Close.
//   - Entries that this Store has saved age even if the clock is set back.
//   - It is a shared cache (RFC 9111): [Store.Shared] makes package cache keep
//     entries for one user out of it.
//
// The package speaks with one server, or with a service that behaves like one. The redirects of a
// cluster are errors.
package redis

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

// From is the value of Variants.From for entries of a Store.
const From = "redis"

// Defaults and limits.
const (
	// defaultPrefix is the default prefix of every key in Redis.
	defaultPrefix = "wayfind:"
	// DefaultBytes is the default of Options.MaxBytes.
	DefaultBytes = 16 << 20
	// MinKey is the smallest number of bytes of a key for the MAC, which is the length of the MAC
	// (RFC 2104 §3).
	MinKey = 32
)

// Reasons why Open returns an error, for errors.Is.
var (
	// ErrNoKey reports that Options.Key is missing and
	// Options.InsecureUnauthenticated is not set.
	ErrNoKey = errors.New("redis: no key to authenticate entries with: set Options.Key, or Options.InsecureUnauthenticated")
	// ErrShortKey reports that a key is shorter than MinKey.
	ErrShortKey = fmt.Errorf("redis: a key has less than %d bytes", MinKey)
)

// Errors of single calls, for errors.Is.
var (
	// ErrTooLarge reports that the entries are larger than Options.MaxBytes.
	ErrTooLarge = errors.New("too large")
	// ErrUnavailable reports that there is no connection, and that an attempt to connect has just
	// failed.
	ErrUnavailable = errors.New("not connected")
)

// Options are the options of a Store. Key or InsecureUnauthenticated is required. The rest is
// optional.
type Options struct {
	// Key authenticates entries. It has at least MinKey bytes and is known only
	// to processes that may write answers. All processes of a fleet have the
	// same key.
	Key []byte
	// OldKeys are accepted for reading, so that Key can be changed. First add the new key to
	// OldKeys everywhere, then swap the two, then remove the old key.
	OldKeys [][]byte
	// InsecureUnauthenticated permits a store without Key. Then any party with write access to the
	// server decides which answers all processes use. It is for a server that no other program can
	// reach.
	InsecureUnauthenticated bool
	// Prefix is the prefix of all keys in Redis. If it is empty, the prefix in the URL is used, or
	// "wayfind:" if the URL has none. An ACL can be limited to it.
	Prefix string
	// MaxBytes is the largest size of a value that is read or written, in bytes. Zero means
	// DefaultBytes. A negative value is an error.
	MaxBytes int64
	// Budget is the time limit for one call that a caller waits for. It begins when the call has
	// its place on the connection. Zero means cache.StoreBudget, 500 ms, which is suitable for a
	// server nearby. After three calls in a row without any sign of the server it is asked only once
	// a second.
	Budget time.Duration
	// TLS replaces the defaults of rediss:// (TLS 1.2 and above, the system's authorities). With
	// other schemes it is an error. It is copied.
	TLS *tls.Config
	// Now returns the time, for tests. Nil means [time.Now].
	Now func() time.Time
}

// Error is the error of a failed call.
type Error struct {
	// Op is "load", "save", "delete", "purge", "acquire", "release" or "hold".
	Op string
	// Name is the name of the key in Redis.
	Name string
	// Err is the cause, such as ErrTooLarge or an error that wraps cache.ErrCorrupt.
	Err error
}

// Error returns a text with call, key and cause.
func (e *Error) Error() string { return fmt.Sprintf("redis: %s %s: %v", e.Op, e.Name, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// MarshalJSON returns the error as an object: op, name, and message, which is the text of Error.
func (e *Error) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"op": e.Op, "name": e.Name, "message": e.Error()})
}

// Store implements [cache.Store], [cache.SharedStore], [cache.PatientStore] and
// [cache.Purger]. It is safe for concurrent use.
type Store struct {
	link    *link
	id      storeID
	sealer  sealer
	prefix  string
	entries int // schema of the entries
	max     int64
	budget  time.Duration
	clock   *clock.Clock
	scripts scripts
	sweep   sweep
	corrupt atomic.Uint64
}

// Stats contains counts of the events of a Store since Open.
type Stats struct {
	// Corrupt is the number of values that differed from the values that were saved.
	Corrupt uint64
	// Connections is the number of connections that were made.
	Connections uint64
}

// Open returns a store in the Redis server of a URL:
//
//	redis://[user[:password]@]host[:port][/db]       plain TCP
//	rediss://…                                       TLS
//	unix://[user[:password]@]/path/to/socket[?db=N]  a socket
//
// Its query may contain prefix and budget ("?prefix=fleet:&budget=2s"), for settings that
// Options does not set.
//
// Open sends nothing to the server. The first call that needs the server connects. Errors are
// mistakes of the caller and never contain the password.
func Open(rawURL string, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	at, err := parseURL(rawURL)
	if err != nil {
		return nil, err
	}
	s := &Store{prefix: firstOf(opts.Prefix, at.prefix, defaultPrefix), entries: cache.Schema, max: opts.MaxBytes, budget: cmp.Or(opts.Budget, at.budget), clock: clock.Of(opts.Now), scripts: newScripts()}
	if s.max == 0 {
		s.max = DefaultBytes
	}
	if s.max < 0 || s.budget < 0 {
		return nil, fmt.Errorf("redis: values of %d bytes, a budget of %v", opts.MaxBytes, opts.Budget)
	}
	if s.sealer, err = newSealer(opts); err != nil {
		return nil, err
	}
	if opts.TLS != nil {
		if at.tls == nil {
			return nil, errors.New("redis: Options.TLS needs a URL with rediss://")
		}
		name := at.tls.ServerName
		at.tls = opts.TLS.Clone()
		at.tls.ServerName = firstOf(at.tls.ServerName, name)
	}
	_, _ = rand.Read(s.id[:]) // never fails
	s.link = newLink(at, s.max+replySlack)
	return s, nil
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// Shared implements [cache.SharedStore]. It returns true.
func (s *Store) Shared() bool { return true }

// DigestKeys implements [cache.KeyedStore]. The keys are derived from Options.Key and
// Options.OldKeys. There are none with InsecureUnauthenticated.
func (s *Store) DigestKeys() (keys [][]byte) {
	for _, k := range s.sealer.keys {
		if k.digest != nil {
			keys = append(keys, k.digest)
		}
	}
	return keys
}

// Timed reports that the budget of a call begins when it has its place on the connection. It is
// false for a type that embeds the Store.
func (s *Store) Timed(of any) bool { return of == any(s) }

// Budget implements [cache.PatientStore].
func (s *Store) Budget() time.Duration { return s.budget }

// errUnmade is the error of a Store that Open did not return.
var errUnmade = errors.New("redis: this Store is zero: redis.Open returns one")

// Stats returns the counts so far.
func (s *Store) Stats() Stats {
	if s.link == nil {
		return Stats{}
	}
	return Stats{Corrupt: s.corrupt.Load(), Connections: s.link.made.Load()}
}

// Close ends the connection. It may be called more than once and while other calls are running.
// Later calls return cache.ErrClosed.
func (s *Store) Close() error {
	s.link.close()
	return nil
}

// Load implements cache.Store. It takes one round trip, or two if the origin of the key has no
// generation. GETRANGE returns only the requested part of a value, however large the value is.
func (s *Store) Load(ctx context.Context, key string) (*cache.Variants, error) {
	name := s.name(key, kindEntry)
	value, now, err := s.look(ctx, name, key)
	if err == nil || isWrongType(err) {
		if _, refused := s.begin(ctx, key, &now, nil); refused != nil && !isRefused(refused) {
			return nil, failed("load", name, refused)
		}
	}
	switch {
	case isWrongType(err):
		return nil, s.reject("load", name, "a value of another type")
	case err != nil:
		return nil, failed("load", name, err)
	case now.generation() == "":
		return nil, nil // the server is full or read-only
	case len(value) == 0:
		return &cache.Variants{From: From, Generation: now.generation()}, nil
	case int64(len(value)) > s.max:
		return nil, s.reject("load", name, fmt.Sprintf("more than %d bytes", s.max))
	}
	wall, mono := s.clock.Read()
	v := &cache.Variants{}
	entries, current, err := s.sealer.open(name, key, value, wall)
	if err == nil && current && string(value[generationAt:originAt]) == now.generation() {
		v, err = cache.UnmarshalVariants(entries)
	}
	if err != nil {
		return nil, s.reject("load", name, reasonOf(err))
	}
	v.From, v.Generation = From, now.generation()
	if at := timesIn(value); at.by == s.id {
		age(v, mono-at.mono-wall.Sub(at.saved))
	}
	return v, nil
}

// setBack is the smallest difference of two clocks that means that one was set.
const setBack = time.Second

// age sets back the times of entries to match the monotonic clock, if the wall clock was set back.
func age(v *cache.Variants, back time.Duration) {
	if back < setBack {
		return
	}
	for _, e := range v.Entries {
		e.RequestTime, e.ResponseTime = e.RequestTime.Add(-back), e.ResponseTime.Add(-back)
	}
}

// Save implements cache.Store. It takes one round trip. Variants of a generation that is over are
// saved, but no Load returns them. Without a generation, Save asks for the present one.
func (s *Store) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	if retain <= 0 || len(v.Entries) == 0 {
		return s.Delete(ctx, key)
	}
	name := s.name(key, kindEntry)
	if err := s.link.err(); err != nil {
		return failed("save", name, err)
	}
	retain = min(retain, maxRetain)
	data, err := v.MarshalBinary()
	if err != nil {
		return failed("save", name, err)
	}
	if n := int64(headSize + len(key) + len(data)); n > s.max {
		return failed("save", name, fmt.Errorf("%w: %d bytes, more than %d", ErrTooLarge, n, s.max))
	}
	generation := v.Generation
	if generation == "" {
		if generation, err = s.present(ctx, key); err != nil {
			return failed("save", name, err)
		}
	}
	value := s.seal(name, key, generation, data, retain)
	reply := s.link.do(ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
		return c.Do(ctx, c.B().Set().Key(name).Value(rueidis.BinaryString(value)).PxMilliseconds(milliseconds(retain)).Build())
	})
	return failed("save", name, reply.Error())
}

// seal returns the value of entries that are saved now.
func (s *Store) seal(name, key, generation string, entries []byte, retain time.Duration) []byte {
	wall, mono := s.clock.Read()
	return s.sealer.seal(name, key, generation, entries, times{saved: wall, until: wall.Add(retain), by: s.id, mono: mono})
}

// maxRetain is the longest time for which a value is kept. It is within the range of an envelope
// and of Redis.
const maxRetain = 10 * 365 * 24 * time.Hour

// Delete implements cache.Store.
func (s *Store) Delete(ctx context.Context, key string) error {
	name := s.name(key, kindEntry)
	reply := s.link.do(ctx, func(ctx context.Context, c rueidis.Client) rueidis.RedisResult {
		return c.Do(ctx, c.B().Unlink().Key(name).Build())
	})
	return failed("delete", name, reply.Error())
}

// reject counts a value that differs from the saved one, and returns its error.
func (s *Store) reject(op, name, reason string) error {
	s.corrupt.Add(1)
	return corrupt(op, name, reason)
}

// corrupt returns the error for a value that differs from the saved one.
func corrupt(op, name, reason string) error {
	return failed(op, name, fmt.Errorf("%w: %s", cache.ErrCorrupt, reason))
}

// failed returns an Error for an error. It returns nil and cache.ErrClosed unchanged.
func failed(op, name string, err error) error {
	if err == nil || errors.Is(err, cache.ErrClosed) {
		return err
	}
	return &Error{Op: op, Name: name, Err: err}
}

// isWrongType reports whether an error is the answer to a command for another type of value.
func isWrongType(err error) bool {
	answer, ok := rueidis.IsRedisErr(err)
	return ok && strings.HasPrefix(answer.Error(), "WRONGTYPE")
}

// reasonOf returns the reason why entries are rejected, without text from the entries.
func reasonOf(err error) string {
	if corrupt, ok := errors.AsType[*cache.CorruptError](err); ok {
		return fmt.Sprintf("entries: byte %d: %s", corrupt.Offset, corrupt.Reason)
	}
	return err.Error()
}

// milliseconds returns milliseconds, rounded up so that no obligation ends before its time.
func milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
