package secret_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// costly returns texts for which a search could read the same bytes again and again.
func costly(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	return map[string]string{
		"names in values": fill(strings.Repeat("token:", 680) + "\n"),
		"one long line":   fill("token:"),
		"parameters":      fill("?key=a1B2c3D4e5F6&"),
	}
}

// A name within a value has a value too: assignments inside other assignments are found, and
// padding ends with its own value.
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

// Each requested place, and each field of its answer, is examined.
func TestATextWithoutASecretTakesNoMemory(t *testing.T) {
	for _, text := range []string{"https://shop.example/.well-known/agent-card.json", "text/plain; charset=utf-8", "a1b2c3d4e5f6g7h8"} {
		if n := testing.AllocsPerRun(100, func() {
			secret.Find("", text)
			secret.RedactURL(text)
		}); n > 0 {
			t.Errorf("%q takes %v allocations", text, n)
		}
	}
}

// The quick test of pairs of bytes must not reject a text that a rule matches in another case.
func TestASecretIsFoundInEveryCase(t *testing.T) {
	key := "k3VbZ7qL" + "w9XtR5nMc8JyUa2E"
	for _, text := range []string{"BEARER " + key, "Bearer " + key, "bearer " + key, "https://user:" + key + "@shop.example/", "HTTPS://" + key + "@shop.example"} {
		if clean, _ := secret.Redact("", text); strings.Contains(clean, key) {
			t.Errorf("%q was not found", text)
		}
	}
}
