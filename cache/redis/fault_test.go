package redis_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

const (
	// soon is the time that a caller waits for an answer that never comes: its end is the result.
	// All calls of a test together stay below the time after which a silent connection is given up.
	soon = 10 * time.Millisecond
	// patience is the time that a caller waits for anything else. It only ends a test that hangs: a
	// busy machine may be slow.
	patience = time.Minute
)

// eachCall makes every kind of call once, each with a context of its own, and
// returns the errors by name.
func eachCall(t *testing.T, s cache.ObligationStore, limit time.Duration) map[string]error {
	t.Helper()
	errs := map[string]error{}
	call := func(name string, f func(context.Context) error) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		errs[name] = f(ctx)
	}
	v := &cache.Variants{Entries: []*cache.Entry{cachetest.Entry("k", "text")}}
	call("save", func(ctx context.Context) error { return s.Save(ctx, "k", v, time.Hour) })
	call("load", func(ctx context.Context) error { _, err := s.Load(ctx, "k"); return err })
	call("delete", func(ctx context.Context) error { return s.Delete(ctx, "k") })
	call("acquire", func(ctx context.Context) error {
		_, _, release, err := s.Acquire(ctx, "k", time.Now().Add(time.Hour))
		if release != nil {
			release()
		}
		return err
	})
	call("hold", func(ctx context.Context) error { return s.Hold(ctx, "h", time.Now().Add(time.Hour)) })
	return errs
}

