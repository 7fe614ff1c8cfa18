package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/stdio"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// bell is an MCP server over standard input and output, which tests start as a process. Its
// arguments determine its behaviour.
func bell() {
	mode := append(os.Args, "", "")[1]
	fmt.Fprintln(os.Stderr, "the bell hangs\x1b[31m")
	switch mode {
	case "breaks":
		os.Exit(3)
	case "talks":
		fmt.Println("Welcome to the bell!")
	case "old":
		oldBell()
		return
	case "leaves":
		defer leaveChild(os.Args[2])
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "bell", Version: "1"}, &mcp.ServerOptions{Instructions: "Ring softly."})
	tool := func(name string, reads bool, run mcp.ToolHandler) {
		def := &mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type": "object"}`)}
		if reads {
			def.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: true}
		}
		s.AddTool(def, run)
	}
	said := func(text string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
	tool("look", true, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said("environment " + strings.Join(os.Environ(), " ") + " arguments " + strings.Join(os.Args[1:], "|"))
	})
	tool("ring", false, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3})
		}
		return said("It rang.")
	})
	tool("break", true, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		os.Exit(4)
		return nil, nil
	})
	tool("wait", true, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "no one waits")
		return nil, ctx.Err()
	})
	tool("add", true, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		tool("chime", true, nil)
		return said("It has a chime now.")
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Good morning."}}}}, nil
	})
	s.AddResource(&mcp.Resource{URI: "bell://tower", Name: "tower"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "bell://tower", Text: "A tower."}}}, nil
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// oldBell speaks 2024-11-05, and asks a question in each call.
func oldBell() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var m struct {
			ID            json.RawMessage
			Method        string
			Params        struct{ ProtocolVersion, Name string }
			Result, Error json.RawMessage
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"no such method"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`
		case "tools/call":
			fmt.Printf("%s\n", `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"How loud?","requestedSchema":{"type":"object","properties":{"loud":{"type":"string"}}}}}`)
			id := slices.Clone(m.ID)
			for m.Result == nil && m.Error == nil && lines.Scan() {
				_ = json.Unmarshal(lines.Bytes(), &m)
			}
			m.ID = id
			text, _ := json.Marshal("It was told " + string(m.Result) + string(m.Error))
			answer = fmt.Sprintf(`"result":{"content":[{"type":"text","text":%s}]}`, text)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
	}
}

// leaveChild starts a process that outlives the server, and notes its number.
func leaveChild(file string) {
	child := osexec.Command("sleep", "600")
	child.Stderr = os.Stderr
	if child.Start() == nil {
		_ = os.WriteFile(file, fmt.Append(nil, child.Process.Pid), 0o600)
	}
}

// bellCommand is the command of that server, as the flag --server reads it.
func bellCommand(t *testing.T) string {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bell")
	if err := os.Symlink(own, path); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	return "'" + path + "'"
}

// hosted is a host of "wayfind mcp" with the lines that the command writes to standard error.
func hosted(t *testing.T, version string, opts *mcp.ClientOptions, args ...string) (*mcp.ClientSession, func(part string)) {
	t.Helper()
	in, out, errs := mcpRun(t, args...)
	lines := make(chan string, 100)
	go func() {
		for s := bufio.NewScanner(errs); s.Scan(); {
			lines <- s.Text()
		}
		close(lines)
	}()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, opts).Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var heard strings.Builder
	return s, func(part string) {
		t.Helper()
		for !strings.Contains(heard.String(), part) {
			line, more := <-lines
			if !more {
				break
			}
			heard.WriteString(line + "\n")
		}
		if strings.Contains(heard.String(), part) {
			return
		}
		t.Errorf("nothing says %q", part)
	}
}

func TestAServerOfTheCommandLineGoesThroughTheBridge(t *testing.T) {
	path := bellCommand(t)
	t.Setenv("BELL_KEY", "s3cret")
	t.Setenv("OTHER_KEY", "n0t")
	for _, version := range []string{"", "2025-11-25"} {
		progress := make(chan float64, 10)
		opts := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { progress <- req.Params.Progress }}
		s, says := hosted(t, version, opts, "--cache", "none", "--server", "bell="+path+` talks 'two words'`, "--server-env", "bell=env:BELL_KEY", "--confirm", "host")
		says("bell: the bell hangs")
		says("bell: Welcome to the bell!")
		got := texts(t, s, "look", `{}`)
		for part, is := range map[string]bool{"BELL_KEY=s3cret": true, "PATH=": true, "OTHER_KEY": false, "talks|two words": true} {
			if strings.Contains(got, part) != is {
				t.Errorf("%q is in it: %t in %s", part, !is, got)
			}
		}
		params := &mcp.CallToolParams{Name: "ring", Arguments: json.RawMessage(`{}`)}
		params.SetProgressToken("p")
		if res, err := s.CallTool(t.Context(), params); err != nil || res.IsError {
			t.Errorf("rings: %s, %v", res.Content[0].(*mcp.TextContent).Text, err)
		} else if first := <-progress; first != 1 {
			t.Errorf("progress begins with %v", first)
		}
		if p, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greet"}); err != nil || !strings.Contains(p.Messages[0].Content.(*mcp.TextContent).Text, "Good morning.") {
			t.Errorf("prompt: %+v, %v", p, err)
		}
		if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "wayfind://bell.localhost/bell://tower"}); err != nil || !strings.Contains(r.Contents[0].Text, "A tower.") {
			t.Errorf("resource: %+v, %v", r, err)
		}
		if got := texts(t, s, "wayfind_describe", `{"name": "ring"}`); !strings.Contains(got, "Ring softly.") {
			t.Errorf("described: %s", got)
		}
	}
}

// If a server that the command has started announces a new tool, the host gets a notice.
func TestANewToolOfAServerOfTheCommandLineReachesTheHost(t *testing.T) {
	path := bellCommand(t)
	for _, version := range []string{"", "2025-11-25"} {
		t.Run("version "+version, func(t *testing.T) {
			t.Parallel() // each waits ten seconds for the second reading
			changed := make(chan struct{}, 10)
			opts := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }}
			s, _ := hosted(t, version, opts, "--cache", "none", "--server", "bell="+path)
			if got := texts(t, s, "add", `{}`); !strings.Contains(got, "It has a chime now.") {
				t.Fatal(got)
			}
			for listed := false; !listed; {
				for tool, err := range s.Tools(t.Context(), nil) {
					if err != nil {
						t.Fatal(err)
					}
					listed = listed || tool.Name == "chime"
				}
				if !listed {
					select {
					case <-changed:
					case <-time.After(time.Minute):
						t.Fatal("the host is not told")
					}
				}
			}
		})
	}
}

// A tool that its server declares as read-only is called without a question, and any other tool
// only after one.
func TestAServerOfTheCommandLineHasTheConsentOfANamedServer(t *testing.T) {
	s, _ := hosted(t, "", nil, "--cache", "none", "--server", "bell="+bellCommand(t))
	if got := texts(t, s, "look", `{}`); !strings.Contains(got, "environment") {
		t.Errorf("what only reads: %s", got)
	}
	if got := texts(t, s, "ring", `{}`); !strings.Contains(got, "--allow ring") {
		t.Errorf("what changes: %s", got)
	}
}

func TestAServerThatEndsIsStartedAgain(t *testing.T) {
	s, says := hosted(t, "", nil, "--cache", "none", "--server", "bell="+bellCommand(t))
	if res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "break", Arguments: json.RawMessage(`{}`)}); err != nil || !res.IsError {
		t.Errorf("broken: %+v, %v", res, err)
	}
	says("has ended: exit status 4")
	if got := texts(t, s, "look", `{}`); !strings.Contains(got, "environment") {
		t.Errorf("it stays away: %s", got)
	}
}

func TestAHostThatLeavesACallLeavesItAtTheServer(t *testing.T) {
	for _, version := range []string{"", "2025-11-25"} {
		s, says := hosted(t, version, nil, "--cache", "none", "--server", "bell="+bellCommand(t))
		texts(t, s, "look", `{}`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "wait", Arguments: json.RawMessage(`{}`)})
		cancel()
		if err == nil {
			t.Error("it has not waited")
		}
		says("bell: no one waits")
	}
}

func TestAServerThatCannotBeStartedIsReported(t *testing.T) {
	s, says := hosted(t, "", nil, "--cache", "none", "--server", "bell="+bellCommand(t)+" breaks")
	says("bell: the bell hangs")
	says("could not be started: it has ended: exit status 3")
	if got := texts(t, s, "wayfind_search", `{"query": "bell"}`); !strings.Contains(got, "bell.localhost") {
		t.Errorf("a model is not told: %s", got)
	}
}

// A server of the first version speaks, too. Its question in a call is answered in this call:
// the bridge passes no questions on.
func TestAServerOfTheFirstVersionIsSpokenWith(t *testing.T) {
	for _, version := range []string{"", "2025-11-25"} {
		s, _ := hosted(t, version, nil, "--cache", "none", "--server", "bell="+bellCommand(t)+" old")
		if got := texts(t, s, "ask", `{}`); !strings.Contains(got, "It was told") || !strings.Contains(got, "not answered by this client") {
			t.Errorf("%q: %s", version, got)
		}
	}
}

func TestAServerEndsWithTheCommandAndWithItsOwnProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "child")
	status, out, errs := ran(t, "tools", "--cache", "none", "--server", "bell="+bellCommand(t)+" leaves "+humanize.Word(file))
	if status != ui.ExitFound || !strings.Contains(out, "look") {
		t.Fatalf("%d, %s, %s", status, out, errs)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(raw), &pid); err != nil {
		t.Fatal(err)
	}
	for range 500 { // it ends, and then its number does
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Errorf("the process %d lives on", pid)
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it may have ended by now
	}
}

func TestVerbsTakeServers(t *testing.T) {
	server := []string{"--cache", "none", "--server", "bell=" + bellCommand(t)}
	for part, args := range map[string][]string{
		"mcp:mcp/ring":  {"bell"},
		`"name":"ring"`: {"tools"},
		"environment":   {"call", "bell", "mcp:mcp/look", "--yes"},
		"mcp ring":      {"describe", "bell", "mcp:mcp/ring"},
	} {
		if status, out, errs := ran(t, append(args, server...)...); status != ui.ExitFound || !strings.Contains(out, part) || strings.Contains(errs, "\x1b") {
			t.Errorf("%q: %d, %s, %s", args, status, out, errs)
		}
	}
}

func TestAServerThatCannotBeMeantIsRefused(t *testing.T) {
	path := bellCommand(t)
	for _, row := range [][]string{
		{"write NAME=COMMAND", "--server", path}, {"write NAME=COMMAND", "--server", "Bell=" + path}, {"--domain", "--server", "https://bell.example/mcp"},
		{"no command", "--server", "bell="}, {"no shell", "--server", "bell=" + path + " | tee"}, {"no shell", "--server", "bell=" + path + " $HOME"}, {"does not end", "--server", "bell=" + path + " 'x"},
		{"not found", "--server", "bell=no-such-program"}, {"two servers", "--server", "bell=" + path, "--server", "bell=" + path},
		{"write NAME=env:VARIABLE", "--server", "bell=" + path, "--server-env", "bell=s3cret"}, {"no --server", "--server-env", "bell=env:KEY"},
	} {
		if status, _, errs := ran(t, append([]string{"mcp"}, row[1:]...)...); status != ui.ExitUsage || !strings.Contains(errs, row[0]) || strings.Contains(errs, "s3cret") {
			t.Errorf("%q: %d, %s", row, status, errs)
		}
	}
}

// A document cannot start a process, nor reach one that a person has started.
func TestNoDocumentReachesAServerOfTheCommandLine(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/mcp/server-card.json" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprint(w, `{"name": "example.com/bell", "version": "1", "description": "A bell.", "remotes": [{"type": "streamable-http", "url": "http://bell.localhost/mcp"}]}`)
	}))
	defer site.Close()
	status, out, errs := ran(t, "tools", "--dev", site.URL, "--cache", "none", "--server", "bell="+bellCommand(t))
	if strings.Count(out, `"From bell.localhost`) != 7 || strings.Contains(out, "From 127.0.0.1") {
		t.Errorf("%d, %s, %s", status, out, errs)
	}
	for _, target := range []string{"http://bell.localhost/mcp", "bell.localhost"} {
		if status, out, errs := ran(t, "tools", target); status == ui.ExitFound {
			t.Errorf("%s without --server: %s, %s", target, out, errs)
		}
	}
}

// A host starts the command elsewhere: the paths of a server are whole.
func TestAConfigurationHasServers(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("tower.js", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BELL_KEY", "s3cret")
	status, out, errs := ran(t, "mcp", "--server", "bell=ls tower.js 'no file'", "--server-env", "bell=env:BELL_KEY", "--print-config", "cursor")
	if status != ui.ExitFound || strings.Contains(out, "s3cret") {
		t.Fatalf("%d, %s, %s", status, out, errs)
	}
	var config struct {
		MCPServers map[string]struct {
			Args []string
			Env  map[string]string
		}
	}
	if err := json.Unmarshal([]byte(out), &config); err != nil {
		t.Fatal(err)
	}
	own := config.MCPServers["wayfind"]
	i := slices.Index(own.Args, "--server")
	spec, err := stdio.Parse(own.Args[i+1])
	if err != nil || !slices.Equal(spec.Command[1:], []string{filepath.Join(dir, "tower.js"), "no file"}) || own.Env["BELL_KEY"] == "" {
		t.Errorf("%+v", own)
	}
}
