package call_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

// The poll URL in a document is on the origin of the call, because the credentials of the call
// are sent to it.
func TestHandlesOfDocumentsStay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		box := loadAWP(t, s, `{"id": "book", "description": "Books", "endpoint": "/api/book", "method": "POST", "auth_required": false, "inputs": {}, "outputs": {},
			"execution_model": "async", "poll_endpoint": "/api/jobs/{id}"}`, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"id":"7","next":"https://thief.example.net/"}`)
		})
		thief := s.net.Host("thief.example.net", http.HandlerFunc(okay))
		c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		const own = "https://awp.example/api/jobs/{id}"
		for at, want := range map[string]string{
			own: "https://awp.example/api/jobs/7", "/api/jobs/{id}": "https://awp.example/api/jobs/7", "https://thief.example.net/{id}": "", "//thief.example.net/{id}": "",
			"http://awp.example/{id}": "", "https://awp.example:8443/{id}": "", "https://user@awp.example/{id}": "", "{next}": "", "/api/{missing}": "",
		} {
			changed := box
			if at != own {
				changed = edited(t, box, own, at)
			}
			res, err := c.Call(t.Context(), changed, changed.Tools()[0].Name, nil)
			wantCode(t, res, err, made)
			got := ""
			if res.Program.Handle != nil {
				got = res.Program.Handle.URL
			}
			if got != want || res.Model.Pending != (want != "") {
				t.Errorf("%s: a handle for %q, want %q", at, got, want)
			}
		}
		if len(thief.Requests()) != 0 {
			t.Errorf("%+v", thief.Requests())
		}
	})
}

// An operation that is not finished at once returns a handle on its own origin.
func TestHandles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		location, polls := "/api/jobs/7", 0
		s := newShop(t, shopDocument, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch {
			case r.Method == http.MethodPost:
				w.Header().Set("Location", location)
				w.WriteHeader(http.StatusAccepted)
			case polls < 2:
				polls++
				w.Header().Set("Retry-After", "10")
				_, _ = io.WriteString(w, `{"status":"running"}`)
			default:
				_, _ = io.WriteString(w, `{"status":"done"}`)
			}
		})
		y := &yes{verdict: call.AllowOnce}
		c := s.caller(&call.Options{Confirm: y.confirm})
		res, err := c.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`))
		wantCode(t, res, err, made)
		if !res.Model.Pending || res.Program.Handle.URL != "https://shop.example/api/jobs/7" {
			t.Fatalf("%+v", res)
		}
		start := time.Now()
		res, err = c.Wait(t.Context(), res.Program.Handle)
		wantCode(t, res, err, made)
		if string(res.Model.JSON) != `{"status":"done"}` || time.Since(start) != 21*time.Second {
			t.Errorf("%s after %v", res.Model.JSON, time.Since(start))
		}
		for _, location = range []string{"https://thief.example.net/x", "//thief.example.net/x", "http://shop.example/x"} {
			res, err := c.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`))
			if wantCode(t, res, err, made); res.Program.Handle != nil {
				t.Errorf("a handle for %s", location)
			}
		}
	})
}
