package call_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A message to an agent of the agent framework is sent once, and the call waits for its
// answer.
func TestActors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []string
		status, polls := http.StatusAccepted, []string{`{"status":"Pending"}`, `{"status":"completed","data":{"text":"Arr!"}}`}
		x := newActors(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodOptions { // the path is there
				w.WriteHeader(http.StatusNoContent)
				return
			}
			body, _ := io.ReadAll(r.Body)
			got = append(got, r.Method+" "+r.URL.Path+" "+string(body))
			w.Header().Set("Content-Type", "application/json")
			if r.Method == http.MethodGet {
				_, _ = io.WriteString(w, polls[0])
				polls = polls[1:]
				return
			}
			w.WriteHeader(status)
		})
		c, y := x.caller(t)
		name := x.box.Tools()[0].Name
		preview, err := c.DryRun(t.Context(), x.box, name, []byte(`{"message":"hey"}`))
		if err != nil || preview.Ticket == "" || len(got) != 0 {
			t.Fatal(preview, err)
		}
		res, err := c.CallConfirmed(t.Context(), x.box, name, []byte(`{"message":"hey"}`), preview.Ticket)
		if wantCode(t, res, err, made); !res.Model.Pending || y.count() != 0 {
			t.Fatalf("%+v", res)
		}
		res, err = c.Wait(t.Context(), res.Program.Handle)
		if wantCode(t, res, err, made); string(res.Model.JSON) != `{"status":"completed","data":{"text":"Arr!"}}` || len(got) != 3 {
			t.Errorf("%s, %q", res.Model.JSON, got)
		}
		if shown := res.Model.Prompt(); strings.Contains(shown, "%7B") || !strings.Contains(shown, "/actors/v1/pirate/") {
			t.Errorf("a model reads %s", shown)
		}
		const guid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
		if !regexp.MustCompile(`^POST /actors/v1/pirate/` + guid + `/messages/` + guid + ` {"method":"run","params":\[{"\$type":"text","content":"hey"}\]}$`).MatchString(got[0]) {
			t.Errorf("%q", got)
		}

		polls, got = []string{`{"status":"failed","data":"no ship"}`}, nil
		res, err = c.Call(t.Context(), x.box, name, []byte(`{"message":"hey"}`))
		wantCode(t, res, err, made)
		res, err = c.Wait(t.Context(), res.Program.Handle)
		if wantCode(t, res, err, call.UpstreamError); !strings.Contains(res.Model.Text, "no ship") && !strings.Contains(string(res.Model.JSON), "no ship") {
			t.Errorf("%+v", res.Model)
		}

		for code, want := range map[int]struct {
			code call.Code
			sent int
		}{404: {call.UpstreamError, 1}, 405: {call.UpstreamError, 1}, 400: {call.UpstreamError, 1}, 502: {call.OutcomeUnknown, 1}, 401: {call.CredentialMissing, 1}} {
			got, status = nil, code
			res, err := c.Call(t.Context(), x.box, name, []byte(`{"message":"hey"}`))
			wantCode(t, res, err, want.code)
			if len(got) != want.sent {
				t.Errorf("%d: %q", code, got)
			}
		}
		res, err = c.Call(t.Context(), x.box, name, []byte(`{"message":" "}`))
		wantCode(t, res, err, call.InvalidArguments)
	})
}

// newActors returns a world with one host that lists an agent.
func newActors(t *testing.T, api http.HandlerFunc) *world {
	t.Helper()
	net, x := clienttest.New(t), &world{}
	pages := clienttest.Pages{"/agents/v1": `{"agents": [{"name": "pirate", "description": "Talks like a pirate"}]}`}
	net.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/actors/") {
			api(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	x.client = net.Client()
	x.load(t)
	return x
}
