package livemcp_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
)

// A server that redirects after most of the budget was used does not get the full budget
// again.
func TestRedirectedBudget(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		list := `{"tools": [` + strings.Repeat(" ", 3<<20) + `]}`
		pages := script{"server/discover": says(strings.Replace(discover, `"tools": {}`, `"tools": {}, "prompts": {}`, 1)), "tools/list": says(list), "prompts/list": says(`{"prompts": []}`)}
		internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.URL.Path == "/mcp" && bytes.Contains(body, []byte("prompts/list")) {
				http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			pages.ServeHTTP(w, r)
		}))
		u, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		_, err = livemcp.New(nil).Probe(t.Context(), &client.LiveRequest{URL: u, Redirects: 5, HTTP: internet.Client().HTTP("https://shop.example"),
			Interface: wayfind.Interface{Protocol: "mcp", URL: endpoint}})
		if e, _ := errors.AsType[*wayfind.Error](err); e == nil || e.Code != wayfind.CodeTooLarge {
			t.Errorf("got %v, want %s", err, wayfind.CodeTooLarge)
		}
	})
}
