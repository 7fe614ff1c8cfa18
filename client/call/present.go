package call

import (
	"context"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/access"
	published "github.com/wayfindhq/wayfind/internal/syntax/facts"
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
	now, _ := access.Of(t.caller.client).Statuses(ctx, t.tool.Origin, services)
	for i, s := range services {
		own := *s
		if now[i] != nil {
			own.Status = now[i]
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
