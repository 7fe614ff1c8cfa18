package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// idleSession is the time after which the session of a silent host ends.
const idleSession = 30 * time.Minute

// Handler serves streamable HTTP to hosts on this machine, in both eras of the protocol. Hosts send
// a token in the header field Authorization ("Bearer …"). If token is empty, they need none.
// Requests that name another host than this machine are refused, and so are requests of web pages
// from elsewhere. Such a page can send requests to this machine, and its domain can resolve to this
// machine.
func (s *Server) Handler(token string) http.Handler {
	handler := func(isStateless bool) http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
			Stateless: isStateless, MaxRequestBodyBytes: maxMessage, SessionTimeout: idleSession, PropagateRequestCancellation: true, Logger: s.surface.opts.Logger,
		})
	}
	sessions, single := handler(false), handler(true)
	u := &underway{ids: make(map[string]bool)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !isHere(r.Host) || !ofHere(r.Header["Origin"]):
			http.Error(w, "this server is for programs on its own machine", http.StatusForbidden)
		case token != "" && !shows(r.Header["Authorization"], token):
			w.Header().Set("WWW-Authenticate", `Bearer realm="wayfind"`)
			http.Error(w, "send the token as Authorization: Bearer TOKEN; the server has printed it, or has it from --token", http.StatusUnauthorized)
		case s.Err() != nil:
			http.Error(w, s.Err().Error(), http.StatusServiceUnavailable)
		case isStateless(r.Header.Get("Mcp-Protocol-Version")):
			single.ServeHTTP(w, r) // requests of the stateless era name their version, and need no session
		default:
			inSession(sessions, u, w, r)
		}
	})
}

// inSession serves a request of the earlier era. It refuses requests that the SDK would refuse
// without a code of the protocol, and drops the answer to a cancelled request.
func inSession(sessions http.Handler, u *underway, w http.ResponseWriter, r *http.Request) {
	m, session := messageOf(r), r.Header.Get("Mcp-Session-Id")
	isCall := m != nil && isID(string(m.ID))
	code, why := 0, ""
	switch {
	case m == nil:
	case isCall && session == "" && m.Method != "initialize" && m.Method != "ping":
		code, why = jsonrpc.CodeInvalidRequest, "a session begins with initialize"
	case isCall && !slices.Contains(methods(), m.Method):
		code, why = jsonrpc.CodeMethodNotFound, "this server does not have the method"
	case isCall && session != "":
		id := session + " " + key(m.ID)
		if u.begin(id) { // the SDK refuses a second request with the same ID
			defer func() {
				if r.Context().Err() == nil {
					u.end(id)
				} else { // the host has closed the stream, and may cancel the request yet
					time.AfterFunc(idleSession, func() { u.end(id) })
				}
			}()
			w = silenced{w, u, id}
		}
	case m.Method == "notifications/cancelled":
		id, ok := cancelled(m.Params)
		if ok {
			ok = u.cancel(session + " " + key(id))
		}
		if !ok { // the SDK knows the session, but would cancel a later request with the ID
			r.Body = io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`))
		}
	}
	if code == 0 {
		sessions.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(failure(code, string(m.ID), why)) // the host may have left
}

// posted is a request or a notification of the earlier era.
type posted struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// messageOf returns the message in the body of a request. The body can be read again. The message
// is nil if there is none, or if it is of the later era and lacks its header fields.
func messageOf(r *http.Request) *posted {
	if r.Method != http.MethodPost {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	m := &posted{}
	if err != nil || json.Unmarshal(body, m) != nil || m.Method == "" || bytes.Contains(body, []byte(`"`+mcp.MetaKeyProtocolVersion+`"`)) {
		return nil
	}
	return m
}

// methods returns the methods that the SDK can read.
func methods() []string {
	return []string{
		"initialize", "ping", "server/discover", "subscriptions/listen", "logging/setLevel", "completion/complete",
		"tools/list", "tools/call", "prompts/list", "prompts/get",
		"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
	}
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

// ofHere reports whether a request comes from a web page of this machine, or from no web page.
func ofHere(origins []string) bool {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !isHere(u.Host) {
			return false
		}
	}
	return len(origins) <= 1
}

// shows reports whether a request contains the token. The comparison takes constant time.
func shows(fields []string, token string) bool {
	if len(fields) != 1 {
		return false
	}
	scheme, value, _ := strings.Cut(fields[0], " ")
	have, want := sha256.Sum256([]byte(value)), sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(have[:], want[:]) == 1
}
