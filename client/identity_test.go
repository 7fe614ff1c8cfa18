package client_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// othersRead is a store that several users read. It counts the saved entries.
type othersRead struct {
	*memory.Store
	entries atomic.Int64
}

func (*othersRead) Local() bool  { return false }
func (*othersRead) Shared() bool { return true }

func (s *othersRead) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	s.entries.Add(int64(len(v.Entries)))
	return s.Store.Save(ctx, key, v, retain)
}

// The fields that identify a caller are the cache's: a store that others read gets no
// answer to a request with one of them, even if its header allows it.
func TestIdentityFieldsAreTheCaches(t *testing.T) {
	for name, row := range map[string]struct {
		fields []string
		shared bool
	}{
		"default":              {nil, true},
		"none":                 {[]string{}, true},
		"one that is not sent": {append(cache.IdentityFields(), "X-Tenant"), true},
		"one that is sent":     {append(cache.IdentityFields(), "user-agent"), false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Pages{"/.well-known/agent": manifest("shop.example", "/a")})
				own, err := memory.New(1 << 20)
				if err != nil {
					t.Fatal(err)
				}
				defer own.Close()
				store := &othersRead{Store: own}
				c := newClient(t, internet, func(o *client.Options) { o.Store, o.IdentityFields = store, row.fields })
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				if err := client.Flush(c); err != nil {
					t.Fatal(err)
				}
				if n := store.entries.Load(); (n > 0) != row.shared {
					t.Errorf("the store was given %d entries", n)
				}
			})
		})
	}
}
