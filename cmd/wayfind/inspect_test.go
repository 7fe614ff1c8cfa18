package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/demo"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// inspectPresent is the time of the tests.
const inspectPresent = "2026-01-02T15:04:05Z"

// demoWords serves the demo's sites, and returns the words that lead the command to
// them.
func demoWords(t *testing.T) []string {
	t.Helper()
	present, _ := time.Parse(time.RFC3339, inspectPresent)
	sites, err := demo.Start(session.Fixed(present))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sites.Close() })
	l, err := sites.Lead(loopback.OnlyCommand)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Remove)
	words := []string{"--now", inspectPresent, "--allow-cidr", "127.0.0.0/8", "--cacert", l.CAFile}
	for at := range strings.FieldsSeq(l.Variables["WAYFIND_CONNECT_TO"]) {
		words = append(words, "--connect-to", at)
	}
	return words
}

// staticPage runs inspect --html and returns the page.
func staticPage(t *testing.T, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if code, out, errs := exec(t, "", slices.Concat([]string{"inspect", "--html", file}, args)...); code != ui.ExitFound || out != "" {
		t.Fatalf("%q: exit %d, %q %q", args, code, out, errs)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return timeless(t, page)
}

// timeless is a page without the times of the waterfall, and with its rows in order: the
// places are asked at once.
func timeless(t *testing.T, page []byte) []byte {
	t.Helper()
	page = regexp.MustCompile(`<td class="how">[^<]*`).ReplaceAll(page, []byte(`<td class="how">`))
	page = regexp.MustCompile(`<td>[0-9]+\.[0-9]</td>`).ReplaceAll(page, []byte("<td>#</td>"))
	begin := bytes.Index(page, []byte(`<section id="waterfall">`))
	if begin < 0 {
		t.Fatalf("the page has no waterfall: %s", page)
	}
	before, rest, found := bytes.Cut(page[begin:], []byte("<tbody>\n"))
	rows, after, ended := bytes.Cut(rest, []byte("</tbody>"))
	if !found || !ended {
		t.Fatalf("the page has no waterfall: %s", page)
	}
	lines := strings.SplitAfter(string(rows), "\n")
	slices.Sort(lines)
	return slices.Concat(page[:begin], before, []byte("<tbody>\n"+strings.Join(lines, "")+"</tbody>"), after)
}

// The page without server and script is the same each time for the same site. It has no elements
// that run code, load resources or lead to other pages.
func TestInspectHTML(t *testing.T) {
	words := demoWords(t)
	active := regexp.MustCompile(`(?i)<(script|img|iframe|object|embed|link|base|form|svg|video|audio|input)\b|<a href="[^#]|\son[a-z]+=|\sstyle=`)
	for _, host := range []string{"everything.example", "sloppy.example", "market.example.com"} {
		page := staticPage(t, append(words, host)...)
		if found := active.Find(page); found != nil {
			t.Errorf("%s: the page has %s", host, found)
		}
		golden.Compare(t, page, filepath.Join("testdata", "inspect", host+".html"))
	}
}

// A recording with the details gives the page that its site gave, and no request leaves: there is nothing
// that leads to the site any more.
func TestInspectRecording(t *testing.T) {
	words := demoWords(t)
	dir := filepath.Join(t.TempDir(), "rec")
	if code, _, errs := exec(t, "", slices.Concat([]string{"check", "--save", dir}, words, []string{"everything.example"})...); code != ui.ExitFound {
		t.Fatalf("exit %d: %s", code, errs)
	}
	want := staticPage(t, append(words, "everything.example")...)
	for _, args := range [][]string{{dir}, {dir, "everything.example"}} {
		got := staticPage(t, append([]string{"--now", inspectPresent}, args...)...)
		if diff := golden.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", args, diff)
		}
	}
	for _, args := range [][]string{{t.TempDir()}, {"everything.example", "other.example"}, {dir, "a", "b"}} {
		if code, _, errs := exec(t, "", append([]string{"inspect", "--no-browser"}, args...)...); code != ui.ExitUsage || errs == "" {
			t.Errorf("%q: exit %d, %q", args, code, errs)
		}
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if code, _, errs := exec(t, "", "inspect", "--html", file, dir, "elsewhere.example"); code != ui.ExitUnasked && code != ui.ExitNothing {
		t.Errorf("a name that the recording does not have: exit %d, %q", code, errs)
	}
}

// A recording keeps the failures of names, and of two sites alike the command asks which.
func TestInspectRecording_Failures(t *testing.T) {
	write := func(lines ...string) (dir string) {
		dir = t.TempDir()
		text := "wayfind recording 1\n" + strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, "index.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	file := filepath.Join(t.TempDir(), "page.html")
	for _, row := range []struct{ failure, want string }{
		{"failed dns dns_not_found", "dns_not_found"}, {"failed dns dns", "(dns)"}, {"failed dial network", "network"}, {"failed tls tls certificate expired", "certificate expired"},
	} {
		dir := write("https://gone.example/.well-known/agent " + row.failure)
		if code, _, errs := exec(t, "", "inspect", "--html", file, dir); code != ui.ExitUnasked || !strings.Contains(errs, row.want) {
			t.Errorf("%s: exit %d, %q", row.failure, code, errs)
		}
	}
	dir := write("https://one.example/.well-known/agent failed dns dns_not_found", "https://two.example/.well-known/agent failed dns dns_not_found")
	if code, _, errs := exec(t, "", "inspect", "--no-browser", dir); code != ui.ExitUsage || !strings.Contains(errs, "several sites") {
		t.Errorf("two sites: exit %d, %q", code, errs)
	}
}

// The page says in one line why there is no answer, as the other commands do.
func TestThePageTellsTheCauseOfAFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := closed.Addr().String()
	_ = closed.Close()
	exec(t, "", "inspect", "--html", file, "--cache", "none", "--allow-cidr", "127.0.0.0/8", "--connect-to", "gone.example:443:"+at, "gone.example")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "resolve https://gone.example: unreachable (network): cannot connect to " + at + ": connection refused"
	if !bytes.Contains(page, []byte(want)) {
		t.Errorf("want %q: %.3000s", want, page)
	}
}
