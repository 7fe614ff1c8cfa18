package chromium

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// earlier returns a file with an earlier answer of mailforge.example, which required less.
func earlier(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "before.json")
	text := wayfind(t, "resolve", "--json", "--cache", "none", "mailforge.example")
	changed := strings.Replace(text, `"adp:send_email"`, `"adp:send_letter"`, 1)
	if changed == text {
		t.Fatalf("there is nothing to change in %s", text)
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The answer is compared with a file, a recording, pins, the stored answer and the answer
// before "Ask again".
func TestCompare(t *testing.T) {
	dir, store, set := filepath.Join(t.TempDir(), "rec"), t.TempDir(), filepath.Join(t.TempDir(), "pins.json")
	wayfind(t, "resolve", "--cache", store, "--save", dir, "mailforge.example")
	wayfind(t, "pin", "--cache", "none", "--pins", set, "mailforge.example")
	ctx := tab(t, inspect(t, "--cache", store, "--against", earlier(t), "--against", dir, "--pins", set, "mailforge.example")+"#compare")
	shows(t, ctx, ".comparison", "Things that differ")
	shows(t, ctx, ".comparison", "adp:send_letter")
	shows(t, ctx, ".comparison", "it is known by another name")
	for _, state := range []string{"against-2", "pins", "stored"} {
		do(t, ctx, chromedp.SetValue("#compare-with", state))
		value[bool](t, ctx, `document.getElementById("compare-with").dispatchEvent(new Event("change"))`)
		shows(t, ctx, ".comparison", "Nothing changed.")
	}
	do(t, ctx, chromedp.Click("#again"))
	shows(t, ctx, "#compare-with", "answer 1 of this session")
	do(t, ctx, chromedp.SetValue("#compare-with", "answer-1"))
	shows(t, ctx, ".comparison", "Nothing changed.")
}
