package main

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// No verb prints a secret of a document, to any stream or in any form, and no verb writes one into
// a file. lint reports its place.
func TestNoVerbShowsSecrets(t *testing.T) {
	secret := "gh" + "p_" + strings.Repeat("k3VbZ7qLw9Xt", 3)
	document := `{"spec_version": "1.0", "name": "MailForge", "description": "Send mail with ` + secret + `, please.", "base_url": "https://example.com",
	"auth": {"type": "none"}, "capabilities": [{"name": "send_email", "description": "Send an email", "detail_url": "/d/send_email?access_token=` + secret + `"}],
	"x_api_key": "` + secret + `"}`
	words := serving(t, document)
	dir := t.TempDir()
	file := writeFile(t, document)
	reference := slices.Concat(words, []string{"example.com"})
	for _, row := range []struct {
		args   []string
		status ui.Outcome
		want   string
	}{
		{slices.Concat([]string{"resolve", "--verbose"}, reference), ui.ExitFound, "[redacted: github-token]"},
		{slices.Concat([]string{"resolve", "--json"}, reference), ui.ExitFound, `"text.secret"`},
		{slices.Concat([]string{"resolve", "--trace"}, reference), ui.ExitFound, "/.well-known/agent"},
		{slices.Concat([]string{"resolve", "--cache", filepath.Join(dir, "cache"), "--save", filepath.Join(dir, "saved")}, reference), ui.ExitFound, "MailForge"},
		{slices.Concat([]string{"resolve", "--cache", filepath.Join(dir, "cache"), "--offline"}, reference), ui.ExitIncomplete, ""},
		{slices.Concat([]string{"describe"}, reference, []string{"adp"}), ui.ExitFound, "MailForge"},
		{slices.Concat([]string{"describe"}, reference, []string{"adp:send_email"}), ui.ExitNothing, ""},
		{slices.Concat([]string{"lint"}, words, []string{"https://example.com/.well-known/agent"}), ui.ExitFound, "text.secret at /description"},
		{[]string{"lint", file}, ui.ExitFound, "mend: Withdraw the secret"},
		{[]string{"lint", "--json", file}, ui.ExitFound, `"pointer":"/x_api_key"`},
		{[]string{"parse", file}, ui.ExitFound, "[redacted: github-token]"},
		{[]string{"parse", "--json", file}, ui.ExitFound, "[redacted: github-token]"},
	} {
		status, out, errs := exec(t, "", row.args...)
		name := strings.Join(row.args[:2], " ")
		if status != row.status || !strings.Contains(strings.ReplaceAll(out, `": "`, `":"`), row.want) {
			t.Errorf("%s: status %d, want %d and %q\n%s%s", name, status, row.status, row.want, out, errs)
		}
		if strings.Contains(out+errs, secret[4:16]) {
			t.Errorf("%s shows the secret:\n%s%s", name, out, errs)
		}
	}
	files := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := fs.ReadFile(os.DirFS(dir), name)
		if strings.Contains(string(content), secret[4:16]) {
			t.Errorf("the secret is in %s", name)
		}
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files: %v", files, err)
	}
}

// serving is a server on loopback with a manifest, and the flags that lead the
// command to it.
func serving(t *testing.T, document string) (flags []string) {
	t.Helper()
	return onLoopback(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/agent" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = io.WriteString(w, document)
	})
}
