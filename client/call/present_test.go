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
