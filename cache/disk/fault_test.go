package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// failing makes one kind of operation fail.
func failing(s *Store, op string, err error) {
	s.files.fault = func(o, _ string) error {
		if o == op {
			return err
		}
		return nil
	}
}

// A disk that is full at any step costs the new entry and nothing else.
func TestAFullDiskKeepsTheOldEntry(t *testing.T) {
	for _, op := range []string{"create", "write", "chtimes", "sync", "close", "rename"} {
		t.Run(op, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, nil)
			save(t, s, "k", "old", time.Hour)
			before := there(t, dir)
			failing(s, op, syscall.ENOSPC)
			err := s.Save(t.Context(), "k", entryOf("k", "new"), time.Hour)
			var failure *Error
			if !errors.As(err, &failure) || !errors.Is(err, syscall.ENOSPC) || failure.Op != op || !strings.HasPrefix(failure.Path, "v1/") {
				t.Errorf("Save: %v", err)
			}
			s.files.fault = nil
			want(t, "what is stored", bodyOf(s, "k"), "old")
			if diff := cmp.Diff(before, there(t, dir)); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
			save(t, s, "k", "new", time.Hour)
			want(t, "once there is room", bodyOf(s, "k"), "new")
		})
	}
}

// Names that could not be made durable are there all the same.
func TestNamesThatCouldNotBeMadeDurableAreThere(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	failing(s, "syncdir", syscall.EINVAL)
	save(t, s, "k", "text", time.Hour)
	want(t, "what is stored", bodyOf(s, "k"), "text")
}

func TestAFullDiskTakesNoObligationAndKeepsTheOldOnes(t *testing.T) {
	for _, op := range []string{"create", "write", "close"} {
		dir := t.TempDir()
		s := open(t, dir, nil)
		until := time.Now().Add(time.Hour)
		if err := s.Hold(t.Context(), "held", until); err != nil {
			t.Fatal(err)
		}
		before := there(t, dir)
		failing(s, op, syscall.ENOSPC)
		if ok, _, _, err := s.Acquire(t.Context(), "k", until); ok || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: Acquire: %t, %v", op, ok, err)
		}
		if err := s.Hold(t.Context(), "held", until.Add(time.Hour)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: Hold: %v", op, err)
		}
		s.files.fault = nil
		if diff := cmp.Diff(before, there(t, dir)); diff != "" {
			t.Errorf("%s: files (-before +after):\n%s", op, diff)
		}
		if ok, _, _ := take(t, s, "held", until); ok {
			t.Errorf("%s: what was held is free", op)
		}
		if ok, _, _ := take(t, s, "k", until); !ok {
			t.Errorf("%s: what could not be taken is held", op)
		}
	}
}

// Errors of a network's file system are errors, and nothing is removed.
func TestReadErrorsRemoveNothing(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.EACCES, syscall.ENAMETOOLONG} {
		for _, op := range []string{"lstat", "open", "read"} {
			dir := t.TempDir()
			s := open(t, dir, nil)
			save(t, s, "k", "text", time.Hour)
			failing(s, op, errno)
			v, err := s.Load(t.Context(), "k")
			if v != nil || !errors.Is(err, errno) || errors.Is(err, cache.ErrCorrupt) {
				t.Errorf("%s fails with %v: %v, %v", op, errno, v, err)
			}
			s.files.fault = nil
			want(t, "later", bodyOf(s, "k"), "text")
		}
	}
}

// A file that is deleted between look, opening and reading is a miss.
func TestAFileDeletedWhileItIsOpenedIsAMiss(t *testing.T) {
	for _, op := range []string{"lstat", "open", "read"} {
		s := open(t, t.TempDir(), nil)
		save(t, s, "k", "text", time.Hour)
		s.files.fault = func(o, path string) error {
			if o == op {
				_ = s.files.root.Remove(path)
			}
			return nil
		}
		got := bodyOf(s, "k")
		s.files.fault = nil
		switch {
		case op == "read": // the file has no name, but it is still whole
			want(t, op, got, "text")
		default:
			want(t, op, got, "(miss)")
		}
		want(t, op+", later", bodyOf(s, "k"), "(miss)")
	}
}

