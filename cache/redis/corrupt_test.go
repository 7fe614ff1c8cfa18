package redis_test

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

func save(t *testing.T, s *redis.Store, key, text string) {
	t.Helper()
	v := &cache.Variants{Entries: []*cache.Entry{cachetest.Entry(key, text)}}
	if err := s.Save(t.Context(), key, v, time.Hour); err != nil {
		t.Fatal(err)
	}
}

// wantText loads a key. An empty text is a miss.
func wantText(t *testing.T, s *redis.Store, key, want string) {
	t.Helper()
	v, err := s.Load(t.Context(), key)
	got := ""
	if v != nil && len(v.Entries) > 0 {
		got = string(v.Entries[0].Body)
	}
	if got != want || err != nil {
		t.Errorf("Load(%q) = %q, %v; want %q", key, got, err, want)
	}
}

// wantCorrupt loads a key that has been tampered with: a miss, reported and
// counted.
func wantCorrupt(t *testing.T, s *redis.Store, key, reason string) {
	t.Helper()
	before := s.Stats().Corrupt
	v, err := s.Load(t.Context(), key)
	if v != nil || !errors.Is(err, cache.ErrCorrupt) || !strings.Contains(err.Error(), reason) {
		t.Errorf("Load(%q) = %v, %v; want ErrCorrupt: %s", key, v, err, reason)
	}
	if n := s.Stats().Corrupt - before; n != 1 {
		t.Errorf("%d corrupt values were counted, want 1", n)
	}
}

// nameOf is the name that a store has given to its only entry.
func nameOf(t *testing.T, server *testkit.Redis) string {
	t.Helper()
	names := server.Keys("*:a")
	if len(names) != 1 {
		t.Fatalf("the server has %q, want one entry", names)
	}
	return names[0]
}

// A value with a flipped bit, or that is cut anywhere, is a miss.
func TestAChangedOrCutValueIsAMiss(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, server.URL())
	save(t, s, "k", "a document")
	name := nameOf(t, server)
	value := server.Do("GET", name)
	damaged := 0
	for i := range len(value) {
		b := []byte(value)
		b[i] ^= 1 << (i % 8)
		server.Do("SET", name, string(b))
		wantCorrupt(t, s, "k", "")
		if i > 0 { // no value at all is a plain miss
			server.Do("SET", name, value[:i])
			wantCorrupt(t, s, "k", "")
		}
		damaged++
	}
	if damaged < 200 {
		t.Errorf("the value has %d bytes only", damaged)
	}
	server.Do("SET", name, value+"x")
	wantCorrupt(t, s, "k", "wrong MAC")
	server.Do("SET", name, value)
	wantText(t, s, "k", "a document")
}

// A value in the place of another one is a miss, even if only the prefix differs.
func TestAValueInThePlaceOfAnotherIsAMiss(t *testing.T) {
	server := testkit.StartRedis(t)
	s, other := open(t, server.URL()), open(t, server.URL()+"?prefix=other:")
	save(t, s, "mine", "my document")
	mine := nameOf(t, server)
	save(t, s, "yours", "your document")
	for _, name := range server.Keys("*:a") {
		if name != mine {
			server.Do("COPY", name, mine, "REPLACE")
		}
	}
	wantCorrupt(t, s, "mine", "wrong MAC")
	wantText(t, s, "yours", "your document")

	save(t, s, "mine", "my document")
	server.Do("RENAME", mine, "other:"+strings.TrimPrefix(mine, "wayfind:"))
	wantText(t, s, "mine", "")
	wantCorrupt(t, other, "mine", "wrong MAC")
}

