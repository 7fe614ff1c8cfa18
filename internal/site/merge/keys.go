package merge

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/syntax/uniqname"
)

// Keys assigns the names of things in one Site. If a name is taken, the next thing gets it with
// "~2", "~3" and so on.
type Keys struct {
	host                        string
	prefixes, ids, capabilities uniqname.Taken
	work                        *fuel.Counter
}

// NewKeys returns the names of a Site of the given host, all unused. Its work is counted in w.
func NewKeys(w *fuel.Counter, host string) *Keys {
	return &Keys{work: w, host: host, prefixes: uniqname.Taken{}, ids: uniqname.Taken{}, capabilities: uniqname.Taken{}}
}

// Services returns the services of a reading with IDs and keys of the form "<format>:<id>". If an
// origin may have several documents of the format, the form is "<format>:<source slug>/<id>". IDs
// that a document uses for its own capabilities are replaced by keys.
func (k *Keys) Services(r reading.Located) []wayfind.Service {
	return k.services(r, k.prefix(r))
}

func (k *Keys) services(r reading.Located, prefix string) []wayfind.Service {
	sep := ":"
	if r.Format.PerSource {
		sep = "/"
	}
	services := slices.Clone(r.Services)
	for i := range services {
		s := &services[i]
		k.work.Text(len(s.ID))
		id := prefix
		if s.ID != "" {
			id += sep + s.ID
		}
		s.ID = k.ids.Free(id)
		k.capabilitiesOf(s, prefix+sep)
	}
	return services
}

// capabilitiesOf sets the keys of the capabilities of a service.
func (k *Keys) capabilitiesOf(s *wayfind.Service, prefix string) {
	s.Capabilities = slices.Clone(s.Capabilities)
	ids := make(map[string]string, len(s.Capabilities))
	for j := range s.Capabilities {
		c := &s.Capabilities[j]
		k.work.Text(len(prefix) + len(c.ID))
		c.Key = k.capabilities.Free(prefix + c.ID)
		if _, ok := ids[c.ID]; !ok {
			ids[c.ID] = c.Key
		}
	}
	for j := range s.Capabilities {
		k.work.Add(1 + len(s.Capabilities[j].DependsOn))
		s.Capabilities[j].DependsOn = toKeys(s.Capabilities[j].DependsOn, ids)
	}
	if s.Status != nil {
		status := *s.Status
		status.Degraded = toKeys(status.Degraded, ids)
		s.Status = &status
	}
}

// prefix returns the prefix of the keys of a source.
func (k *Keys) prefix(r reading.Located) string {
	if !r.Format.PerSource {
		return r.Format.Name
	}
	return k.prefixes.Free(r.Format.Name + ":" + Slug(r.Source.URL, k.host))
}

// toKeys replaces the IDs that a document uses by keys; unknown IDs stay.
func toKeys(list []string, ids map[string]string) []string {
	if len(list) == 0 {
		return list
	}
	keys := make([]string, len(list))
	for i, id := range list {
		keys[i] = cmp.Or(ids[id], id)
	}
	return keys
}

// Slug returns a name for a source within keys: the path of its URL without leading "/",
// ".well-known/" and extension, in [a-z0-9-]. If the host is not the Site's host, the name begins
// with the host.
func Slug(source, host string) string {
	u, err := url.Parse(source)
	if err != nil {
		return "source"
	}
	path := strings.TrimPrefix(strings.TrimPrefix(u.Path, "/"), ".well-known/")
	if dot := strings.LastIndexByte(path, '.'); dot > strings.LastIndexByte(path, '/') {
		path = path[:dot]
	}
	if u.Hostname() != host {
		path = u.Hostname() + "-" + path
	}
	words := strings.FieldsFunc(strings.ToLower(path), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	})
	return cmp.Or(strings.Join(words, "-"), "root")
}