// A file that is replaced between look and opening is looked at again, and is
// not taken for a planted one.
func TestAFileReplacedWhileItIsOpenedIsNotTakenForAPlantedOne(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	other := open(t, s.files.root.Name(), nil)
	save(t, s, "k", "one", time.Hour)
	var times atomic.Int32
	s.files.fault = func(op, _ string) error {
		if op == "open" && times.Add(1) <= 3 {
			return other.Save(context.Background(), "k", entryOf("k", fmt.Sprint("two ", times.Load())), time.Hour)
		}
		return nil
	}
	want(t, "after three replacements", bodyOf(s, "k"), "two 3")
	times.Store(-1000)
	if _, err := s.Load(t.Context(), "k"); err == nil || errors.Is(err, cache.ErrCorrupt) {
		t.Errorf("replaced without end: %v", err)
	}
	s.files.fault = nil
	if got := bodyOf(s, "k"); !strings.HasPrefix(got, "two") {
		t.Errorf("in the end there is %s", got)
	}
}

// hang makes operations of one kind wait until release is called.
func hang(s *Store, op string) (reached chan struct{}, release func()) {
	reached, gate := make(chan struct{}, 100), make(chan struct{})
	s.files.fault = func(o, _ string) error {
		if o == op {
			reached <- struct{}{}
			<-gate
		}
		return nil
	}
	return reached, func() { close(gate) }
}

