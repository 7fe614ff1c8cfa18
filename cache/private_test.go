package cache_test

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
)

// counting is a store of this user that other processes read too. It keeps and counts the saved
// entries.
type counting struct {
	*written
	entries int
}

func (s *counting) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	s.mu.Lock()
	s.entries += len(v.Entries)
	s.mu.Unlock()
	return s.written.Save(ctx, key, v, retain)
}

// forAlice answers requests with a header field with a secret of hers.
func forAlice(field, control string) *origin {
	return &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		body := "for all"
		if req.Header.Get(field) != "" {
			body = "SECRET-OF-ALICE"
		}
		return response(200, body, "Cache-Control", control), nil
	}}
}

// The answer to a request with credentials stays in this process. A store that is not local gets no
// part of it, alone or behind a local one, whatever its header allows.
func TestAnswersToCredentialsStayInTheProcess(t *testing.T) {
	for _, field := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
		for _, control := range []string{"private, max-age=600", "public, max-age=600", "max-age=600", "s-maxage=600", "max-age=1, stale-while-revalidate=600"} {
			for _, s := range stacks() {
				synctest.Test(t, func(t *testing.T) {
					far := &counting{written: newWritten()}
					store := cache.Store(far)
					if s.open != nil {
						near := s.open(t)
						defer near.Close()
						layers := cache.NewLayered(near, far, nil)
						defer layers.Close()
						store = layers
					}
					tr := cache.NewTransport(store, forAlice(field, control), nil)
					defer tr.Close()
					for range 2 {
						get(t, tr, home, field, "alice")
						time.Sleep(2 * time.Second)
						synctest.Wait()
					}
					if far.entries != 0 {
						t.Errorf("%s, %s, %s: the store was given %d entries", field, control, s.name, far.entries)
					}
					get(t, tr, home+"?all")
					synctest.Wait()
					if far.entries != 1 {
						t.Errorf("%s, %s, %s: of an answer for everyone the store was given %d entries, want 1", field, control, s.name, far.entries)
					}
				})
			}
		}
	}
}

// The same on a disk: no file has the answer. It is answered from the memory of the process.
func TestAnswersToCredentialsAreNotWrittenDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		store, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := forAlice("Authorization", "private, max-age=600")
		tr := cache.NewTransport(store, o, nil)
		get(t, tr, home+"?all")
		for _, from := range []string{cache.FromNetwork, cache.FromMemory} {
			want(t, "hers", get(t, tr, home, "Authorization", "Bearer x"), result{200, "SECRET-OF-ALICE", from, ""})
		}
		_ = tr.Close()
		_ = store.Close()
		found := map[string]int{}
		err = fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, _ error) error {
			data, _ := fs.ReadFile(os.DirFS(dir), name)
			for _, body := range []string{"for all", "SECRET-OF-ALICE"} {
				found[body] += bytes.Count(data, []byte(body))
			}
			return nil
		})
		if err != nil || found["for all"] != 1 || found["SECRET-OF-ALICE"] != 0 {
			t.Errorf("the files have %v, %v; want the answer for all and no other", found, err)
		}
	})
}
