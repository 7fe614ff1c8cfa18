package msagents

import (
	"errors"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// route is the endpoint that a document was requested from.
type route uint8

const (
	// routeOther: the path of no endpoint.
	routeOther route = iota
	// routeUnknown: the path is unknown.
	routeUnknown
	routeList     // /agents/v1
	routeDetail   // /agents/v1/{name}
	routeWebChat  // /agents
	routeEntities // /v1/entities
	routeInfo     // /v1/entities/{id}/info
	routeCard     // /.well-known/agent-card and /v1/card
)

// place is where a document was served.
type place struct {
	route route
	// base is the origin with the path that the application is mounted at, without a slash at its
	// end; "" if it is unknown.
	base string
}

// placeOf reads the URL that answered. Endpoints are below the root of the application, which
// need not be the root of the origin.
func placeOf(in *parse.Input) place {
	u := in.FinalURL
	if u == nil {
		u = in.URL
	}
	if u == nil || u.Host == "" {
		return place{route: routeUnknown}
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	prefix, r := routeOf(path)
	return place{route: r, base: u.Scheme + "://" + u.Host + prefix}
}

// routeOf splits a path into the prefix of the application and an endpoint.
func routeOf(path string) (prefix string, r route) {
	if path == "" {
		return "", routeUnknown
	}
	for _, known := range [...]struct {
		suffix string
		route  route
	}{
		{Path, routeList}, {PathWebChat, routeWebChat}, {PathDevUI, routeEntities},
		{"/.well-known/agent-card", routeCard}, {"/.well-known/agent-card.json", routeCard}, {"/v1/card", routeCard},
	} {
		if prefix, ok := strings.CutSuffix(path, known.suffix); ok {
			return prefix, known.route
		}
	}
	if info, ok := strings.CutSuffix(path, "/info"); ok {
		if prefix, ok := cutItem(info, PathDevUI); ok {
			return prefix, routeInfo
		}
	}
	if prefix, ok := cutItem(path, Path); ok {
		return prefix, routeDetail
	}
	return "", routeOther
}

// cutItem cuts "{collection}/{item}" from a path.
func cutItem(path, collection string) (prefix string, ok bool) {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || slash == len(path)-1 {
		return "", false
	}
	return strings.CutSuffix(path[:slash], collection)
}

// list reports whether the place is the place of a list.
func (p place) list() bool {
	return p.route == routeList || p.route == routeWebChat || p.route == routeEntities
}

// detail reports whether the place is the place of a document about one agent.
func (p place) detail() bool { return p.route == routeDetail || p.route == routeInfo }

// maxURL is the longest URL that is made, in bytes: longer ones are not read anywhere.
const maxURL = 2048

// segment writes the name of an agent as one segment of a path, or returns the reason why it
// cannot be one: dots would lead elsewhere, even if a server decodes the segment first.
func segment(id string) (text string, err error) {
	for _, part := range strings.FieldsFunc(id, func(c rune) bool { return c == '/' || c == '\\' }) {
		if part == "." || part == ".." {
			return "", errors.New("it is or holds a dot segment")
		}
	}
	text = url.PathEscape(id)
	if len(text) > maxURL/2 {
		return "", errors.New("it is too long")
	}
	return text, nil
}
