package main

import "context"

// Example resolves four times and fetches once.
func Example() {
	if err := run(context.Background()); err != nil {
		panic(err)
	}
	// Output:
	// /.well-known/agent-card.json from network, fresh for 1m0s: Recipe agent 1.2.0
	// /.well-known/agent-card.json from memory, fresh for 1m0s: Recipe agent 1.2.0
	// /.well-known/agent-card.json from memory, fresh for 1m0s: Recipe agent 1.2.0
	// /.well-known/agent-card.json from memory, fresh for 1m0s: Recipe agent 1.2.0
	// the agent was asked 1 time(s)
}
