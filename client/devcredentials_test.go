package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/security"
)

// headersOf is a server on this machine that keeps the headers of its requests.
func headersOf(t *testing.T, answer http.HandlerFunc) (url string, got func() []http.Header) {
	t.Helper()
	var mu sync.Mutex
	var all []http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		all = append(all, r.Header.Clone())
		mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []http.Header {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

// A credential for a server under development goes with each request to its origin, and to no other
// server under development. A credential of a request replaces it.
func TestDevCredentialsGoToTheirOriginOnly(t *testing.T) {
	other, strange := headersOf(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	url, own := headersOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			return
		}
		http.Redirect(w, r, other+r.URL.Path, http.StatusFound)
	})
	c, err := client.New(&client.Options{
		Policy: security.Guard{AllowDev: []string{url, other}},
		Network: client.Network{DevCredentials: []security.Credential{
			{Origin: url, Field: "x-gate", Value: "open-sesame"}, {Origin: url, Field: "Authorization", Value: "Bearer of-the-gate"},
			{Origin: url, In: "cookie", Field: "sid", Value: "1234567"},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = c.Resolve(t.Context(), url)
	if n := len(strange()); n > 0 {
		t.Errorf("a redirect was followed %d times", n)
	}
	_, _ = c.Resolve(t.Context(), other)
	if len(own()) == 0 || len(strange()) == 0 {
		t.Fatalf("%d and %d requests", len(own()), len(strange()))
	}
	for _, h := range own() {
		if h.Get("X-Gate") != "open-sesame" || h.Get("Authorization") != "Bearer of-the-gate" || h.Get("Cookie") != "sid=1234567" {
			t.Errorf("the own server got %v", h)
		}
	}
	for _, h := range strange() {
		if h.Get("X-Gate")+h.Get("Authorization")+h.Get("Cookie") != "" {
			t.Errorf("another server got %v", h)
		}
	}
	before := len(own())
	req, err := http.NewRequestWithContext(client.WithCredential(t.Context(), security.Bearer(url, "of-the-call")), http.MethodGet, url+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.HTTP(url).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if h := own()[before]; h.Get("X-Gate") != "open-sesame" || h.Get("Authorization") != "Bearer of-the-call" {
		t.Errorf("the call has %v", h)
	}
}

// A credential that cannot be sent with every request is a mistake in the options.
func TestDevCredentialsThatAreRefused(t *testing.T) {
	const dev, far = "http://localhost:3000", "http://tools.example.com"
	for want, c := range map[string]security.Credential{
		"https://shop.example is not in Policy.AllowDev": {Origin: "https://shop.example", Field: "X-Gate", Value: "v"},
		"to this machine only":                           {Origin: far, Field: "X-Gate", Value: "v"},
		"neither a header field nor":                     {Origin: dev, In: "query", Field: "gate", Value: "v"},
		"Host belongs to the connection":                 {Origin: dev, Field: "host", Value: "v"},
		"no header field can hold":                       {Origin: dev, In: "cookie", Field: "a b", Value: "v"},
	} {
		_, err := client.New(&client.Options{Policy: security.Guard{AllowDev: []string{dev, far}}, Network: client.Network{DevCredentials: []security.Credential{c}}})
		if !errors.Is(err, wayfind.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
}
