package oauth

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
)

// The names of well-known places (RFC 8615).
const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownServer   = "/.well-known/oauth-authorization-server"
	wellKnownOpenID   = "/.well-known/openid-configuration"
)

// ResourceMetadataURL returns the place of the metadata of a protected resource: the
// well-known name is inserted between host and path, and a query is kept (RFC 9728 §3.1). It
// returns "" for a URL without a host.
func ResourceMetadataURL(resource *url.URL) string {
	origin, ok := originOf(resource)
	if !ok {
		return ""
	}
	path := resource.EscapedPath()
	if path == "/" {
		path = ""
	}
	return origin + wellKnownResource + path + queryOf(resource)
}

// ResourceMetadataURLs returns the places where the metadata of a protected resource may be, in the
// order in which to request them: [ResourceMetadataURL], the same without a slash at its end, because
// some servers drop it, and the root of the host, which is the second place of MCP. It returns nil for
// a URL without a host.
func ResourceMetadataURLs(resource *url.URL) []string {
	origin, ok := originOf(resource)
	if !ok {
		return nil
	}
	place := ResourceMetadataURL(resource)
	return slices.Compact([]string{place, strings.TrimSuffix(place, "/"), origin + wellKnownResource})
}

// Alternatives returns the places where the metadata may be that is announced at a place: the place,
// and those that follow it in [ResourceMetadataURLs] or [ServerMetadataURLs].
func Alternatives(place *url.URL) []string {
	subjects, places := resourcesAt(place), ResourceMetadataURLs
	if subjects == nil {
		subjects, places = issuersAt(place), ServerMetadataURLs
	}
	own := []string{place.String()}
	if subjects == nil {
		return own
	}
	subject, err := url.Parse(subjects[0])
	if err != nil {
		return own
	}
	list := places(subject)
	return append(own, list[slices.Index(list, own[0])+1:]...)
}

// IsAbout reports whether metadata that name a resource are for requests to one of some URLs, or for the
// resource that a place belongs to.
func IsAbout(named string, place *url.URL, requests ...string) bool {
	return slices.ContainsFunc(append(resourcesAt(place), requests...), func(u string) bool { return Covers(named, u) })
}

// Covers reports whether metadata that name a resource are for requests to a URL: they name that URL, or
// its whole origin, as the metadata of a server of MCP may.
func Covers(named, request string) bool {
	if slices.Contains(asIdentifier(request), named) {
		return true
	}
	u, err := url.Parse(request)
	origin, ok := originOf(u)
	return err == nil && ok && strings.TrimSuffix(named, "/") == origin
}

// Announced returns auth with the place of the resource's metadata (RFC 9728 §5.1, §3.1) added
// to the schemes that take a token and do not name a place.
func Announced(auth *wayfind.Auth, place string) *wayfind.Auth {
	own := *auth
	own.Schemes = maps.Clone(auth.Schemes)
	for name, scheme := range own.Schemes {
		if authkind.Of(scheme).Takes(authkind.Bearer) && scheme.MetadataURL == "" {
			scheme.MetadataURL = place
			own.Schemes[name] = scheme
		}
	}
	return &own
}

// ServerMetadataURLs returns the places where the metadata of an authorization server may be,
// in the order in which to request them: the place of RFC 8414 §3.1, the place of OpenID
// Connect in the same notation (§5), and, for an issuer with a path, the place that OpenID
// Connect Discovery §4 makes by appending. It returns nil for a URL without a host.
func ServerMetadataURLs(issuer *url.URL) []string {
	origin, ok := originOf(issuer)
	if !ok {
		return nil
	}
	path := strings.TrimSuffix(issuer.EscapedPath(), "/")
	list := []string{origin + wellKnownServer + path, origin + wellKnownOpenID + path}
	if path != "" {
		list = append(list, origin+path+wellKnownOpenID)
	}
	return list
}

func originOf(u *url.URL) (origin string, ok bool) {
	if u == nil || u.Host == "" {
		return "", false
	}
	return u.Scheme + "://" + u.Host, true
}

func queryOf(u *url.URL) string {
	if u.RawQuery == "" {
		return ""
	}
	return "?" + u.RawQuery
}

// resourcesAt returns the resources whose metadata is at a URL, or nil if the URL is not such
// a place. At the root, it is unknown whether the resource has a slash.
func resourcesAt(u *url.URL) []string {
	origin, ok := originOf(u)
	if !ok {
		return nil
	}
	path, ok := cutPlace(u.EscapedPath(), wellKnownResource)
	switch {
	case !ok:
		return nil
	case path == "" || path == "/":
		return []string{origin + queryOf(u), origin + "/" + queryOf(u)}
	}
	return []string{origin + path + queryOf(u)}
}

// issuersAt returns the issuers whose metadata is at a URL: with and without a slash at the
// end, which is dropped when the URL is made (RFC 8414 §3.1).
func issuersAt(u *url.URL) []string {
	origin, ok := originOf(u)
	if !ok {
		return nil
	}
	path := u.EscapedPath()
	for _, place := range [...]string{wellKnownServer, wellKnownOpenID} {
		if rest, ok := cutPlace(path, place); ok {
			rest = strings.TrimSuffix(rest, "/")
			return []string{origin + rest, origin + rest + "/"}
		}
	}
	if rest, ok := strings.CutSuffix(path, wellKnownOpenID); ok {
		return []string{origin + rest, origin + rest + "/"}
	}
	return nil
}

// cutPlace returns the rest after the name of a well-known place: an empty text or a path.
func cutPlace(path, place string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, place)
	return rest, ok && (rest == "" || rest[0] == '/')
}

// asIdentifier returns the spellings of an identifier: a URL without a path and one with the
// path "/" are the same request (RFC 9110 §4.2.3). All others are compared character by
// character.
func asIdentifier(text string) []string {
	list := []string{text}
	if u, err := url.Parse(text); err == nil && u.RawQuery == "" && u.Fragment == "" {
		switch u.Path {
		case "":
			list = append(list, text+"/")
		case "/":
			list = append(list, strings.TrimSuffix(text, "/"))
		}
	}
	return slices.Compact(list)
}
