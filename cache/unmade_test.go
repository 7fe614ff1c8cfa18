package cache_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
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

// TestANilStoreIsRefusedAtOnce makes caches without a store.
func TestANilStoreIsRefusedAtOnce(t *testing.T) {
	for name, make := range map[string]func(){
		"NewEngine":    func() { cache.NewEngine(nil, nil) },
		"NewTransport": func() { cache.NewTransport(nil, nil, nil) },
		"NewClient":    func() { cache.NewClient(nil, nil) },
		"NewLayered":   func() { cache.NewLayered(nil, nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, "memory.New") {
					t.Errorf("it does not say where a store comes from: %q", said)
				}
			}()
			make()
		})
	}
}
