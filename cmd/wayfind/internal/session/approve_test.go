package session

import (
	"bufio"
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// A person at the terminal is asked once, and sees everything that the answer approves. The answer
// is stored.
func TestTheTerminalAsksOnce(t *testing.T) {
	request := security.ApprovalRequest{DocumentOrigin: "https://shop.example", Document: "https://shop.example/a\u202e", Endpoint: "https://mcp.other.example/mcp",
		Domain: "other.example", Protocol: "mcp", Methods: []string{"GET", "POST"}, Digest: strings.Repeat("ab", 32), Purpose: "live", Subject: "mcp:a"}
	name := filepath.Join(t.TempDir(), "approvals.json")
	answering := func(answers string, given ...string) (*consent, *bytes.Buffer) {
		var out bytes.Buffer
		approvals, err := pins.LoadApprovals(name)
		if err != nil {
			t.Fatal(err)
		}
		c := &consent{approvals: approvals, file: name, given: given, out: &out, answered: map[string]error{}}
		if answers != "-" {
			c.in = bufio.NewReader(strings.NewReader(answers))
		}
		return c, &out
	}
	for _, answer := range []string{"n\ny\n", "\ny\n", "", "yes please\n", "-"} {
		c, out := answering(answer)
		for range 2 {
			if err := c.approve(t.Context(), request); err == nil || !strings.HasSuffix(err.Error(), "add --approve mcp.other.example:mcp") {
				t.Errorf("%q: %v", answer, err)
			}
		}
		if n := strings.Count(out.String(), "[y/N]"); n > 1 || n == 0 && answer != "-" {
			t.Errorf("%q: asked %d times", answer, n)
		}
	}
	for _, flags := range []string{"mcp.other.example", "mcp.other.example:jsonrpc", "other.example:mcp"} {
		if c, _ := answering("-", flags); c.approve(t.Context(), request) == nil {
			t.Errorf("--approve %s lets a server be spoken with", flags)
		}
	}
	near := request
	near.DocumentOrigin, near.Endpoint, near.Domain = "https://example.com", "https://mcp.example.com/mcp", "example.com"
	c, _ := answering("-")
	if err := c.approve(t.Context(), near); err == nil || !strings.HasSuffix(err.Error(), "add --approve mcp.example.com:mcp, or --approve same-site for all hosts of this site") {
		t.Errorf("a host of the same site: %v", err)
	}
	c, _ = answering("-")
	c.sameSite = true
	if err := c.approve(t.Context(), near); err != nil || c.approve(t.Context(), request) == nil || len(c.approvals.All()) != 0 {
		t.Errorf("--approve same-site: %v; elsewhere %v; kept %v", err, c.approve(t.Context(), request), c.approvals.All())
	}
	c, out := answering("y\n")
	for range 2 {
		if err := c.approve(t.Context(), request); err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{request.Endpoint, "other.example\n", "mcp\n", "GET, POST", "live mcp:a", "https://shop.example/a\\u202e", "abababab"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not shown:\n%s", want, out)
		}
	}
	if n := strings.Count(out.String(), "[y/N]"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if c, _ := answering("-"); c.approve(t.Context(), request) != nil {
		t.Error("the approval was not kept")
	}
	other := request
	other.Purpose, other.Protocol, other.Methods = "describe", "http", []string{"GET"}
	if c, _ := answering("-"); c.approve(t.Context(), other) == nil {
		t.Error("kept for another purpose")
	}
	if c, _ := answering("-", "mcp.other.example"); c.approve(t.Context(), other) != nil {
		t.Error("--approve HOST does not let a document be read")
	}
}

// An IPv6 address without brackets is written with them in the error.
func TestParseConnectToShowsTheBrackets(t *testing.T) {
	for given, want := range map[string]string{
		"a.example:443:::1:8443":          "brackets: a.example:443:[::1]:8443",
		"a.example:443:2001:db8::1:8443":  "brackets: a.example:443:[2001:db8::1]:8443",
		"::127.0.0.1:443":                 "an empty part",
		"a.example:443:localhost:8443":    "write HOST:PORT:ADDR:PORT",
		"a.example:443:127.0.0.1:8443:90": "write HOST:PORT:ADDR:PORT",
	} {
		if _, _, err := parseConnectTo(given, &security.Guard{}); err == nil || !strings.Contains(ui.Sentence(err), want) {
			t.Errorf("%s: %v, want %q", given, err, want)
		}
	}
}
