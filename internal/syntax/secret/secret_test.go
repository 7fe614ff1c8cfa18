package secret_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/security"
)

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
	hexes  = digits + "abcdef"
	base62 = lower + digits + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// draw returns n characters, the same in each run.
func draw(seed uint64, n int, alphabet string) string {
	r := rand.New(rand.NewPCG(seed, 92))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// liveSecrets returns invented secrets, so that a search for secrets finds none in this file:
// the text around a secret, the secret and its rule.
func liveSecrets(seed uint64) []struct{ rule, before, secret, after string } {
	d := func(n int, alphabet string) string { seed++; return draw(seed, n, alphabet) }
	encode := base64.RawURLEncoding.EncodeToString
	jwt := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode([]byte(`{"sub":"`+d(8, digits)+`"}`)) + "." + d(86, base62)
	pem := "-----BEGIN EC PRIV" + "ATE KEY-----\n" + d(64, base62) + "\n" + d(40, base62) + "=\n-----END EC PRIV" + "ATE KEY-----"
	basic := base64.StdEncoding.EncodeToString([]byte("bob:" + d(12, base62)))
	return []struct{ rule, before, secret, after string }{
		{"private-key", "key:\n", pem, "\nend"},
		{"anthropic-key", "use ", "sk-" + "ant-api03-" + d(80, base62), "."},
		{"openai-key", "use ", "sk-" + "proj-" + d(48, base62), ", please"},
		{"openai-key", "", "sk" + "-" + d(32, hexes), ""},
		{"github-token", "git clone with ", "gh" + "p_" + d(36, base62), " and go"},
		{"github-token", "(", "github" + "_pat_" + d(22, base62) + "_" + d(59, base62), ")"},
		{"gitlab-token", "`", "gl" + "pat-" + d(20, base62), "`"},
		{"github-token", "my_", "gh" + "o_" + d(36, base62), ""},
		{"slack-token", "", "xo" + "xb-" + d(12, digits) + "-" + d(24, base62), ""},
		{"webhook-url", "https://hooks.slack.com/services/", "T" + d(8, base32) + "/B" + d(8, base32) + "/" + d(24, base62), ""},
		{"stripe-key", "key=", "sk" + "_live_" + d(24, base62), ";"},
		{"aws-access-key", "id ", "AK" + "IA" + d(16, base32), " here"},
		{"aws-secret-key", "AWS_SECRET_ACCESS_KEY=", d(40, base62), "\n"},
		{"google-key", "https://maps.example/x?v=1&key=", "AI" + "za" + d(35, base62), "&z=2"},
		{"google-token", "", "ya" + "29." + d(60, base62), ""},
		{"huggingface-token", "", "h" + "f_" + d(34, base62), ""},
		{"npm-token", "_auth ", "np" + "m_" + d(36, base62), ""},
		{"pypi-token", "", "py" + "pi-AgEIcHlwaS5vcmc" + d(80, base62), ""},
		{"sendgrid-key", "", "S" + "G." + d(22, base62) + "." + d(43, base62), ""},
		{"twilio-key", "", "S" + "K" + d(32, hexes), ""},
		{"telegram-token", "https://api.telegram.org/bot", d(10, "123456789") + ":A" + "A" + d(33, base62), "/getMe"},
		{"service-token", "", "do" + "p_v1_" + d(64, hexes), ""},
		{"jwt", "Authorization: Bearer ", jwt, ""},
		{"url-password", "postgres://bob:", d(10, base62), "@db.example/x"},
		{"url-userinfo", "https://", d(32, hexes), "@example.com/"},
		{"bearer-token", "Authorization: Bearer ", d(32, base62), " and so on"},
		{"basic-credentials", "authorization: basic ", basic, ""},
		{"session-id", "Cookie: theme=dark; session_id=", d(32, hexes), "; lang=en"},
		{"url-parameter", "https://example.com/a?x=1&access_token=", d(24, base62), "&y=2#z"},
		{"password", "password: ", d(6, base62) + d(2, digits) + d(4, base62), ""},
		{"named-secret", `curl -d '{"api_key": "`, d(32, hexes), `"}'`},
	}
}

// A valid secret is removed, for any random characters, and the rest remains.
func TestLiveSecretsAreTakenOut(t *testing.T) {
	seen := map[string]bool{}
	for seed := uint64(1); seed < 40_000; seed += 1000 {
		for _, c := range liveSecrets(seed) {
			seen[c.rule] = true
			text := c.before + c.secret + c.after
			clean, rules := secret.Redact("", text)
			if want := c.before + secret.Mark(c.rule) + c.after; clean != want || !slices.Equal(rules, []string{c.rule}) {
				t.Errorf("%s, seed %d: %q\n  became %q by %v,\n  want   %q", c.rule, seed, text, clean, rules, want)
			}
		}
	}
	for _, r := range secret.Rules() {
		if !seen[r.Name] {
			t.Errorf("rule %s is not tested", r.Name)
		}
		if r.Source == "" {
			t.Errorf("rule %s has no source", r.Name)
		}
	}
}

// A value is judged by the name of its member.
func TestAValueIsJudgedByTheNameOfItsMember(t *testing.T) {
	value := draw(1, 32, hexes)
	for name, want := range map[string]string{
		"api_key": "named-secret", "apiKey": "named-secret", "X-API-Key": "named-secret", "client_secret": "named-secret",
		"clientSecret": "named-secret", "token": "named-secret", "Authorization": "named-secret", "refresh_token": "named-secret",
		"password": "password", "db_passwd": "password", "sessionId": "session-id", "connect.sid": "session-id",
		"": "", "key": "", "id": "", "client_id": "", "token_type": "", "next_page_token": "", "public_key": "", "csrf_token": "",
		"verification_token": "", "sha256": "", "signature": "", "tokenUrl": "", "secret_name": "", "etag": "",
	} {
		clean, rules := secret.Redact(name, value)
		switch {
		case want == "" && clean != value:
			t.Errorf("%s: redacted by %v", name, rules)
		case want != "" && (clean != secret.Mark(want) || len(rules) != 1):
			t.Errorf("%s: %q by %v, want %s", name, clean, rules, want)
		}
	}
}

// Placeholders in documentation are kept.
func TestPlaceholdersAreNotTakenOut(t *testing.T) {
	sample := "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ." +
		"SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
	for _, text := range []string{
		"Authorization: Bearer YOUR_API_KEY", "Authorization: Bearer <token>", "Authorization: Bearer {{TOKEN}}", "Authorization: Bearer ${TOKEN}",
		"Authorization: Bearer $ACCESS_TOKEN", "Authorization: Bearer {access_token}", "Authorization: Bearer xxxxxxxxxxxxxxxxxxxxxxxx",
		"Authorization: Bearer your-access-token-1234", "Authorization: Bearer " + sample, "Authorization: Bearer mF_9.B5f-4.1JqM",
		"Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Authorization: Basic base64(username:password)", "basic authentication information",
		"sk_test_4eC39HqLyjWDarjtT1zdp7dc", "api_key: sk_test_4eC39HqLyjWDarjtT1zdp7dc", "sk_live_your_key_goes_here_0000", "sk-...", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"sk-proj-your-project-key-goes-here-1", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_1234567890abcdefghijklmnopqrstuvwxyz", "AKIAIOSFODNN7EXAMPLE",
		"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "https://user:password@example.com/", "https://username:YOUR_PASSWORD@example.com/",
		"postgres://postgres:postgres@localhost/db", "https://{user}:{password}@example.com", "https://example.com/?api_key={api_key}",
		"https://example.com/?access_token=YOUR_ACCESS_TOKEN", "https://example.com/?token=<your token>", "https://example.com/?key=value&sig=signature",
		"api_key: string", `"api_key": "your_api_key_123456"`, "password: correct-horse-battery", "token: access-token-v2", "max_tokens: 4096", "tokenUrl: https://example.com/oauth2/v1/token",
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY----- is how a private key begins", "-----BEGIN PUBLIC KEY-----",
		"a session_id of 32 hexadecimal digits", "Cookie: session_id=<id>", "eyJhbGciOiJFUzI1NiJ9..c2lnbmF0dXJl", "secret: 00000000000000000000000000000000",
		"see https://example.com/docs/v2/auth/tokens?page=2#bearer", "the header X-API-Key: abc", "adp:send_email_to_customer_2024", "550e8400-e29b-41d4-a716-446655440000",
		"0123456789abcdef0123456789abcdef", "sha256:" + draw(2, 64, hexes), "commit " + draw(3, 40, hexes), "hf_token", `{"token": "tok_abc123def456"}`, `{"token": "QSBzZW50ZW5jZSB0aGF0IG1lYW5zIG5vdGhpbmcgYXQgYWxs"}`, `{"payment_token": "ptok_550e8400-e29b-41d4-a716-446655440000"}`, "npm_config_registry", "secret_key_base: ENV_SECRET_KEY_BASE",
	} {
		if clean, rules := secret.Redact("", text); clean != text {
			t.Errorf("%q became %q by %v", text, clean, rules)
		}
	}
}

// A URL remains a URL, and leads nowhere.
func TestAURLWithoutItsSecretIsAURL(t *testing.T) {
	value := draw(4, 24, base62)
	clean, rules := secret.RedactURL("https://example.com/spec.json?v=2&access_token=" + value + "#top")
	if want := "https://example.com/spec.json?v=2&access_token=%5Bredacted%3Aurl-parameter%5D#top"; clean != want || !slices.Equal(rules, []string{"url-parameter"}) {
		t.Errorf("%s by %v, want %s", clean, rules, want)
	}
	for _, ref := range []string{clean, strings.ToLower(clean), "https://example.com/" + secret.Mark("jwt")} {
		if u, err := security.ParseURL(ref, nil); err == nil {
			t.Errorf("%q was taken for %s", ref, u)
		}
	}
	for _, ref := range []string{"http://example.com/?access_token=" + value, "https://10.0.0.1/?access_token=" + value, "https://bob:" + value + "@example.com/"} {
		if _, err := security.ParseURL(ref, nil); err == nil || strings.Contains(err.Error(), value) {
			t.Errorf("the error %v of a URL repeats its secret", err)
		}
	}
}

// hostileSecrets returns patterns that begin many shapes and end none.
func hostileSecrets() []string {
	return []string{"ghp_", "eyJ.", "eyJhbGciOi", "sk-", "-----BEGIN PRIVATE KEY-----", "://a:b", "token=", "key: \"", "Bearer ", "a1=", "bot1:AA", "xox", "?sig=a1b2c3d4&", "AKIA", "password=="}
}

// Memory is linear in the text, for any repeated beginnings.
func TestRedactSecretsGrowth(t *testing.T) {
	small, large := map[string]string{}, map[string]string{}
	for _, pattern := range hostileSecrets() {
		small[pattern] = strings.Repeat(pattern, 8<<10/len(pattern))
		large[pattern] = strings.Repeat(pattern, 128<<10/len(pattern))
	}
	testkit.BoundGrowth(t, small, large, func(text string) float64 {
		const room = 64 << 10 // for regular expressions that are compiled once for all sizes
		return room + testkit.Allocated(func() { secret.Redact("", text) })
	})
}

func TestRedactSecretsCleanTextIsNotCopied(t *testing.T) {
	text := "Send an e-mail to a customer; see https://example.com/docs for more."
	if n := testing.AllocsPerRun(100, func() { secret.Redact("description", text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRedactSecrets(f *testing.F) {
	for _, c := range liveSecrets(1) {
		f.Add("token", c.before+c.secret+c.after)
		f.Add("", c.secret+c.secret)
	}
	for _, pattern := range hostileSecrets() {
		f.Add("password", strings.Repeat(pattern, 20))
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		end := 0
		for _, s := range secret.Find(name, text) {
			if s.Start < end || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("%+v after %d in %d bytes", s, end, len(text))
			}
			end = s.End
		}
		clean, rules := secret.Redact(name, text)
		testkit.BoundAllocs(t, len(name)+len(text), 4<<10, 256<<10, func() { secret.Redact(name, text) })
		if found := secret.Find(name, clean); len(found) > 0 {
			t.Fatalf("%q became %q, in which there is %v", text, clean, found)
		}
		if len(rules) == 0 && clean != text {
			t.Fatalf("%q became %q by no rule", text, clean)
		}
		again, _ := secret.RedactURL(text)
		if third, more := secret.RedactURL(again); third != again {
			t.Fatalf("%q became %q and then %q by %v", text, again, third, more)
		}
	})
}

func BenchmarkRedactSecrets(b *testing.B) {
	prose := strings.Repeat("Send an e-mail to a customer, with api_key and a Bearer token; see https://example.com/docs/v2. ", 1000)
	texts := map[string]string{"short": prose[:60], "prose": prose}
	for i, pattern := range hostileSecrets() {
		texts[fmt.Sprintf("hostile%02d", i)] = strings.Repeat(pattern, 64<<10/len(pattern))
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				secret.Redact("", text)
			}
		})
	}
}