// A proxy that mixes up replies.
func TestTheReplyForAnotherKeyIsAMiss(t *testing.T) {
	server := testkit.StartRedis(t)
	real := open(t, server.URL())
	save(t, real, "yours", "your document")
	value := server.Do("GET", nameOf(t, server))
	texts := map[string]string{}
	for _, name := range server.Keys("*:g") {
		texts[name] = bulk(server.Do("HGET", name, "e"))
	}
	s := open(t, fakeServer(t, func(command []string) string {
		if len(command) == 1 {
			return "+PONG\r\n" // the client looks whether the server is there
		}
		switch text := cmp.Or(texts[command[1]], null); command[0] {
		case "GETRANGE":
			return bulk(value)
		case "HMGET":
			return "*2\r\n" + text + null
		case "HGET":
			return text
		}
		return ":1\r\n" // HSETNX, PEXPIRE
	}))
	wantCorrupt(t, s, "mine", "wrong MAC")
	wantText(t, s, "yours", "your document")
}

// A value of another type is a miss, and does no harm.
func TestAValueOfAnotherTypeIsAMissAndInNobodysWay(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, server.URL())
	save(t, s, "k", "text")
	name := nameOf(t, server)
	for _, command := range [][]string{
		{"RPUSH", name, "x"}, {"HSET", name, "f", "x"}, {"SADD", name, "x"}, {"XADD", name, "*", "f", "x"}, {"ZADD", name, "1", "x"},
	} {
		server.Do("DEL", name)
		server.Do(command...)
		wantCorrupt(t, s, "k", "another type")
		save(t, s, "k", command[0])
		wantText(t, s, "k", command[0])
		server.Do("DEL", name)
		server.Do(command...)
		if err := s.Delete(t.Context(), "k"); err != nil {
			t.Errorf("%s: Delete: %v", command[0], err)
		}
		wantText(t, s, "k", "")
	}
}

// An obligation of another type is not obeyed.
func TestAnObligationOfAnotherTypeBindsNobody(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, server.URL())
	until := time.Now().Add(time.Hour)
	ok, _, release, err := s.Acquire(t.Context(), "k", until)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	name := server.Keys("*:t")[0]
	server.Do("DEL", name)
	server.Do("RPUSH", name, "x")
	release() // it is no longer held, and must not release the one of another process
	if n := server.Do("EXISTS", name); n != "1" {
		t.Error("somebody else's key is gone")
	}
	if ok, held, _, err := s.Acquire(t.Context(), "k", until); !ok || err != nil {
		t.Errorf("%v, held until %v, %v; a key that never expires is not ours", ok, held, err)
	}
	if ok, _, _, err := s.Acquire(t.Context(), "k", until); ok || err != nil {
		t.Errorf("taken twice: %v", err)
	}
	server.Do("PERSIST", name)
	if err := s.Hold(t.Context(), "k", until); err != nil {
		t.Error(err)
	}
	if ok, _, _, err := s.Acquire(t.Context(), "k", until); ok || err != nil {
		t.Errorf("a hold does not count beside a key of another type: %v", err)
	}
}

// A value of any size costs no more than MaxBytes.
func TestAHugeValueCostsNoMoreThanMaxBytes(t *testing.T) {
	const most = 64 << 10
	server := testkit.StartRedis(t)
	s := open(t, server.URL(), func(o *redis.Options) { o.MaxBytes = most })
	save(t, s, "k", "text")
	size := testkit.Size(8<<20, 512<<20)
	server.Do("SETRANGE", nameOf(t, server), strconv.Itoa(size-1), "x")
	if n := server.Do("STRLEN", nameOf(t, server)); n != strconv.Itoa(size) {
		t.Fatalf("the value has %s bytes", n)
	}
	// While a busy machine sets half a gigabyte to zero the server is silent, and
	// the connection may have been given up.
	eventually(t, "the server answers again", func() bool { v, err := s.Load(t.Context(), "another"); return err == nil && len(v.Entries) == 0 })
	if spent := testkit.Allocated(func() { wantCorrupt(t, s, "k", "more than 65536 bytes") }); spent > 4*most {
		t.Errorf("%.0f bytes were allocated for a value that is too large", spent)
	}
	save(t, s, "k", "text") // overwritten
	wantText(t, s, "k", "text")
}

