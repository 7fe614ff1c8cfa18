package bench

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/redistest"
)

// redisReaders are ways to read one document out of a Redis server: ours, and
// the library that it stands on doing the same with nothing around it: read
// the bytes, see that they are authentic, decode them.
func redisReaders(tb testing.TB, server *redistest.Server) map[string]func() error {
	tb.Helper()
	ctx, key := context.Background(), bytes.Repeat([]byte{1}, redis.MinKey)
	store, err := redis.Open(server.URL(), &redis.Options{Key: key})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = store.Close() })
	if err := store.Save(ctx, "key", stored(), time.Hour); err != nil {
		tb.Fatal(err)
	}
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{server.Addr()}, DisableCache: true, ForceSingleClient: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(client.Close)
	value, err := stored().MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	if err := client.Do(ctx, client.B().Set().Key("raw").Value(rueidis.BinaryString(value)).Build()).Error(); err != nil {
		tb.Fatal(err)
	}
	get := func() ([]byte, error) { return client.Do(ctx, client.B().Get().Key("raw").Build()).AsBytes() }
	return map[string]func() error{
		ours: func() error {
			_, err := store.Load(ctx, "key")
			return err
		},
		"rueidis": func() error {
			_, err := get()
			return err
		},
		"rueidis+decode": func() error {
			b, err := get()
			if err == nil {
				_, err = cache.UnmarshalVariants(b)
			}
			return err
		},
		"rueidis+mac+decode": func() error {
			b, err := get()
			if err == nil {
				mac := hmac.New(sha256.New, key)
				mac.Write(b)
				mac.Sum(nil)
				_, err = cache.UnmarshalVariants(b)
			}
			return err
		},
	}
}

// stored is one document as a store gets it.
func stored() *cache.Variants {
	now, body := time.Now(), document()
	return &cache.Variants{Entries: []*cache.Entry{cache.Restore(cache.Entry{
		Key: "key", URL: "https://example.com/card.json", Status: http.StatusOK,
		Header: http.Header{
			"Cache-Control": {"max-age=3600"}, "Content-Type": {"application/json"},
			"Date": {now.UTC().Format(http.TimeFormat)}, "Etag": {`"1"`},
		},
		RequestTime: now, ResponseTime: now, Body: body, Digest: sha256.Sum256(body),
		RemoteAddr: netip.MustParseAddrPort("93.184.216.34:443"),
		Lifetime:   cache.Lifetime{For: time.Hour, Source: cache.SourceMaxAge, Explicit: true},
	})}}
}

// A hit is one round trip: one command, and nothing beside it.
func TestRedisHitIsOneRoundTrip(t *testing.T) {
	server := redistest.Start(t)
	load := redisReaders(t, server)[ours]
	server.ResetCommands()
	const hits = 100
	for range hits {
		if err := load(); err != nil {
			t.Fatal(err)
		}
	}
	all := 0
	for name, n := range server.Commands() {
		if name != "config|resetstat" && name != "info" && name != "ping" {
			all += n
		}
	}
	if all != hits {
		t.Errorf("%d hits made %d commands: %v", hits, all, server.Commands())
	}
}

// BenchmarkRedis is one hit by one caller, and by 64 at once.
func BenchmarkRedis(b *testing.B) {
	server := redistest.Start(b)
	for name, read := range redisReaders(b, server) {
		b.Run("alone/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("together/"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism((64 + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := read(); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
