package nats_test

import (
	"context"
	"fmt"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl/nats"
)

// A queue is a name on a server.
func ExampleOpen() {
	_, err := nats.Open(context.Background(), "nats://127.0.0.1:4222", &nats.Options{Name: "two words", Lease: time.Minute})
	fmt.Println(err)
	// Output: crawl: the name of a queue must have 1 to 32 letters, digits, "-" and "_"
}
