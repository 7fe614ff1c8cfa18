package session

import (
	"os"
	"strings"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// IsRedis reports whether a value of --cache names a Redis server.
func IsRedis(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && (scheme == "redis" || scheme == "rediss" || scheme == "unix")
}

// openRedis opens the server that --cache names. Errors do not repeat the URL, which may contain a
// password.
func (n *Network) openRedis(o *client.Options) (cache.ObligationStore, error) {
	keys, err := readCacheKeys(n.cacheKey)
	if err != nil {
		return nil, err
	}
	store, err := redis.Open(n.Cache, &redis.Options{Key: keys[0], OldKeys: keys[1:], Now: o.Lab.Now})
	if err != nil {
		return nil, ui.Usagef("--cache: %w", err)
	}
	return store, nil
}

// readCacheKeys reads keys, one on each line. The first key is used for writing, and all keys are
// accepted for reading.
func readCacheKeys(file string) ([][]byte, error) {
	text, name := os.Getenv(commandline.CacheKeyVariable), commandline.CacheKeyVariable
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, ui.Usagef("--cache-key: %w", err)
		}
		text, name = string(b), "--cache-key"
	}
	var keys [][]byte
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			keys = append(keys, []byte(line))
		}
	}
	switch {
	case len(keys) > 0:
		return keys, nil
	case file == "" && text == "":
		return nil, ui.Usagef("--cache redis://… needs a key that answers are authenticated with: --cache-key FILE or %s, at least %d characters", commandline.CacheKeyVariable, redis.MinKey)
	}
	return nil, ui.Usagef("%s: there is no key in it", name)
}
