package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// noCache is the value of --cache for storing nothing.
const noCache = "none"

// session is the Client of a networking verb, with its store and its local servers.
type session struct {
	*client.Client
	store   cache.Store // nil if nothing is stored
	servers running
}

// Close ends the Client before its servers and its store.
func (s *session) Close() error {
	err := s.Client.Close()
	if closing := s.servers.Close(); err == nil {
		err = closing
	}
	if s.store != nil {
		if closing := s.store.Close(); err == nil {
			err = closing
		}
	}
	return err
}

// open makes the Client of a networking verb.
func (n *network) open(a *ui.App) (*session, error) {
	o, err := n.options(a)
	if err != nil {
		return nil, err
	}
	s := &session{}
	if s.store, err = n.openStore(o); err != nil {
		return nil, err
	}
	o.Store, s.servers = s.store, n.servers.start(a, o)
	if s.Client, err = client.New(o); err != nil {
		_ = s.servers.Close() // no server has been started
		if s.store != nil {
			_ = s.store.Close()
		}
	}
	return s, err
}

// end closes a session. An error is reported and does not change the exit status.
func end(a *ui.App, s *session) {
	if err := s.Close(); err != nil {
		fmt.Fprintf(a.Err, "wayfind: closing the cache: %s\n", ui.Show(err.Error()))
	}
}

// openStore opens the directory or the server that --cache names. If the default directory cannot
// be opened, the command works without a store.
func (n *network) openStore(o *client.Options) (cache.Store, error) {
	if isRedis(n.cache) {
		return n.openRedis(o)
	}
	if n.cacheKey != "" {
		return nil, ui.Usagef("--cache-key is for --cache redis://…")
	}
	dir, chosen := n.cache, n.cache != ""
	if !chosen && n.plain() {
		dir = defaultCache()
	}
	if dir == "" || dir == noCache {
		if n.offline {
			return nil, ui.Usagef("--offline shows stored answers, and this run stores none: name a directory with --cache")
		}
		return nil, nil
	}
	store, err := disk.Open(dir, &disk.Options{Now: o.Lab.Now, Logger: o.Logger})
	switch {
	case err == nil:
		return store, nil
	case chosen || n.offline:
		return nil, ui.Usagef("--cache %s: %w", dir, err)
	}
	o.Logger.Warn("nothing will be kept on disk in "+ui.Show(dir), "err", ui.Show(err.Error()))
	return nil, nil
}

// plain reports whether the command has the public view of the Internet. Answers of another view
// are not stored unless --cache names a directory.
func (n *network) plain() bool {
	return len(n.connectTo) == 0 && len(n.allowCIDR)+len(n.allowName) == 0 && len(n.allowNAT) == 0 && n.proxy == "" && !n.dev && n.cacert == "" && n.now == ""
}

// defaultCache returns wayfind's directory in the user's cache directory, or "" if the system has
// none.
func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "wayfind")
}
