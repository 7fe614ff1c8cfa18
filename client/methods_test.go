package client_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
)

// Client.HTTP sends any method but CONNECT and TRACE. A request that it does not send is an error,
// and no part of a request is dropped.
func TestHTTPRefusesWhatItDoesNotSend(t *testing.T) {
	talking(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("a.example", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		c := internet.Client()
		ask := func(method string, change func(*http.Request)) error {
			req, err := http.NewRequestWithContext(t.Context(), method, "https://a.example/x", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			change(req)
			resp, err := c.HTTP("https://a.example").Do(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			return err
		}
		methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "PROPFIND"}
		for _, method := range methods {
			if err := ask(method, func(*http.Request) {}); err != nil {
				t.Errorf("%s: %v", method, err)
			}
		}
		field := func(name, value string) func(*http.Request) {
			return func(r *http.Request) { r.Header[name] = []string{value} }
		}
		for name, change := range map[string]func(*http.Request){
			"Authorization": field("Authorization", "Bearer s3cret"), "authorization": field("authorization", "Bearer s3cret"), "Cookie": field("Cookie", "a=s3cret"),
			"Upgrade": field("Upgrade", "websocket"), "Connection": field("Connection", "Upgrade"), "Expect": field("Expect", "100-continue"),
			"Proxy-Authorization": field("Proxy-Authorization", "Basic s3cret"), "Referer": field("Referer", "https://b.example/?s3cret"),
			"Transfer-Encoding": field("Transfer-Encoding", "chunked"), "a host": func(r *http.Request) { r.Host = "b.example" },
			"a trailer": func(r *http.Request) { r.Trailer = http.Header{"X": {"y"}} }, "CONNECT": func(r *http.Request) { r.Method = "CONNECT" },
			"TRACE": func(r *http.Request) { r.Method = "TRACE" }, "no method": func(r *http.Request) { r.Method = "A B" },
		} {
			err := ask("POST", change)
			e, ok := errors.AsType[*wayfind.Error](err)
			if name == "no method" && err != nil { // net/http looks at it first
				continue
			}
			if !ok || !errors.Is(err, wayfind.ErrRefused) || !e.Unsent || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%s: %v", name, err)
			}
		}
		var sent []string
		for _, r := range host.Requests() {
			sent = append(sent, r.Method)
		}
		if !slices.Equal(sent, methods) {
			t.Errorf("sent %q", sent)
		}
	})
}

// Credentials are added to the request, in a header field, the query or a cookie, and sent to their
// origin alone.
func TestHTTPCredentials(t *testing.T) {
	talking(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("a.example", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		c := internet.Client()
		ctx := client.WithCredential(t.Context(),
			security.Credential{Origin: "https://a.example", Field: "x-key", Value: "one"},
			security.Credential{Origin: "https://a.example", In: "query", Field: "api key", Value: "t&o"},
			security.Credential{Origin: "https://a.example", In: "cookie", Field: "sid", Value: "three"},
			security.Bearer("https://b.example", "four"), security.Credential{})
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://a.example/x?q=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.HTTP("https://a.example").Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.Request.URL.RawQuery != "q=1" {
			t.Errorf("the answer tells the credential: %s", resp.Request.URL)
		}
		r := host.Requests()[0]
		if r.Path != "/x?q=1&api+key=t%26o" || r.Header.Get("X-Key") != "one" || r.Header.Get("Cookie") != "sid=three" || r.Header.Get("Authorization") != "" {
			t.Errorf("%+v", r)
		}
	})
}
