package secret_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/secret"
)

// costly are texts that made the search look at the same bytes again and again.
func costly(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	return map[string]string{
		"names in values": fill(strings.Repeat("token:", 680) + "\n"),
		"one long line":   fill("token:"),
		"parameters":      fill("?key=a1B2c3D4e5F6&"),
	}
}

// A name within a value has a value too: what is within another assignment is
// found, and padding ends with its own.
func TestNestedAssignments(t *testing.T) {
	key := "k3VbZ7qL" + "w9XtR5nMc8JyUa2E"
	for _, text := range []string{
		"auth:token:" + key, "a:b:c:secret:" + key, "auth_token=x:api_key=" + key, "key:a==,token:" + key,
		strings.Repeat("a:", 100) + "token:" + key,
	} {
		if clean, rules := secret.Redact("", text); strings.Contains(clean, key) || len(rules) == 0 {
			t.Errorf("%.60q: %v, %q", text, rules, clean)
		}
	}
}

func BenchmarkHostileText(b *testing.B) {
	for name, text := range costly(256 << 10) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				secret.Find("", text)
			}
		})
	}
}
