package suites

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A hit is one round trip: the value and the two parts of its generation are asked for together (see
// cache/redis, trips_test.go), and nothing beside them.
func TestRedisHitIsOneRoundTrip(t *testing.T) {
	server := testkit.StartRedis(t)
	r, err := newRedisReaders(server.URL(), server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	server.ResetCommands()
	const hits = 100
	for range hits {
		if err := r.load(); err != nil {
			t.Fatal(err)
		}
	}
	all := 0
	for name, n := range server.Commands() {
		if name != "config|resetstat" && name != "info" && name != "ping" {
			all += n
		}
	}
	if all != 3*hits {
		t.Errorf("%d hits made %d commands: %v", hits, all, server.Commands())
	}
}
