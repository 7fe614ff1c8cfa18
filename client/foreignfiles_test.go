package client_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// What strangers put into documents, directories and connections.

// URLs that the model does not know are checked as those are that it knows:
// no code, and no more than 8 KiB of data.
func TestURLsInExtensionsAreChecked(t *testing.T) {
	for name, src := range map[string]string{"code": "javascript:alert(1)", "data": "data:image/png;base64," + strings.Repeat("A", 150<<10)} {
		t.Run(name, func(t *testing.T) {
			body := `{"name":"example.shop/lib","version":"1","description":"d","remotes":[{"type":"streamable-http","url":"https://shop.example/mcp"}],
				"icons":[{"src":"https://shop.example/a.png"},{"src":"` + src + `"}]}`
			r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://shop.example/.well-known/mcp/server-card.json", ContentType: "application/json"})
			if err != nil || len(r.Site.Services) != 1 {
				t.Fatal(err)
			}
			for member, value := range r.Site.Services[0].Extensions {
				if bytes.Contains(value, []byte("javascript:")) || bytes.Contains(value, []byte(src)) {
					t.Errorf("%s is passed on: %.80s", member, value)
				}
			}
		})
	}
}

// A file in the cache directory that no living process holds locked is not a
// lease: it makes no Resolve wait. In real time, since the times of files are.
func TestAPlantedLeaseMakesNoResolveWait(t *testing.T) {
	dir := t.TempDir()
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{"/agent.json": oneAction("/x")})
	resolve := func() {
		store, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		opts := internet.Options()
		opts.Store = store
		c, err := client.New(opts)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if _, err := c.Resolve(ctx, "shop.example"); err != nil {
			t.Error(err)
		}
	}
	resolve()
	replaceFiles(t, dir, func(path string) error { return os.WriteFile(path, nil, 0o600) })
	resolve()
}

// replaceFiles puts something else in the place of every file below a
// directory.
func replaceFiles(t *testing.T, dir string, plant func(path string) error) {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := plant(path); err != nil {
			t.Fatal(err)
		}
	}
}

// Control frames of HTTP/2 that only cost work are counted (RFC 9113 §10.5): a
// thousand are more than any server needs.
func TestControlFramesAreCounted(t *testing.T) {
	for name, write := range map[string]func(f *http2.Framer) error{
		"PING": func(f *http2.Framer) error { return f.WritePing(false, [8]byte{1}) },
		"SETTINGS": func(f *http2.Framer) error {
			return f.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 14})
		},
		"SETTINGS ACK":  func(f *http2.Framer) error { return f.WriteSettingsAck() },
		"PING ACK":      func(f *http2.Framer) error { return f.WritePing(true, [8]byte{1}) },
		"WINDOW_UPDATE": func(f *http2.Framer) error { return f.WriteWindowUpdate(0, 1) },
		"RST_STREAM":    func(f *http2.Framer) error { return f.WriteRSTStream(1, http2.ErrCodeNo) },
		"empty DATA":    func(f *http2.Framer) error { return f.WriteData(1, false, nil) },
		"padded DATA":   func(f *http2.Framer) error { return f.WriteDataPadded(1, false, nil, make([]byte, 9)) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				const most = 10_000 // it closes the connection while it is reading, so more are under way
				var over atomic.Bool
				internet.Host("shop.example", nil).Protocols("h2").Raw(func(c net.Conn) {
					f := http2.NewFramer(c, c)
					if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil || f.WriteSettings() != nil {
						return
					}
					go func() { _, _ = io.Copy(io.Discard, c) }() // ends with the connection
					n := 0
					for n <= most && write(f) == nil {
						if n++; n%100 == 0 {
							time.Sleep(time.Millisecond) // in a bubble: until all is read
						}
					}
					if n > most {
						over.Store(true)
					}
				})
				_, _ = internet.Client().Resolve(t.Context(), "shop.example") // finds nothing
				if over.Load() {
					t.Errorf("more than %d frames were taken", most)
				}
			})
		})
	}
}

// A recording from a stranger stays in its directory: a link out
// of it is not followed.
func TestARecordingFollowsNoLinkOutOfItsDirectory(t *testing.T) {
	const secret = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"
	outside := filepath.Join(t.TempDir(), "outside")
	dir := t.TempDir()
	for path, text := range map[string]string{outside: secret, filepath.Join(dir, "index.txt"): "wayfind recording 1\nhttps://shop.example/ link.http\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.http")); err != nil {
		t.Fatal(err)
	}
	r, err := client.ReadRecording(os.DirFS(dir))
	if err != nil {
		return // refused
	}
	for _, x := range r.Exchanges() {
		if len(x.Body) > 0 {
			t.Errorf("read from outside: %q", x.Body)
		}
	}
}

// The same holds for a directory that is a link, for a pipe, which would block
// for ever, and for the index itself.
func TestARecordingIsOfRegularFiles(t *testing.T) {
	outside := t.TempDir()
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(old, path string) {
		if err := os.Symlink(old, path); err != nil {
			t.Fatal(err)
		}
	}
	const index = "wayfind recording 1\nhttps://shop.example/ shop/a.http\n"
	write(filepath.Join(outside, "a.http"), "HTTP/1.1 200 OK\n\nsecret")
	write(filepath.Join(outside, "index.txt"), index)
	for name, plant := range map[string]func(dir string){
		"directory": func(dir string) {
			write(filepath.Join(dir, "index.txt"), index)
			link(outside, filepath.Join(dir, "shop"))
		},
		"inside": func(dir string) {
			write(filepath.Join(dir, "index.txt"), index)
			if err := os.Mkdir(filepath.Join(dir, "shop"), 0o700); err != nil {
				t.Fatal(err)
			}
			link("../index.txt", filepath.Join(dir, "shop", "a.http"))
		},
		"index": func(dir string) { link(filepath.Join(outside, "index.txt"), filepath.Join(dir, "index.txt")) },
		"device": func(dir string) {
			write(filepath.Join(dir, "index.txt"), index)
			link("/dev", filepath.Join(dir, "shop"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			plant(dir)
			if _, err := client.ReadRecording(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "regular file") {
				t.Errorf("read: %v", err)
			}
		})
	}
}
