package clienttest

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/wayfindhq/wayfind"
)

// watched is a Site and its first content.
type watched struct {
	site   *wayfind.Site
	digest [sha256.Size]byte
}

// Watch remembers the content of a Site and returns the Site. If the content differs when the
// Internet stops, the test fails: Sites are shared and must not be changed.
func (n *Internet) Watch(site *wayfind.Site) *wayfind.Site {
	if site == nil {
		return nil
	}
	digest, err := digestOf(site)
	if err != nil {
		n.report("watch %s: %w", site.Origin, err)
		return site
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.watched = append(n.watched, watched{site, digest})
	return site
}

func (n *Internet) checkWatched() {
	n.mu.Lock()
	sites := n.watched
	n.mu.Unlock()
	for _, w := range sites {
		switch digest, err := digestOf(w.site); {
		case err != nil:
			n.report("watched %s: %w", w.site.Origin, err)
		case digest != w.digest:
			n.report("the Site of %s was changed after it was returned", w.site.Origin)
		}
	}
}

func digestOf(site *wayfind.Site) ([sha256.Size]byte, error) {
	text, err := json.Marshal(site)
	return sha256.Sum256(text), err
}
