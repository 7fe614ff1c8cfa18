package tokens

import (
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/security"
)

// Servers under development lead to each other, and to public ones. Nothing but the caller leads from
// another origin to one of them: neither metadata nor a challenge.
func TestOnlyDevelopmentServersLeadToDevelopmentServers(t *testing.T) {
	const api, login, public = "http://localhost:3000", "http://127.0.0.1:4000", "https://api.example.com"
	c, err := client.New(&client.Options{Policy: security.Guard{AllowDev: []string{api, login}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for _, row := range []struct {
		resource, issuer, ref string
		ok                    bool
	}{
		{api + "/mcp", "", api + "/.well-known/oauth-protected-resource/mcp", true},
		{api + "/mcp", "", login + "/token", true},
		{api + "/mcp", "", "https://login.example.com/token", true},
		{api + "/mcp", "", "http://localhost:5000/token", false},
		{api + "/mcp", "", "http://LOCALHOST:4000/token", false},
		{api + "/mcp", "", "http://[::1]:4000/token", false},
		{api + "/mcp", "", "http://login.example.com/token", false},
		{public + "/mcp", "", login + "/token", false},
		{public + "/mcp", "", api, false},
		{public + "/mcp", login, login + "/token", true}, // the caller names the issuer
		{"http://localhost:5000/mcp", "", login + "/token", false},
		{"http://localhost:5000/mcp", "", api, false},
	} {
		f := &fetcher{Request: &Request{Config: &Config{Issuer: row.issuer}, Resource: row.resource}, client: c}
		if u, err := f.parseURL(row.ref); (err == nil) != row.ok {
			t.Errorf("%s leads to %s: %v, %v", row.resource, row.ref, u, err)
		}
	}
}
