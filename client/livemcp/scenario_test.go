package livemcp_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A redirect of a message is not followed, wherever it leads.
func TestARedirectOfAMessageIsNotFollowed(t *testing.T) {
	for _, r := range []struct {
		status   int
		location string
		code     wayfind.Code
	}{
		{307, "https://evil.example/mcp", wayfind.CodeRedirectCrossSite},
		{308, "https://evil.example/mcp", wayfind.CodeRedirectCrossSite},
		{302, "http://shop.example/mcp", wayfind.CodeRedirectCrossSite},
		{307, "/mcp/", wayfind.CodeRedirectLocation},
		{308, "", wayfind.CodeRedirectLocation},
	} {
		for _, transport := range []string{"streamable-http", "sse"} {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				evil := internet.Host("evil.example", legacy(says(oneTool)))
				host := internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Location", r.location)
					w.WriteHeader(r.status)
				}))
				_, err := probe(t.Context(), t, internet, transport, nil)
				refused(t, err, wayfind.ErrRefused, r.code)
				if evil.Dials() != 0 || len(host.Requests()) != 1 {
					t.Errorf("%d to %s: %d dials there, asked %v here", r.status, r.location, evil.Dials(), asked(host))
				}
			})
		}
	}
}

// eventStream returns a server of 2024-11-05 that names an address for messages.
func eventStream(place string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "event: endpoint\ndata: %s\n\n", place)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

// The event with the address for messages cannot lead to another origin.
func TestTheEndpointEventLeadsToNoOtherOrigin(t *testing.T) {
	for _, place := range []string{
		"https://evil.example/messages", "//evil.example/messages", "https://sub.shop.example/messages",
		"https://10.0.0.1/messages", "http://shop.example/messages", "https://shop.example:8443/messages",
		"https://user@shop.example/messages", "file:///etc/passwd", "javascript:alert(1)", "https://shop.example@evil.example/",
	} {
		t.Run(place, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				evil := internet.Host("evil.example", legacy(says(oneTool)))
				sub := internet.Host("sub.shop.example", legacy(says(oneTool)))
				host := internet.Host("shop.example", nil).Handle("/mcp", eventStream(place))
				_, err := probe(t.Context(), t, internet, "sse", nil)
				if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Kind != wayfind.ErrRefused && e.Kind != wayfind.ErrInvalid {
					t.Errorf("error %v", err)
				}
				if evil.Dials()+sub.Dials() != 0 || len(host.Requests()) != 1 {
					t.Errorf("asked %v here, %d and %d dials elsewhere", asked(host), evil.Dials(), sub.Dials())
				}
			})
		})
	}
}

// The digest covers every tool as the server wrote it: any change of a tool changes the
// digest, and data about pages does not.
func TestTheDigestCoversEveryToolAsWritten(t *testing.T) {
	const tool = `{"name": "pay", "description": "Pays.", "annotations": {"readOnlyHint": false}, "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}}}`
	digest := func(t *testing.T, list string) (d string) {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", nil).Handle("/mcp", modern(says(list)))
			a, err := probe(t.Context(), t, internet, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			d = a.Digest
		})
		return d
	}
	want := digest(t, `{"tools": [`+tool+`]}`)
	if got := digest(t, `{"ttlMs": 5, "tools":  [`+tool+`], "_meta": {"page": 7}}`); got != want {
		t.Error("what is said about the page changed the digest")
	}
	for _, change := range [][2]string{
		{"Pays.", "Pays all."}, {"Pays.", "Pays.\u200b"}, {"string", "number"}, {"false", "true"}, {`"name": "pay"`, `"name": "Pay"`}, {`"to"`, `"too"`},
	} {
		if digest(t, `{"tools": [`+strings.Replace(tool, change[0], change[1], 1)+`]}`) == want {
			t.Errorf("%q for %q did not change the digest", change[1], change[0])
		}
	}
	if digest(t, `{"tools": [`+tool+`, `+tool+`]}`) == want {
		t.Error("a second tool did not change the digest")
	}
}
