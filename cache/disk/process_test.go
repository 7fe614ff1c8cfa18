//go:build unix

package disk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// childVar makes the test binary one of several processes that share a store:
// its value is the role.
const childVar = "WAYFIND_DISK_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(childVar)
	if role == "" {
		os.Exit(m.Run())
	}
	s, err := Open(os.Getenv(childVar+"_DIR"), nil)
	if err == nil {
		s.settle()
		err = play(s, role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child", role, os.Getpid(), "error:", err)
		os.Exit(1)
	}
}

func play(s *Store, role string) error {
	name, arg, _ := strings.Cut(role, " ")
	switch name {
	case "write":
		return writeForEver(s)
	case "stop":
		return stopAt(s, arg)
	case "contend":
		return contend(s)
	case "limited":
		return writeLimited(s)
	}
	return fmt.Errorf("no role %q", role)
}

// child is another process with the same store.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, dir, role string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), childVar+"="+role, childVar+"_DIR="+dir)
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	return c
}

// kill is kill -9, of this process only.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// stop kills a child that must be at work still: one that has ended by itself
// has found something wrong.
func (c *child) stop(t *testing.T) {
	t.Helper()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
	if status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Errorf("a child ended by itself: %v", c.cmd.ProcessState)
	}
}

// line waits for the next line of the child.
func (c *child) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("a child ended: %q, %v", line, err)
	}
	return strings.TrimSpace(line)
}

// sharedKeys are written by all.
func sharedKeys() []string { return []string{"k0", "k1", "k2", "k3"} }

// version returns a body that shows whether it is complete.
func version(key string, n, size int) string {
	line := fmt.Sprintf("%s %d\n", key, n)
	return strconv.Itoa(size) + "\n" + strings.Repeat(line, size)
}

