package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
)

// Under RobotsEnforce a failure of the name or the connection is reported as itself, not
// as a robots.txt that could not be asked for: at once, and while it is remembered.
func TestAFailureUnderRobotsEnforceIsReportedAsItself(t *testing.T) {
	for name, row := range map[string]struct {
		fault clienttest.ConnFault
		code  wayfind.Code
	}{
		"no such name":  {clienttest.ConnFault{}, wayfind.CodeDNSNotFound},
		"no connection": {clienttest.Refuse(), wayfind.CodeNetwork},
		"no handshake":  {clienttest.UnknownCACert(), wayfind.CodeTLS},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				if row.code != wayfind.CodeDNSNotFound {
					internet.Host("shop.example", clienttest.Pages{"/one": `{"one": ["a"]}`}).FailConn(row.fault)
				}
				c := newClient(t, internet, robotsMode(client.RobotsEnforce), withFormats(toy("one", parse.Location{Path: "/one"}, parse.Location{Path: "/two"})))
				for range 2 {
					site, err := c.Refresh(t.Context(), "shop.example")
					var e *wayfind.Error
					if !errors.Is(err, wayfind.ErrUnreachable) || !errors.As(err, &e) || e.Code != row.code {
						t.Errorf("%v", err)
					}
					for _, p := range site.Probes {
						if p.Verdict != wayfind.VerdictUnreachable || p.Reason != string(row.code) {
							t.Errorf("%s is %s (%s)", p.URL, p.Verdict, p.Reason)
						}
					}
					time.Sleep(time.Second)
				}
			})
		})
	}
}
