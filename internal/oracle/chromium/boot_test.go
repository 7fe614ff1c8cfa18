package chromium

import "testing"

// The page starts, asks its target, and says so.
func TestBoot(t *testing.T) {
	ctx := tab(t, inspect(t, "shop.example"))
	shows(t, ctx, "h1", "shop.example")
	shows(t, ctx, "#state", "answered")
}
