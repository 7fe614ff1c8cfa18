package soak

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

var (
	soakFor  = flag.Duration("soak", 2*time.Second, "how long TestSoak runs")
	soakSeed = flag.Uint64("seed", 0, "what TestSoak draws its faults by; 0: another one each time")
)

const (
	// callTimeout is client.Options.Timeout: short, so that many calls fit in.
	callTimeout = 400 * time.Millisecond
	// hangs is the time after which a call is reported as one that never ends. It is no measure of
	// speed: the machine may be busy.
	hangs = 30 * time.Second
	// storeBytes is small, so that the directory is swept many times.
	storeBytes = 2 << 20
	// clientMemory is small too: net/http keeps parts of a closed Client for a
	// while, and in a short run those would pass for growth.
	clientMemory = 1 << 20
	// workers call at a time, each callsEach times in a round.
	workers, callsEach = 6, 6
	// epoch is the number of rounds that ask the same sites: entries on the disk are used by the
	// Clients of the next round.
	epoch = 3
)

// Nothing grows, whatever the servers do and however calls end.
func TestSoak(t *testing.T) {
	seed := *soakSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	log.SetOutput(io.Discard) // net/http logs the faults of servers
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	s := &soak{t: t, world: newWorld(t, seed), dir: t.TempDir(), kinds: map[string]int{}, held: &pins.Set{}}
	var list samples
	s.round(0) // allocations that happen once: pools, tables, the first connections
	base := s.settled(sample{goroutines: 1 << 30, descriptors: 1 << 30})
	for began, n := time.Now(), 1; time.Since(began) < *soakFor || len(list) < 6; n++ {
		s.round(n)
		list = append(list, s.settled(base))
		if t.Failed() {
			break
		}
	}
	list.check(t, base)
	t.Logf("%d rounds, %d calls, requests: %v, results: %v", len(list), s.calls.Load(), s.world.requests, s.kinds)
	s.leftovers()
	t.Logf("the longest call took %v, the longest Close %v", time.Duration(s.longest.Load()), time.Duration(s.longestClose.Load()))
	list.print(t, base)
}

// soak is one run of the test.
type soak struct {
	t     *testing.T
	world *world
	dir   string

	calls, longest, longestClose atomic.Int64
	mu                           sync.Mutex
	kinds                        map[string]int // of results
	held                         *pins.Set      // of sites that flap
}

// round makes Clients, lets them work, and closes them while they do.
func (s *soak) round(n int) {
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("r%d-%d.example.com", n/epoch, i))
	}
	store, err := disk.Open(s.dir, &disk.Options{MaxBytes: storeBytes})
	if err != nil {
		s.t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(s.world.seed, uint64(n)))
	s.plant(rnd)
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	var clients []*client.Client
	for range 2 {
		opts := clienttest.FromServer(s.t, s.world.srv, names...)
		opts.Network.View, opts.Timeout, opts.Network.KeepAlive, opts.Store, opts.Limits.Memory = "soak", callTimeout, time.Second, store, clientMemory
		opts.Live = []client.LiveProber{livemcp.New(nil)}
		opts.Trust.Pins, opts.Trust.PinPolicy, opts.Approve = held, policies[rnd.IntN(len(policies))], approve
		c, err := client.New(opts)
		if err != nil {
			s.t.Fatal(err)
		}
		clients = append(clients, c)
	}
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(s.world.seed, uint64(n*workers+i)))
			for range callsEach {
				s.call(clients[rnd.IntN(2)], names[rnd.IntN(len(names))], rnd)
			}
			if i < 2 {
				s.close(clients[i]) // under the others
			}
		})
	}
	all.Wait()
	if err := store.Close(); err != nil {
		s.t.Errorf("store: %v", err)
	}
	if n%epoch == epoch-1 {
		s.world.forget()
		s.held = &pins.Set{} // of sites that are asked no more
	}
}

// call makes one call, which may be cancelled.
func (s *soak) call(c *client.Client, name string, rnd *rand.Rand) {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Duration(rnd.IntN(600))*time.Millisecond)
	defer cancel()
	watch := time.AfterFunc(hangs, func() { panic(name + ": a call does not end") })
	defer watch.Stop()
	began := time.Now()
	err := s.work(ctx, c, name, rnd)
	most(&s.longest, time.Since(began))
	s.calls.Add(1)
	if e := clienttest.CheckError(err); e != nil {
		s.t.Errorf("%s: %v", name, e)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kinds[kindOf(err)]++
}

