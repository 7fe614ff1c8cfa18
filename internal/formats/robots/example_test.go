package robots_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "garden.example", Path: robots.Path}
	reading, err := robots.Format().Parse(&parse.Input{URL: u, FinalURL: u, Body: []byte(`User-agent: *
Disallow: /greenhouse/
Content-Signal: search=yes, ai-train=no

Agentmap: https://garden.example/.well-known/ard.json
`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range reading.Policies {
		fmt.Printf("%s: %q\n", p.Kind, p.Text)
	}
	for _, l := range reading.Links {
		fmt.Println(l.Role, l.URLs[0])
	}
	// Output:
	// robots: "User-agent: *\nDisallow: /greenhouse/"
	// content_signal: "search=yes, ai-train=no"
	// agentmap https://garden.example/.well-known/ard.json
}

func ExampleAllowed() {
	body := []byte("User-agent: *\nDisallow: /greenhouse/\nAllow: /greenhouse/tours\n")
	fmt.Println(robots.Allowed(body, "wayfind", "https://garden.example/.well-known/agent"))
	fmt.Println(robots.Allowed(body, "wayfind", "https://garden.example/greenhouse/keys"))
	fmt.Println(robots.Allowed(body, "wayfind", "https://garden.example/greenhouse/tours?day=1"))
	// Output:
	// true
	// false
	// true
}