// eventually tries again until it goes well.
func eventually(t *testing.T, what string, try func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !try(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// works reports whether every kind of call goes well.
func works(t *testing.T, s cache.ObligationStore) bool {
	t.Helper()
	for _, err := range eachCall(t, s, patience) {
		if err != nil {
			return false
		}
	}
	return true
}

// Whatever a server does instead of answering, each call ends with an error within the caller's
// time, and the process lives.
func TestWhateverAServerDoesEachCallEndsInTime(t *testing.T) {
	says := func(reply string) func(*testing.T) string {
		return func(t *testing.T) string { return fakeServer(t, func([]string) string { return reply }) }
	}
	silent := func(t *testing.T) string {
		return fakeListener(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	}
	const late = "deadline exceeded"
	for name, row := range map[string]struct {
		url  func(t *testing.T) string
		want string // in every error; late: that the caller's time is over
	}{
		"refused":            {func(*testing.T) string { return "redis://127.0.0.1:1" }, "connection refused"},
		"no socket":          {func(*testing.T) string { return "unix:///nowhere/at/all" }, "no such file"},
		"accepts and stalls": {silent, late},
		"greets and stalls":  {says(stall), late},
		"half a reply":       {says("$100000\r\nhalf"), late},
		"half a greeting": {func(t *testing.T) string {
			return fakeListener(t, func(c net.Conn) { _, _ = io.WriteString(c, "%7\r\n+pr"); _, _ = io.Copy(io.Discard, c) })
		}, late},
		"closes": {func(t *testing.T) string { return fakeListener(t, func(net.Conn) {}) }, ""},
		"too many clients": {func(t *testing.T) string {
			return fakeListener(t, func(c net.Conn) { _, _ = io.WriteString(c, "-ERR max number of clients reached\r\n") })
		}, ""},
		"no Redis at all": {func(t *testing.T) string {
			return fakeListener(t, func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") })
		}, ""},
		"LOADING":             {says("-LOADING Redis is loading the dataset in memory\r\n"), "LOADING"},
		"MASTERDOWN":          {says("-MASTERDOWN Link with MASTER is down\r\n"), "MASTERDOWN"},
		"a cluster, MOVED":    {says("-MOVED 866 127.0.0.1:1\r\n"), "MOVED"},
		"a cluster, ASK":      {says("-ASK 866 127.0.0.1:1\r\n"), "ASK"},
		"a number for a text": {says(":1x\r\n"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, limit := open(t, row.url(t)), patience
			if row.want == late {
				limit = soon
			}
			for range 2 {
				for op, err := range eachCall(t, s, limit) {
					if err == nil || !strings.Contains(err.Error(), row.want) {
						t.Errorf("%s: %v, want %q", op, err, row.want)
					}
					if e, ok := errors.AsType[*redis.Error](err); err != nil && (!ok || e.Op != op) {
						t.Errorf("%s: %#v is no *redis.Error of it", op, err)
					}
				}
			}
		})
	}
}

// Redirects are not followed, round and round or at all.
func TestRedirectsOfAClusterAreNotFollowed(t *testing.T) {
	var commands atomic.Int32
	url := fakeServer(t, func(command []string) string {
		if command[0] != "PING" {
			commands.Add(1)
		}
		return "-MOVED 866 127.0.0.1:1\r\n"
	})
	const load, save, others = 3, 2, 3
	if errs := eachCall(t, open(t, url), patience); commands.Load() != load+save+others {
		t.Errorf("%d calls made %d commands", len(errs), commands.Load())
	}
}

// A server that may not or cannot write goes on answering.
func TestAServerThatCannotWriteGoesOnAnswering(t *testing.T) {
	for name, row := range map[string]struct {
		args []string
		then []string
		want string
	}{
		"OOM":      {[]string{"--maxmemory", "1", "--maxmemory-policy", "noeviction"}, []string{"PING"}, "OOM"},
		"READONLY": {nil, []string{"REPLICAOF", "127.0.0.1", "1"}, "READONLY"},
	} {
		t.Run(name, func(t *testing.T) {
			server := testkit.StartRedis(t, row.args...)
			server.Do(row.then...)
			s := open(t, server.URL())
			errs := eachCall(t, s, patience)
			for _, op := range []string{"save", "acquire", "hold"} {
				if errs[op] == nil || !strings.Contains(errs[op].Error(), row.want) {
					t.Errorf("%s: %v, want %s", op, errs[op], row.want)
				}
			}
			if errs["load"] != nil {
				t.Errorf("load: %v", errs["load"])
			}
		})
	}
}

// A new password is used from the next connection on.
func TestANewPasswordCountsFromTheNextConnection(t *testing.T) {
	server := testkit.StartRedis(t)
	server.Do("ACL", "SETUSER", "wayfind", "on", ">first", "~wayfind:*", "+@all")
	s := open(t, strings.Replace(server.URL(), "//", "//wayfind:first@", 1))
	if !works(t, s) {
		t.Fatal(eachCall(t, s, patience))
	}
	server.Do("ACL", "SETUSER", "wayfind", "resetpass", ">second")
	server.Do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
	eventually(t, "the old password is refused", func() bool {
		err := eachCall(t, s, patience)["load"]
		return errors.Is(err, redis.ErrUnavailable) && strings.Contains(err.Error(), "WRONGPASS")
	})
	server.Do("ACL", "SETUSER", "wayfind", "resetpass", ">first")
	eventually(t, "the right one is taken again", func() bool { return works(t, s) })
	if n := s.Stats().Connections; n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
	// An ACL that is limited to the prefix is enough, and the prefix is kept to.
	other := open(t, strings.Replace(server.URL(), "//", "//wayfind:first@", 1)+"?prefix=other:")
	if err := eachCall(t, other, patience)["load"]; err == nil || !strings.Contains(err.Error(), "NOPERM") {
		t.Errorf("beyond the prefix: %v", err)
	}
}

// A server that is restarted, and one that is started late, are found.
func TestARestartedServerIsFoundAgain(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, server.URL())
	if !works(t, s) {
		t.Fatal(eachCall(t, s, patience))
	}
	server.Restart()
	eventually(t, "the new server answers", func() bool { return works(t, s) })

	server.Stop()
	late := open(t, server.URL())
	if err := eachCall(t, late, patience)["load"]; !errors.Is(err, redis.ErrUnavailable) {
		t.Fatalf("nobody is there: %v", err)
	}
	server.Restart()
	eventually(t, "the late server answers", func() bool { return works(t, late) })
}

// A connection that has gone silent is replaced, because a router that forgot it does not close it.
func TestASilentConnectionIsReplaced(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, server.URL())
	if !works(t, s) {
		t.Fatal(eachCall(t, s, patience))
	}
	server.Stall()
	for op, err := range eachCall(t, s, soon) {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", op, err)
		}
	}
	eventually(t, "the silent connection is given up", func() bool {
		err := eachCall(t, s, soon)["load"]
		return err != nil && !errors.Is(err, context.DeadlineExceeded) || s.Stats().Connections > 1
	})
	server.Resume()
	eventually(t, "another one answers", func() bool { return works(t, s) })
}

// More callers than calls can be under way. Each obeys its context.
func TestEachOfManyCallersOfAStalledServerObeysItsContext(t *testing.T) {
	s := open(t, fakeServer(t, func([]string) string { return stall }))
	var callers sync.WaitGroup
	for range 1000 {
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), soon)
			defer cancel()
			if _, err := s.Load(ctx, "k"); err == nil {
				t.Error("a stalled server has answered")
			}
		})
	}
	callers.Wait()
}

