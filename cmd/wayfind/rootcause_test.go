package main

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestTheCauseOfAFailureIsTold asks sites that fail in several ways, with robots.txt enforced, as
// "batch" does, and not enforced.
func TestTheCauseOfAFailureIsTold(t *testing.T) {
	sites, err := startSites(anyPort, []string{"reset.example", "busy.example"}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "reset.") {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}), map[string]handshake{})
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	leadTo(t, sites)
	t.Chdir(t.TempDir())
	for host, want := range map[string]struct{ code, cause string }{
		"reset.example": {"network", "the site broke off its answer"},
		"busy.example":  {"throttled", "not before"},
	} {
		if err := os.WriteFile("list.txt", []byte(host+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"batch", "--jq", ".error | .code, .message", "list.txt"},
			{"batch", "--jq", ".error | .code, .message", "list.txt"},
			{"--jq", ".error | .code, .message", "--robots", "enforce", host},
			{"--jq", ".error | .code, .message", host},
		} {
			t.Setenv("WAYFIND_CACHE", t.TempDir())
			_, out, errs := exec(t, "", args...)
			if !strings.HasPrefix(out, want.code+"\n") || !strings.Contains(out, want.cause) || strings.Contains(out+errs, "stream") {
				t.Errorf("wayfind %s: want the code %s and %q: %s%s", strings.Join(args, " "), want.code, want.cause, out, errs)
			}
		}
	}
}
