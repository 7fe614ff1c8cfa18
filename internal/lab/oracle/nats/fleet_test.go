package nats

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// fleetVar is the variable with the number of domains of the long test.
const fleetVar = "WAYFIND_CRAWL_DOMAINS"

const (
	workers    = 3
	killEach   = 3 * time.Second
	fleetLease = 3 * time.Second
	fleetPause = 300 * time.Millisecond

	// A site pauses for longer than a worker may wait for a domain.
	fleetTimeout = 6 * time.Second
	fleetRest    = 8 * time.Second
)

// fleet is a running crawl: a server of queues, a store, and the sites.
type fleet struct {
	testing.TB
	program string // wayfind
	queue   string // URL
	sites   *internet
	flags   []string // of work
}

// Workers are killed every three seconds and started again, and the server of the queue is
// restarted once. In the end each domain has one result, and the traces of the sites show no
// violation.
func TestFleet(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(fleetVar), strconv.Itoa(testkit.Size(200, 1000))))
	if err != nil {
		t.Fatal(err)
	}
	names := domains(n)
	dir, port := t.TempDir(), freePort(t)
	server := serve(t, dir, port)
	f := newFleet(t, fmt.Sprintf("nats://127.0.0.1:%d", port), names)
	f.load(names)
	var fleet sync.WaitGroup
	for i := range workers {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		fleet.Go(func() {
			// Each process lives so long that one is killed every three seconds.
			f.worker(i, place{queue: f.queue, life: func() time.Duration {
				return killEach*time.Duration(i+1) + time.Duration(random.IntN(2000))*time.Millisecond
			}})
		})
	}
	time.Sleep(2 * killEach)
	stop(server)
	time.Sleep(time.Second)
	server = serve(t, dir, port)
	defer func() { stop(server) }()
	f.wait()
	fleet.Wait()
	f.wantOneResultEach(names)
	f.wantPolite()
}

