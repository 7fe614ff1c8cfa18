package call_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

const (
	statusMember = `, "agent_status": {"operational": true, "status_endpoint": "/api/status"}`
	notWorking   = "The site states that the service is not operational."
	degraded     = "The site states that this action is degraded."
)

// A call asks the status endpoint within the lifetime of its answer, without a credential, and tells
// the person and the model what it states. The call is made all the same.
func TestACallAsksForThePresentState(t *testing.T) {
	bubble(t, func(t *testing.T) {
		status := `{"operational": true, "degraded_actions": ["search"]}`
		asked, failed := 0, false
		f := newFlights(t, statusMember, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch {
			case r.URL.Path != "/api/status":
				if failed {
					w.WriteHeader(http.StatusConflict)
				}
				_, _ = io.WriteString(w, `{}`)
			case r.Header.Get("Authorization") != "" || r.Method != http.MethodGet:
				t.Errorf("%s with %v", r.Method, r.Header)
			default:
				asked++
				w.Header().Set("Cache-Control", "max-age=600")
				_, _ = io.WriteString(w, status)
			}
		})
		before := asked
		var stated []string
		c := f.caller(&call.Options{Credentials: nil, Confirm: func(_ context.Context, q *call.Question) (call.Answer, error) {
			stated = q.Stated
			return call.Answer{Verdict: call.AllowOnce}, nil
		}})
		book := func() *call.Result {
			res, _ := c.Call(t.Context(), f.box, "book", nil)
			return res
		}
		if book(); slices.Contains(stated, notWorking) || asked-before > 1 {
			t.Errorf("%q after %d requests", stated, asked)
		}
		n := asked
		status = `{"agent_status": {"operational": false}}`
		if book(); asked != n || slices.Contains(stated, notWorking) {
			t.Errorf("asked %d times within the lifetime", asked-n)
		}
		time.Sleep(11 * time.Minute)
		failed = true
		res := book()
		if asked != n+1 || len(stated) == 0 || stated[0] != notWorking {
			t.Errorf("%d requests, %q", asked-n, stated)
		}
		if !strings.Contains(res.Model.Text, "not operational") && !strings.Contains(res.Model.Marked(), "not operational") {
			t.Errorf("the model is not told: %s", res.Model.Marked())
		}
		time.Sleep(11 * time.Minute)
		status = `{"operational": true, "degraded_actions": ["book", 7, "unknown"]}`
		if book(); len(stated) == 0 || stated[0] != degraded || slices.Contains(stated, notWorking) {
			t.Errorf("%q", stated)
		}
	})
}

// A status that is no status, comes late or is refused changes nothing, and no other host is asked.
func TestAStatusThatIsNoneIsIgnored(t *testing.T) {
	for _, row := range []struct{ name, member, body string }{
		{"no JSON", statusMember, "down"},
		{"other members", statusMember, `{"status": "down", "operational": "no"}`},
		{"large", statusMember, `{"operational": false, "x": "` + strings.Repeat("x", 70<<10) + `"}`},
		{"another host", strings.Replace(statusMember, "/api/status", "https://status.example.net/", 1), `{"operational": false}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := newFlights(t, row.member, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					body := `{}`
					if r.URL.Path == "/api/status" {
						body = row.body
					}
					_, _ = io.WriteString(w, body)
				})
				var stated []string
				c := f.caller(&call.Options{Confirm: func(_ context.Context, q *call.Question) (call.Answer, error) {
					stated = q.Stated
					return call.Answer{Verdict: call.AllowOnce}, nil
				}})
				if _, err := c.Call(t.Context(), f.box, "book", nil); err != nil || slices.Contains(stated, notWorking) {
					t.Errorf("%v, %q", err, stated)
				}
			})
		})
	}
}

// The answer of a status endpoint is used as long as it is fresh (RFC 9111 §4.2): for its own lifetime, and
// for a minute if it states none, however old the file is (§4.2.2).
func TestAStatusIsUsedAsLongAsItIsFresh(t *testing.T) {
	for _, row := range []struct {
		header, value string
		most, least   int // requests for 10 calls in 300 seconds
	}{
		{"Cache-Control", "no-store", 10, 10},
		{"Cache-Control", "max-age=0", 10, 10},
		{"Cache-Control", "max-age=100", 3, 2},
		{"Cache-Control", "max-age=3600", 1, 0},
		{"X-None", "", 5, 4},
		{"Last-Modified", "Fri, 01 Jan 1999 00:00:00 GMT", 5, 4},
	} {
		t.Run(row.header+" "+row.value, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				asked := 0
				f := newFlights(t, statusMember, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					if r.URL.Path == "/api/status" {
						asked++
						w.Header().Set(row.header, row.value)
					}
					_, _ = io.WriteString(w, `{"operational": true}`)
				})
				c, before := f.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm}), asked
				for range 10 {
					time.Sleep(30 * time.Second)
					if _, err := c.Call(t.Context(), f.box, "search", nil); err != nil {
						t.Fatal(err)
					}
				}
				if n := asked - before; n > row.most || n < row.least {
					t.Errorf("%d requests", n)
				}
			})
		})
	}
}
