package call_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// villageSecret is the credential of all calls in a village.
const villageSecret = "vQ9zKx7LmP2wRvYbN7c"

// village is a world with a host for each protocol and a stranger, all of which answer
// effects in one way at a time.
type village struct {
	client  *client.Client
	boxes   map[string]*tools.Box // by host
	thief   *clienttest.Host
	now     misdeed
	mu      sync.Mutex
	effects []seen
	others  []seen // requests that have no effect
}

// misdeed answers a request after its effect. honest writes the answer of the protocol.
type misdeed func(w http.ResponseWriter, r *http.Request, honest func(w http.ResponseWriter, text string))

// villager is a host of one protocol.
type villager struct {
	host, document, text string
	effect               func(r *http.Request, body string) bool
	answer               func(w http.ResponseWriter, r *http.Request, body, text string)
}

func villagers() []villager {
	const mcpTool = `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object", "properties": {"v": {"type": "string"}}}}]`
	mcpCard := strings.Replace(serverCard, `"version": "1"`, mcpTool, 1)
	rpcResult := func(result string) func(w http.ResponseWriter, r *http.Request, body, text string) {
		return func(w http.ResponseWriter, _ *http.Request, body, text string) {
			var m rpc
			_ = json.Unmarshal([]byte(body), &m)
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, strings.ReplaceAll(result, "TEXT", text))
		}
	}
	method := func(name string) func(*http.Request, string) bool {
		return func(_ *http.Request, body string) bool { return strings.Contains(body, `"method":"`+name+`"`) }
	}
	mcpServer := func(older bool) func(w http.ResponseWriter, r *http.Request, body, text string) {
		return func(w http.ResponseWriter, r *http.Request, body, text string) {
			var m rpc
			_ = json.Unmarshal([]byte(body), &m)
			e := eraServer{older: older, work: func(w http.ResponseWriter, _ rpc) {
				rpcResult(`{"resultType":"complete","content":[{"type":"text","text":"TEXT"}]}`)(w, r, body, text)
			}}
			w.Header().Set("Content-Type", "application/json")
			e.answer(w, m)
		}
	}
	open := strings.ReplaceAll(document(schemes,
		operation("get", "/api/read/{v}", "read", villagePath+`, "security": [{"head": []}]`), operation("get", "/api/pay", "pay", villageQuery+`, "x-openai-isConsequential": true, "security": [{"query": []}]`),
		operation("post", "/api/post/{v}", "post", villagePath+villageBody+`, "security": [{"bearer": []}]`), operation("put", "/api/put/{v}", "put", villagePath+villageBody+`, "security": [{"cook": []}]`),
		operation("delete", "/api/drop/{v}", "drop", villagePath+`, "security": [{"basic": []}]`), operation("patch", "/api/patch", "patch", villageBody+`, "security": [{"head": []}]`)), "shop.example", "open.example")
	return []villager{
		{"open.example", open, "openapi", func(r *http.Request, _ string) bool { return strings.HasPrefix(r.URL.Path, "/api/") }, func(w http.ResponseWriter, _ *http.Request, _, text string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"said":"`+text+`"}`)
		}},
		{"mcp.example", strings.ReplaceAll(mcpCard, "shop.example", "mcp.example"), "card", method("tools/call"), mcpServer(false)},
		{"older.example", strings.ReplaceAll(mcpCard, "shop.example", "older.example"), "card", method("tools/call"), mcpServer(true)},
		{"a2a.example", strings.ReplaceAll(card03, "shop.example", "a2a.example"), "agent", method("message/send"), rpcResult(`{"kind":"message","role":"agent","messageId":"m","parts":[{"kind":"text","text":"TEXT"}]}`)},
		{"rpc.example", strings.ReplaceAll(openrpc, "shop.example", "rpc.example"), "openrpc", func(_ *http.Request, body string) bool { return method("find")(nil, body) || method("buy")(nil, body) }, rpcResult(`{"said":"TEXT"}`)},
		{"actors.example", `{"agents": [{"name": "pirate", "description": "Talks like a pirate"}]}`, "actors", func(r *http.Request, _ string) bool { return r.Method == http.MethodPost }, func(w http.ResponseWriter, _ *http.Request, _, text string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"status":"completed","data":"`+text+`"}`)
		}},
	}
}

const (
	villagePath  = `, "parameters": [{"name": "v", "in": "path", "required": true, "schema": {"type": "string"}}]`
	villageQuery = `, "parameters": [{"name": "v", "in": "query", "schema": {"type": "string"}}]`
	villageBody  = `, "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"w": {"type": "string"}}}}}}`
)

// pages returns the documents of a villager.
func (v *villager) pages() clienttest.Pages {
	switch v.text {
	case "card":
		return clienttest.Pages{"/.well-known/mcp/server-card.json": v.document}
	case "agent":
		return clienttest.Pages{"/.well-known/agent-card.json": v.document}
	case "openrpc":
		return clienttest.Pages{"/openrpc.json": v.document, "/llms.txt": "# Shop\n\n## API\n\n- [Methods](https://" + v.host + "/openrpc.json)\n"}
	case "actors":
		return clienttest.Pages{"/agents/v1": v.document}
	}
	return clienttest.Pages{"/openapi.json": v.document, "/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", v.host)}
}

