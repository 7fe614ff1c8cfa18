package livemcp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
)

// reply is an answer to one POST, in which %s is replaced with the ID of the request.
type reply struct {
	status int
	media  string
	body   string
}

// once answers server/discover with a reply, and all other requests like a server of
// 2025-06-18.
func once(r reply) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Mcp-Method") != "server/discover" {
			legacy(says(oneTool)).ServeHTTP(w, req)
			return
		}
		m := read(req)
		w.Header().Set("Content-Type", r.media)
		w.WriteHeader(r.status)
		_, _ = io.WriteString(w, fmt.Sprintf(r.body, m.ID))
	})
}

func rpcError(code int, data string) string {
	return fmt.Sprintf(`{"jsonrpc": "2.0", "id": %%s, "error": {"code": %d, "message": "no", "data": %s}}`, code, data)
}

// The answer to server/discover determines the era. Only an error that is known to belong to
// 2026-07-28 selects that era. Any other answer means that an older version may be supported
// (2026-07-28, Backward Compatibility).
func TestEra(t *testing.T) {
	const text, js = "text/plain", "application/json"
	rows := []struct {
		name  string
		reply reply
		ok    bool
	}{
		{"400 with a text", reply{400, text, "what?%.0s"}, true},
		{"404 with a text", reply{404, text, "no%.0s"}, true},
		{"405 with nothing", reply{405, "", "%.0s"}, true},
		{"406 with a text", reply{406, text, "no%.0s"}, true},
		{"404 and no such method", reply{404, js, rpcError(-32601, "null")}, true},
		{"200 and no such method", reply{200, js, rpcError(-32601, "null")}, true},
		{"200 and not initialised", reply{200, js, rpcError(-32002, "null")}, true},
		{"200 and the code of a transport", reply{200, js, rpcError(-32005, "null")}, true},
		{"400 with no session, in the code of a release candidate", reply{400, js, rpcError(-32001, "null")}, true},
		{"200 with a code of a release candidate and text", reply{200, js, rpcError(-32004, `"x"`)}, true},
		{"202 with nothing", reply{202, "", "%.0s"}, true},
		{"200 with a text", reply{200, text, "hello%.0s"}, true},
		{"200 with JSON that is no message", reply{200, js, `{"name": "card"}%.0s`}, true},
		{"a stream without an answer", reply{200, "text/event-stream", ": nothing\n\n%.0s"}, true},
		{"a result without versions", reply{200, js, `{"jsonrpc": "2.0", "id": %s, "result": {}}`}, true},
		{"a result with an older version", reply{200, js, `{"jsonrpc": "2.0", "id": %s, "result": {"supportedVersions": ["2030-01-01", "2025-06-18"]}}`}, true},
		{"another version, and an older one", reply{400, js, rpcError(-32022, `{"supported": ["2030-01-01", "2025-06-18"]}`)}, true},
		{"the same in the code of a release candidate", reply{400, js, rpcError(-32004, `{"supported": ["2025-06-18"]}`)}, true},

		{"another version", reply{400, js, rpcError(-32022, `{"supported": ["2030-01-01"]}`)}, false},
		{"this version, which is refused", reply{400, js, rpcError(-32022, `{"supported": ["2026-07-28"]}`)}, false},
		{"a header that does not match", reply{400, js, rpcError(-32020, "null")}, false},
		{"a capability that is missing", reply{400, js, rpcError(-32021, `{"requiredCapabilities": {"roots": {}}}`)}, false},
		{"the same in the code of a release candidate", reply{400, js, rpcError(-32003, `{"requiredCapabilities": {}}`)}, false},
		{"a result with versions that nobody knows", reply{200, js, `{"jsonrpc": "2.0", "id": %s, "result": {"supportedVersions": ["2030-01-01"]}}`}, false},
		{"a result that is not one", reply{200, js, `{"jsonrpc": "2.0", "id": %s, "result": {"resultType": "input_required", "supportedVersions": ["2026-07-28"]}}`}, false},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil).Handle("/mcp", once(r.reply))
				a, err := probe(t.Context(), t, internet, "", nil)
				if r.ok {
					if err != nil || a.Reading.Version != "2025-06-18" {
						t.Errorf("%+v, %v", a, err)
					}
					return
				}
				refused(t, err, wayfind.ErrInvalid, wayfind.CodeProtocol)
				if n := len(host.Requests()); n != 1 {
					t.Errorf("%d requests", n)
				}
			})
		})
	}
}

