package disk_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/disk"
)

func TestStore(t *testing.T) {
	cachetest.TestStore(t, func(t *testing.T) cache.Store {
		s, err := disk.Open(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
