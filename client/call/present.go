package call

import (
	"context"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/access"
	published "github.com/wayfindhq/wayfind/internal/syntax/facts"
)

const (
	// presentTime is how long a call waits for status endpoints, and maxPresent how many it asks.
	presentTime = 3 * time.Second
	maxPresent  = 4
)

// present reads the state of the tool's services: what their status endpoints tell now, or else what
// their documents state. The state is told to the person and the model. It changes nothing about the
// call: a service that says it works proves nothing, and one that says it does not may work again.
func (t *target) present(ctx context.Context) {
	services := slices.DeleteFunc(t.tool.Services(), func(s *wayfind.Service) bool { return s == nil || s.Status == nil })
	if len(services) == 0 {
		return
	}
	t.state = []string{}
	ctx, cancel := context.WithTimeout(ctx, presentTime)
	defer cancel()
	for i, s := range services {
		own := *s
		if i < maxPresent {
			if now, _ := access.Of(t.caller.client).Status(ctx, t.tool.Origin, s); now != nil {
				own.Status = now
			}
		}
		for _, said := range published.Of(published.On(&own).In(t.tool.Capability), published.Definition, published.AboutService, published.AboutCapability) {
			sentence := said.Sentence(func(s string) string { return s }, 0) // it has no text of the site
			if said.Label() == published.NotOperational.Label() && !slices.Contains(t.state, sentence) {
				t.state = append(t.state, sentence)
			}
		}
	}
}

// stated returns what the site states about the tool, with its present state.
func (t *target) stated() []string {
	if t.state == nil {
		return t.tool.Stated()
	}
	return append(slices.Clone(t.state), t.tool.Stated()[len(t.tool.State()):]...)
}
