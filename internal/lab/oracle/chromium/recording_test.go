package chromium

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// inspectAlone serves the page of a recording, without the environment variables of the demo's
// sites: there is no site to ask.
func inspectAlone(t *testing.T, args ...string) string {
	t.Helper()
	before := demo
	demo = nil
	defer func() { demo = before }()
	return inspect(t, args...)
}

// A recording is opened without its site. The page is the same, and no request is sent.
func TestRecording(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rec")
	wayfind(t, "resolve", "--cache", "none", "--save", dir, "everything.example")
	ctx := tab(t, inspectAlone(t, dir)+"#site")
	shows(t, ctx, "h1", "everything.example")
	shows(t, ctx, ".content", "services: 5, capabilities: 6, documents read: 5, places asked: 32")
	choose(t, ctx, "conflict", "find_product description")
	shows(t, ctx, ".readings", "awp:search")
	if out, err := exec.Command(command, "inspect", "--no-browser", t.TempDir()).CombinedOutput(); err == nil {
		t.Errorf("a directory without a recording: %s", out)
	}
}
