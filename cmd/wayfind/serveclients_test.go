package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// recordedShop is the directory of a recording of shop.example.
func recordedShop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		document.RecordingIndex: "wayfind recording 1\nhttps://shop.example/agents.md agents.http\nhttps://shop.example:8443/agents.md agents.http\n",
		"agents.http":           "HTTP/1.1 200 OK\nContent-Type: text/plain\n\nhello from the shop\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Programs in other languages, each as its author writes it: "serve DIR -- COMMAND" leads them to
// the sites, and keeps them from any other.
var clients = []struct {
	program, file, text string
	needs               []string // a command that fails if a part is missing
	args                []string
}{
	{program: "curl", args: []string{"-sS", "https://shop.example/agents.md", "http://shop.example/agents.md", "https://shop.example:8443/agents.md", "https://other.example/"}},
	{program: "python3", file: "client.py", text: `
import urllib.request
for url in ("https://shop.example/agents.md", "http://shop.example/agents.md", "https://shop.example:8443/agents.md", "https://other.example/"):
    print(urllib.request.urlopen(url, timeout=20).read().decode())
`},
	{program: "python3", file: "client_requests.py", needs: []string{"python3", "-c", "import requests"}, text: `
import requests
for url in ("https://shop.example/agents.md", "http://shop.example/agents.md", "https://shop.example:8443/agents.md", "https://other.example/"):
    print(requests.get(url, timeout=20).text)
`},
	{program: "node", file: "client.mjs", needs: []string{"node", "-e", "const [a, b] = process.versions.node.split('.').map(Number); process.exit(a > 24 || a == 24 && b > 4 || a == 22 && b > 20 ? 0 : 1)"}, text: `
for (const url of ["https://shop.example/agents.md", "http://shop.example/agents.md", "https://shop.example:8443/agents.md", "https://other.example/"])
  console.log(await (await fetch(url)).text())
`},
	{program: "java", file: "Client.java", needs: []string{"javac", "-version"}, text: `
import java.net.URI;
import java.net.http.*;

class Client {
  public static void main(String[] args) throws Exception {
    for (String url : new String[] {"https://shop.example/agents.md", "http://shop.example/agents.md", "https://shop.example:8443/agents.md", "https://other.example/"})
      System.out.println(HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString()).body());
  }
}
`},
}

func TestServe_ClientsOfOtherLanguages(t *testing.T) {
	rec := recordedShop(t)
	for _, c := range clients {
		t.Run(strings.TrimSpace(c.program+" "+c.file), func(t *testing.T) {
			t.Parallel()
			needs := c.needs
			if needs == nil {
				needs = []string{c.program, "--version"}
			}
			if err := osexec.Command(needs[0], needs[1:]...).Run(); err != nil {
				t.Skipf("%s leads nowhere here: it is not installed, or its version reads no HTTPS_PROXY", needs[0])
			}
			args := c.args
			if c.file != "" {
				file := filepath.Join(t.TempDir(), c.file)
				if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
				args = append([]string{file}, args...)
			}
			code, out, errs := exec(t, "", append([]string{"serve", rec, "--", c.program}, args...)...)
			if code == ui.ExitFound || strings.Count(out, "hello from the shop") != 3 || !strings.Contains(errs, "502") {
				t.Errorf("exit status %d, want a failure at the name that is no site; %q, %s", code, out, errs)
			}
		})
	}
}

// A Node.js that reads no HTTPS_PROXY trusts the authority, and a program of it comes there by CONNECT.
func TestServe_AnyNode(t *testing.T) {
	if _, err := osexec.LookPath("node"); err != nil {
		t.Skip("node leads nowhere here: it is not installed, or its version reads no HTTPS_PROXY")
	}
	const script = `
const proxy = new URL(process.env.HTTPS_PROXY);
require("http").request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: "shop.example:443" }).on("connect", (_, socket) => {
  const site = require("tls").connect({ socket, servername: "shop.example" });
  site.pipe(process.stdout);
  site.end("GET /agents.md HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n");
}).end();`
	code, out, errs := exec(t, "", "serve", recordedShop(t), "--", "node", "-e", script)
	if code != ui.ExitFound || !strings.HasSuffix(out, "\r\n\r\nhello from the shop\n") {
		t.Errorf("exit status %d, %q, %s", code, out, errs)
	}
}

