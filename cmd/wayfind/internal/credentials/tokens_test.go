package credentials

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

// newTokenFile opens a file of tokens, which each process does for itself.
func newTokenFile(t *testing.T, name string) *TokenFile {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("files with credentials are not read here")
	}
	f, err := OpenTokens(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keep replaces the value that a file has for a key.
func keep(t *testing.T, f *TokenFile, key call.TokenKey, value string) {
	t.Helper()
	if err := f.Update(t.Context(), key, func([]byte) ([]byte, error) { return []byte(value), nil }); err != nil {
		t.Error(err)
	}
}

// kept returns the value that a file has for a key.
func kept(t *testing.T, f *TokenFile, key call.TokenKey) (value string) {
	t.Helper()
	if err := f.Update(t.Context(), key, func(now []byte) ([]byte, error) { value = string(now); return now, nil }); err != nil {
		t.Error(err)
	}
	return value
}

func wantNoLocks(t *testing.T, name string) {
	t.Helper()
	if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 {
		t.Errorf("beside the file are %v, %v", entries, err)
	}
}

func TestNoLoginIsLostWhenManyProcessesLogIn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens.json")
	key := func(i int) call.TokenKey {
		return call.TokenKey{Principal: fmt.Sprint(i % 2), Issuer: "https://login.example", Resource: fmt.Sprint(i / 2), Client: "app"}
	}
	var all sync.WaitGroup
	for i := range 12 {
		f := newTokenFile(t, name)
		all.Go(func() { keep(t, f, key(i), strconv.Itoa(i)) })
	}
	all.Wait()
	f := newTokenFile(t, name)
	for i := range 12 {
		if got := kept(t, f, key(i)); got != strconv.Itoa(i) {
			t.Errorf("key %d has %q", i, got)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	wantNoLocks(t, name)
}

func TestOneProcessAtATimeUsesARefreshToken(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens.json")
	key := call.TokenKey{Issuer: "https://login.example", Client: "app"}
	const processes, times = 6, 10
	keep(t, newTokenFile(t, name), key, "0")
	var all sync.WaitGroup
	for range processes {
		f := newTokenFile(t, name)
		all.Go(func() {
			for range times {
				err := f.Update(t.Context(), key, func(now []byte) ([]byte, error) {
					n, err := strconv.Atoi(string(now))
					return []byte(strconv.Itoa(n + 1)), err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := kept(t, newTokenFile(t, name), key); got != strconv.Itoa(processes*times) {
		t.Errorf("%s of %d changes are left", got, processes*times)
	}
	wantNoLocks(t, name)
}

func TestARefreshHoldsBackNoOtherKey(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens.json")
	slow, other := call.TokenKey{Resource: "https://slow.example"}, call.TokenKey{Resource: "https://other.example"}
	begun, end, done := make(chan bool), make(chan bool), make(chan error)
	f := newTokenFile(t, name)
	go func() {
		done <- f.Update(t.Context(), slow, func([]byte) ([]byte, error) {
			close(begun)
			<-end
			return []byte("1"), nil
		})
	}()
	<-begun
	second := newTokenFile(t, name)
	keep(t, second, other, "2")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := second.Update(ctx, slow, func([]byte) ([]byte, error) { return []byte("3"), nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two refresh at once: %v", err)
	}
	close(end)
	if err := <-done; err != nil || kept(t, second, slow) != "1" || kept(t, second, other) != "2" {
		t.Errorf("%v: %q and %q", err, kept(t, second, slow), kept(t, second, other))
	}
}

func TestForgettingTakesOneUserOutOfTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens.json")
	f := newTokenFile(t, name)
	for _, user := range []string{"alice", "bob"} {
		for _, client := range []string{"", "client-1"} {
			keep(t, f, call.TokenKey{Principal: user, Client: client}, `{"refresh":"`+user+`"}`)
		}
	}
	if err := f.Forget("bob"); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(raw), "bob") || strings.Count(string(raw), `"alice"`) != 4 {
		t.Errorf("%s, %v", raw, err)
	}
	failure := errors.New("no answer")
	if err := f.Update(t.Context(), call.TokenKey{Principal: "alice"}, func([]byte) ([]byte, error) { return nil, failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
	if after, err := os.ReadFile(name); err != nil || string(after) != string(raw) {
		t.Errorf("a change that failed has written %s, %v", after, err)
	}
}

// A login is kept behind a link, which stays one. A link that another user could change is refused before
// a token is used.
func TestTokensAreKeptBehindALink(t *testing.T) {
	home := t.TempDir()
	name, link := filepath.Join(home, "real.json"), filepath.Join(home, "tokens.json")
	key := call.TokenKey{Principal: "ann", Issuer: "https://login.example", Resource: "r", Client: "app"}
	keep(t, newTokenFile(t, name), key, `"one"`)
	if err := os.Symlink("real.json", link); err != nil {
		t.Fatal(err)
	}
	behind := newTokenFile(t, link)
	if got := kept(t, behind, key); got != `"one"` {
		t.Errorf("kept %s", got)
	}
	keep(t, behind, key, `"two"`)
	if to, err := os.Readlink(link); err != nil || to != "real.json" || kept(t, newTokenFile(t, name), key) != `"two"` {
		t.Errorf("the link leads to %s, %v", to, err)
	}
	if err := os.Chmod(home, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTokens(link); err == nil || !strings.Contains(err.Error(), "another user could change") {
		t.Errorf("in a shared folder: %v", err)
	}
}
