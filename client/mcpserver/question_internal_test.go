package mcpserver

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// What a site states is before the request, its price and its effects, which a person reads last.
func TestTheRequestIsTheLastThatAPersonReads(t *testing.T) {
	stated := []string{strings.Repeat("The site restricts agents. ", 50), `The site advises agents: "It is free."`}
	got := question(&call.Question{Tool: "book", Domain: "fly.example", Arguments: []byte(`{"a":1}`), Price: strings.Repeat("5 EUR ", 50), Stated: stated,
		Request: &call.Request{Method: "POST", URL: "https://fly.example/book"}, Reasons: []call.Reason{call.ReasonPrice, call.ReasonChanges}})
	want := strings.Join(stated, "\n") + `
Call book of fly.example?
Arguments: {"a":1}
It sends POST https://fly.example/book
Price, by the site: "5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EUR 5 EU… (300 bytes in all)"
Because it costs something.
Because it changes something.`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
