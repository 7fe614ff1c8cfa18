package gate

import (
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

// visit passes through a gate once, with an answer of a status. It returns the error if the
// gate refuses.
func visit(t *testing.T, g *Gate, lane Lane, at string, status int) error {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	pass, err := g.Enter(t.Context(), u, lane, "f a.example /", time.Hour, nil)
	if err != nil {
		return err
	}
	pass.release()
	pass.Done(&http.Response{StatusCode: status, Body: http.NoBody}, nil, true)
	return nil
}

// throttling returns a gate whose pauses for a whole origin begin with a minute.
func throttling() *Gate {
	return New(nil, &Options{Judge: func(r *http.Response, _ error) Cooldown {
		if r != nil && r.StatusCode == http.StatusTooManyRequests {
			return Cooldown{First: time.Minute, Max: 24 * time.Hour}
		}
		return Cooldown{}
	}, Reasons: []string{"absent"}})
}

// A success of a led request must not lead to more requests to an origin that has returned
// "later" repeatedly.
func TestALedAnswerEndsNoBackOffOfTheOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, place := throttling(), "https://a.example/place"
		if err := visit(t, g, Place, place, 429); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := visit(t, g, Led, "https://a.example/fine", 200); err != nil {
			t.Fatal(err)
		}
		if err := visit(t, g, Place, place, 429); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute + time.Second)
		if visit(t, g, Place, place, 200) == nil {
			t.Error("the second pause is no longer than the first")
		}
	})
}

// The pauses of led requests double, up to ten minutes.
func TestLedPausesDoubleUpToTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, place := throttling(), "https://a.example/place"
		for _, pause := range []time.Duration{1, 2, 4, 8, 10, 10} {
			if err := visit(t, g, Led, place, 429); err != nil {
				t.Fatalf("before a pause of %d minutes: %v", pause, err)
			}
			if visit(t, g, Place, place, 200) != nil {
				t.Error("the origin obeys the pause of a stranger")
			}
			time.Sleep(pause*time.Minute - time.Second)
			if visit(t, g, Led, place, 200) == nil {
				t.Errorf("no pause of %d minutes", pause)
			}
			time.Sleep(time.Second)
		}
	})
}

// A pause of a format applies to requests of its own lane.
func TestALedRequestTakesNoFloorOfTheOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := throttling()
		u := &url.URL{Scheme: "https", Host: "a.example", Path: "/agents.md"}
		for _, lane := range []Lane{Led, Place} {
			if _, err := g.Enter(t.Context(), u, lane, "f a.example /agents.md", time.Hour, nil); err != nil {
				t.Errorf("lane %d: %v", lane, err)
			}
		}
		if _, err := g.Enter(t.Context(), u, Own, "f a.example /agents.md", time.Hour, nil); err == nil {
			t.Error("two requests of the origin in an hour")
		}
	})
}

// An absence that must be remembered applies to its own lane, and to led requests.
func TestALedAbsenceIsNoneOfTheOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := throttling()
		u := &url.URL{Scheme: "https", Host: "a.example", Path: "/agents.md"}
		g.Hold(t.Context(), u, Place, time.Now().Add(time.Hour), "absent")
		for _, lane := range []Lane{Led, Own, Place} {
			if visit(t, g, lane, u.String(), 200) == nil {
				t.Errorf("lane %d: not held", lane)
			}
		}
		time.Sleep(2 * time.Hour)
		g.Hold(t.Context(), u, Led, time.Now().Add(time.Hour), "absent")
		if err := visit(t, g, Place, u.String(), 200); err != nil {
			t.Error(err)
		}
	})
}

// A hold without a lane, from before there were lanes, may come from any led request: no key
// of the present version matches it.
func TestAPauseWithoutALaneIsMissed(t *testing.T) {
	g := New(nil, &Options{Reasons: []string{"absent"}})
	g.holds.Hold("hold\n\nhttps://a.example", time.Now().Add(time.Hour))
	for _, lane := range []Lane{Led, Own, Place} {
		if err := visit(t, g, lane, "https://a.example/", 200); err != nil {
			t.Errorf("lane %d: %v", lane, err)
		}
	}
	if name, ok := ParseKey("hold\n\nhttps://a.example"); !ok || name.Host != "a.example" {
		t.Error("such a pause cannot be removed by name")
	}
}