// work is one call of a kind that rnd chooses.
func (s *soak) work(ctx context.Context, c *client.Client, name string, rnd *rand.Rand) error {
	switch rnd.IntN(9) {
	case 0:
		site, err := c.Refresh(ctx, name)
		s.look(site)
		return err
	case 1:
		for f, err := range c.Probe(ctx, name) {
			if err != nil {
				return err
			}
			if f.Probe.Error != "" && rnd.IntN(3) == 0 {
				break
			}
		}
		return nil
	case 2:
		_, err := c.Search(ctx, "https://"+name, "find")
		return err
	case 3:
		if err := c.Purge(ctx, name); err != nil {
			return err
		}
		c.Peek(name)
	case 4:
		for site, err := range c.ResolveAll(ctx, slices.Values([]string{name, "www." + name}), &client.BatchOptions{Pause: -1}) {
			if s.look(site); err != nil {
				return err
			}
		}
	}
	site, err := c.Resolve(ctx, name)
	s.look(site)
	if err != nil {
		return err
	}
	return s.describe(ctx, c, site, rnd)
}

// describe describes some capabilities, and pins some of them.
func (s *soak) describe(ctx context.Context, c *client.Client, site *wayfind.Site, rnd *rand.Rand) error {
	var keys []string
	for i := range site.Services {
		keys = append(keys, site.Services[i].ID)
	}
	for _, capability := range site.Capabilities() {
		keys = append(keys, capability.Key)
	}
	if len(keys) == 0 {
		return nil
	}
	key := keys[rnd.IntN(len(keys))]
	if rnd.IntN(8) == 0 {
		for _, err := range c.DescribeAll(ctx, site, keys[:min(len(keys), 20)]...) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	detail, err := c.Describe(ctx, site, key)
	if err == nil {
		s.look(site.With(detail))
		if rnd.IntN(4) == 0 {
			s.hold(site, detail, key, rnd)
		}
	}
	return err
}

// approve takes its time, and does not end with its context.
func approve(_ context.Context, request security.ApprovalRequest) error {
	switch len(request.Endpoint) % 3 {
	case 0:
		return errors.New("no")
	case 1:
		time.Sleep(callTimeout)
	}
	return nil
}

// look reads a Site as its users do.
func (s *soak) look(site *wayfind.Site) {
	if site == nil {
		return
	}
	text, err := json.Marshal(site)
	if err != nil {
		s.t.Errorf("%s: %v", site.Origin, err)
	}
	if strings.ContainsAny(string(text), "\x00\x1b\u202e") {
		s.t.Errorf("%s: control characters in %.500q", site.Origin, text)
	}
}

func (s *soak) close(c *client.Client) {
	watch := time.AfterFunc(hangs, func() { panic("Close does not end") })
	defer watch.Stop()
	began := time.Now()
	if err := c.Close(); err != nil {
		s.t.Errorf("Close: %v", err)
	}
	most(&s.longestClose, time.Since(began))
}

// most keeps the longest of several times.
func most(longest *atomic.Int64, d time.Duration) {
	for {
		before := longest.Load()
		if int64(d) <= before || longest.CompareAndSwap(before, int64(d)) {
			return
		}
	}
}

func kindOf(err error) string {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return "found"
	}
	return e.Kind.Error()
}

// settled waits until released resources are gone, or not: the server learns from its sockets that
// a client has left.
func (s *soak) settled(base sample) sample {
	s.world.srv.CloseClientConnections()
	var now sample
	for range 500 {
		runtime.GC()
		now = measure(s.t)
		if now.goroutines <= base.goroutines && now.descriptors <= base.descriptors && base.goroutines < 1<<30 {
			break
		}
		before := now
		time.Sleep(10 * time.Millisecond)
		if now = measure(s.t); base.goroutines == 1<<30 && now.goroutines == before.goroutines {
			break
		}
	}
	return now
}

// leftovers looks into the directory: nothing half written, and no more
// entries than the store was allowed. Obligations are small and must be kept.
func (s *soak) leftovers() {
	bytes, files := map[string]int64{}, map[string]int{}
	err := fs.WalkDir(os.DirFS(filepath.Join(s.dir, "v1")), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		part, _, _ := strings.Cut(name, "/")
		part = strings.TrimRight(part, "0123456789") // a schema has entries of its own
		info, err := d.Info()
		if err == nil {
			files[part], bytes[part] = files[part]+1, bytes[part]+info.Size()
		}
		return err
	})
	if err != nil || bytes["e"] > storeBytes*3/2 || files["tmp"] > 0 || files["e"] == 0 {
		s.t.Errorf("the directory: %v bytes in %v files: %v", bytes, files, err)
	}
	s.t.Logf("the directory: %d entries of %d bytes, %d obligations", files["e"], bytes["e"], files["o"])
}

// sample contains the resources of the process.
type sample struct {
	goroutines, descriptors int
	heap                    uint64
}

func measure(t *testing.T) sample {
	var m runtime.MemStats
	runtime.GC() // the second one frees what finalizers kept
	runtime.ReadMemStats(&m)
	return sample{runtime.NumGoroutine(), descriptors(t), m.HeapAlloc}
}

// descriptors returns the number of open ones; 0 if the system does not report it.
func descriptors(t *testing.T) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