// serve exits with the status of the command, even if the command cannot run.
func TestServe_ExitStatusOfTheCommand(t *testing.T) {
	rec := recordedShop(t)
	for _, row := range []struct {
		words []string
		code  ui.Outcome
	}{
		{[]string{"sh", "-c", `test "$WAYFIND_CACERT" = "$SSL_CERT_FILE" && test -f "$SSL_CERT_FILE"`}, 0},
		{[]string{"sh", "-c", "exit 7"}, 7},
		{[]string{"sh", "-c", "kill -KILL $$"}, 128 + 9},
		{[]string{filepath.Join(rec, "missing")}, ui.ExitUsage},
	} {
		if code, out, errs := exec(t, "", append([]string{"serve", rec, "--"}, row.words...)...); code != row.code || out != "" {
			t.Errorf("%q: exit status %d, want %d; %q %s", row.words, code, row.code, out, errs)
		}
	}
}

// serve passes a signal on to the command, which decides how to react.
func TestServe_PassesSignalsOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals to processes")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for signal, code := range map[os.Signal]int{os.Interrupt: 11, syscall.SIGTERM: 12, syscall.SIGHUP: 13} {
		cmd := osexec.Command(self, "serve", recordedShop(t), "--", "sh", "-c", `trap "exit 11" INT; trap "exit 12" TERM; trap "exit 13" HUP; echo ready; while :; do sleep 0.02; done`)
		cmd.Args[0] = "wayfind"
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("%q, %v", line, err)
		}
		_ = cmd.Process.Signal(signal)
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%v: exit status %d, want %d", signal, cmd.ProcessState.ExitCode(), code)
		}
	}
}

// With --json, a program learns of the address and the files before the sites are asked.
func TestServe_PrintsItsAddressForPrograms(t *testing.T) {
	free, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	_ = free.Close()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	r, w := io.Pipe()
	ended := make(chan ui.Outcome)
	go func() {
		ended <- run(ctx, []string{"serve", "--json", "--listen", at, recordedShop(t)}, strings.NewReader(""), w, io.Discard)
	}()
	var l loopback.Lead
	if err := json.NewDecoder(r).Decode(&l); err != nil {
		t.Fatal(err)
	}
	if l.Address != at || l.Variables["HTTPS_PROXY"] != "http://"+at || fmt.Sprint(l.Sites) != "[shop.example shop.example:8443]" {
		t.Errorf("%+v", l)
	}
	for _, file := range []string{l.CAFile, l.TrustStore, l.EnvFile} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
	script, err := os.ReadFile(l.EnvFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range l.Variables {
		if !strings.Contains(string(script), "export "+name+"='"+value+"'\n") {
			t.Errorf("%s is not in %s", name, script)
		}
	}
	end()
	if code := <-ended; code != ui.ExitFound {
		t.Errorf("exit status %d", code)
	}
	if _, err := os.Stat(l.EnvFile); !os.IsNotExist(err) {
		t.Errorf("the files are left: %v", err)
	}
}

// The port listens on this machine only.
func TestServe_ListensOnLoopbackOnly(t *testing.T) {
	for _, at := range []string{"0.0.0.0:0", "192.0.2.1:443", ":8443", "8443", "localhost:8443"} {
		if code, _, errs := exec(t, "", "serve", "--listen", at, recordedShop(t)); code != ui.ExitUsage || !strings.Contains(errs, "127.0.0.1:8443") {
			t.Errorf("%s: exit status %d: %s", at, code, errs)
		}
	}
}
