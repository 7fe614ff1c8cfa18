package provenance

import (
	"cmp"
	"iter"
	"net/url"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve"
)

// Addresses yields the URLs at which a Site can be called, and those of its descriptions.
func Addresses(site *wayfind.Site) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range site.Services {
			s := &site.Services[i]
			var urls []string
			for _, f := range s.Interfaces {
				urls = append(urls, f.URL)
			}
			for _, c := range s.Capabilities {
				if call := c.Invocation; call != nil {
					urls = append(urls, cmp.Or(call.URL, call.Template))
				}
			}
			for _, text := range append(urls, s.DetailURLs...) {
				if !yield(text) {
					return
				}
			}
		}
	}
}

// DomainOf returns the host of an https URL if it is a domain, otherwise "".
func DomainOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == UnknownHost {
		return ""
	}
	target, _, err := resolve.ParseTarget(u.Hostname())
	if err != nil {
		return ""
	}
	return target.Host()
}
