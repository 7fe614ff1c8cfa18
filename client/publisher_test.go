package client_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

func TestAListThatLeadsFromItsPublisherToAnotherSiteIsReported(t *testing.T) {
	for url, told := range map[string]bool{"https://evil.example/card.json": true, "https://cards.bank.com/card.json": false} {
		n := clienttest.New(t)
		n.Host("evil.example", nil)
		n.Host("cards.bank.com", nil)
		n.Host("bank.com", clienttest.Pages{"/.well-known/ai-catalog.json": `{"specVersion":"1.0","host":{"displayName":"V"},"entries":[{"identifier":"urn:air:bank.com:pay",
			"type":"application/mcp-server-card+json","displayName":"pay","publisher":{"displayName":"Bank","identifier":"bank.com"},"url":"` + url + `"}]}`})
		site, err := n.Client().Resolve(t.Context(), "bank.com")
		if site == nil {
			t.Fatal(err)
		}
		if got := strings.Contains(fmt.Sprint(site.Diagnostics), "publisher.elsewhere"); got != told {
			t.Errorf("%s: told %t: %v", url, got, site.Diagnostics)
		}
	}
}
