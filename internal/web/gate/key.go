package gate

import (
	"net/url"
	"strings"
)

// Name is the content of an obligation's key.
type Name struct {
	// View is the name of the network; "" for the public Internet.
	View string
	// Host is the host that must not be contacted. Path is the path on the host; "" for all
	// paths.
	Host, Path string
	// Led is true if only requests that other sites led to the host must not be sent.
	Led bool
	// Format is the format that demands the pause; "" if the site, or one of its answers,
	// demands it.
	Format string
	// Reason is one of Options.Reasons; "" if the hold is stored without its reason.
	Reason string
}

// ParseKey reads the key of an obligation of a Gate from a store. It returns false if the key
// has another format.
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
