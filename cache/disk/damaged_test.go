package disk

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// texts answers each path with a text of its own, and counts the requests.
type texts struct{ asked atomic.Int64 }

func textOf(path string) string { return path + strings.Repeat(" 0123456789", 300) }

func (o *texts) RoundTrip(req *http.Request) (*http.Response, error) {
	o.asked.Add(1)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Cache-Control": {"max-age=600"}, "X-Path": {req.URL.Path}},
		Body: io.NopCloser(strings.NewReader(textOf(req.URL.Path))), ContentLength: -1, Request: req,
	}, nil
}

// read asks for a page, and wants its text.
func (o *texts) read(t *testing.T, tr *cache.Transport, path string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.example"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || string(text) != textOf(path) || resp.Header.Get("X-Path") != path {
		t.Errorf("%s: %d bytes, %.20q, %v, X-Path %q", path, len(text), text, err, resp.Header.Get("X-Path"))
	}
}

// damage changes a file: a bit of it, a bit of its beginning, its end.
func damage(data []byte, how int, random *rand.Rand) []byte {
	switch how {
	case 0:
		data[random.IntN(len(data))] ^= 1 << random.IntN(8)
	case 1:
		data[random.IntN(min(len(data), 200))] ^= 1 << random.IntN(8)
	case 2:
		data = data[:random.IntN(len(data))]
	default:
		data = append(data, 'x')
	}
	return data
}

// Damaged files are never used: each of their pages is requested once more, and then stored again.
func TestDamagedFilesAreAskedForOnceMore(t *testing.T) {
	dir, o, seed, n := t.TempDir(), &texts{}, rand.Uint64(), testkit.Size(15, 60)
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	tr := cache.NewTransport(patient{open(t, dir, nil)}, o, nil)
	defer tr.Close()
	all := func() int64 {
		before := o.asked.Load()
		for i := range n {
			o.read(t, tr, fmt.Sprint("/", i))
		}
		return o.asked.Load() - before
	}
	all()
	for how := range 4 {
		damaged := int64(0)
		if err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil || len(data) == 0 {
				return err
			}
			damaged++
			return os.WriteFile(name, damage(data, how, random), 0o600)
		}); err != nil {
			t.Fatal(err)
		}
		if asked := all(); asked != int64(n) || damaged < int64(n) {
			t.Errorf("damage %d of %d files: asked %d times, want %d", how, damaged, asked, n)
		}
		if asked := all(); asked != 0 {
			t.Errorf("after it: asked %d times", asked)
		}
	}
	// A bit in the number of the version makes an entry one of another version.
	if corrupt := tr.Stats().Corrupt; corrupt < uint64(3*n) || corrupt > uint64(4*n) {
		t.Errorf("%d entries were damaged, want %d or a few less", corrupt, 4*n)
	}
}

// A directory that has become read-only fails no request: stored answers go on, others
// are asked for each time, and the failures are counted.
func TestAReadOnlyDirectoryFailsNoRequest(t *testing.T) {
	o, s := &texts{}, open(t, t.TempDir(), nil)
	tr := cache.NewTransport(patient{s}, o, nil)
	defer tr.Close()
	o.read(t, tr, "/stored")
	s.files.fault = func(op, _ string) error {
		switch op {
		case "create", "mkdir", "rename", "remove", "chtimes", "write":
			return syscall.EROFS
		}
		return nil
	}
	for n := range int64(3) {
		o.read(t, tr, "/stored")
		o.read(t, tr, "/new")
		if asked := o.asked.Load(); asked != n+2 {
			t.Errorf("round %d: asked %d times, want %d", n, asked, n+2)
		}
	}
	if tr.Stats().StoreErrors == 0 {
		t.Error("no failure is counted")
	}
}
