package redis_test

import (
	"errors"
	"fmt"

	"github.com/wayfindhq/wayfind/cache/redis"
)

func ExampleOpen() {
	// Entries are authenticated: a client that can write to the server must not decide which
	// answers a fleet trusts.
	_, err := redis.Open("rediss://cache.internal", nil)
	fmt.Println(errors.Is(err, redis.ErrNoKey))

	key := []byte("32 bytes or more from a secret store")
	store, err := redis.Open("rediss://user:password@cache.internal:6379/0?prefix=fleet:", &redis.Options{Key: key})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close() // after the Client that has it as Options.Store
	fmt.Println("nobody was asked yet:", store.Stats().Connections == 0)
	// Output:
	// true
	// nobody was asked yet: true
}
