package main

import "context"

// Example logs in three times. It fetches the configuration once and the keys once.
func Example() {
	if err := run(context.Background()); err != nil {
		panic(err)
	}
	// Output:
	// hello alice
	// hello bob
	// hello carol
	// the configuration was sent 1 time(s), the keys 1 time(s) and 2 time(s) 304
}
