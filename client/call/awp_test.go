package call_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Capabilities that must run first are reported and never run. Work that goes on becomes a
// handle to wait for.
func TestAWP(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const doc = `{"awp_version": "0.2", "domain": "shop.example", "intent": "x", "auth": {"type": "none"}, "actions": [
			{"id": "search", "description": "x", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/search", "method": "GET"},
			{"id": "book", "description": "x", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/book", "method": "POST", "execution_model": "async", "poll_endpoint": "/api/jobs/{id}"}],
			"dependencies": {"book": ["search"]}}`
		net, sniff, polls := clienttest.New(t), &sniffer{}, 0
		net.Host("shop.example", sniff.watch("shop.example", clienttest.Pages{"/agent.json": doc}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch {
			case r.Method == http.MethodPost:
				w.WriteHeader(http.StatusAccepted)
				_, _ = io.WriteString(w, `{"id": "j/7", "status": "pending"}`)
			case polls < 2:
				polls++
				_, _ = io.WriteString(w, `{"status": "running"}`)
			default:
				_, _ = io.WriteString(w, `{"status": "done", "seat": 4}`)
			}
		}))
		c := net.Client()
		box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
		if err != nil || box.Len() != 2 {
			t.Fatal(err, box.Skipped())
		}
		y := &yes{verdict: call.AllowOnce}
		caller, err := call.New(c, &call.Options{Confirm: y.confirm, AllowAnyOrder: true})
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		for _, tool := range box.Tools() {
			if strings.HasSuffix(tool.Key, "book") {
				name = tool.Name
			}
		}
		preview, err := caller.DryRun(t.Context(), box, name, nil)
		if err != nil || !slices.Equal(preview.DependsOn, []string{"awp:search"}) {
			t.Fatalf("%+v, %v", preview, err)
		}
		res, err := caller.Call(t.Context(), box, name, nil)
		wantCode(t, res, err, made)
		if !res.Model.Pending || !slices.Equal(res.Program.DependsOn, preview.DependsOn) || !slices.Equal(y.asked[0].DependsOn, preview.DependsOn) {
			t.Fatalf("%+v", res)
		}
		start := time.Now()
		res, err = caller.Wait(t.Context(), res.Program.Handle)
		wantCode(t, res, err, made)
		var targets []string
		for _, r := range sniff.calls() {
			targets = append(targets, r.target)
		}
		if !slices.Equal(targets, []string{"/api/book", "/api/jobs/j%2F7", "/api/jobs/j%2F7", "/api/jobs/j%2F7"}) || string(res.Model.JSON) != `{"status": "done", "seat": 4}` || time.Since(start) != 7*time.Second {
			t.Errorf("%q %s after %v", targets, res.Model.JSON, time.Since(start))
		}
	})
}
