package main

import "context"

// Three logins: one fetch of the configuration, one of the keys.
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
