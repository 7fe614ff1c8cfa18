package chromium

import "testing"

func TestWaterfall(t *testing.T) {
	ctx := tab(t, inspect(t, "everything.example"))
	shows(t, ctx, "#state", "answered")
	shows(t, ctx, ".bars", "200 OK")
}
