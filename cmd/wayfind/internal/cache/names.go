package cache

import (
	"net/url"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/resolve"
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
