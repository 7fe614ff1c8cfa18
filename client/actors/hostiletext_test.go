package actors_test

import (
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/actors"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// Replies, events and errors of an agent contain no invisible characters.
func TestAHostileAgentShowsNothingInvisible(t *testing.T) {
	hostile := golden.NewHostile(t)
	replies, failures := 0, 0
	for i := range 60 {
		reply := string(hostile.Poison([]byte(`{"status": "still at work", "data": {"text": "it says", "list": ["a b"]}}`), i%2 == 0))
		problem := string(hostile.Poison([]byte(`{"title": "It failed.", "detail": "for a reason", "error": {"message": "or another"}}`), i%2 == 0))
		inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
			a := newActor(t, internet, nil)
			see := func(what string, v any, err error) {
				t.Helper()
				if err != nil {
					failures++
					e, ok := err.(*wayfind.Error)
					if !ok {
						t.Fatalf("%s: %v", what, err)
					}
					v = []string{e.Error(), e.URL}
					if p, ok := e.Err.(*actors.Problem); ok {
						v = []string{e.Error(), e.URL, p.Error(), p.Title, p.Detail}
					}
				} else {
					replies++
				}
				if why := hostile.HiddenIn(t, v); why != "" {
					t.Errorf("%s: %s", what, why)
				}
			}
			crew.Handle(designPath, answer(200, reply))
			r, err := a.Retrieve(t.Context(), "m1", "")
			see("reply", r, err)
			crew.Handle(designPath, events("event: "+hostile.Text()+"\nid: "+hostile.Text()+"\ndata: "+reply+"\n\n", "data: "+hostile.Text()+"\n\n"))
			for e, err := range a.Stream(t.Context(), "m1", "") {
				see("event", e, err)
			}
			crew.Handle(designPath, answer(400, problem))
			r, err = a.Retrieve(t.Context(), "m1", "")
			see("problem", r, err)
			_, err = a.Send(t.Context(), actors.Message{ID: hostile.Text()})
			see("identifier", "", err)
		})
	}
	if replies < 60 || failures < 60 {
		t.Errorf("%d replies and %d failures", replies, failures)
	}
}
