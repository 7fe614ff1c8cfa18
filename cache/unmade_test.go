package cache_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/cache/redis"
)

// TestATransportThatNewTransportDidNotMakeNamesIt uses nil and zero values.
func TestATransportThatNewTransportDidNotMakeNamesIt(t *testing.T) {
	for name, transport := range map[string]*cache.Transport{"nil": nil, "zero": {}} {
		req, err := http.NewRequest(http.MethodGet, "https://shop.example/", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = transport.RoundTrip(req)
		wantNamed(t, name+" Transport: RoundTrip", err, "cache.NewTransport")
		wantNamed(t, name+" Transport: Purge", transport.Purge(t.Context(), cache.Everything()), "cache.NewTransport")
		if transport.CloseIdleConnections(); transport.Close() != nil || transport.Stats() != (cache.Stats{}) {
			t.Errorf("%s Transport: there is nothing to close and to count", name)
		}
	}
	for name, engine := range map[string]*cache.Engine{"nil": nil, "zero": {}} {
		_, err := engine.Do(context.Background(), &cache.Ask{})
		wantNamed(t, name+" Engine: Do", err, "cache.NewEngine")
	}
}

func wantNamed(t *testing.T, what string, err error, name string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("%s does not name %s: %v", what, name, err)
	}
}

// noNetwork is a RoundTripper whose nil pointer is none.
type noNetwork struct{ http.RoundTripper }

// TestWhatCannotBeUsedIsRefusedAtOnce makes caches of values that are nil, nil in disguise, or zero.
func TestWhatCannotBeUsedIsRefusedAtOnce(t *testing.T) {
	store, err := memory.New(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	zero := &slog.Logger{}
	stores := map[string]cache.Store{
		"nil": nil, "nil memory": (*memory.Store)(nil), "nil disk": (*disk.Store)(nil), "nil redis": (*redis.Store)(nil), "nil layers": (*cache.Layered)(nil),
	}
	rows := map[string]struct {
		make func()
		want string
	}{
		"zero layers":              {func() { cache.NewEngine(&cache.Layered{}, nil) }, "cache.NewLayered"},
		"NewClient, nil transport": {func() { cache.NewClient(store, (*noNetwork)(nil)) }, "a nil *cache_test.noNetwork"},
		"NewEngine, zero logger":   {func() { cache.NewEngine(store, &cache.Options{Logger: zero}) }, "slog.New"},
		"NewLayered, zero logger":  {func() { cache.NewLayered(store, store, zero) }, "slog.New"},
	}
	for name, bad := range stores {
		for of, make := range map[string]func(){
			"NewEngine":        func() { cache.NewEngine(bad, nil) },
			"NewTransport":     func() { cache.NewTransport(bad, nil, nil) },
			"NewClient":        func() { cache.NewClient(bad, nil) },
			"NewLayered, near": func() { cache.NewLayered(bad, store, nil) },
			"NewLayered, far":  func() { cache.NewLayered(store, bad, nil) },
		} {
			rows[of+", "+name] = struct {
				make func()
				want string
			}{make, "memory.New"}
		}
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, row.want) {
					t.Errorf("it does not say %q: %q", row.want, said)
				}
			}()
			row.make()
		})
	}
}

// TestAStoreThatItsPackageDidNotMakeNamesWhatMakesOne calls each method of zero stores.
func TestAStoreThatItsPackageDidNotMakeNamesWhatMakesOne(t *testing.T) {
	silent := []string{"Close", "Stats", "Local", "Shared", "FreesLeases", "Budget", "Timed", "Common", "Records", "RecentOf", "OtherVersions", "DigestKeys"}
	for want, store := range map[string]cache.Store{"memory.New": &memory.Store{}, "disk.Open": &disk.Store{}, "redis.Open": &redis.Store{}} {
		v := reflect.ValueOf(store)
		for i := range v.NumMethod() {
			name := v.Type().Method(i).Name
			t.Run(want+"/"+name, func(t *testing.T) {
				if said := said(v.Method(i), store); name == "Stats" && want == "disk.Open" || !slices.Contains(silent, name) {
					wantNamed(t, name, said, want)
				} else if said != nil {
					t.Errorf("it says %v", said)
				}
			})
		}
	}
}

// said calls a method, and returns its error or its panic.
func said(method reflect.Value, store cache.Store) (said error) {
	defer func() {
		if v := recover(); v != nil {
			said = fmt.Errorf("a panic: %v", v)
		}
	}()
	var in []reflect.Value
	for arg := range method.Type().Ins() {
		switch arg {
		case reflect.TypeFor[context.Context]():
			in = append(in, reflect.ValueOf(context.Background()))
		case reflect.TypeFor[cache.Store]():
			in = append(in, reflect.ValueOf(store))
		case reflect.TypeFor[*cache.Variants]():
			in = append(in, reflect.ValueOf(&cache.Variants{Entries: []*cache.Entry{{}}}))
		case reflect.TypeFor[time.Duration]():
			in = append(in, reflect.ValueOf(time.Hour))
		case reflect.TypeFor[time.Time]():
			in = append(in, reflect.ValueOf(time.Now().Add(time.Hour)))
		case reflect.TypeFor[cache.Scope]():
			in = append(in, reflect.ValueOf(cache.Everything()))
		case reflect.TypeFor[[]string]():
			in = append(in, reflect.ValueOf([]string{"key"}))
		case reflect.TypeFor[func() any]():
			in = append(in, reflect.ValueOf(func() any { return nil }))
		default:
			in = append(in, reflect.Zero(arg))
		}
	}
	for _, out := range method.Call(in) {
		switch out := out.Interface().(type) {
		case error:
			said = out
		case iter.Seq2[disk.Info, error]:
			for _, err := range out {
				said = err
			}
		case iter.Seq2[disk.Obligation, error]:
			for _, err := range out {
				said = err
			}
		}
	}
	return said
}
