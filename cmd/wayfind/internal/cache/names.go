package cache

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// stale names the answers that "cache rm" removes: all answers of a host, or the answers of one of its URLs.
type stale struct {
	host string
	page *url.URL // nil for the whole host
}

// stalesOf reads the arguments: domains, and URLs with a path.
func stalesOf(args []string) ([]stale, error) {
	var list []stale
	for _, arg := range args {
		if page, one := places.PageOf(arg); one {
			list = append(list, stale{page.Hostname(), page})
			continue
		}
		target, _, err := resolve.ParseTarget(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, stale{host: target.Host()})
	}
	return list, nil
}

// maxMoves is the number of hosts that lead to one another after a domain.
const maxMoves = 2

// withOwnHosts adds the hosts of the same site to which stored answers of the well-known places of
// domains redirect: see wayfind.Site.Host.
func withOwnHosts(ctx context.Context, s *disk.Store, named []stale) ([]stale, error) {
	for range maxMoves {
		before := len(named)
		for info, err := range s.Entries(ctx) {
			if err != nil {
				return nil, err
			}
			to := ownHost(info)
			from := func(n stale) bool { return n.page == nil && n.host == ui.HostOf(info.URL) }
			if to != "" && slices.ContainsFunc(named, from) && !slices.Contains(named, stale{host: to}) {
				named = append(named, stale{host: to})
			}
		}
		if len(named) == before {
			break
		}
	}
	return named, nil
}

// ownHost returns the host of the same site to which the answer of a well-known place redirects, path
// kept; "" if there is none.
func ownHost(info disk.Info) string {
	u, err := url.Parse(info.URL)
	if err != nil || info.Location == "" || !strings.HasPrefix(u.Path, "/.well-known/") {
		return ""
	}
	to, err := u.Parse(info.Location)
	if err != nil || to.EscapedPath() != u.EscapedPath() || to.Hostname() == u.Hostname() || !(*security.SuffixList)(nil).SameSite(u.Hostname(), to.Hostname()) {
		return ""
	}
	return to.Hostname()
}

// answer reports whether s includes the answer of a URL.
func (s stale) answer(of string) bool {
	if s.page == nil {
		return ui.HostOf(of) == s.host
	}
	u, err := url.Parse(of)
	return err == nil && cache.OfURL(u) == cache.OfURL(s.page)
}

// pause reports whether s includes an obligation.
func (s stale) pause(name gate.Name) bool {
	return name.Host == s.host && (s.page == nil || name.Path == s.page.EscapedPath())
}
