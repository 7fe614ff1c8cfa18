package client_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// If a server answers while a message is still being sent, and then resets the connection, its
// answer is read. Half an answer is an error. The message is never sent twice.
func TestAnEarlyAnswerToAMessageIsHeard(t *testing.T) {
	const whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	for name, row := range map[string]struct {
		answer string
		want   wayfind.Code // of the failure; empty: heard
	}{
		"answer": {whole, ""}, "half an answer": {whole[:len(whole)-2], wayfind.CodeNetwork}, "no answer": {"", wayfind.CodeNetwork},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("mcp.example.com", nil).Protocols("http/1.1").Raw(func(c net.Conn) {
					if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
						return
					}
					_, _ = io.WriteString(c, row.answer)
					time.Sleep(time.Second) // it arrives while the message is written
					clienttest.End(c, clienttest.Reset)
				})
				resp, err := newClient(t, internet).HTTP("https://mcp.example.com").Post("https://mcp.example.com/mcp", "application/json", strings.NewReader(strings.Repeat(" ", 4<<20)))
				var body []byte
				if err == nil {
					body, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()
				}
				code := wayfind.Code("")
				if e, ok := errors.AsType[*wayfind.Error](err); ok {
					code = e.Code
				}
				if code != row.want || (err == nil) != (row.want == "") || err == nil && string(body) != "hello" {
					t.Errorf("%q, %v", body, err)
				}
				if host.Dials() != 1 {
					t.Errorf("%d dials", host.Dials())
				}
				time.Sleep(2 * time.Second) // until the server has noticed
			})
		})
	}
}
