// Package session opens the Client of a verb: the flags of the network, stores, pins, approvals, and
// servers under development.
package session

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// NoCache is the value of --cache for storing nothing.
const NoCache = "none"

// Session is the Client of a networking verb, with its store and its local servers.
type Session struct {
	*client.Client
	Store   cache.ObligationStore // nil if nothing is stored
	Servers running

	app    *ui.App
	files  []*os.Root // the directories of documents
	server string     // of these documents, in place of their own
}

// Of returns the session of a Client that stores nothing.
func Of(a *ui.App, c *client.Client) *Session { return &Session{Client: c, app: a} }

// Resolve is that of the Client, and tells the user about the missing places of the Site.
func (s *Session) Resolve(ctx context.Context, domain string) (*wayfind.Site, error) {
	site, err := s.Client.Resolve(ctx, domain)
	s.app.TellIncomplete(site)
	return site, err
}

// Refresh is that of the Client, and tells the user about the missing places of the Site.
func (s *Session) Refresh(ctx context.Context, domain string) (*wayfind.Site, error) {
	site, err := s.Client.Refresh(ctx, domain)
	s.app.TellIncomplete(site)
	return site, err
}

// Close ends the Client before its servers and its store.
func (s *Session) Close() error {
	err := s.Client.Close()
	if closing := s.Servers.Close(); err == nil {
		err = closing
	}
	if s.Store != nil {
		if closing := s.Store.Close(); err == nil {
			err = closing
		}
	}
	for _, dir := range s.files {
		err = cmp.Or(err, dir.Close())
	}
	return err
}

// Open makes the Client of a networking verb.
func (n *Network) Open(a *ui.App) (*Session, error) {
	o, err := n.Options(a)
	if err != nil {
		return nil, err
	}
	if len(n.Targets) > 0 && !n.Verbose && ui.IsTerminal(a.Err) { // elsewhere nothing is counted
		a.Await(watching(o, n.Targets))
	}
	s := &Session{app: a, server: n.ServerURL}
	if s.Store, err = n.openStore(o); err != nil {
		return nil, err
	}
	o.Store, s.Servers = s.Store, n.Servers.start(a, o)
	if s.Client, err = client.New(o); err != nil {
		_ = s.Servers.Close() // no server has been started
		if s.Store != nil {
			_ = s.Store.Close()
		}
	}
	return s, err
}

// End closes a session. An error is reported and does not change the exit status.
func End(a *ui.App, s *Session) {
	if err := s.Close(); err != nil {
		fmt.Fprintf(a.Err, "wayfind: closing the cache: %s\n", ui.Show(err.Error()))
	}
}

// openStore opens the directory or the server that --cache names. If the default directory cannot
// be opened, the command works without a store.
func (n *Network) openStore(o *client.Options) (cache.ObligationStore, error) {
	if IsRedis(n.Cache) {
		return n.openRedis(o)
	}
	if n.cacheKey != "" {
		return nil, ui.Usagef("--cache-key is for --cache redis://…")
	}
	dir, chosen := n.Cache, n.Cache != ""
	if !chosen && n.plain() {
		dir = DefaultCache()
	}
	if dir == "" || dir == NoCache {
		if n.Offline {
			return nil, ui.Usagef("--offline shows stored answers, and this run stores none: name a directory with --cache")
		}
		return nil, nil
	}
	store, err := disk.Open(dir, &disk.Options{Now: o.Lab.Now, Logger: o.Logger})
	switch {
	case err == nil:
		return store, nil
	case chosen || n.Offline:
		return nil, ui.Usagef("--cache %s: %w", dir, err)
	}
	o.Logger.Warn("nothing will be kept on disk in "+ui.Show(dir), "err", ui.Show(err.Error()))
	return nil, nil
}

// plain reports whether the command has the public view of the Internet. Answers of another view
// are not stored unless --cache names a directory.
func (n *Network) plain() bool {
	return len(n.connectTo) == 0 && len(n.allowCIDR)+len(n.allowName) == 0 && len(n.allowNAT) == 0 && n.proxy == "" && !n.Dev && n.cacert == "" && n.Now == ""
}

// DefaultCache returns wayfind's directory in the user's cache directory, or "" if the system has
// none.
func DefaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "wayfind")
}

// State returns wayfind's directory for facts about calls: the tickets that were used, and the calls whose
// answer was lost. It is no cache: without them, a call may be made twice, so --cache does not move it and
// "wayfind cache" removes nothing in it. It is $XDG_STATE_HOME/wayfind, or else ~/.local/state/wayfind; on
// macOS and Windows the directory "wayfind" among the settings of programs. It is "" if the system has none.
func State() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wayfind")
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		if dir, err := os.UserConfigDir(); err == nil {
			return filepath.Join(dir, "wayfind")
		}
		return ""
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".local", "state", "wayfind")
}

// watching counts the answers of a Client that is made of o, and returns a sentence about them.
func watching(o *client.Options, targets []string) func() string {
	var answers, open atomic.Int64
	begun, before := time.Now(), o.Observe
	o.Observe = func(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
		var end func(client.Event)
		if before != nil {
			ctx, end = before(ctx, e)
		}
		if e.Kind != client.EventExchange {
			return ctx, end
		}
		open.Add(1)
		return ctx, func(e client.Event) {
			open.Add(-1)
			answers.Add(1)
			if end != nil {
				end(e)
			}
		}
	}
	what := targets[0]
	if len(targets) > 1 {
		what = humanize.Count(len(targets), "domain")
	}
	return func() string {
		return fmt.Sprintf("asking %s for %d s: %s, %d under way", what, int(time.Since(begun).Seconds()), humanize.Count(int(answers.Load()), "answer"), open.Load())
	}
}
