package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// world is a shop behind a server, in virtual time.
type world struct {
	*testing.T
	internet *clienttest.Internet
	shops    map[string]*shop
	hosts    map[string]*clienttest.Host
	client   *client.Client
	server   *mcpserver.Server

	mu    sync.Mutex
	calls []string // that reached the shop
}

// operations returns an OpenAPI document with operations, each written as "METHOD /path id".
func operations(list ...string) string {
	var paths []string
	for _, op := range list {
		f := strings.Fields(op)
		parameters := ""
		if f[0] == "GET" {
			parameters = `, "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}]`
		}
		paths = append(paths, fmt.Sprintf(`%q: {%q: {"operationId": %q, "summary": "Does %s."%s, "responses": {"200": {"description": "ok"}}}}`, f[1], strings.ToLower(f[0]), f[2], f[2], parameters))
	}
	return `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {` + strings.Join(paths, ", ") + `}}`
}

const plain = "GET /api/orders listOrders\nDELETE /api/all dropAll"

// inWorld runs a test with a shop that has these operations.
func inWorld(t *testing.T, ops string, opts *mcpserver.Options, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, internet: clienttest.New(t), shops: map[string]*shop{}, hosts: map[string]*clienttest.Host{}}
		w.offer("shop.example", strings.Split(ops, "\n")...)
		w.client = w.internet.Client()
		w.serve(opts, nil)
		test(w)
	})
}

// serve makes the server anew.
func (w *world) serve(opts *mcpserver.Options, how *call.Options) {
	w.Helper()
	caller, err := call.New(w.client, how)
	if err != nil {
		w.Fatal(err)
	}
	if w.server, err = mcpserver.New(w.client, caller, opts); err != nil {
		w.Fatal(err)
	}
	server := w.server
	w.Cleanup(func() { _ = server.Close() })
}

const plugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "Sells.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://%s/openapi.json"},
	"logo_url": "https://shop.example/l.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/l"}`

// shop is a site with an OpenAPI document that is fresh for an hour, and the API behind it.
type shop struct {
	*world
	name, document string
}

// ServeHTTP implements http.Handler.
func (h *shop) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	rw.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/.well-known/ai-plugin.json":
		rw.Header().Set("Cache-Control", "max-age=3600")
		_, _ = fmt.Fprintf(rw, plugin, h.name)
	case r.URL.Path == "/openapi.json":
		rw.Header().Set("Cache-Control", "max-age=3600")
		_, _ = io.WriteString(rw, h.document)
	case strings.HasPrefix(r.URL.Path, "/api/files/"):
		rw.Header().Set("Content-Type", "application/octet-stream")
		_, _ = io.WriteString(rw, map[string]string{"image": png, "audio": wav, "other": pdf}[r.URL.Path[len("/api/files/"):]])
	case strings.HasPrefix(r.URL.Path, "/api/"):
		h.calls = append(h.calls, r.Method+" "+h.name+r.URL.String())
		_, _ = io.WriteString(rw, `{"done": true}`)
	default:
		http.NotFound(rw, r)
	}
}

// offer changes the operations of a host.
func (w *world) offer(name string, ops ...string) *clienttest.Host {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shops[name] == nil {
		w.shops[name] = &shop{world: w, name: name}
		w.hosts[name] = w.internet.Host(name, w.shops[name])
	}
	w.shops[name].document = operations(ops...)
	return w.hosts[name]
}

// called are the calls that reached a shop.
func (w *world) called() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.calls, ", ")
}

// connect connects a client of the SDK until the test ends.
func (w *world) connect(legacy bool, opts *mcp.ClientOptions) *mcp.ClientSession {
	w.Helper()
	session, stop, done := w.begin(legacy, opts)
	w.Cleanup(func() {
		_ = session.Close()
		stop()
		<-done
	})
	return session
}

// begin connects a client of the SDK. An older version of the protocol begins with initialize. stop
// stops Serve; done is closed when Serve has returned.
func (w *world) begin(legacy bool, opts *mcp.ClientOptions) (session *mcp.ClientSession, stop func(), done chan struct{}) {
	w.Helper()
	here, there := mcp.NewInMemoryTransports()
	done = make(chan struct{})
	ctx, stop := context.WithCancel(w.Context())
	go func() {
		defer close(done)
		_ = w.server.Serve(ctx, there)
	}()
	how := &mcp.ClientSessionOptions{}
	if legacy {
		how.ProtocolVersion = "2025-11-25"
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, opts).Connect(w.Context(), here, how)
	if err != nil {
		w.Fatal(err)
	}
	return session, stop, done
}

// ask calls a tool and returns all texts of the answer, after "error: " if it is one.
func (w *world) ask(s *mcp.ClientSession, tool, arguments string) string {
	w.Helper()
	res, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return "protocol error: " + err.Error()
	}
	var texts []string
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, unended(text.Text))
		}
	}
	if res.IsError {
		return "error: " + strings.Join(texts, "\n")
	}
	return strings.Join(texts, "\n")
}

var endOfMark = regexp.MustCompile(`, until ([A-Z2-7]{10}):`)

// unended removes the word at the end of each mark, which is another one each time.
func unended(text string) string {
	for _, found := range endOfMark.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(text, "\n"+found[1]) {
			return "a mark without an end: " + text
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, ", until "+found[1], ""), "\n"+found[1], "")
	}
	return text
}

// listed are the names of the tools that a host sees.
func (w *world) listed(s *mcp.ClientSession) string {
	w.Helper()
	var names []string
	for tool, err := range s.Tools(w.Context(), nil) {
		if err != nil {
			w.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

// wants fails the test unless a text has a part.
func (w *world) wants(text, part string) {
	w.Helper()
	if !strings.Contains(text, part) {
		w.Errorf("got %q, want %q in it", text, part)
	}
}

// answering returns options of a host whose person gives this answer.
func answering(action string, agree bool, asked *[]string) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if asked != nil {
			*asked = append(*asked, req.Params.Message)
		}
		res := &mcp.ElicitResult{Action: action}
		if action == "accept" {
			res.Content = map[string]any{"agree": agree}
		}
		return res, nil
	}}
}

// callOf are the parameters of a call without arguments.
func callOf(tool string) *mcp.CallToolParams { return &mcp.CallToolParams{Name: tool} }

// newCaller is a Caller with the safe defaults.
func newCaller(w *world) *call.Caller {
	w.Helper()
	caller, err := call.New(w.client, nil)
	if err != nil {
		w.Fatal(err)
	}
	return caller
}
