package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/parse"
)

// Example reads a 401 and finds the places of the metadata of the authorization server.
func Example() {
	header := http.Header{}
	header.Set("WWW-Authenticate", `Bearer scope="read", resource_metadata="https://api.example/.well-known/oauth-protected-resource/mcp"`)
	auth, place, _ := oauth.Challenge(nil, header)
	fmt.Println(auth.Requirements, place)

	u, err := url.Parse(place)
	if err != nil {
		fmt.Println(err)
		return
	}
	reading, err := oauth.Read(&parse.Input{URL: u, FinalURL: u, Body: []byte(`{
		"resource": "https://api.example/mcp", "authorization_servers": ["https://login.example/tenant"]
	}`)}, "https://api.example/mcp")
	if err != nil || reading.Unusable != "" {
		fmt.Println("not to be used")
		return
	}
	for _, u := range reading.Links[0].URLs {
		fmt.Println(u)
	}
	// Output:
	// [[{bearer [read]}]] https://api.example/.well-known/oauth-protected-resource/mcp
	// https://login.example/.well-known/oauth-authorization-server/tenant
	// https://login.example/.well-known/openid-configuration/tenant
	// https://login.example/tenant/.well-known/openid-configuration
}
