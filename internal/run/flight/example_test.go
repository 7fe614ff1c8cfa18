package flight_test

import (
	"context"
	"fmt"

	"github.com/wayfindhq/wayfind/internal/run/flight"
)

func ExampleGroup() {
	var g flight.Group[string, int, string]
	defer g.Close()
	ticket, joined := g.Join("key", func(_ context.Context, emit func(int)) (string, error) {
		emit(1)
		emit(2)
		return "result", nil
	})
	defer ticket.Leave()
	for v := range ticket.All(context.Background()) {
		fmt.Println(v)
	}
	result, err := ticket.Wait(context.Background())
	fmt.Println(result, err, joined)
	// Output:
	// 1
	// 2
	// result <nil> false
}
