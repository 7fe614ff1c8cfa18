package recorded

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// ownHost returns the host in a document that names the site itself: the resource of metadata (RFC
// 9728 §3.3), the address of the sitemap in robots.txt, or an issuer (RFC 8414 §3.3). The issuer
// comes last, because publishers copy it from others most often. ownHost returns "" if there is no
// such host.
func (u *unserved) ownHost(ctx context.Context, o client.ParseOptions) string {
	return cmp.Or(u.member("/.well-known/oauth-protected-resource", "resource"), u.sitemapHost(ctx, o),
		u.member("/.well-known/oauth-authorization-server", "issuer"))
}

// member returns the host of the URL in a member of the document at a place.
func (u *unserved) member(place, name string) string {
	var members map[string]any
	body, _, err := u.read(place)
	if err != nil || json.Unmarshal(body, &members) != nil {
		return ""
	}
	text, _ := members[name].(string)
	return provenance.DomainOf(text)
}

// sitemapHost returns the host of the first sitemap that robots.txt names.
func (u *unserved) sitemapHost(ctx context.Context, o client.ParseOptions) string {
	o.Path = "/robots.txt"
	body, _, err := u.read(o.Path)
	if err != nil {
		return ""
	}
	result, err := client.Parse(ctx, body, &o)
	if err != nil {
		return ""
	}
	for _, d := range result.Site.Documents {
		if host := provenance.DomainOf(d.URL); d.Rel == "sitemap" && host != "" {
			return host
		}
	}
	return ""
}

// host returns the host in a document that names the site itself, otherwise the host that the first
// document of a directory names. published reports whether there is a document at any place.
func (u *unserved) host(ctx context.Context, list []*parse.Format, o client.ParseOptions) (host string, published bool) {
	for _, f := range list {
		for _, l := range f.Locations {
			body, _, err := u.read(l.Path)
			if err != nil {
				continue
			}
			if own := u.ownHost(ctx, o); own != "" {
				return own, true
			}
			published = true
			o.Path = l.Path
			if result, err := client.Parse(ctx, body, &o); err == nil {
				if host := u.hostAt(result.Site); host != "" {
					return host, true
				}
			}
		}
	}
	return "", published
}

// devOr returns the origin of a server under development, if such servers may be asked, and otherwise
// the domain of a URL, or "".
func (u *unserved) devOr(text string) string {
	if origin, err := security.ParseDev(text); u.dev && err == nil && strings.Contains(text, "://") {
		return origin
	}
	return provenance.DomainOf(text)
}

// hostAt returns the first domain, or server under development, at which a site can be called or has its
// descriptions, or "".
func (u *unserved) hostAt(site *wayfind.Site) string {
	if u.server != "" {
		return u.devOr(u.server)
	}
	for text := range provenance.Addresses(site) {
		if host := u.devOr(text); host != "" {
			return host
		}
	}
	return ""
}
