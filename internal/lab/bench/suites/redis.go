package suites

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
)

// callers is the number of callers that ask a Redis server at once.
const callers = 64

const (
	rueidisDecode = "rueidis GET, decode"
	storeLoad     = "cache/redis Load"
)

// shared compares hits in a separate Redis server with hits of the library that the store uses.
// If no server is installed, there is no comparison.
func shared(c measure.Config) ([]*measure.Table, error) {
	server, err := startRedis()
	if errors.Is(err, exec.ErrNotFound) {
		fmt.Fprintln(os.Stderr, "redis-server is not installed: the suite redis is omitted")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer server.stop()
	r, err := newRedisReaders("redis://"+server.addr, server.addr)
	if err != nil {
		return nil, err
	}
	defer r.close()
	alone, err := measure.Compare("A hit in Redis, one caller", c, r.cases(1)...)
	if err != nil {
		return nil, err
	}
	many, err := measure.Compare(fmt.Sprintf("A hit in Redis, %d callers", callers), c, r.cases(callers)...)
	return []*measure.Table{alone, many}, err
}

// redisServer is a server on loopback with its own directory.
type redisServer struct {
	addr, dir string
	cmd       *exec.Cmd
}

func startRedis() (*redisServer, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &redisServer{addr: free.Addr().String()}
	_, port, err := net.SplitHostPort(s.addr)
	if err := errors.Join(err, free.Close()); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "redis"); err != nil {
		return nil, err
	}
	s.cmd = exec.Command(program, "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.dir, "--loglevel", "warning")
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	for range 200 {
		var c net.Conn
		if c, err = net.Dial("tcp", s.addr); err == nil {
			return s, c.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.stop()
	return nil, err
}

func (s *redisServer) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// redisReaders contains two ways to read a document from a Redis server: our store, and the
// library that it uses without anything else.
type redisReaders struct {
	store  *redis.Store
	client rueidis.Client
	key    []byte
}

// newRedisReaders stores a document for both. The store uses url, and the library address.
func newRedisReaders(url, address string) (*redisReaders, error) {
	ctx := context.Background()
	r := &redisReaders{key: bytes.Repeat([]byte{1}, redis.MinKey)}
	var err error
	// On a busy machine a delay must be measured and must not end the call.
	if r.store, err = redis.Open(url, &redis.Options{Key: r.key, Budget: time.Minute}); err != nil {
		return nil, err
	}
	if err := r.store.Save(ctx, "key", storedDocument(), time.Hour); err != nil {
		return nil, errors.Join(err, r.store.Close())
	}
	r.client, err = rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{address}, DisableCache: true, ForceSingleClient: true})
	if err != nil {
		return nil, errors.Join(err, r.store.Close())
	}
	value, err := storedDocument().MarshalBinary()
	if err == nil {
		err = r.client.Do(ctx, r.client.B().Set().Key("raw").Value(rueidis.BinaryString(value)).Build()).Error()
	}
	if err != nil {
		r.close()
	}
	return r, err
}

func (r *redisReaders) close() {
	r.client.Close()
	_ = r.store.Close()
}

func (r *redisReaders) cases(callers int) []measure.Case {
	with := func(read func() error) func(int) { return atOnce(callers, read) }
	return []measure.Case{
		{Name: rueidisDecode, Run: with(r.decode), MaxAllocs: -1},
		{Name: "rueidis GET alone", Run: with(func() error { _, err := r.get(); return err }), Reference: rueidisDecode, MaxAllocs: -1},
		{Name: "rueidis GET, HMAC, decode", Run: with(r.authentic), Reference: rueidisDecode, MaxAllocs: -1},
		{Name: storeLoad, Run: with(r.load), Reference: rueidisDecode, Goal: 1.2, MaxAllocs: -1},
	}
}

func (r *redisReaders) load() error {
	v, err := r.store.Load(context.Background(), "key")
	if err == nil && v == nil {
		err = errors.New("a miss")
	}
	return err
}

func (r *redisReaders) get() ([]byte, error) {
	return r.client.Do(context.Background(), r.client.B().Get().Key("raw").Build()).AsBytes()
}

func (r *redisReaders) decode() error {
	b, err := r.get()
	if err == nil {
		_, err = cache.UnmarshalVariants(b)
	}
	return err
}

func (r *redisReaders) authentic() error {
	b, err := r.get()
	if err == nil {
		mac := hmac.New(sha256.New, r.key)
		mac.Write(b)
		mac.Sum(nil)
		_, err = cache.UnmarshalVariants(b)
	}
	return err
}

// atOnce divides calls among goroutines.
func atOnce(callers int, call func() error) func(n int) {
	return func(n int) {
		var all sync.WaitGroup
		for i := range min(callers, n) {
			all.Go(func() {
				for range (n + callers - 1 - i) / callers {
					if err := call(); err != nil {
						panic(err)
					}
				}
			})
		}
		all.Wait()
	}
}

// storedDocument returns one document in the form for a store.
func storedDocument() *cache.Variants {
	moment, body := time.Now(), []byte(manifest("shop.example.com", 20))
	return &cache.Variants{Entries: []*cache.Entry{cache.Restore(cache.Entry{
		Key: "key", URL: "https://shop.example.com/.well-known/agent", Status: http.StatusOK,
		Header: http.Header{
			"Cache-Control": {"max-age=3600"}, "Content-Type": {"application/json"}, "Date": {now()}, "Etag": {`"1"`},
		},
		RequestTime: moment, ResponseTime: moment, Body: body, Digest: sha256.Sum256(body),
		RemoteAddr: netip.MustParseAddrPort("93.184.216.34:443"),
		Lifetime:   cache.Lifetime{For: time.Hour, Source: "max-age", Explicit: true},
	})}}
}
