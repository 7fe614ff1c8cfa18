package cache

import (
	"net/http"
	"testing"
	"time"
)

// Of two concurrent answers, the one that was requested later is the newer one, even if all of it
// happens at one instant of the clock.
func TestOlderThan(t *testing.T) {
	sent := func(asked, came uint64, at, took time.Duration, date string) *Entry {
		h := header("Cache-Control", "max-age=60")
		if date != "" {
			h.Set("Date", date)
		}
		return newEntry(&call{key: "k", ask: &Ask{}}, &http.Response{StatusCode: 200, Header: h}, []byte("body"),
			&exchange{sent: t0().Add(at), received: t0().Add(at + took), mono: at + took, asked: asked, came: came}, false)
	}
	other := sent(0, 0, 0, 0, "")
	other.hasMono = false
	rows := []struct {
		name      string
		e, stored *Entry
		older     bool
	}{
		{"asked for before, at one instant", sent(1, 4, 0, 0, ""), sent(2, 3, 0, 0, ""), true},
		{"asked for after, at one instant", sent(2, 4, 0, 0, ""), sent(1, 3, 0, 0, ""), false},
		{"asked for when the other was there, at one instant", sent(3, 4, 0, 0, ""), sent(1, 2, 0, 0, ""), false},
		{"asked for before, by the clock", sent(1, 4, 0, 3, ""), sent(2, 3, 1, 1, ""), true},
		{"asked for after, by the clock", sent(2, 4, 1, 2, ""), sent(1, 3, 0, 2, ""), false},
		{"asked for before, and its Date is later", sent(1, 4, 0, 3, at(time.Second)), sent(2, 3, 1, 1, at(0)), false},
		{"asked for after, and its Date is earlier", sent(2, 4, 1, 2, at(0)), sent(1, 3, 0, 2, at(time.Second)), true},
		{"the other is of another process", sent(1, 2, 0, 0, ""), other, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := row.e.olderThan(row.stored); got != row.older {
				t.Errorf("olderThan is %v", got)
			}
			folded := *row.stored
			folded.Status, folded.URL = 404, folded.Key
			if f := (*FoldedArena)(nil).fold(&folded); f == nil || row.e.olderThan(f.Entry(folded.Key)) != row.older {
				t.Errorf("olderThan a folded entry is not %v: %v", row.older, f)
			}
		})
	}
}
