package client_test

import (
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/parse"
)

// A Site is as fresh as the answers that it was made of may be served again, whatever the format
// (RFC 9111).
func TestASiteIsAsFreshAsItsAnswers(t *testing.T) {
	documents := []struct {
		format     *parse.Format
		path, body string
	}{
		{adp.Format(), wellKnown, manifest("shop.example", "/d/k")},
		{aidiscovery.Format(), "/.well-known/ai", `{"aiendpoint":"1.0","service":{"name":"S","description":"A shop."},"capabilities":[{"id":"k","description":"Does it.","endpoint":"/k","method":"GET"}]}`},
		{awp.Format(), "/agent.json", `{"awp_version":"0.2","domain":"shop.example","intent":"A shop.","actions":[{"id":"k","description":"Does it.","endpoint":"/k","method":"GET"}]}`},
		{msagents.Format(), "/agents/v1", `{"agents":[{"name":"pirate","description":"Talks."}]}`},
	}
	directives := []struct {
		name   string
		header []string
		want   int // requests of three Resolves within a minute
	}{
		{"max-age", []string{"Cache-Control", "max-age=600"}, 1},
		{"max-age and Vary: *", []string{"Cache-Control", "max-age=600", "Vary", "*"}, 3},
		{"Expires and Vary: *", []string{"Expires", "Sat, 01 Jan 2050 00:00:00 GMT", "Vary", "Accept, *"}, 3},
		{"Vary on what we send", []string{"Cache-Control", "max-age=600", "Vary", "Accept"}, 1},
		{"no-store", []string{"Cache-Control", "no-store"}, 3},
		{"no-cache", []string{"Cache-Control", "no-cache"}, 3},
		{"max-age=0", []string{"Cache-Control", "max-age=0"}, 3},
		{"older than max-age", []string{"Cache-Control", "max-age=600", "Age", "600"}, 3},
		{"private", []string{"Cache-Control", "private, max-age=600"}, 1},
	}
	for _, doc := range documents {
		for _, d := range directives {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{}).Handle(doc.path, page(doc.body, d.header...))
				c := newClient(t, internet, withFormats(doc.format))
				for range 3 {
					if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
						t.Fatalf("%s, %s: %v", doc.format.Name, d.name, err)
					}
					time.Sleep(20 * time.Second)
				}
				if n := asked(host)[doc.path]; n != d.want {
					t.Errorf("%s, %s: %d requests, want %d", doc.format.Name, d.name, n, d.want)
				}
			})
		}
	}
}
