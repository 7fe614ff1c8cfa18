package secret_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// What a person wrote under the name of a secret is kept in no form.
func TestDataOfACallerAreKeptWithoutSecrets(t *testing.T) {
	for _, said := range []string{
		"Passwort: hUn73r", "mot de passe : hUn73r", "Das Passwort:\thUn73r", "пароль：hUn73r", "密码=hUn73r", "PASSWORD = hUn73r", "**Kennwort:** hUn73r and a dog", "SMS code: 4711 hUn73r",
		"Authorization: Bearer hUn73r", "Cookie: a=hUn73r; b=hUn73r", "https://h.example/?password=hUn73r&x=1", "user[password]=hUn73r", "a=1&wachtwoord=hUn73r", `senha => "hUn73r dog"`,
		"<password>hUn73r</password>", `<ns:Passwort kind="a">hUn73r</ns:Passwort>`, `<input name="password" value="hUn73r">`, "- name: DB_PASSWORD\n  value: hUn73r", "curl -u me:hUn73r https://h.example", `curl --user "me:hUn73r"`, "login --password hUn73r --verbose", "tool -token hUn73r",
		"--b\r\nContent-Disposition: form-data; name=\"passwort\"\r\n\r\nhUn73r\r\n--b--",
		`{"password":"hUn73r"}`, `x {"contraseña": {"a":["hUn73r"]}}`, `{"name":"password","value":"hUn73r"}`, `{"value":{"a":"hUn73r"},"key":"mot_de_passe"}`, `[{"field":"heslo","type":"x","v":["hUn73r"]}]`, `{"in":"header","header":"Authorization","text":"hUn73r"}`, `{"a":"{\"a\":\"{\\\"password\\\":\\\"hUn73r\\\"}\"}"}`, `{"a":"Passwort: hUn73r"}`, `{"signature":"hUn73r","schluessel":"hUn73r"}`,
		`{"value":"{\"passphrase\":1,\"b\":\"hUn73r\"}","name":"pin"}`, `{"a":[{"value":"hUn73r","name":"şifre"}`, `{"passwoerter":["hUn73r"]}`,
	} {
		got := secret.Private(said)
		if strings.Contains(got, "hUn73r") || json.Valid([]byte(said)) != json.Valid([]byte(got)) {
			t.Errorf("%q became %q", said, got)
		}
	}
	nested := `"password: hUn73r"`
	for range 4 {
		inner, _ := json.Marshal(`{"a":` + nested + `}`)
		nested = string(inner)
	}
	if got := secret.Members(`{"a":`+nested+`}`, true); strings.Contains(got, "hUn73r") {
		t.Errorf("%s became %s", nested, got)
	}
}

// Texts and members that only resemble them stay as they are.
func TestDataOfACallerStayReadable(t *testing.T) {
	for _, said := range []string{
		"Two sacks: one for me, one for Ann.", "max_tokens=5&author=Ann", "Meeting at 10:30; pinned: yes", "https://shop.example/passenger?compass=north", "<passenger>Ann</passenger>", "go test -run X --author Ann --max_tokens 5", "curl -u me", "postcode: 8001",
		`{"name":"author","value":"Ann"}`, `{"name":"password","type":"string","required":true}`, `{"key":"max_tokens","value":5}`, `[{"name":"a","value":1},{"name":"token_count","value":2}]`, `{"id":"order 5","value":"x"}`, "- name: color\n  value: red", `{"a":"{\"passenger\": \"Ann\"}"}`,
		"password=[redacted: named-secret]&a=1", `{"password":"[redacted: named-secret]"}`, "Passwort:", "type: password",
	} {
		if got := secret.Private(said); got != said {
			t.Errorf("%q became %q", said, got)
		}
	}
}

func BenchmarkPrivate(b *testing.B) {
	fill := func(s string) string { return strings.Repeat(s, 256<<10/len(s)) }
	for name, text := range map[string]string{"names": fill("Passwort: a\n"), "colons": fill("a:"), "tags": fill("<a"), "objects": fill(`{"a":`), "pairs": fill(`{"value":1,"name":"pin",`), "quotes": fill(`\"`), "name": fill(`name="`)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				secret.Private(text)
			}
		})
	}
}
