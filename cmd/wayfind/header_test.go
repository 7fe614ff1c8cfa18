package main

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// gateValue opens the gated server.
const gateValue = "open-sesame-7431"

// gated serves a site and an MCP server on this machine to requests with two header fields, and
// repeats fields in its answers.
func gated(t *testing.T) string {
	t.Helper()
	var site http.ServeMux
	site.HandleFunc("/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"openapi":"3.1.0","info":{"title":"Echo for %s","version":"1"},"paths":{"/echo":{"get":{"operationId":"echo","responses":{"200":{"description":"ok"}}}}}}`, r.Header.Get("X-Gate"))
	})
	site.HandleFunc("/.well-known/api-catalog", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/linkset+json")
		_, _ = w.Write([]byte(`{"linkset":[{"anchor":"/","service-desc":[{"href":"/openapi.json","type":"application/json"}]}]}`))
	})
	site.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "gate %s, cookie %s, tenant %s", r.Header.Get("X-Gate"), r.Header.Get("Cookie"), r.Header.Get("X-Tenant"))
	})
	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "ring"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "It rang."}}}, nil, nil
	})
	site.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Gate") != gateValue || r.Header.Get("X-Tenant") != "blue" {
			http.Error(w, "the gate is closed", http.StatusForbidden)
			return
		}
		site.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	return srv.URL
}

// -H opens a server of --dev for each verb that asks it, and no output and no file contains a value.
func TestHeaderFieldsOpenAServerOfDev(t *testing.T) {
	url, dir := gated(t), t.TempDir()
	const headers = "--dev -H X-Gate:" + gateValue + " --header X-Tenant:blue -H Cookie:sid=cookie-value-99 "
	for line, want := range map[string]string{
		"resolve " + headers + "-v --save " + humanize.Word(filepath.Join(dir, "rec")) + " " + url:        "Echo for REDACTED",
		"resolve " + headers + "--json --cache " + humanize.Word(filepath.Join(dir, "cache")) + " " + url: `"openapi:openapi/echo"`,
		"resolve " + headers + url + "/mcp":                   "ring",
		"describe " + headers + url + " openapi:openapi/echo": "/echo",
		"tools " + headers + "--for mcp " + url:               "echo",
		"call " + headers + "--save " + humanize.Word(filepath.Join(dir, "called")) + " " + url + " openapi:openapi/echo": "gate •••, cookie sid=•••, tenant blue",
		"call " + headers + "--yes-destructive mcp:mcp/ring " + url + "/mcp mcp:mcp/ring":                                 "It rang.",
		"check " + headers + "--full " + url:                                                            "api-catalog",
		"lint " + headers + "-v " + url + "/openapi.json":                                               "200",
		"inspect " + headers + "--html " + humanize.Word(filepath.Join(dir, "report.html")) + " " + url: "",
	} {
		status, out, errs := ran(t, shellWords(line)...)
		if status > ui.ExitNothing || !strings.Contains(out+errs, want) {
			t.Errorf("%s: %d, %q is missing in %s\n%s", line, status, want, out, errs)
		}
		if strings.Contains(out+errs, gateValue) || strings.Contains(out+errs, "cookie-value-99") {
			t.Errorf("%s: a value is shown: %s\n%s", line, out, errs)
		}
	}
	files := 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), gateValue) || strings.Contains(string(data), "cookie-value-99") {
			t.Errorf("%s contains a value", path)
		}
		return err
	})
	if files < 5 {
		t.Errorf("%d files were written", files)
	}
	if status, out, _ := ran(t, "--dev", url); strings.Contains(out, "echo") {
		t.Errorf("the gate is open without the fields: %d, %s", status, out)
	}
}

// A header field that cannot be sent is refused with the reason, and the sentence has no value.
func TestHeaderFieldsThatAreNotSent(t *testing.T) {
	const dev = "http://127.0.0.1:9"
	for field, want := range map[string]string{
		"X-Gate":                             "'NAME: VALUE'",
		"X-Gate:":                            "'NAME: VALUE'",
		": value-77":                         "'NAME: VALUE'",
		"Host: value-77":                     "Host belongs to the connection",
		"content-length: 77":                 "Content-Length belongs to the connection",
		"Transfer-Encoding: value-77":        "belongs to the connection",
		"Proxy-Authorization: Basic value77": "belongs to the connection",
		"Content-Type: value-77":             "belongs to the body",
		"Accept: value-77":                   "sets the field Accept itself",
		"If-None-Match: value-77":            "sets the field If-None-Match itself",
		"Mcp-Session-Id: value-77":           "belongs to a protocol",
		"User-Agent: value-77":               "--user-agent",
		"Cookie: value-77":                   "NAME=VALUE",
		"X Y: value-77":                      "no header field can hold",
		"X-Gate: value-77\r\nHost: x":        "no header field can hold",
	} {
		status, out, errs := ran(t, "--dev", "-H", field, dev)
		if status != ui.ExitUsage || !strings.Contains(errs, "-H: ") || !strings.Contains(errs, want) || strings.Contains(out+errs, "value-77") {
			t.Errorf("%q: %d, %q is missing in %s", field, status, want, errs)
		}
	}
	for _, r := range []struct {
		args []string
		want string
	}{
		{[]string{"-H", "X-Gate: value-77", dev}, "--dev"},
		{[]string{"-H", "X-Gate: value-77", "shop.example"}, "with --dev"},
		{[]string{"--dev", "-H", "X-Gate: value-77", "shop.example"}, "names none"},
		{[]string{"--dev", "-H", "X-Gate: value-77", "http://tools.example.com"}, "to this machine only"},
		{[]string{"mcp", "--dev", "-H", "X-Gate: value-77", "--domain", dev, "--print-config", "cursor"}, "may be a secret"},
	} {
		status, out, errs := ran(t, r.args...)
		if status != ui.ExitUsage || !strings.Contains(errs, r.want) || strings.Contains(out+errs, "value-77") {
			t.Errorf("%q: %d, %q is missing in %s", r.args, status, r.want, errs)
		}
	}
}