// build builds wayfind with further flags of go build.
func build(t testing.TB, flags ...string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "wayfind")
	args := append([]string{"build", "-C", "../../../..", "-o", program}, flags...)
	if out, err := exec.Command("go", append(args, "./cmd/wayfind")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

func newFleet(t testing.TB, queue string, names []string) *fleet {
	store := testkit.StartRedis(t)
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("a key for the answers of this test"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The lease begins before the first request, and under load long before.
	//
	// A worker that was killed may have asked within a time that is too short to notice: half a
	// pause does not end a visit.
	sites := newInternet(t, rules{Pause: fleetPause.Seconds(), Rest: fleetRest.Seconds() - 1, Cut: fleetPause.Seconds() * 0.9, Slack: 0.1, Lease: fleetLease.Seconds() / 2})
	f := &fleet{TB: t, program: build(t), queue: queue, sites: sites}
	f.flags = []string{"crawl", "work", "--lease", fleetLease.String(), "--cache", store.URL(), "--cache-key", key, "--cacert", sites.ca, "--allow-cidr", "127.0.0.0/8",
		"--formats", "llmstxt,agentsmd,adp", "--rest", fleetRest.String(), "--timeout", fleetTimeout.String(), "--pause", fleetPause.String(), "--backoff", "1s", "--in-flight", "16"}
	for _, name := range names {
		f.flags = append(f.flags, "--connect-to", name+":443:"+sites.Listener.Addr().String())
	}
	return f
}

// run runs a command that must succeed, and returns its output.
func (f *fleet) run(stdin string, args ...string) string {
	f.Helper()
	cmd := exec.Command(f.program, args...)
	cmd.Env = append(os.Environ(), "WAYFIND_QUEUE="+f.queue)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		f.Fatalf("%v: %v: %s%s", args, err, &out, &errs)
	}
	return out.String()
}

// fails runs a command that must end with a status, and returns its output.
func (f *fleet) fails(status int, stdin string, args ...string) (stdout, stderr string) {
	f.Helper()
	cmd := exec.Command(f.program, args...)
	cmd.Env = append(os.Environ(), "WAYFIND_QUEUE="+f.queue)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != status {
		f.Fatalf("%v: %v, want %d: %s%s", args, cmd.ProcessState, status, &out, &errs)
	}
	return out.String(), errs.String()
}

// load offers each domain twice.
func (f *fleet) load(names []string) {
	list := strings.Join(names, "\n") + "\n# again\nhttps://" + strings.Join(names, "/\nhttps://") + "/\n"
	want := fmt.Sprintf("offered: %d, there already: %d, lines without a domain: 0\n", len(names), len(names))
	if got := f.run(list, "crawl", "load", "--lease", fleetLease.String(), "-"); got != want {
		f.Errorf("load printed %q, want %q", got, want)
	}
}

// place is the environment of a worker.
type place struct {
	queue string // its URL for this worker
	env   []string
	life  func() time.Duration // the time until it is killed; nil: it is not killed
}

// worker runs one process after another until the queue is empty, and returns the last output.
// Sites identify a process by its contact.
func (f *fleet) worker(i int, at place) string {
	for n := 0; ; n++ {
		cmd := exec.Command(f.program, append(slices.Clip(f.flags), "--contact", fmt.Sprintf("w%d-%d@example.com", i, n))...)
		cmd.Env = append(append(os.Environ(), "WAYFIND_QUEUE="+at.queue), at.env...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			f.Error(err)
			return ""
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		life := time.NewTimer(time.Hour)
		if at.life != nil {
			life.Reset(at.life())
		}
		select {
		case err := <-done:
			life.Stop()
			if err == nil {
				return errs.String()
			}
			f.Logf("worker %d: %v: %s", i, err, &errs) // it started before the server was back
			time.Sleep(100 * time.Millisecond)
		case <-life.C:
			_ = cmd.Process.Kill()
			<-done
		}
	}
}

// status is the output of "crawl status --json".
type status struct{ Waiting, Leased, Finished int }

func (f *fleet) status() (s status) {
	f.Helper()
	if err := json.Unmarshal([]byte(f.run("", "crawl", "status", "--json", "--lease", fleetLease.String())), &s); err != nil {
		f.Fatal(err)
	}
	return s
}

// wait waits until the queue is empty.
func (f *fleet) wait() {
	began := time.Now()
	for {
		if s := f.status(); s.Waiting+s.Leased == 0 {
			f.Logf("%d finished after %v", s.Finished, time.Since(began).Round(time.Second))
			return
		}
		time.Sleep(time.Second)
	}
}

// wantOneResultEach checks that each domain of the list has one result.
func (f *fleet) wantOneResultEach(names []string) {
	file := filepath.Join(f.TempDir(), "results.jsonl")
	f.run("", "crawl", "results", "--lease", fleetLease.String(), "--out", file)
	out, err := os.Open(file)
	if err != nil {
		f.Fatal(err)
	}
	defer out.Close()
	got := map[string]int{}
	causes := map[string]int{}
	in := bufio.NewReader(out)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var r struct {
			Schema, Target string
			Error          *struct{ Code string }
		}
		if err := json.Unmarshal(text, &r); err != nil || r.Schema != "wayfind/result/1" {
			f.Fatalf("%.200q: %v", text, err)
		}
		got[r.Target]++
		cause := "found"
		if r.Error != nil {
			cause = r.Error.Code
		}
		causes[cause]++
		bare := strings.HasPrefix(r.Target, "bare")
		if bare != (r.Error != nil) {
			f.Errorf("%s ended with %s", r.Target, cause)
		}
	}
	f.Logf("results: %v", causes)
	for _, name := range names {
		if got[name] != 1 {
			f.Errorf("%s has %d results", name, got[name])
		}
	}
	if len(got) != len(names) {
		f.Errorf("%d domains have results, want %d", len(got), len(names))
	}
}

// wantPolite checks the traces of the sites with another program.
func (f *fleet) wantPolite() {
	trace, err := os.Open(f.sites.close(f))
	if err != nil {
		f.Fatal(err)
	}
	defer trace.Close()
	cmd := exec.Command("go", "run", "./checktrace")
	cmd.Stdin = trace
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.Errorf("%v:\n%.4000s", err, out)
	}
	f.Logf("%.300s", out)
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
