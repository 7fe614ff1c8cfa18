package openapi_test

import (
	"strings"
	"testing"
)

// The value of a server variable is one segment of a path, never a slash or a
// dot segment (Server Object; RFC 3986 §3.3): the URL that is called stays
// where the server's URL says.
func TestN16_ServerVariableStaysInItsSegment(t *testing.T) {
	for _, value := range []string{"..", "../admin", "v1/../../admin", "a/b"} {
		in := one(t, object{"operationId": "o", "responses": object{}}, object{"servers": []any{
			object{"url": "https://shop.example/api/{v}", "variables": object{"v": object{"default": value}}}}})
		r := read(t, in)
		_, c := detailOf(t, in)
		var urls []string
		if c.Invocation != nil {
			urls = append(urls, c.Invocation.URL, c.Invocation.Template)
		}
		for _, f := range r.Services[0].Interfaces {
			urls = append(urls, f.URL)
		}
		for _, u := range urls {
			if u != "" && (!strings.HasPrefix(u, "https://shop.example/api/") || strings.Contains(u, "/"+value)) {
				t.Errorf("%q is expanded to %s", value, u)
			}
		}
	}
}
