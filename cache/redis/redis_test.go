package redis_test

import (
	"bytes"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// key is a key of the letter.
func key(letter byte) []byte { return bytes.Repeat([]byte{letter}, redis.MinKey) }

// open opens a store with a key. It is closed with the test.
func open(t *testing.T, url string, change ...func(*redis.Options)) *redis.Store {
	t.Helper()
	opts := &redis.Options{Key: key('a')}
	for _, f := range change {
		f(opts)
	}
	s, err := redis.Open(url, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	server := testkit.StartRedis(t)
	cachetest.TestStore(t, func(t *testing.T) cache.Store {
		server.Do("FLUSHALL")
		return open(t, server.URL())
	})
}

func TestStoreOnSocket(t *testing.T) {
	server := testkit.StartRedis(t)
	cachetest.TestStore(t, func(t *testing.T) cache.Store {
		server.Do("FLUSHALL")
		return open(t, "unix://"+server.Socket()+"?prefix=p:&db=3", func(o *redis.Options) {
			o.Key, o.InsecureUnauthenticated = nil, true
		})
	})
}
