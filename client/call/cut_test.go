package call_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// A PUT or a DELETE is sent again if the connection ends before the answer begins. After one
// byte of an answer it is not, because the service has seen the request.
func TestNothingIsSentAgainBehindAnAnswer(t *testing.T) {
	const reply = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nContent-Type: application/json\r\n\r\n{\"ok\":true}"
	bubble(t, func(t *testing.T) {
		h := newRawHost(t, "http/1.1")
		for n := range reply {
			h.api.Raw(func(c net.Conn) {
				if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					h.whole(r)
					_, _ = io.WriteString(c, reply[:n])
				}
			})
			for tool, times := range map[string][2]int{"put": {3, 1}, "delete": {3, 1}, "patch": {1, 1}, "keyed": {3, 3}} {
				want := expect{times[min(n, 1)], call.OutcomeUnknown}
				if h.calling(tool, want); t.Failed() {
					t.Fatalf("%s: the answer is cut at byte %d", tool, n)
				}
			}
		}
	})
}
