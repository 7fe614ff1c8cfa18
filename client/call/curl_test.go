package call_test

import (
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// Curl writes the request as one shell command: each word is quoted, and no word moves a
// terminal or begins another command.
func TestCurl(t *testing.T) {
	const start = "curl --globoff --path-as-is --max-redirs 0 -X "
	for _, tt := range []struct {
		name    string
		request call.Request
		want    string
	}{
		{"a read", call.Request{Method: "GET", URL: "https://shop.example/a?b=c&d"}, `'GET' 'https://shop.example/a?b=c&d'`},
		{"fields in order", call.Request{Method: "GET", URL: "u", Header: http.Header{"B": {"2", "3"}, "A": {"1"}}}, `'GET' -H 'A: 1' -H 'B: 2' -H 'B: 3' 'u'`},
		{"a body", call.Request{Method: "POST", URL: "u", Body: []byte(`{"a":"$(id) ` + "`id`" + ` \"!"}`)}, `'POST' --data-raw '{"a":"$(id) ` + "`id`" + ` \"!"}' 'u'`},
		{"an empty body", call.Request{Method: "POST", URL: "u", Body: []byte{}}, `'POST' --data-raw '' 'u'`},
		{"a quote", call.Request{Method: "POST", URL: "u", Body: []byte(`it's; id`)}, `'POST' --data-raw 'it'\''s; id' 'u'`},
		{"control characters", call.Request{Method: "POST", URL: "u", Body: []byte("a\x1b[2J\r'; id\\")}, `'POST' --data-raw $'a\x1b[2J\x0d\x27; id\x5c' 'u'`},
		{"a character that turns the text", call.Request{Method: "GET", URL: "u", Header: http.Header{"A": {"x\u202ey"}}}, `'GET' -H $'A: x\xe2\x80\xaey' 'u'`},
		{"a control character in the URL", call.Request{Method: "GET\n", URL: "u\x7f'"}, `$'GET\x0a' $'u\x7f\x27'`},
		{"octets", call.Request{Method: "POST", URL: "u", Body: []byte{0xff, '\''}}, `'POST' --data-binary @BODY 'u'`},
		{"a null character", call.Request{Method: "POST", URL: "u", Body: []byte("a\x00b")}, `'POST' --data-binary @BODY 'u'`},
	} {
		if got := tt.request.Curl(); got != start+tt.want {
			t.Errorf("%s:\n%s\n%s", tt.name, got, start+tt.want)
		}
	}
}