// A disk that hangs costs the caller its own time only, and a bounded number of
// goroutines; Close waits for those.
func TestHangingDisk(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	reached, release := hang(s, "lstat")
	ctx, cancel := context.WithCancel(t.Context())
	answers := make(chan error, 3*maxRunning)
	for i := range 3 * maxRunning {
		go func() {
			_, err := s.Load(ctx, fmt.Sprint("k", i))
			answers <- err
		}()
	}
	for range maxRunning {
		<-reached
	}
	cancel()
	for range 3 * maxRunning {
		if err := <-answers; !errors.Is(err, context.Canceled) {
			t.Errorf("Load on a disk that hangs: %v", err)
		}
	}
	if n := len(reached); n > 0 {
		t.Errorf("%d operations more than %d are running", n, maxRunning)
	}
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	<-s.closed
	select {
	case <-closed:
		t.Error("Close did not wait")
	default:
	}
	release()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// A Save whose caller has gone is finished, but not after a later one.
func TestAbandonedSave(t *testing.T) {
	for _, later := range []string{"", "save", "delete"} {
		s := open(t, t.TempDir(), nil)
		reached, release := hang(s, "sync")
		ctx, cancel := context.WithCancel(t.Context())
		abandoned := make(chan error)
		go func() { abandoned <- s.Save(ctx, "k", entryOf("k", "first"), time.Hour) }()
		<-reached
		cancel()
		if err := <-abandoned; !errors.Is(err, context.Canceled) {
			t.Errorf("Save: %v", err)
		}
		expect := "first"
		done := make(chan error, 1)
		switch later {
		case "save":
			go func() { done <- s.Save(context.Background(), "k", entryOf("k", "second"), time.Hour) }()
			expect = "second"
		case "delete":
			go func() { done <- s.Delete(context.Background(), "k") }()
			expect = "(miss)"
		default:
			done <- nil
		}
		release()
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.settle()
		want(t, "after the later "+later, bodyOf(s, "k"), expect)
	}
}

// A call that comes to run after a later one of the same name does nothing.
func TestTurnsKeepTheOrderOfCalls(t *testing.T) {
	all := turns{of: make(map[string]*turn)}
	first, second := all.join("a"), all.join("a")
	var done []string
	for _, step := range []struct {
		k    *ticket
		name string
		err  error
	}{{second, "fails", errors.New("full")}, {first, "first", nil}, {second, "second", nil}, {first, "too late", nil}} {
		_ = step.k.inOrder(func() error { done = append(done, step.name); return step.err })
	}
	if diff := cmp.Diff([]string{"fails", "first", "second"}, done); diff != "" {
		t.Errorf("done (-want +got):\n%s", diff)
	}
	first.give()
	second.give()
	if len(all.of) != 0 {
		t.Errorf("%d turns are left", len(all.of))
	}
}

// Check ctx first: a caller that has gone causes nothing.
func TestCancelledCallsDoNothing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	save(t, s, "k", "text", time.Hour)
	before := there(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, loadErr := s.Load(ctx, "k")
	_, _, _, acquireErr := s.Acquire(ctx, "k", time.Now().Add(time.Hour))
	_, removeErr := s.Remove(ctx, nil)
	for name, err := range map[string]error{
		"Load": loadErr, "Acquire": acquireErr, "Remove": removeErr, "Delete": s.Delete(ctx, "k"),
		"Save": s.Save(ctx, "k", entryOf("k", "new"), time.Hour), "Hold": s.Hold(ctx, "k", time.Now().Add(time.Hour)),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.settle()
	if diff := cmp.Diff(before, there(t, dir)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	want(t, "what is stored", bodyOf(s, "k"), "text")
}

// Another process may make the directory of a first entry between the rename that fails without it
// and the check for it.
func TestAnotherProcessMayMakeTheDirectoryOfAnEntry(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	shard := dirOf(pathOf("k"))
	made := false
	s.files.fault = func(op, path string) error {
		if op == "lstat" && path == shard && !made {
			made = true
			return s.files.root.Mkdir(shard, dirMode)
		}
		return nil
	}
	save(t, s, "k", "text", time.Hour)
	if !made {
		t.Error("the other process did not come between")
	}
	want(t, "what is stored", bodyOf(s, "k"), "text")
}

// TestAQueueIsNoHangingDisk: far more callers than operations that run at a time get every entry,
// although the last one waits for longer than the budget of a call. A disk that hangs is left alone.
func TestAQueueIsNoHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, t.TempDir(), &Options{Budget: 100 * time.Millisecond})
		tr := cache.NewTransport(s, answering{}, nil)
		defer tr.Close()
		visit := func(n int) (hits int64) {
			var found atomic.Int64
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() {
					if strings.Contains(statusOf(t, tr, i), "; hit") {
						found.Add(1)
					}
				})
			}
			wg.Wait()
			return found.Load()
		}
		visit(256)
		var hangs atomic.Bool
		s.files.fault = func(op, _ string) error {
			if op == "open" {
				time.Sleep(20 * time.Millisecond)
			}
			if hangs.Load() {
				time.Sleep(time.Hour)
			}
			return nil
		}
		start := time.Now()
		if n := visit(256); n != 256 || time.Since(start) < 2*s.budget {
			t.Errorf("%d of 256 entries were found in %v: %+v", n, time.Since(start), tr.Stats())
		}
		hangs.Store(true)
		start = time.Now()
		if n := visit(256); n != 0 || time.Since(start) > 10*s.budget || !tr.Stats().Resting {
			t.Errorf("of a disk that hangs %d entries were found in %v: %+v", n, time.Since(start), tr.Stats())
		}
		hangs.Store(false)
		time.Sleep(3 * time.Hour)
	})
}

// answering is an origin that answers every request.
type answering struct{}

func (answering) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Cache-Control": {"max-age=86400"}}, Body: io.NopCloser(strings.NewReader("text")), ContentLength: 4,
	}, nil
}

// statusOf asks for a page through a Transport, and returns its Cache-Status.
func statusOf(t *testing.T, tr *cache.Transport, page int) string {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprint("https://example.com/", page), nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Error(err)
		return ""
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error(err)
	}
	_ = resp.Body.Close()
	return resp.Header.Get("Cache-Status")
}

// A Store that was opened outside of a bubble of testing/synctest is used in one, while it works outside, too.
func TestAStoreIsUsedInABubbleAndOutsideOfIt(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	var done atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !done.Load() {
			_ = s.Save(context.Background(), "k", entryOf("k", "outside"), time.Hour)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		for range 30 {
			if err := s.Save(t.Context(), "k", entryOf("k", "inside"), time.Hour); err != nil {
				t.Error(err)
			}
		}
	})
	done.Store(true)
	<-ended
}
