package crawl_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// FuzzFile checks that a file is refused and not changed, or is a queue: its counts equal the
// numbers of targets that can be taken and of results that can be read, without duplicates, and
// they are the same after it is opened again.
func FuzzFile(f *testing.F) {
	const begin = `{"schema":"wayfind/crawl-file/1"}` + "\n"
	f.Add([]byte(begin + `{"op":"offer","target":"a.example"}` + "\n" + `{"op":"offer","target":"b.example"}` + "\n" + `{"op":"tried","target":"b.example","attempt":2}` + "\n"))
	f.Add([]byte(begin + `{"op":"offer","target":"a.example"}` + "\n" + `{"target":"a.example","cause":"timeout"}` + "\n" + `{"op":"offer","target":"a.example"}` + "\n"))
	f.Add([]byte(`{"target":"a.example","cause":"found","site":{}}` + "\n" + `{"target":"a.example","cause":"timeout"}` + "\n" + `{"op":"off`))
	f.Add([]byte(begin + `{"op":"offer","target":"a.example"}` + "\n" + `{"op":"tried","target":"a.example","attempt":-7}` + "\n"))
	f.Add([]byte(begin + `{"op":"tried","target":"a.example"}` + "\n" + `{"op":"","target":""}` + "\n"))
	f.Add([]byte(begin + begin + "\xff\n"))
	f.Add([]byte(`{"sche`))
	name := filepath.Join(f.TempDir(), "queue")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		q, err := crawl.OpenFile(name, nil)
		now, readErr := os.ReadFile(name)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			if !bytes.Equal(now, data) {
				t.Fatalf("refused (%v), and changed to %q", err, now)
			}
			return
		}
		if kept, grown := bytes.CutPrefix(now, []byte(begin)); !bytes.HasPrefix(data, now) && (!grown || len(kept) > 0) {
			t.Fatalf("became %q", now)
		}
		counts := taken(t, q)
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := crawl.OpenFile(name, nil)
		if err != nil {
			t.Fatalf("cannot be opened again: %v", err)
		}
		if later := taken(t, again); later != counts || again.Cut() != 0 {
			t.Errorf("%+v, and %+v when opened again; %d bytes cut", counts, later, again.Cut())
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// taken takes each open target, reads each result, and returns the counts from before.
func taken(t *testing.T, q *crawl.File) crawl.Counts {
	t.Helper()
	counts, err := q.Count(t.Context())
	if err != nil || counts.Leased != 0 {
		t.Fatalf("%+v, %v", counts, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	seen := map[string]bool{}
	for range counts.Open() {
		l, err := q.Take(ctx)
		if err != nil {
			t.Fatalf("Take, after %d of %d open targets: %v", len(seen), counts.Open(), err)
		}
		if task := l.Task(); task.Target == "" || task.Attempt < 1 || seen[task.Target] {
			t.Fatalf("taken: %+v, after %v", task, seen)
		}
		seen[l.Task().Target] = true
	}
	results := map[string]bool{}
	for r, err := range q.Results(ctx, "") {
		if err != nil {
			t.Fatal(err)
		}
		if r.Target == "" || results[r.Target] {
			t.Fatalf("result %+v, after %v", r, results)
		}
		results[r.Target] = true
	}
	if uint64(len(results)) != counts.Finished {
		t.Fatalf("%d results, counted %d", len(results), counts.Finished)
	}
	return counts
}
