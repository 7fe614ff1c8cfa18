package secret

import "testing"

// The purpose alone decides which of the steps a text takes.
func TestAPurposeDecides(t *testing.T) {
	const own = "vQ9zKx7LmP2wRvYb"
	const key = "sk_live_51HxYzAbCdEfGhIjKlMnOpQr" // a stranger's
	said := "a\u200b\nkey " + own[:9] + "\u200b" + own[9:] + ", " + key + ", https://u:p@a.example/?access_token=t1"
	v := Veil(nil).And(own)
	for _, tt := range []struct {
		name    string
		purpose Purpose
		want    string
	}{
		{"line", Line, "a key •••, " + key + ", https://u:p@a.example/?access_token=t1"},
		{"lines", Lines, "a\nkey •••, " + key + ", https://u:p@a.example/?access_token=t1"},
		{"stored line", StoredLine, "a key •••, [redacted: stripe-key], https://u:p@a.example/?access_token=t1"},
		{"stored lines", StoredLines, "a\nkey •••, [redacted: stripe-key], https://u:p@a.example/?access_token=t1"},
		{"record", Record, "a\nkey •••, [redacted: stripe-key], https://u:p@a.example/?access_token=t1"},
		{"data", Data, "a\u200b\nkey •••, " + key + ", https://u:p@a.example/?access_token=t1"},
		{"wire", Wire, "a\u200b\nkey REDACTED, REDACTED, https://REDACTED@a.example/?access_token=REDACTED"},
		{"wire bytes", WireBytes, "a\u200b\nkey REDACTED, " + key + ", https://u:p@a.example/?access_token=t1"},
	} {
		if got := v.Show(said, tt.purpose, 0); got != tt.want {
			t.Errorf("%s: %q\nwant %q", tt.name, got, tt.want)
		}
		if got := string(v.ShowBytes([]byte(said), tt.purpose)); got != tt.want {
			t.Errorf("%s in bytes: %q\nwant %q", tt.name, got, tt.want)
		}
	}
	const shop = "https://a.example/?k=" + key + "&q=1"
	if got, want := v.Show(shop, Event, 0), "https://a.example/?k=%5Bredacted%3Astripe-key%5D&q=1"; got != want {
		t.Errorf("event: %q, want %q", got, want)
	}
	if got, err := v.ShowJSON([]byte(`{"password":"hunter2","n":"`+own+`"}`), Record); err != nil || string(got) != `{"password":"[redacted: named-secret]","n":"•••"}` {
		t.Errorf("record in JSON: %s, %v", got, err)
	}
}