// If there is no server, the error has its own kind, after as few requests as possible.
func TestNoServer(t *testing.T) {
	const get, post = http.MethodGet, http.MethodPost
	answer := func(status int, media, body string, header ...string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	rows := []struct {
		name    string
		handler http.Handler
		kind    error
		code    wayfind.Code
		asked   []string
	}{
		{"nothing", http.NotFoundHandler(), wayfind.ErrNotFound, wayfind.CodeAbsent, []string{post, post, get}},
		{"a web page", answer(200, "text/html; charset=utf-8", "<!doctype html>"), wayfind.ErrInvalid, wayfind.CodeHTML, []string{post}},
		{"a card", answer(200, "application/json", `{"name": "com.example/x", "remotes": []}`), wayfind.ErrInvalid, wayfind.CodeProtocol, []string{post, post}},
		{"a document that wants GET", clienttest.Page{Body: `{"name": "x"}`}, wayfind.ErrInvalid, wayfind.CodeProtocol, []string{post, post, get}},
		{"a web page that wants GET", clienttest.Page{Body: "<p>"}, wayfind.ErrInvalid, wayfind.CodeHTML, []string{post, post, get}},
		{"a server that is down", answer(503, "text/plain", ""), wayfind.ErrUnreachable, wayfind.CodeServerError, []string{post}},
		{"a server that fails", answer(500, "application/json", "{}"), wayfind.ErrUnreachable, wayfind.CodeServerError, []string{post}},
		{"too many requests", answer(429, "text/plain", ""), wayfind.ErrThrottled, wayfind.CodeStatus, []string{post}},
		{"a server that says when", answer(503, "text/plain", "", "Retry-After", "5"), wayfind.ErrThrottled, wayfind.CodeStatus, []string{post}},
		{"another method", answer(405, "text/plain", ""), wayfind.ErrInvalid, wayfind.CodeStatus, []string{post, post, get}},
		{"a version that nobody knows", script{"initialize": says(`{"protocolVersion": "2023-01-01"}`)}, wayfind.ErrInvalid, wayfind.CodeProtocol, []string{post, post}},
		{"another JSON-RPC", script{}, wayfind.ErrInvalid, wayfind.CodeProtocol, []string{post, post}},
		{"JSON that is none", script{"initialize": says(`{"protocolVersion": "2025-06-18", "protocolVersion": "2025-06-18"}`)},
			wayfind.ErrInvalid, wayfind.CodeJSONDuplicate, []string{post, post}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil).Handle("/mcp", r.handler)
				_, err := probe(t.Context(), t, internet, "", nil)
				refused(t, err, r.kind, r.code)
				if d := cmp.Diff(r.asked, asked(host)); d != "" {
					t.Errorf("asked (-want +got):\n%s", d)
				}
			})
		})
	}
}

// A server that demands authentication is not absent: the error contains its challenge. No
// request follows the challenge.
func TestChallenge(t *testing.T) {
	const metadata = "https://shop.example/.well-known/oauth-protected-resource/mcp"
	for status, code := range map[int]wayfind.Code{401: wayfind.CodeStatus, 403: wayfind.CodeStatus, 402: wayfind.CodePayment} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+metadata+`", scope="read"`)
				w.WriteHeader(status)
			}))
			a, err := probe(t.Context(), t, internet, "sse", nil)
			refused(t, err, wayfind.ErrBlocked, code)
			c, ok := errors.AsType[*livemcp.ChallengeError](err)
			if !ok || c.Status != status || c.ResourceMetadata != metadata || c.Auth == nil || len(c.Auth.Requirements) != 1 ||
				!slices.Equal(c.Auth.Requirements[0][0].Scopes, []string{"read"}) {
				t.Errorf("%d: %+v", status, c)
			}
			auth := *c.Auth
			bearer := auth.Schemes["bearer"]
			bearer.MetadataURL = metadata
			auth.Schemes = map[string]wayfind.Scheme{"bearer": bearer}
			want := []wayfind.Interface{{Protocol: "mcp", Transport: "sse", URL: endpoint, Auth: &auth}}
			if a == nil || a.Reading.Authority != wayfind.AuthorityLive {
				t.Fatalf("answer %+v", a)
			}
			if d := cmp.Diff(want, a.Reading.Services[0].Interfaces); d != "" {
				t.Errorf("interfaces (-want +got):\n%s", d)
			}
			if d := cmp.Diff([]string{http.MethodGet}, asked(host)); d != "" {
				t.Errorf("asked (-want +got):\n%s", d)
			}
		})
	}
}

// A 401 without a challenge means that authentication is needed. A 403 does not.
func TestNoChallenge(t *testing.T) {
	for status, want := range map[int]*wayfind.Auth{401: {Unknown: true}, 403: nil} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
			a, err := probe(t.Context(), t, internet, "", nil)
			refused(t, err, wayfind.ErrBlocked, wayfind.CodeStatus)
			var got *wayfind.Auth
			if a != nil {
				got = a.Reading.Services[0].Interfaces[0].Auth
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%d (-want +got):\n%s", status, d)
			}
		})
	}
}