// wholeVersion reports whether a body is one that version has made for key.
func wholeVersion(key, body string) bool {
	first, rest, _ := strings.Cut(body, "\n")
	size, err := strconv.Atoi(first)
	if err != nil {
		return false
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.HasPrefix(line, key+" ") && rest == strings.Repeat(line+"\n", size)
}

// writeForEver saves, deletes, takes and holds until it is killed.
func writeForEver(s *Store) error {
	go func() { // no process is left when the parent ends
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	ctx := context.Background()
	fmt.Println("ready")
	for n := os.Getpid() << 20; ; n++ {
		key := sharedKeys()[rand.IntN(len(sharedKeys()))]
		if err := s.Save(ctx, key, entryOf(key, version(key, n, 1+rand.IntN(5000))), time.Hour); err != nil {
			return err
		}
		if n%16 == 0 {
			if err := s.Delete(ctx, key); err != nil {
				return err
			}
		}
		ok, _, _, err := s.Acquire(ctx, "held", time.Now().Add(time.Minute))
		if ok || err != nil {
			return fmt.Errorf("what is held could be taken: %t, %w", ok, err)
		}
		if err := s.Hold(ctx, "held", time.Now().Add(2*time.Hour)); err != nil { // each time a little longer
			return err
		}
		_, _, release, err := s.Acquire(ctx, "lease", time.Now().Add(time.Minute))
		if err != nil {
			return err
		}
		if release != nil {
			release()
		}
	}
}

// Writers are killed at random moments.
func TestWritersKilledAtAnyMomentLeaveWholeEntries(t *testing.T) {
	const writers = 4
	dir := t.TempDir()
	s := open(t, dir, nil)
	until := time.Now().Add(time.Hour)
	if err := s.Hold(t.Context(), "held", until); err != nil {
		t.Fatal(err)
	}
	children := make([]*child, writers)
	for i := range children {
		children[i] = start(t, dir, "write")
	}
	loaded, missed := 0, 0
	check := func() {
		for _, key := range sharedKeys() {
			switch body := bodyOf(s, key); {
			case body == "(miss)":
				missed++
			case wholeVersion(key, body):
				loaded++
			default:
				t.Errorf("%s has %.60q", key, body)
			}
		}
	}
	for began := time.Now(); loaded == 0; check() { // until the first write is complete
		if time.Since(began) > time.Minute {
			t.Fatal("no entry is loaded")
		}
	}
	for n := range testkit.Size(8, 200) {
		i := n % writers
		if line := children[i].line(t); line != "ready" {
			t.Fatal(line)
		}
		for range rand.IntN(8) { // takes some time
			check()
		}
		children[i].stop(t)
		check()
		if ok, held, _ := take(t, s, "held", time.Now().Add(time.Minute)); ok || held.Before(until.Truncate(time.Microsecond)) {
			t.Fatalf("after kill %d: taken %t, held until %v", n, ok, held)
		}
		children[i] = start(t, dir, "write")
	}
	for _, c := range children {
		c.stop(t)
	}
	check()
	t.Logf("%d entries loaded, %d misses, %d temporary files left", loaded, missed, countTemporary(t, dir))
	if n := s.corrupt.Load(); n > 0 {
		t.Errorf("%d entries are corrupt", n)
	}
	wantSwept(t, dir)
}

func countTemporary(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, name := range there(t, dir) {
		if strings.HasPrefix(name, temporaryDir) {
			n++
		}
	}
	return n
}

// wantSwept: two hours later, no temporary file is left and the entries are.
func wantSwept(t *testing.T, dir string) {
	t.Helper()
	before := entriesOnDisk(t, dir)
	open(t, dir, &Options{Now: func() time.Time { return time.Now().Add(2 * time.Hour) }})
	if n, left := countTemporary(t, dir), entriesOnDisk(t, dir); n != 0 || !slices.Equal(left, before) {
		t.Errorf("%d temporary files were not swept; the entries are %q, want %q", n, left, before)
	}
}

// entriesOnDisk returns the files of entries. The lease of a writer that was killed may end in
// between.
func entriesOnDisk(t *testing.T, dir string) []string {
	t.Helper()
	return slices.DeleteFunc(there(t, dir), func(name string) bool { return !strings.HasPrefix(name, "v1/e") })
}

// stopAt does one thing and stops before one of its operations: "save sync 1"
// before the first sync.
func stopAt(s *Store, arg string) error {
	var what, op string
	var nth int32
	if _, err := fmt.Sscan(arg, &what, &op, &nth); err != nil {
		return err
	}
	var seen atomic.Int32
	s.files.fault = func(o, _ string) error {
		if o == op && seen.Add(1) == nth {
			fmt.Println("stopped")
			_, _ = os.Stdin.Read(make([]byte, 1))
			return errors.New("not killed")
		}
		return nil
	}
	ctx := context.Background()
	var err error
	switch what {
	case "save":
		err = s.Save(ctx, "k0", entryOf("k0", version("k0", 2, 1000)), time.Hour)
	case "acquire":
		_, _, _, err = s.Acquire(ctx, "free", time.Now().Add(time.Hour))
	case "hold":
		err = s.Hold(ctx, "held", time.Now().Add(2*time.Hour))
	}
	return fmt.Errorf("done without %s %d: %w", op, nth, err)
}

// Writers are killed at each step, one after the other.
func TestWritersKilledAtEachStepLeaveWholeEntries(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	until := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	if err := s.Hold(t.Context(), "held", until); err != nil {
		t.Fatal(err)
	}
	killed := func(role string) {
		c := start(t, dir, "stop "+role)
		if line := c.line(t); line != "stopped" {
			t.Fatalf("%s: %s", role, line)
		}
		c.kill()
	}
	oldBody, newBody := version("k0", 1, 1000), version("k0", 2, 1000)
	left := 0
	for _, step := range []struct{ op, body string }{
		{"create 1", oldBody}, {"write 1", oldBody}, {"write 2", oldBody}, {"chtimes 1", oldBody},
		{"sync 1", oldBody}, {"close 1", oldBody}, {"rename 1", oldBody}, {"syncdir 1", newBody},
	} {
		save(t, s, "k0", oldBody, time.Hour)
		killed("save " + step.op)
		if got := bodyOf(s, "k0"); got != step.body {
			t.Errorf("killed before %s: %.20q, want %.20q", step.op, got, step.body)
		}
		least := 0 // a later writer may have removed the files of earlier ones
		if step.body == oldBody && step.op != "create 1" {
			left, least = left+1, 1
		}
		if n := countTemporary(t, dir); n < least || n > left {
			t.Errorf("killed before %s: %d temporary files, want %d to %d", step.op, n, least, left)
		}
	}
	for _, op := range []string{"create 1", "write 1", "close 1", "list 2", "remove 1"} {
		killed("hold " + op)
		if ok, held, _ := take(t, s, "held", time.Now().Add(time.Minute)); ok || held.Before(until) {
			t.Errorf("killed before %s: taken %t, held until %v, want at least %v", op, ok, held, until)
		}
	}
	killed("acquire write 1")
	if ok, held, _ := take(t, s, "free", until); ok || time.Until(held) > grace {
		t.Errorf("killed before writing: taken %t, held until %v, want the grace", ok, held)
	}
	wantSwept(t, dir)
}

// Two processes write one key while a third reads: each reading is whole.
func TestEachReadingIsWholeWhileOthersWrite(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	if err := s.Hold(t.Context(), "held", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	writers := []*child{start(t, dir, "write"), start(t, dir, "write")}
	for _, c := range writers {
		if line := c.line(t); line != "ready" {
			t.Fatal(line)
		}
	}
	ended := make(chan struct{}, len(writers))
	for _, c := range writers {
		go func() { _, _ = io.Copy(io.Discard, c.out); ended <- struct{}{} }()
	}
	// How fast a disk is does not matter: it takes as long as it takes to see
	// that both get on.
	seen := map[string]bool{}
	for n := 0; n < 2000 || len(seen) < 20; n++ {
		select {
		case <-ended:
			t.Fatal("a writer ended by itself")
		default:
		}
		key := sharedKeys()[n%len(sharedKeys())]
		body := bodyOf(s, key)
		if body != "(miss)" && !wholeVersion(key, body) {
			t.Fatalf("%s has %.60q", key, body)
		}
		seen[body] = true
	}
	for _, c := range writers {
		c.stop(t)
	}
}

// contend tries to acquire the key on each line, and reports whether it did.
func contend(s *Store) error {
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		ok, held, _, err := s.Acquire(context.Background(), lines.Text(), time.Now().Add(time.Hour))
		if err == nil && !ok && time.Until(held) > time.Hour {
			err = fmt.Errorf("held until %v", held)
		}
		fmt.Println(ok, err)
	}
	return lines.Err()
}

// Of several processes exactly one gets an obligation.
func TestExactlyOneProcessGetsAnObligation(t *testing.T) {
	const processes, rounds = 4, 20
	dir := t.TempDir()
	children := make([]*child, processes)
	for i := range children {
		children[i] = start(t, dir, "contend")
	}
	for _, c := range children {
		if line := c.line(t); line != "ready" {
			t.Fatal(line)
		}
	}
	for n := range rounds {
		for _, c := range children {
			if _, err := fmt.Fprintln(c.in, "round", n); err != nil {
				t.Fatal(err)
			}
		}
		won := 0
		for _, c := range children {
			switch line := c.line(t); line {
			case "true <nil>":
				won++
			case "false <nil>":
			default:
				t.Error(line)
			}
		}
		if won != 1 {
			t.Errorf("round %d: %d of %d processes have won", n, won, processes)
		}
	}
}

// writeLimited has a file size limit, which has the effect of a full disk.
func writeLimited(s *Store) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}); err != nil {
		return err
	}
	ctx := context.Background()
	small := s.Save(ctx, "k", entryOf("k", "old"), time.Hour)
	large := s.Save(ctx, "k", entryOf("k", kilobytes(1000)), time.Hour)
	_, _, _, obligation := s.Acquire(ctx, strings.Repeat("k", 100<<10), time.Now().Add(time.Hour))
	var failure *Error
	fmt.Println(small, errors.As(large, &failure) && failure.Op == "write", errors.Is(large, syscall.EFBIG), errors.Is(obligation, syscall.EFBIG))
	return nil
}

func TestALimitOfFileSizesKeepsTheOldEntry(t *testing.T) {
	dir := t.TempDir()
	want(t, "errors", start(t, dir, "limited").line(t), "<nil> true true true")
	s := open(t, dir, nil)
	want(t, "what is stored", bodyOf(s, "k"), "old")
	want(t, "files", fmt.Sprint(there(t, dir)), "["+pathOf("k")+"]")
	if ok, _, _ := take(t, s, strings.Repeat("k", 100<<10), time.Time{}); !ok {
		t.Error("what could not be taken is held")
	}
	if v, err := s.Load(t.Context(), "k"); v == nil || err != nil || v.From != From {
		t.Errorf("Load: %v, %v", v, err)
	}
}
