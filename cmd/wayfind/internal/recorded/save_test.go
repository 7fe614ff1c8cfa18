package recorded

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/demo"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
)

// What --save wrote of the demo is read again as the same Sites.
func TestSave_ReplayOfDemo(t *testing.T) {
	now := session.Fixed(time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC))
	sites, err := demo.Start(now)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	for _, s := range demo.Sites() {
		t.Run(s.Host, func(t *testing.T) {
			saved, err := newSaved(filepath.Join(t.TempDir(), "rec"))
			if err != nil {
				t.Fatal(err)
			}
			opts := sites.Options(now)
			opts.Lab.Record = saved.Add
			c, err := client.New(opts)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			want, wantErr := c.Resolve(t.Context(), s.Host)
			if err := saved.Save(saved.dir); err != nil {
				t.Fatal(err)
			}

			internet := clienttest.Replay(t, os.DirFS(saved.dir))
			got, err := internet.Client(func(o *client.Options) { o.Lab.Now, o.Live = now, opts.Live }).Resolve(t.Context(), s.Host)
			if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(time.Time{})); diff != "" {
				t.Errorf("the Site of the replay (-saved +replayed):\n%s", diff)
			}
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Errorf("the error of the replay is %v, saved was %v", err, wantErr)
			}
		})
	}
}

// Only the owner may read it, and a link in a recording leads nowhere else.
func TestSave_Files(t *testing.T) {
	dir, outside := filepath.Join(t.TempDir(), "rec"), t.TempDir()
	save := func() error {
		t.Helper()
		s, err := newSaved(dir)
		if err != nil {
			return err
		}
		s.Add(&client.Exchange{URL: "https://shop.example/a", Status: 200, Body: []byte("x")})
		return s.Save(s.dir)
	}
	if err := save(); err != nil {
		t.Fatal(err)
	}
	got := map[string]os.FileMode{}
	for _, name := range []string{".", "index.txt", "shop.example", "shop.example/a.http"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = info.Mode().Perm()
	}
	want := map[string]os.FileMode{".": 0o700, "index.txt": 0o600, "shop.example": 0o700, "shop.example/a.http": 0o600}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}

	if err := os.RemoveAll(filepath.Join(dir, "shop.example")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.txt"), []byte("wayfind recording 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "shop.example")); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := save(); err == nil {
		t.Error("a link out of the directory was followed")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside are now %v, %v", entries, err)
	}
}
