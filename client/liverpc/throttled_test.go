package liverpc_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security/pins"
)

// RFC 6585 §4 and RFC 9110 §10.2.3: 429 means "not now", for the time in Retry-After. It is
// not a refusal: pinned capabilities are not gone, and the endpoint is asked again after that
// time.
func TestAThrottledEndpointIsNotARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		throttled, asked := false, 0
		internet.Host("ledger.example", declared("https://ledger.example/rpc")).
			Handle("/rpc", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				if throttled {
					w.Header().Set("Retry-After", "5")
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				fmt.Fprint(w, discovered)
			}))
		pinned := func(held *pins.Set) *client.Client {
			return internet.Client(func(o *client.Options) {
				*o = *options(internet)
				o.Trust.Pins = held
			})
		}
		first, err := pinned(&pins.Set{}).Resolve(t.Context(), "ledger.example")
		if err != nil {
			t.Fatal(err)
		}
		held, err := (&pins.Set{}).With(first, "openrpc:rpc/balance")
		if err != nil {
			t.Fatal(err)
		}
		throttled = true
		c := pinned(held)
		site, err := c.Resolve(t.Context(), "ledger.example")
		if err != nil {
			t.Errorf("with a pin: %v", err)
		}
		if v := probeOf(site, "https://ledger.example/rpc").Verdict; v != wayfind.VerdictThrottled {
			t.Errorf("verdict %s", v)
		}
		throttled, asked = false, 0
		time.Sleep(6 * time.Second)
		site, err = c.Resolve(t.Context(), "ledger.example")
		if _, live := site.Capability("openrpc:rpc/balance"); err != nil || asked == 0 || live == nil {
			t.Errorf("after its time: %v, asked %d times, found %v", err, asked, live)
		}
	})
}

// An endpoint that answers with 404 does not exist, and an endpoint that answers with 405
// expects another method (RFC 9110 §15.5), whatever the body.
func TestTheStatusCountsBeforeTheBody(t *testing.T) {
	for status, want := range map[int]wayfind.Verdict{404: wayfind.VerdictAbsent, 405: wayfind.VerdictEndpointLike} {
		for _, body := range []string{"", "<html>no"} {
			synctest.Test(t, func(t *testing.T) {
				site := resolve(t, clienttest.New(t), func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					w.WriteHeader(status)
					fmt.Fprint(w, body)
				})
				if v := probeOf(site, "https://ledger.example/rpc").Verdict; v != want {
					t.Errorf("%d with %q: %s, want %s", status, body, v, want)
				}
			})
		}
	}
}
