package mcpserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// idleSession is how long the session of a silent host is kept.
const idleSession = 30 * time.Minute

// Handler speaks streamable HTTP with hosts on this machine, which show a token in the
// field Authorization ("Bearer …"). An empty token asks for none. Requests that name
// another host than this machine, and those of web pages elsewhere, are refused: a
// page can send requests here, and a name of its own can lead here.
func (s *Server) Handler(token string) http.Handler {
	next := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		MaxRequestBodyBytes: MaxMessage, SessionTimeout: idleSession, PropagateRequestCancellation: true, Logger: s.surface.opts.Logger,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !isHere(r.Host) || !ofHere(r.Header["Origin"]):
			http.Error(w, "this server is for programs of its machine", http.StatusForbidden)
		case token != "" && !shows(r.Header["Authorization"], token):
			w.Header().Set("WWW-Authenticate", `Bearer realm="wayfind"`)
			http.Error(w, "show the token that the server printed", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isHere reports whether an authority names this machine.
func isHere(authority string) bool {
	host, _, err := net.SplitHostPort(authority)
	if err != nil {
		host = strings.Trim(authority, "[]")
	}
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// ofHere reports whether a request is of no web page, or of one of this machine.
func ofHere(origins []string) bool {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !isHere(u.Host) {
			return false
		}
	}
	return len(origins) <= 1
}

// shows reports whether a request has the token. How long that takes says nothing
// about it.
func shows(fields []string, token string) bool {
	if len(fields) != 1 {
		return false
	}
	scheme, value, _ := strings.Cut(fields[0], " ")
	have, want := sha256.Sum256([]byte(value)), sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(have[:], want[:]) == 1
}
