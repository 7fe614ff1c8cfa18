package mocking

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

const manifest = `{
	"spec_version": "1.0", "name": "Shop", "description": "A shop that sells everything.",
	"base_url": "https://shop.example", "auth": {"type": "none"},
	"capabilities": [{"name": "find_product", "description": "Find a product", "detail_url": "/agent/find_product"}]
}`

func TestTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		shop := internet.Host("shop.example", clienttest.Pages{"/.well-known/agent": manifest})
		internet.Host("plain.example", clienttest.Pages{})
		internet.Host("down.example", clienttest.Pages{}).FailConn(clienttest.Refuse())
		c := internet.Client()

		keys, err := Tools(t.Context(), c, "shop.example")
		if err != nil || !slices.Equal(keys, []string{"adp:find_product"}) {
			t.Errorf("shop: %v, %v", keys, err)
		}
		if keys, err := Tools(t.Context(), c, "plain.example"); err != nil || keys != nil {
			t.Errorf("a site without tools: %v, %v", keys, err)
		}
		if _, err := Tools(t.Context(), c, "down.example"); !errors.Is(err, wayfind.ErrUnreachable) {
			t.Errorf("a site that is down: %v", err)
		}

		// Time is virtual: an hour of caching takes no real time.
		asked := len(shop.Requests())
		if _, err := Tools(t.Context(), c, "shop.example"); err != nil || len(shop.Requests()) != asked {
			t.Errorf("a fresh site was asked again: %v", shop.Paths())
		}
		time.Sleep(61 * time.Minute)
		if _, err := Tools(t.Context(), c, "shop.example"); err != nil || len(shop.Requests()) == asked {
			t.Errorf("a stale site was not asked again: %v", shop.Paths())
		}
	})
}