func newVillage(t *testing.T, more ...villager) *village {
	t.Helper()
	net, x := clienttest.New(t), &village{boxes: map[string]*tools.Box{}}
	for _, v := range append(villagers(), more...) {
		pages := v.pages()
		net.Host(v.host, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, ok := pages[r.URL.Path]; ok && r.Method == http.MethodGet {
				pages.ServeHTTP(w, r)
				return
			}
			raw, _ := io.ReadAll(r.Body)
			body := string(raw)
			got := seen{v.host, r.Method, r.RequestURI, body, r.Header.Clone()}
			effect := v.effect(r, body)
			x.mu.Lock()
			if effect {
				x.effects = append(x.effects, got)
			} else {
				x.others = append(x.others, got)
			}
			now := x.now
			x.mu.Unlock()
			if !effect {
				v.answer(w, r, body, "ok")
				return
			}
			now(w, r, func(w http.ResponseWriter, text string) { v.answer(w, r, body, text) })
		}))
	}
	x.thief = net.Host("thief.example.net", http.HandlerFunc(okay))
	x.client = net.Client()
	for _, v := range villagers() {
		box, err := tools.Load(t.Context(), x.client, []string{v.host}, nil)
		if err != nil || box.Len() == 0 {
			t.Fatal(v.host, err, box.Skipped())
		}
		if v.host != "open.example" { // whose operations name their schemes
			box = edited(t, box, `"interfaces":[{`, `"interfaces":[{"auth":{"schemes":{"bearer":{"kind":"http","httpScheme":"bearer"}},"requirements":[[{"scheme":"bearer"}]]},`)
		}
		x.boxes[v.host] = box
	}
	return x
}

// spellings writes a text in ways that readers of JSON, URLs and HTML, and people who
// paste it, take back. They stand inside of a JSON string.
func spellings(s string) []string {
	each := func(format string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			_, _ = fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	return []string{
		s, strings.ToUpper(s), base64.RawStdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)), hex.EncodeToString([]byte(s)), "Bearer " + s,
		`\u0076` + s[1:], each(`\u%04x`), each("%%%02X"), each("%%25%02x"), each("&#%d;"), each("&#x%X;"), strings.ReplaceAll(each("&#%d;"), "&", `\u0026`),
	}
}

// misdeeds returns the behaviours of servers after an effect. Each of them that writes a text
// repeats the credential in one of its encodings.
func misdeeds() map[string]func(spelling string) misdeed {
	list := map[string]func(string) misdeed{
		"drop": func(string) misdeed {
			return func(http.ResponseWriter, *http.Request, func(http.ResponseWriter, string)) {
				panic(http.ErrAbortHandler)
			}
		},
		"half": func(said string) misdeed {
			return func(w http.ResponseWriter, _ *http.Request, _ func(http.ResponseWriter, string)) {
				w.Header().Set("Content-Length", "1000")
				_, _ = io.WriteString(w, said)
				panic(http.ErrAbortHandler)
			}
		},
		"echo": func(said string) misdeed {
			return func(w http.ResponseWriter, _ *http.Request, honest func(http.ResponseWriter, string)) {
				w.Header().Set("X-Said", said)
				honest(w, said)
			}
		},
		"bomb": func(string) misdeed {
			return func(w http.ResponseWriter, r *http.Request, _ func(http.ResponseWriter, string)) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(bomb())
			}
		},
	}
	for _, media := range []string{"text/html", "text/plain", "application/json", ""} {
		list["says "+media] = func(said string) misdeed {
			return func(w http.ResponseWriter, _ *http.Request, _ func(http.ResponseWriter, string)) {
				w.Header()["Content-Type"] = []string{media}
				_, _ = io.WriteString(w, "before "+said+" after")
			}
		}
	}
	for _, status := range []int{204, 206, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 408, 409, 421, 425, 429, 431, 500, 501, 502, 503, 504, 524} {
		list[fmt.Sprint(status)] = func(said string) misdeed {
			return func(w http.ResponseWriter, _ *http.Request, _ func(http.ResponseWriter, string)) {
				w.Header().Set("Retry-After", "1")
				w.Header().Set("Location", "https://thief.example.net/api")
				w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://thief.example.net/meta", scope="all"`)
				w.WriteHeader(status)
				if status != http.StatusNoContent {
					_, _ = io.WriteString(w, `{"error":"`+said+`"}`)
				}
			}
		}
	}
	return list
}

// bomb is 64 MB of zeros in gzip.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range 64 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	_ = z.Close()
	return b.Bytes()
})

// toolOf returns a tool of a village, with arguments that contain a value.
func (x *village) toolOf(host string, n int, value string) (name string, args []byte) {
	list := x.boxes[host].Tools()
	tool := list[n%len(list)]
	quoted, _ := json.Marshal(value)
	member := "v"
	switch {
	case tool.Agent || host == "a2a.example":
		member = "message"
	case host == "rpc.example":
		member = map[bool]string{true: "q", false: "what"}[strings.HasSuffix(tool.Key, "find")]
	}
	switch tool.Name {
	case "post", "put":
		return tool.Name, fmt.Appendf(nil, `{"v":%s,"w":%s}`, quoted, quoted)
	case "patch":
		member = "w"
	}
	return tool.Name, fmt.Appendf(nil, `{%q:%s}`, member, quoted)
}

// begin forgets the requests of a village, and sets the behaviour of its hosts.
func (x *village) begin(now misdeed) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now, x.effects, x.others = now, nil, nil
}

// hostsOf returns the names of the villagers.
func hostsOf() (names []string) {
	for _, v := range villagers() {
		names = append(names, v.host)
	}
	return slices.Clip(names)
}
