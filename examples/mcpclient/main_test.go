package main

import "context"

// Example reads the metadata three times and fetches it once, and has a session with an event
// stream.
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
