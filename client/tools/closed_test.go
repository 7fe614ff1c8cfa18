package tools_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A Watch ends with the Client: if it was closed before, while a domain is read, or while nothing is
// due.
func TestAWatchEndsWithItsClient(t *testing.T) {
	for name, after := range map[string]time.Duration{"before": 0, "while a domain is read": 5 * time.Second, "while nothing is due": 20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := clienttest.New(t)
				_, domains := shelves(n, 2)
				if name == "while a domain is read" {
					n.Host("stall.example", nil).FailConn(clienttest.AtAccept(clienttest.Stall))
					domains = append(domains, "stall.example")
				}
				c, begin := n.Client(cardsOnly), time.Now()
				end := func() {
					if err := c.Close(); err != nil {
						t.Error(err)
					}
				}
				if after == 0 {
					end()
				} else {
					time.AfterFunc(after, end)
				}
				var last error
				for _, err := range tools.Watch(t.Context(), c, domains, nil) {
					if last != nil {
						t.Errorf("it goes on after %v", last)
					}
					last = err
				}
				if took := time.Since(begin); !errors.Is(last, wayfind.ErrClosed) || took > after+5*time.Second {
					t.Errorf("%v after %v", last, took)
				}
			})
		})
	}
}

// A Load that is under way when the Client closes has what was read until then, and the error.
func TestALoadEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		_, domains := shelves(n, 2)
		n.Host("stall.example", nil).FailConn(clienttest.AtAccept(clienttest.Stall))
		c := n.Client(cardsOnly)
		time.AfterFunc(2*time.Second, func() { _ = c.Close() })
		box, err := tools.Load(t.Context(), c, append(domains, "stall.example"), nil)
		if !errors.Is(err, wayfind.ErrClosed) || box == nil || box.Len() != 2 {
			t.Errorf("%v, %v", box, err)
		}
	})
}
