package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
)

// TestTheCauseOfAFailureIsShown resolves servers whose TLS fails in several ways, with robots.txt
// enforced, as "batch" does, and without. Each verb shows the root cause in one line, even if an
// earlier process has stored it.
func TestTheCauseOfAFailureIsShown(t *testing.T) {
	odd := map[string]loopback.Handshake{
		"expired.example": loopback.HandshakeExpired, "self.example": loopback.HandshakeSelfSigned, "wrong.example": loopback.HandshakeWrongName, "stranger.example": loopback.HandshakeStranger,
	}
	leave := make(chan struct{})
	statuses := map[string]int{"busy": 503, "later": 503, "many": 429, "broken": 500, "rules": 503}
	hosts := []string{"reset.example", "busy.example", "later.example", "many.example", "broken.example", "rules.example", "slow.example", "expired.example", "self.example", "wrong.example", "stranger.example"}
	sites, err := loopback.Start(loopback.AnyPort(), hosts, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.Host, "reset."):
			panic(http.ErrAbortHandler)
		case strings.HasPrefix(r.Host, "slow."):
			select {
			case <-leave:
			case <-r.Context().Done():
			}
		}
		name, _, _ := strings.Cut(r.Host, ".")
		switch status := statuses[name]; {
		case name == "rules" && r.URL.Path != "/robots.txt":
			w.WriteHeader(http.StatusNotFound)
		default:
			if name == "busy" || name == "many" {
				w.Header().Set("Retry-After", "600")
			}
			w.WriteHeader(status)
		}
	}), odd)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	defer close(leave)
	leadTo(t, sites)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := closed.Addr().String()
	_ = closed.Close()
	t.Setenv("WAYFIND_CONNECT_TO", os.Getenv("WAYFIND_CONNECT_TO")+" refused.example:443:"+refused)
	t.Chdir(t.TempDir())
	for host, want := range map[string]struct{ code, cause string }{
		"reset.example":    {"network", "the site broke off its answer"},
		"busy.example":     {"throttled", "the site answers 503"},
		"later.example":    {"server_error", "the site answers 503"},
		"many.example":     {"throttled", "the site answers 429"},
		"broken.example":   {"server_error", "the site answers 500"},
		"slow.example":     {"timeout", "(timeout): no answer before the time was up"},
		"refused.example":  {"network", "(network): cannot connect to " + refused + ": connection refused"},
		"expired.example":  {"tls", "(tls): certificate expired: it is valid from "},
		"self.example":     {"tls", "(tls): self-signed certificate\n"},
		"stranger.example": {"tls", "(tls): certificate of an unknown authority\n"},
		"wrong.example":    {"tls", "(tls): certificate for another host\n"}, // the address is not public: its names stay inside
	} {
		dir := t.TempDir()
		list, out := dir+"/list.txt", dir+"/out.jsonl"
		if err := os.WriteFile(list, []byte(host+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		timeout := "10s"
		if want.code == "timeout" {
			timeout = "500ms"
		}
		for i, row := range []struct {
			args []string
			want []string
		}{
			{[]string{"batch", "--out", out, list}, []string{" " + strings.ReplaceAll(want.code, "_", " "), "\n  for example: resolve https://" + host, want.cause}},
			{[]string{"crawl", "status", "--causes", "--queue", out}, []string{want.code + ": 1", strings.TrimSuffix(want.cause, "\n")}},
			{[]string{"batch", "--jq", ".error | .code, .message", list}, []string{want.code + "\n", want.cause}},
			{[]string{"--robots", "enforce", host}, []string{want.cause}},
			{[]string{host}, []string{want.cause}},
		} {
			args := row.args
			if args[0] != "crawl" {
				args = slices.Concat(args, []string{"--timeout", timeout, "--cache", fmt.Sprintf("%s/cache%d", dir, i)})
			}
			_, printed, errs := exec(t, "", args...)
			all := printed + errs
			for _, want := range row.want {
				if !strings.Contains(all, want) {
					t.Errorf("wayfind %s: want %q: %s", strings.Join(row.args, " "), want, all)
				}
			}
			if strings.Contains(all, "stream") || strings.Contains(all, "robots_unreachable") || strings.Contains(all, "x509") {
				t.Errorf("wayfind %s: the words of a library: %s", strings.Join(row.args, " "), all)
			}
		}
		if want.code == "timeout" {
			continue // the next run asks again
		}
		_, printed, errs := exec(t, "", host, "--cache", dir+"/cache4")
		if !strings.Contains(printed, "was not asked again: an earlier request failed, or the site asked for a pause, not before 2") ||
			!strings.Contains(errs, ": an earlier run failed there, or was told to wait\n") {
			t.Errorf("%s, held by an earlier run: %s%s", host, printed, errs)
		}
	}
	_, _, errs := exec(t, "", "--robots", "enforce", "--cache", "none", "rules.example")
	if want := ": the site answers 503 for robots.txt, which forbids everything\n"; !strings.HasSuffix(errs, want) {
		t.Errorf("only robots.txt is not answered: want %q: %s", want, errs)
	}
}
