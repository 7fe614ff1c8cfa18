package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/attach"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
)

func TestAProcessCanBeAttachedToWhileItRuns(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the directory of caches is chosen by a variable on Linux")
	}
	dir, err := os.MkdirTemp("", "") // a socket has at most some 100 bytes of path, and t.TempDir adds the name of the test
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	t.Setenv("XDG_CACHE_HOME", dir)
	stale := filepath.Join(attach.Dir(), "1.sock")
	var a ui.App
	end := attach.Attachable(t.Context(), &a, new(inspect.Relay), func(text string) { t.Error(text) })
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(attach.Dir()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v %v", info, err)
	}
	if list := attach.Processes(t.Context()); len(list) != 1 || list[0] != strconv.Itoa(os.Getpid()) {
		t.Errorf("attachable are %q", list)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("a socket without a process is left")
	}
	end()
	if list := attach.Processes(t.Context()); len(list) != 0 {
		t.Errorf("after the end, attachable are %q", list)
	}
	code, _, errs := exec(t, "", "inspect", "--attach", "--no-browser")
	if code != ui.ExitUsage || !strings.Contains(errs, `no "wayfind mcp" of yours runs`) {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, _, _ := exec(t, "", "inspect", "--attach", "7", "8"); code != ui.ExitUsage {
		t.Errorf("two processes: exit %d", code)
	}
}

func TestALogThatCannotBeShownIsSaid(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ text, want string }{
		"no.har":      {"nothing", "no HAR file"},
		"empty.har":   {`{"log":{"version":"1.2","entries":[]}}`, "no entry"},
		"another.har": {`{"log":{"version":"2.0","entries":[]}}`, `version "2.0"`},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := exec(t, "", "inspect", "--no-browser", file); code != ui.ExitUsage || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d, %q %q", name, code, out, errs)
		}
		if code, _, errs := exec(t, "", "inspect", file, "example.com"); code != ui.ExitUsage || !strings.Contains(errs, "no domain to choose") {
			t.Errorf("%s: exit %d, %q", name, code, errs)
		}
	}
}