// A value is written with its end in one command, so that no value without an end is left.
func TestWhatIsWrittenEndsByItselfInOneCommand(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, server.URL())
	if !works(t, s) { // scripts are known from now on
		t.Fatal(eachCall(t, s, patience))
	}
	server.ResetCommands()
	save(t, s, "k", "text")
	const hits = 10
	for range hits {
		wantText(t, s, "k", "text")
	}
	if _, _, _, err := s.Acquire(t.Context(), "a", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.Hold(t.Context(), "another", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	got := server.Commands()
	for name, want := range map[string]int{"set": 3, "getrange": hits, "evalsha": 2, "eval": 0, "get": 0, "expire": 0, "hello": 0} {
		if got[name] != want {
			t.Errorf("%s was called %d times, want %d", name, got[name], want)
		}
	}
	for _, name := range server.Keys("*") {
		if server.Do("PTTL", name) == "-1" {
			t.Errorf("%s never ends", name)
		}
	}
}

// Behind the memory of a process, a server that hangs costs three budgets, and is then skipped for
// a while.
func TestAServerThatHangsCostsThreeBudgets(t *testing.T) {
	var commands atomic.Int32
	var hangs atomic.Bool
	s := open(t, fakeServer(t, func(command []string) string {
		switch {
		case command[0] == "PING":
		case hangs.Load():
			commands.Add(1)
		case command[0] == "GETRANGE":
			return bulk("")
		case command[0] == "HMGET":
			return noTexts
		case command[0] == "HGET":
			return null
		default: // HSETNX, PEXPIRE
			return ":1\r\n"
		}
		return stall
	}), func(o *redis.Options) { o.Budget = 300 * time.Millisecond })
	if _, err := s.Load(t.Context(), "first"); err != nil { // connected, however long that takes
		t.Fatal(err)
	}
	hangs.Store(true)
	near, err := memory.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	layered := cache.NewLayered(near, s, nil)
	defer layered.Close()
	late := 0
	for range 100 {
		if _, err := layered.Load(t.Context(), "k"); errors.Is(err, context.DeadlineExceeded) {
			late++
		}
		if ok, _, _, err := layered.Acquire(t.Context(), "free", time.Now().Add(-time.Second)); !ok || err != nil {
			t.Fatalf("an obligation of nobody: %t, %v", ok, err)
		}
	}
	if late != 2 { // of the three calls one was an Acquire, which fails open
		t.Errorf("%d calls were late, want 2", late)
	}
	const want = 2*3 + 1
	eventually(t, "all were sent", func() bool { return commands.Load() >= want })
	if n := commands.Load(); n != want {
		t.Errorf("%d commands were sent, want %d", n, want)
	}
}

// A certificate that is no good is an error of each call.
func TestABadCertificateIsAnErrorOfEachCall(t *testing.T) {
	server := testkit.StartRedis(t)
	good, expired := certificate(t, time.Now().Add(time.Hour)), certificate(t, time.Now().Add(-time.Hour))
	trusting := func(c testCertificate) func(*redis.Options) {
		return func(o *redis.Options) { o.TLS = c.roots() }
	}
	if s := open(t, tlsProxy(t, server.Addr(), good), trusting(good)); !works(t, s) {
		t.Error(eachCall(t, s, patience))
	}
	for name, row := range map[string]struct {
		url    string
		change func(*redis.Options)
		is     func(error) bool
	}{
		"expired": {tlsProxy(t, server.Addr(), expired), trusting(expired), func(err error) bool {
			e, ok := errors.AsType[x509.CertificateInvalidError](err)
			return ok && e.Reason == x509.Expired
		}},
		"unknown":      {tlsProxy(t, server.Addr(), good), func(*redis.Options) {}, func(err error) bool { _, ok := errors.AsType[x509.UnknownAuthorityError](err); return ok }},
		"another name": {strings.Replace(tlsProxy(t, server.Addr(), good), "127.0.0.1", "localhost", 1), trusting(good), func(err error) bool { _, ok := errors.AsType[x509.HostnameError](err); return ok }},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, row.url, row.change)
			for op, err := range eachCall(t, s, patience) {
				if !errors.Is(err, redis.ErrUnavailable) || !row.is(err) {
					t.Errorf("%s: %v", op, err)
				}
			}
		})
	}
}

// Close ends all work, even if the server does not answer, and leaves no goroutine.
func TestCloseLeavesNothing(t *testing.T) {
	silent := fakeListener(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	stalled := fakeServer(t, func([]string) string { return stall })
	for _, url := range []string{silent, stalled, "redis://127.0.0.1:1"} {
		s, err := redis.Open(url, &redis.Options{Key: key('a')})
		if err != nil {
			t.Fatal(err)
		}
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() { _, _ = s.Load(t.Context(), "k") })
		}
		_ = eachCall(t, s, soon)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		callers.Wait()
		for op, err := range eachCall(t, s, patience) {
			if !errors.Is(err, cache.ErrClosed) {
				t.Errorf("%s after Close: %v", op, err)
			}
		}
	}
	stacks := make([]byte, 1<<20)
	eventually(t, "all goroutines have ended", func() bool {
		text := string(stacks[:runtime.Stack(stacks, true)])
		return !strings.Contains(text, "rueidis") && !strings.Contains(text, "(*link)")
	})
}

// A server that cannot be reached is tried again and again, but not by each
// call.
func TestNotEachCallTriesAServerThatCannotBeReached(t *testing.T) {
	var attempts atomic.Int32
	s := open(t, fakeListener(t, func(net.Conn) { attempts.Add(1) }))
	const calls = 300
	for range calls {
		if _, err := s.Load(t.Context(), "k"); err == nil {
			t.Fatal("nobody has answered")
		}
		time.Sleep(time.Millisecond) // an immediate refusal would be too fast to see
	}
	if n := attempts.Load(); n < 1 || n > calls/3 {
		t.Errorf("%d calls made %d attempts", calls, n)
	}
}
