package client_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// The set-ups that bear little, over TLS on loopback, in real time: TestTheOrdinaryWeb states the
// same of them in virtual time.
func TestTheOrdinaryWebOnTheWire(t *testing.T) {
	testkit.LongOnly(t)
	texts := readHostings(t)
	var rows []webRow
	for _, s := range texts.Setups {
		if !slices.Contains([]string{"limit", "protocol"}, s.Class) {
			continue
		}
		for _, state := range s.states() {
			t.Run(s.ID+" "+state, func(t *testing.T) {
				p := newPlay(texts, s, state, "example.com") // the name in the certificate
				rows = append(rows, p.ask(t, clienttest.FromServer(t, p.onLoopback(t), p.apex, p.www)))
			})
		}
	}
	judgeRows(t, rows)
}

// onLoopback starts one server for both names of a set-up.
func (p *play) onLoopback(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(p)
	server.EnableHTTP2 = !p.Proto.H1
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: p.Proto.MaxStreams}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}
