package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A list that cannot be read to its end is not taken for a short one.
func TestBatchOfABrokenList(t *testing.T) {
	var out, errs bytes.Buffer
	in := io.MultiReader(strings.NewReader("no such\n"), iotestErr{})
	if code := run(t.Context(), []string{"batch", "--cache", "none", "-"}, in, &out, &errs); code != ui.ExitUnasked {
		t.Errorf("exit status %d", code)
	}
	if !strings.Contains(errs.String(), "the cable is out") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("%s\n%s", out.String(), errs.String())
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errors.New("the cable is out") }

// If the reader of the output leaves, the batch ends without a failure.
func TestBatchIntoAClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	defer w.Close()
	var errs bytes.Buffer
	endless := readerFunc(func(p []byte) (int, error) { return copy(p, "no such\n"), nil })
	if code := run(t.Context(), []string{"batch", "--cache", "none", "-"}, endless, w, &errs); code != ui.ExitFound {
		t.Errorf("exit status %d: %s", code, errs.String())
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A list of a hundred thousand lines needs only the memory that is kept for each domain.
func TestBatchOfALongList(t *testing.T) {
	const each = 25_000
	n := 0
	var pending bytes.Buffer
	list := readerFunc(func(p []byte) (int, error) {
		for pending.Len() < len(p) && n < each {
			fmt.Fprintf(&pending, "# %d\nnonsense %d\nNobody.Example\nhttps://nobody.example/\n", n, n)
			n++
		}
		return pending.Read(p)
	})
	before := liveHeap()
	var counted lineCounter
	var errs bytes.Buffer
	if code := run(t.Context(), []string{"batch", "--offline", "--cache", t.TempDir(), "-"}, list, &counted, &errs); code != ui.ExitNothing {
		t.Errorf("exit status %d: %s", code, errs.String())
	}
	if counted.lines != each+1 {
		t.Errorf("%d results", counted.lines)
	}
	if want := fmt.Sprintf("lines without a domain: %d, named again: %d,", each, 2*each-1); !strings.Contains(errs.String(), want) {
		t.Errorf("got %s", errs.String())
	}
	if grown := counted.heap - before; grown > each*200 {
		t.Errorf("the heap grew by %d bytes, %d for each line that was remembered", grown, grown/each)
	}
}

// lineCounter counts lines, and measures the heap near the end.
type lineCounter struct {
	lines int
	heap  int64
}

func (c *lineCounter) Write(p []byte) (int, error) {
	if c.lines += bytes.Count(p, []byte("\n")); c.lines == 25_000 {
		c.heap = liveHeap()
	}
	return len(p), nil
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// fleet is a server on loopback with many names. It counts the requests for each name.
type fleet struct {
	*httptest.Server
	names []string
	args  []string // flags that lead there
	// permits, when not nil, has one for each answer that may be given.
	permits chan struct{}

	mu    sync.Mutex
	asked map[string]int // by "host path"
}

func newFleet(t *testing.T, n int) *fleet {
	f := &fleet{asked: map[string]int{}}
	f.Server = httptest.NewUnstartedServer(f)
	f.EnableHTTP2 = true
	f.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs that clients were killed
	f.StartTLS()
	t.Cleanup(f.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	f.args = []string{"batch", "--cache", "none", "--pause", "0s", "--in-flight", "4", "--allow-cidr", "127.0.0.0/8", "--cacert", ca}
	for i := range n {
		name := fmt.Sprintf("d%02d.example.com", i) // the certificate is for those
		f.names = append(f.names, name)
		f.args = append(f.args, "--connect-to", name+":443:"+f.Listener.Addr().String())
	}
	return f
}

func (f *fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked[r.Host+" "+r.URL.Path]++
	f.mu.Unlock()
	if r.URL.Path == "/llms.txt" {
		if f.permits != nil {
			select {
			case <-f.permits:
			case <-r.Context().Done():
				return
			}
		}
		w.Header().Set("Content-Type", "text/markdown")
		fmt.Fprintf(w, "# %s\n\n> A site.\n\n## Docs\n\n- [One](/one.md): first\n", r.Host)
		return
	}
	http.NotFound(w, r)
}

func (f *fleet) requests(host, path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[host+" "+path]
}

// list writes the names as a list.
func (f *fleet) list(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(file, []byte(strings.Join(f.names, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// resultLine is a line of the results of a batch.
type resultLine struct {
	Target string        `json:"target"`
	Line   int           `json:"line"`
	Site   *wayfind.Site `json:"site"`
	Error  *ui.Failure   `json:"error"`
}

// readResults returns the errors in a file of results by target, with "" for results without an
// error.
func readResults(t *testing.T, file string) map[string]string {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(b)) {
		var r resultLine
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if _, twice := got[r.Target]; twice {
			t.Errorf("%s has two results", r.Target)
		}
		got[r.Target] = ""
		if r.Error != nil {
			got[r.Target] = r.Error.Message
		}
	}
	return got
}

// If a batch is killed at any time, the same command continues it. It sends no request for a target
// that has a result, and in the end each target has one.
func TestBatchGoesOnAfterKill(t *testing.T) {
	f := newFleet(t, 30)
	f.permits = make(chan struct{})
	out := filepath.Join(t.TempDir(), "results.jsonl")
	args := append(slices.Clone(f.args), "--out", out, f.list(t))
	for range testkit.Size(2, 5) {
		before, asked := finishedIn(out), f.snapshot()
		killAt(t, f, args, out, len(before)+5)
		for _, name := range before {
			if f.requests(name, "/llms.txt") != asked[name+" /llms.txt"] {
				t.Errorf("%s was finished and asked again", name)
			}
		}
	}
	close(f.permits)
	if code, _, errs := exec(t, "", args...); code != ui.ExitFound {
		t.Fatalf("exit status %d: %s", code, errs)
	}
	want := map[string]string{}
	for _, name := range f.names {
		want[name] = ""
	}
	if diff := cmp.Diff(want, readResults(t, out)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	total := f.snapshot()
	if code, _, errs := exec(t, "", args...); code != ui.ExitFound || !strings.Contains(errs, "asked in an earlier run: 30") {
		t.Errorf("exit status %d: %s", code, errs)
	}
	if diff := cmp.Diff(total, f.snapshot()); diff != "" {
		t.Errorf("finished, and asked again (-before +after):\n%s", diff)
	}
}

func (f *fleet) snapshot() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.asked)
}

// finishedIn are the targets of the whole lines of a file.
func finishedIn(file string) (targets []string) {
	b, _ := os.ReadFile(file)
	for line := range strings.Lines(string(b)) {
		var r resultLine
		if strings.HasSuffix(line, "\n") && json.Unmarshal([]byte(line), &r) == nil {
			targets = append(targets, r.Target)
		}
	}
	return targets
}

// killAt runs the command in a process of its own, lets the server answer one by
// one, and kills the process when the file has n results.
func killAt(t *testing.T, f *fleet, args []string, out string, n int) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &osexec.Cmd{Path: self, Args: append([]string{"wayfind"}, args...), Env: os.Environ()}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(finishedIn(out)) < n {
		select {
		case err := <-ended:
			t.Fatalf("it ended with %d results: %v", len(finishedIn(out)), err)
		case f.permits <- struct{}{}:
		case <-time.After(time.Millisecond):
		}
	}
	_ = cmd.Process.Kill()
	<-ended
}

// A file that ends in the middle of a result loses that, and nothing else.
func TestBatchWithATruncatedFile(t *testing.T) {
	f := newFleet(t, 3)
	list := f.list(t)
	whole := filepath.Join(t.TempDir(), "whole.jsonl")
	if code, _, errs := exec(t, "", append(slices.Clone(f.args), "--out", whole, list)...); code != ui.ExitFound {
		t.Fatal(errs)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for cut := len(lines[0]) + 1; cut < len(lines[0])+len(lines[1]); cut += 511 {
		out := filepath.Join(t.TempDir(), "cut.jsonl")
		if err := os.WriteFile(out, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := exec(t, "", append(slices.Clone(f.args), "--out", out, list)...)
		removed := fmt.Sprintf("its last %d bytes were removed", cut-len(lines[0]))
		if code != ui.ExitFound || !strings.Contains(errs, removed) || !strings.Contains(errs, "asked in an earlier run: 1") {
			t.Fatalf("cut at %d: exit status %d: %s", cut, code, errs)
		}
		if got := readResults(t, out); len(got) != 3 {
			t.Fatalf("cut at %d: %v", cut, got)
		}
	}
}

// A file of something else is not written into.
func TestBatchLeavesOtherFilesAlone(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a text":              {"my notes\n", "line 1"},
		"a text without end":  {"my notes", "line 1"},
		"JSON":                {"{\"origin\":\"https://a.example\"}\n", "line 1"},
		"results, and a text": {"{\"schema\":\"wayfind/result/1\",\"target\":\"a.example\",\"line\":1}\nmy notes\n", "line 2"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		if err := os.WriteFile(out, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := exec(t, "no such\n", "batch", "--cache", "none", "--out", out, "-")
		after, _ := os.ReadFile(out)
		if code != ui.ExitUsage || !strings.Contains(errs, test.want) || string(after) != test.text {
			t.Errorf("%s: exit status %d, %s, and the file holds %q", name, code, errs, after)
		}
	}
}
