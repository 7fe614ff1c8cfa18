package actors_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/actors"
)

// TestAnActorThatNewDidNotMakeNamesNew calls the methods of a nil and of a zero Actor.
func TestAnActorThatNewDidNotMakeNamesNew(t *testing.T) {
	for name, a := range map[string]*actors.Actor{"nil": nil, "zero": {}} {
		for method, do := range map[string]func() error{
			"Send":     func() error { _, err := a.Send(t.Context(), actors.Text("x")); return err },
			"Retrieve": func() error { _, err := a.Retrieve(t.Context(), "1", ""); return err },
			"Wait":     func() error { _, err := a.Wait(t.Context(), "1"); return err },
			"Cancel":   func() error { return a.Cancel(t.Context(), "1") },
			"Stream": func() (err error) {
				for _, err = range a.Stream(t.Context(), "1", "") {
				}
				return err
			},
		} {
			if err := do(); err == nil || !strings.Contains(err.Error(), "actors.New") {
				t.Errorf("%s Actor: %s returned %v", name, method, err)
			}
		}
		if a.Key() != "" {
			t.Errorf("%s Actor has a key", name)
		}
	}
}
