package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
)

// attachDir returns the directory with the sockets of the processes that can be attached to, or ""
// if the system has no place for it. Only this user can enter it.
func attachDir() string {
	cache := session.DefaultCache()
	if cache == "" {
		return ""
	}
	return filepath.Join(cache, "attach")
}

// attachable lets "wayfind inspect --attach" show the requests of this process. end stops that. If
// the socket cannot be made, the reason is logged, and the process works without it.
func attachable(ctx context.Context, a *ui.App, relay *inspect.Relay, log func(string)) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	dir := attachDir()
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

// attachables returns the numbers of the processes that can be attached to. Sockets without a process
// are removed.
func attachables(ctx context.Context) (list []string) {
	files, _ := filepath.Glob(filepath.Join(attachDir(), "*.sock"))
	for _, file := range files {
		conn, err := dialSocket(ctx, file)
		if err != nil {
			_ = os.Remove(file)
			continue
		}
		_ = conn.Close()
		list = append(list, strings.TrimSuffix(filepath.Base(file), ".sock"))
	}
	return list
}

func dialSocket(ctx context.Context, file string) (net.Conn, error) {
	d := net.Dialer{Timeout: 2 * time.Second}
	return d.DialContext(ctx, "unix", file)
}

// inspectProcess shows the requests of a running "wayfind mcp".
func inspectProcess(ctx context.Context, a *ui.App, args []string, f *inspectFlags) error {
	list := attachables(ctx)
	var pid string
	switch {
	case f.html != "" || f.refresh || len(f.against) > 0:
		return ui.Usagef("--attach shows the requests of a process, and goes with --port and --no-browser alone")
	case len(args) == 1:
		pid = args[0]
		if !slices.Contains(list, pid) {
			return ui.Usagef("process %s is no \"wayfind mcp\" of yours that runs", ui.Show(pid))
		}
	case len(list) == 0:
		return ui.Usagef("no \"wayfind mcp\" of yours runs: a host starts one, or start it with --http")
	case len(list) > 1:
		return ui.Usagef("several of them run: name one of the processes %s, for example \"wayfind inspect --attach %s\"", strings.Join(list, ", "), list[0])
	default:
		pid = list[0]
	}
	conn, err := dialSocket(ctx, filepath.Join(attachDir(), pid+".sock"))
	if err != nil {
		return ui.Usage(err)
	}
	defer conn.Close()
	watch, ended, err := inspect.Attach(conn)
	if err != nil {
		return fmt.Errorf("process %s: %w", pid, err)
	}
	i, err := inspect.New(inspect.Options{
		Target: "wayfind mcp, process " + pid, Log: true, Live: true, Watch: watch, Version: strings.Fields(ui.Version())[0], OpenedTwice: func() { tellOpenedTwice(a) },
	})
	if err != nil {
		return err
	}
	go func() {
		<-ended
		i.Ended()
	}()
	return serveInspector(ctx, a, i, f)
}
