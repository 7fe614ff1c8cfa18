package gate

import (
	"net/url"
	"strings"
)

// Name is the content of an obligation's key.
type Name struct {
	// View names the network that answers, "" for the plain Internet.
	View string
	// Host that must not be asked, and the path, "" for all of the host.
	Host, Path string
	// Led: only requests that other sites lead there must not be sent.
	Led bool
	// Format that demands the pause; "" where the site does, or an answer of it.
	Format string
	// Reason of its own: one of Options.Reasons.
	Reason string
}

// ParseKey reads the key of an obligation of a Gate, as a store has it.
func ParseKey(key string) (Name, bool) {
	kind, rest, ok := strings.Cut(key, "\n")
	if !ok {
		return Name{}, false
	}
	view, name, ok := strings.Cut(rest, "\n")
	if !ok {
		return Name{}, false
	}
	n := Name{View: view, Led: kind+"\n" == ledPrefix || kind+"\n" == ledFloorPrefix}
	switch kind + "\n" {
	case ownPrefix, ledPrefix, oldPrefix:
		place, reason, _ := strings.Cut(name, "\n")
		u, err := url.Parse(place)
		if err != nil || u.Hostname() == "" {
			return Name{}, false
		}
		n.Host, n.Path, n.Reason = u.Hostname(), u.EscapedPath(), reason
	case floorPrefix, ledFloorPrefix:
		var host string
		n.Format, name, _ = strings.Cut(name, " ")
		host, n.Path, ok = strings.Cut(name, " ")
		n.Host = (&url.URL{Host: host}).Hostname()
	default:
		return Name{}, false
	}
	return n, ok && n.Host != ""
}
