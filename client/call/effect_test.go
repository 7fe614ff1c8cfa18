package call_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// failing are answers that a service may send after it has done its work, or instead of doing
// it.
var failing = map[string]http.HandlerFunc{
	"no answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	"half an answer": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
		panic(http.ErrAbortHandler)
	},
	"an endless answer": func(w http.ResponseWriter, _ *http.Request) {
		for piece := strings.Repeat("x", 64<<10); ; {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	},
	"429": soon(429), "500": soon(500), "502": soon(502), "503": soon(503), "504": soon(504), "524": soon(524), "302": soon(302),
}

// soon returns a handler that answers with a status and allows the next request at once.
func soon(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Location", "/api/done")
		w.WriteHeader(status)
	}
}

// onceBoxes returns tools that a publisher declares to do more than read, or to be called only
// once, whatever the method.
func onceBoxes(t *testing.T, s *shop, api http.HandlerFunc) map[string]*tools.Box {
	t.Helper()
	var actions []string
	for i, words := range []string{`"reversible": false`, `"requires_human_confirmation": true`, `"price": "1 EUR"`, `"sensitivity": "destructive"`} {
		for _, method := range []string{"GET", "PUT", "DELETE", "POST"} {
			actions = append(actions, fmt.Sprintf(`{"id": "%s-%d", "description": "Does it.", "endpoint": "/api/%d", "method": %q, "auth_required": false, "inputs": {}, %s}`, method, i, i, method, words))
		}
	}
	awp := loadAWP(t, s, strings.Join(actions, ", "), api)
	boxes := map[string]*tools.Box{}
	for _, tool := range append(awp.Tools(), s.box.Tools()...) {
		boxes[tool.Name] = awp
		if tool.Origin == "https://shop.example" {
			boxes[tool.Name] = s.box
		}
	}
	return boxes
}

// One agreement results in one request, whatever the method and the failure. The model learns
// that the outcome is not known, and never that nothing was done.
func TestWhatIsDoneOnceIsNeverSentAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var now http.HandlerFunc
		api := func(w http.ResponseWriter, r *http.Request) { now(w, r) }
		s := newShop(t, document("", operation("get", "/api/pay", "pay", `, "x-openai-isConsequential": true`)), api)
		boxes := onceBoxes(t, s, api)
		if len(boxes) != 17 {
			t.Fatalf("%d tools", len(boxes))
		}
		for name, box := range boxes {
			for how, answer := range failing {
				now = answer
				y, before := &yes{verdict: call.AllowSession}, len(s.calls())
				res, err := s.caller(&call.Options{Confirm: y.confirm}).Call(t.Context(), box, name, nil)
				wantCode(t, res, err, call.OutcomeUnknown)
				if n := len(s.calls()) - before; n != 1 || y.count() != 1 || y.asked[0].Session || res.Model.Again || strings.Contains(res.Model.Text+res.Model.Prompt(), "nothing was") {
					t.Fatalf("%s, %s: sent %d times, asked %d times: %q", name, how, n, y.count(), res.Model.Text)
				}
			}
		}
	})
}

// A reading call that sends a credential for the first time causes a question, but its effect
// is still reading.
func TestReadingWithANewCredentialIsReading(t *testing.T) {
	bubble(t, func(t *testing.T) {
		tries := 0
		s := newShop(t, securedDocument, func(w http.ResponseWriter, r *http.Request) {
			if tries++; tries < 3 {
				panic(http.ErrAbortHandler)
			}
			okay(w, r)
		})
		y := &yes{verdict: call.AllowOnce}
		c := s.caller(&call.Options{Confirm: y.confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Key("s3cret-key", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		}})
		res, err := c.Call(t.Context(), s.box, "open", []byte(`{"q":"x"}`))
		if wantCode(t, res, err, made); y.count() != 1 || res.Program.Attempts != 3 {
			t.Errorf("asked %d times, sent %d times", y.count(), res.Program.Attempts)
		}
		tries = -3
		res, err = c.Call(t.Context(), s.box, "open", []byte(`{"q":"x"}`))
		if wantCode(t, res, err, call.Unreachable); strings.Contains(res.Model.Text, "nothing was") {
			t.Errorf("%q after %d requests", res.Model.Text, res.Program.Attempts)
		}
	})
}

// The detail "nothing was done" is given exactly if no byte was written, for every call.
func TestNothingWasDoneIsSaidOfWhatWasNotSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, repeatDocument, nil)
		s.net.Host("api.shop.example", nil).FailConn(slices.Repeat([]clienttest.ConnFault{clienttest.Refuse()}, 100)...)
		for _, tool := range []string{"plain", "read", "put", "keyed"} {
			res, err := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Approve: approving(new([]string))}).Call(t.Context(), s.box, tool, argumentsOf(tool))
			if wantCode(t, res, err, call.Unreachable); !strings.Contains(res.Model.Text, "nothing was done") {
				t.Errorf("%s: %q", tool, res.Model.Text)
			}
		}
	})
}