// An answer of a server that is not Redis allocates no memory and ends the connection, not the
// process.
func TestALyingServerCostsItsConnectionAndNoMemory(t *testing.T) {
	for _, reply := range []string{
		"$536870912\r\nx", "$99999999999999999999\r\n", "$-5\r\n", "$?\r\n;536870912\r\nx", "=536870912\r\n", "!536870912\r\n",
		"*536870912\r\n", "*-2\r\n", "%99999999\r\n", "~99999999\r\n", "|1\r\n+a\r\n+b\r\n", ">2\r\n+a\r\n+b\r\n",
		strings.Repeat("*1\r\n", 100_000), "_x\r\n$999999999\r\n", "#tt\r\n", "$01x\r\n", "$1\n\nx", "\x00\r\n", "+" + strings.Repeat("x", 1<<20),
		bulk("x") + bulk("a reply that nobody asked for"), "x", "\r\n",
	} {
		s := open(t, fakeServer(t, func([]string) string { return reply }), func(o *redis.Options) { o.MaxBytes = 64 << 10 })
		for range 3 {
			spent := testkit.Allocated(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				defer cancel()
				if v, err := s.Load(ctx, "k"); v != nil || err == nil {
					t.Errorf("%.20q: %v, %v", reply, v, err)
				}
			})
			if spent > 8<<20 { // one megabyte of text is read by growing buffers, on as many connections as there is time for
				t.Errorf("%.20q: %.0f bytes were allocated", reply, spent)
			}
		}
	}
}

// A value that is too large is not written.
func TestTooLarge(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, server.URL(), func(o *redis.Options) { o.MaxBytes = 1000 })
	v := &cache.Variants{Entries: []*cache.Entry{cachetest.Entry("k", strings.Repeat("x", 1000))}}
	if err := s.Save(t.Context(), "k", v, time.Hour); !errors.Is(err, redis.ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
	if names := server.Keys("*"); len(names) != 0 {
		t.Errorf("the server has %q", names)
	}
}

// Values of another version have other names; in our place they are a miss.
func TestValuesOfAnotherVersionAreMisses(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, server.URL())
	save(t, s, "k", "text")
	name := nameOf(t, server)
	value := server.Do("GET", name)
	later := strings.Replace(name, "wayfind:"+strconv.Itoa(cache.Schema), "wayfind:"+strconv.Itoa(cache.Schema+1), 1)
	server.Do("RENAME", name, later)
	wantText(t, s, "k", "")
	save(t, s, "k", "new")
	if server.Do("GET", later) != value {
		t.Error("a value of another version was changed")
	}
	server.Do("SET", name, value[:3]+"\x01"+value[4:])
	wantCorrupt(t, s, "k", "not a value of this version")
}

// Without the key, or with another one, no valid value can be written.
func TestNothingValidIsWrittenWithoutTheKey(t *testing.T) {
	server := testkit.StartRedis(t)
	a := open(t, server.URL())
	b := open(t, server.URL(), func(o *redis.Options) { o.Key = key('b') })
	both := open(t, server.URL(), func(o *redis.Options) { o.Key, o.OldKeys = key('b'), [][]byte{key('a')} })
	none := open(t, server.URL(), func(o *redis.Options) { o.Key, o.InsecureUnauthenticated = nil, true })

	save(t, a, "k", "with a")
	wantText(t, a, "k", "with a")
	wantCorrupt(t, b, "k", "unknown key")
	wantCorrupt(t, none, "k", "unknown key")
	wantText(t, both, "k", "with a")

	save(t, both, "k", "with b")
	wantText(t, b, "k", "with b")
	wantCorrupt(t, a, "k", "unknown key")

	save(t, none, "k", "with none")
	wantText(t, none, "k", "with none")
	for name, s := range map[string]*redis.Store{"a": a, "b": b, "both": both} {
		t.Run(name, func(t *testing.T) { wantCorrupt(t, s, "k", "unknown key") })
	}
	// Its id in place of the one of a checksum does not make it a MAC.
	save(t, a, "k", "with a")
	value := server.Do("GET", nameOf(t, server))
	save(t, none, "k", "with none")
	forged := server.Do("GET", nameOf(t, server))
	server.Do("SET", nameOf(t, server), forged[:4]+value[4:8]+forged[8:])
	wantCorrupt(t, a, "k", "wrong MAC")
}
