package main

import "context"

// Three looks at the metadata, one fetch; and a session with its stream.
func Example() {
	if err := run(context.Background()); err != nil {
		panic(err)
	}
	// Output:
	// tokens for the shop come from https://login.example
	// tokens for the shop come from https://login.example
	// tokens for the shop come from https://login.example
	// the metadata were asked for 1 time(s)
	// tools: find
	// tools: buy find
}
