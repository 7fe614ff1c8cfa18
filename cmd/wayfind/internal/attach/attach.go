// Package attach connects "wayfind inspect --attach" with a running "wayfind mcp".
package attach

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
)

// Dir returns the directory with the sockets of the processes that can be attached to, or ""
// if the system has no place for it. Only this user can enter it.
func Dir() string {
	cache := session.DefaultCache()
	if cache == "" {
		return ""
	}
	return filepath.Join(cache, "attach")
}

// Attachable lets "wayfind inspect --attach" show the requests of this process. end stops that. If
// the socket cannot be made, the reason is logged, and the process works without it.
func Attachable(ctx context.Context, a *ui.App, relay *inspect.Relay, log func(string)) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	dir := Dir()
	file := filepath.Join(dir, strconv.Itoa(os.Getpid())+".sock")
	listener, err := listenPrivately(ctx, dir, file)
	if err != nil {
		stop()
		log("inspect --attach cannot show this process: " + err.Error())
		return func() {}
	}
	served := make(chan error, 1)
	go func() { served <- relay.Serve(ctx, listener) }()
	return func() {
		stop()
		<-served
	}
}

func listenPrivately(ctx context.Context, dir, file string) (net.Listener, error) {
	if dir == "" {
		return nil, errors.New("there is no directory for caches")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, err
	}
	_ = os.Remove(file) // of an earlier process with this number
	return (&net.ListenConfig{}).Listen(ctx, "unix", file)
}

// Processes returns the numbers of the processes that can be attached to. Sockets without a process
// are removed.
func Processes(ctx context.Context) (list []string) {
	files, _ := filepath.Glob(filepath.Join(Dir(), "*.sock"))
	for _, file := range files {
		conn, err := Dial(ctx, file)
		if err != nil {
			_ = os.Remove(file)
			continue
		}
		_ = conn.Close()
		list = append(list, strings.TrimSuffix(filepath.Base(file), ".sock"))
	}
	return list
}

// Dial connects to the process of a socket.
func Dial(ctx context.Context, file string) (net.Conn, error) {
	d := net.Dialer{Timeout: 2 * time.Second}
	return d.DialContext(ctx, "unix", file)
}
