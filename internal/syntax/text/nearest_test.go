package text

import "testing"

func TestNearestKeyTakesTheNameOfACapabilityAlone(t *testing.T) {
	keys := []string{"adp:send_email", "openapi:root/createOrder", "openapi:root/list", "adp:send_emails"}
	for word, want := range map[string]string{
		"send_email": "adp:send_email", "send_emial": "adp:send_email", "adp:send_emial": "adp:send_email",
		"createOrder": "openapi:root/createOrder", "root/createOrdr": "openapi:root/createOrder", "openapi:spring/createOrder": "openapi:root/createOrder", "openapi:spring/": "", "lst": "openapi:root/list", "": "", "pay": "",
	} {
		if got := NearestKey(word, keys); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"resolve", "parse", "lint", "describe"}
	for word, want := range map[string]string{"reslove": "resolve", "pasre": "parse", "lnit": "lint", "Parse": "parse", "example": "", "x": "", "descibe": "describe"} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
