package call_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// Arguments may make a URL as long as servers are expected to accept, although the URL of a
// document must be shorter.
func TestArgumentsMakeURLsOfEightThousandBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		c := s.caller(nil)
		const place = "https://shop.example/api/orders?q="
		for _, length := range []int{2049, 8000} {
			res, err := c.Call(t.Context(), s.box, "listOrders", query(length-len(place)))
			wantCode(t, res, err, made)
			if sent := s.calls(); len("https://shop.example")+len(sent[len(sent)-1].target) != length {
				t.Errorf("%d bytes: sent are %d", length, len(sent[len(sent)-1].target))
			}
		}
		sent := len(s.calls())
		res, err := c.Call(t.Context(), s.box, "listOrders", query(8001-len(place)))
		wantCode(t, res, err, call.InvalidArguments)
		if !strings.Contains(res.Model.Text, "longer than 8000 bytes") || len(s.calls()) != sent {
			t.Errorf("the model is told %q", res.Model.Text)
		}
	})
}

// The same is true for a server under development.
func TestArgumentsMakeURLsOfEightThousandBytesUnderDevelopment(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		box := edited(t, s.box, "https://shop.example", "http://localhost:8080")
		const place = "http://localhost:8080/api/orders?q="
		for length, taken := range map[int]bool{8000: true, 8001: false} {
			_, err := s.caller(nil).DryRun(t.Context(), box, "listOrders", query(length-len(place)))
			if failed, _ := errors.AsType[*call.Error](err); taken != (err == nil) || !taken && (failed == nil || failed.Code != call.InvalidArguments) {
				t.Errorf("%d bytes: %v", length, err)
			}
		}
	})
}

// query returns arguments with a text of n bytes.
func query(n int) []byte { return fmt.Appendf(nil, `{"q":%q}`, strings.Repeat("x", n)) }
