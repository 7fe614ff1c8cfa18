package suites

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"

	"github.com/dgraph-io/ristretto/v2"
	gregjones "github.com/gregjones/httpcache"
	"golang.org/x/net/idna"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
	"github.com/wayfindhq/wayfind/parse"
)

// workingSet is the number of domains that hits choose from.
const workingSet = 1024

const bareGet = "ristretto.Get alone"

// hit compares hits with hits in the cache library that the Client uses.
func hit(c measure.Config) ([]*measure.Table, error) {
	n := workingSet
	if c.Quick {
		n = 64
	}
	known, err := newKnown(n)
	if err != nil {
		return nil, err
	}
	defer known.close()
	one, err := measure.Compare("A hit, one goroutine", c, known.cases()...)
	if err != nil {
		return nil, err
	}
	two, err := measure.Compare("A hit, two goroutines", c,
		measure.Case{Name: bareGet, Run: twice(known.ristretto), MaxAllocs: -1},
		measure.Case{Name: "Resolve, clean", Run: twice(known.resolver(known.clean)), Reference: bareGet, Goal: 0.6, MaxAllocs: 0},
		measure.Case{Name: "Resolve, dirty", Run: twice(known.resolver(known.dirty)), Reference: bareGet, MaxAllocs: 0},
	)
	if err != nil {
		return nil, err
	}
	return []*measure.Table{one, two}, nil
}

// known contains a Client and its competitors, which know the same domains.
type known struct {
	client                 *client.Client
	clean, dirty, negative []string // spellings, in random order
	table                  *ristretto.Cache[string, *wayfind.Site]
	plain                  *sync.Map
	http                   http.RoundTripper
	request                *http.Request
	stop                   func()
}

func newKnown(n int) (*known, error) {
	internet, stop := clienttest.Start()
	k := &known{plain: new(sync.Map), stop: stop}
	opts := internet.Options()
	opts.Formats, opts.Robots.Mode = []*parse.Format{adp.Format()}, client.RobotsIgnore
	var err error
	if k.client, err = client.New(opts); err != nil {
		return nil, err
	}
	k.table, err = ristretto.NewCache(&ristretto.Config[string, *wayfind.Site]{NumCounters: int64(10 * n), MaxCost: 1 << 30, BufferItems: 64})
	if err != nil {
		return nil, err
	}
	for _, i := range rand.Perm(n) {
		if err := k.add(internet, i); err != nil {
			return nil, err
		}
	}
	k.table.Wait()
	return k, k.fillHTTP()
}

// add makes a domain known to all.
func (k *known) add(internet *clienttest.Internet, i int) error {
	name, none := fmt.Sprintf("shop-%04d.example.com", i), fmt.Sprintf("none-%04d.example.com", i)
	internet.Host(name, clienttest.Pages{"/.well-known/agent": manifest(name, 3)})
	internet.Host(none, nil)
	site, err := k.client.Resolve(context.Background(), name)
	if err != nil {
		return err
	}
	_, _ = k.client.Resolve(context.Background(), none) // the answer is an error
	k.clean, k.dirty = append(k.clean, name), append(k.dirty, "Shop"+name[4:len(name)-3]+"COM.")
	k.negative = append(k.negative, none)
	k.table.Set(name, site, 1)
	k.plain.Store(name, site)
	return nil
}

// fillHTTP creates a caching RoundTripper that contains a document of 4.3 KiB.
func (k *known) fillHTTP() error {
	body := []byte(manifest("shop.example.com", 40))
	t := gregjones.NewMemoryCacheTransport()
	t.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Cache-Control": {"max-age=86400"}, "Date": {now()}},
			Body: io.NopCloser(strings.NewReader(string(body))), ContentLength: int64(len(body)), Request: r}, nil
	})
	k.http = t
	var err error
	k.request, err = http.NewRequest(http.MethodGet, "https://shop.example.com/.well-known/agent", nil)
	if err != nil {
		return err
	}
	return k.cachedGet()
}

// cachedGet does the work of callers without this module.
func (k *known) cachedGet() error {
	resp, err := k.http.RoundTrip(k.request)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var document map[string]any
	return json.Unmarshal(body, &document)
}

func (k *known) close() {
	_ = k.client.Close()
	k.table.Close()
	k.stop()
}

func (k *known) cases() []measure.Case {
	return []measure.Case{
		{Name: bareGet, Run: k.ristretto, MaxAllocs: -1},
		{Name: "Resolve, clean", Run: k.resolver(k.clean), Reference: bareGet, Goal: 1.5, MaxAllocs: 0},
		{Name: "Resolve, dirty (Shop-1.example.COM.)", Run: k.resolver(k.dirty), Reference: bareGet, Goal: 2.2, MaxAllocs: 0},
		{Name: "Resolve, nothing there", Run: k.resolver(k.negative), Reference: bareGet, Goal: 1, MaxAllocs: 0},
		{Name: "sync.Map alone", Run: func(n int) {
			for i := range n {
				if _, ok := k.plain.Load(k.clean[i%len(k.clean)]); !ok {
					panic("a miss")
				}
			}
		}, Reference: bareGet, MaxAllocs: -1},
		{Name: "idna.Lookup.ToASCII alone, dirty", Run: func(n int) {
			for i := range n {
				if _, err := idna.Lookup.ToASCII(k.dirty[i%len(k.dirty)]); err != nil {
					panic(err)
				}
			}
		}, Reference: bareGet, MaxAllocs: -1},
		{Name: "gregjones/httpcache and json.Unmarshal", Run: func(n int) {
			for range n {
				if err := k.cachedGet(); err != nil {
					panic(err)
				}
			}
		}, Reference: "Resolve, clean", Goal: 1000, AtLeast: true, MaxAllocs: -1},
	}
}

// ristretto is the reference: one look-up. ristretto may drop entries, as documented, but not
// if there is so much room.
func (k *known) ristretto(n int) {
	for i := range n {
		if _, ok := k.table.Get(k.clean[i%len(k.clean)]); !ok {
			panic("a miss")
		}
	}
}

func (k *known) resolver(names []string) func(n int) {
	ctx := context.Background()
	return func(n int) {
		for i := range n {
			if site, _ := k.client.Resolve(ctx, names[i%len(names)]); site == nil {
				panic("no Site")
			}
		}
	}
}

// twice divides the work among two goroutines.
func twice(run func(n int)) func(n int) {
	return func(n int) {
		var both sync.WaitGroup
		both.Go(func() { run(n / 2) })
		both.Go(func() { run(n - n/2) })
		both.Wait()
	}
}
