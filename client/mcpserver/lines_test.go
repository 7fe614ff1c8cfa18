package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// wire is a host that writes lines of its own.
type wire struct {
	*world
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

// wired connects such a host.
func (w *world) wired() *wire {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	h := &wire{w, inW, make(chan string, 100), make(chan error, 1)}
	go func() {
		h.done <- w.server.Serve(w.Context(), mcpserver.Lines(inR, outW))
		_ = outW.Close()
	}()
	go func() {
		scan := bufio.NewScanner(outR)
		scan.Buffer(nil, 8<<20)
		for scan.Scan() {
			h.lines <- scan.Text()
		}
		close(h.lines)
	}()
	return h
}

// send writes text as it is.
func (h *wire) send(text string) { _, _ = io.WriteString(h.in, text) }

// next returns the next line of the server, or "" if none arrives.
func (h *wire) next() string {
	h.Helper()
	select {
	case line := <-h.lines:
		if line != "" && !json.Valid([]byte(line)) {
			h.Errorf("the server wrote a line that is no JSON: %.200q", line)
		}
		return line
	case <-time.After(30 * time.Second):
		return ""
	}
}

const about = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func request(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`+"\n", id, method, params, about)
}

// A host that sends garbage, half lines or too long lines gets errors, and the session goes on.
func TestGarbage(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		h := w.wired()
		for name, row := range map[string]struct{ text, want string }{
			"no JSON":                  {"hello\n", "-32700"},
			"half a line":              {`{"jsonrpc":"2.0","id":1,"meth` + "\n", "-32700"},
			"binary":                   {"\x00\xff\xfe\n", "-32700"},
			"a number":                 {"7\n", "-32600"},
			"null":                     {"null\n", "-32600"},
			"an empty object":          {"{}\n", "-32600"},
			"another version":          {`{"jsonrpc":"1.0","id":1,"method":"ping"}` + "\n", "-32600"},
			"an id of members":         {`{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n", "-32600"},
			"10 MiB":                   {request(1, "tools/call", `"name":"wayfind_search","arguments":{"query":"`+strings.Repeat("x", 10<<20)+`"},`), "-32600"},
			"deep":                     {strings.Repeat("[", 100_000) + "\n", "-32700"},
			"deep arguments":           {request(1, "tools/call", `"name":"wayfind_search","arguments":{"query":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`},`), `"id":1,"error":{"code":-32600`},
			"members in capitals":      {`{"JSONRPC":"2.0","id":1,"method":"ping"}` + "\n", `"id":1,"error":{"code":-32600`},
			"an error of another kind": {`{"jsonrpc":"2.0","id":1,"error":5}` + "\n", `"id":null,"error":{"code":-32600`},
			"a fraction as an id":      {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}` + "\n", "-32600"},
			"a number too long":        {`{"jsonrpc":"2.0","id":123456789012345678901,"method":"ping"}` + "\n", "-32600"},
			"unknown method":           {request(1, "tools/nothing", ""), "-32601"},
			"unknown tool":             {request(1, "tools/call", `"name":"nothing","arguments":{},`), "unknown tool"},
			"no name":                  {request(1, "tools/call", ``), "error"},
			"arguments a list":         {request(1, "tools/call", `"name":"wayfind_call","arguments":[1],`), "are not those of the tool"},
			"two names":                {request(1, "tools/call", `"name":"wayfind_call","arguments":{"name":"shop_example__listOrders","name":"shop_example__listOrders"},`), "are not those of the tool"},
			"a name in capitals":       {request(1, "tools/call", `"name":"wayfind_call","arguments":{"name":"gone","NAME":"shop_example__listOrders"},`), "are not those of the tool"},
			"no tool":                  {request(1, "tools/call", `"name":"wayfind_call","arguments":{"name":"gone"},`), "There is no tool of this name"},
			"wrong cursor":             {request(1, "tools/list", `"cursor":"%%%",`), "-32602"},
		} {
			h.send(row.text)
			if got := h.next(); !strings.Contains(got, row.want) {
				w.Errorf("%s: %.300s, want %s", name, got, row.want)
			}
		}
		h.send("\n \r\n")
		h.send(request(2, "tools/call", `"name":"wayfind_search","arguments":{"query":"orders"},`))
		w.wants(h.next(), "listOrders")
		_ = h.in.Close() // the host leaves
		select {
		case <-h.done:
		case <-time.After(time.Minute):
			w.Error("the server goes on without its host")
		}
	})
}

// A request that is canceled at once costs the session nothing, and a call that is
// under way is dropped.
func TestCanceled(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
			s := w.connect(legacy, nil)
			w.listed(s)
			ctx, cancel := context.WithCancel(w.Context())
			cancel()
			for range 20 {
				_, _ = s.CallTool(ctx, callOf(nameOf(w, "listOrders")[0]))
			}
			synctest.Wait()
			w.wants(w.ask(s, "wayfind_search", `{"query": "orders"}`), "listOrders")
		})
	})
}

// A closed server sends no notices, and closing it twice does no harm.
func TestClose(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		_ = w.server.Close()
		if err := w.server.Close(); err != nil {
			w.Error(err)
		}
	})
}
