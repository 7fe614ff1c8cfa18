package mcpera

import "testing"

func TestOf(t *testing.T) {
	for _, x := range []struct {
		version                              string
		known, handshake, http, asksInAnswer bool
	}{
		{"2026-07-28", true, false, true, true},
		{"2027-01-01", false, false, true, true}, // a later revision is taken for the newest known one
		{"2025-11-25", true, true, true, false},
		{"2025-06-18", true, true, true, false},
		{"2025-03-26", true, true, true, false},
		{"2025-04-01", false, true, true, false},
		{"2024-11-05", true, true, false, false},
		{"2024-10-07", false, false, false, false},
		{"", false, false, false, false},
	} {
		e, known := Of(x.version)
		if want := (Era{x.version, x.handshake, x.http, x.asksInAnswer}); e != want || known != x.known {
			t.Errorf("%q: %+v, %t, want %+v, %t", x.version, e, known, want, x.known)
		}
		if got, want := HasHandshake(x.version), x.known && x.handshake && x.http; got != want {
			t.Errorf("%q: HasHandshake %t", x.version, got)
		}
		if got, want := IsLegacy(x.version), x.known && x.handshake; got != want {
			t.Errorf("%q: IsLegacy %t", x.version, got)
		}
	}
	for version, want := range map[string]string{Stream: firstHTTP, Legacy: Legacy, Modern: Modern, "2024-10-07": "2024-10-07", "": ""} {
		if got := OverHTTP(version); got != want {
			t.Errorf("OverHTTP(%q): %q, want %q", version, got, want)
		}
	}
}

func TestErasAreInOrder(t *testing.T) {
	for i, e := range eras() {
		if i > 0 && e.Version >= eras()[i-1].Version {
			t.Errorf("%s is after %s", e.Version, eras()[i-1].Version)
		}
	}
}
