package call_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// readme is the call that README.md shows: TestReadme compares it line by line.
func readme(ctx context.Context, c *client.Client, box *tools.Box, defs *tools.Definitions, name string, arguments []byte) (string, error) {
	vault := func(context.Context, *call.CredentialRequest) (*call.Grant, error) { return nil, nil }
	ask := func(context.Context, *call.Question) (call.Answer, error) {
		return call.Answer{Verdict: call.AllowOnce}, nil
	}
	caller, err := call.New(c, &call.Options{Credentials: vault, Confirm: ask})
	if err != nil {
		return "", err
	}
	res, err := caller.With(defs.Form).Call(ctx, box, name, arguments)
	answer := res.Model.Prompt()
	return answer, err
}

func TestReadme(t *testing.T) {
	page := string(golden.Read(t, filepath.Join(golden.Root(t), "README.md")))
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(page, "\nPackage `client/call` makes the call")
	_, block, opened := strings.Cut(block, "```go\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !opened || !closed {
		t.Fatal("README.md does not show how a tool is called")
	}
	count := 0
	for line := range strings.Lines(block) {
		code, _, _ := strings.Cut(line, "//")
		count++
		if code = strings.TrimSpace(code); !strings.Contains(string(source), "\t"+code+"\n") {
			t.Errorf("README.md has a line that is compiled nowhere: %s", code)
		}
	}
	if count != 3 {
		t.Errorf("%d lines", count)
	}
}

func TestReadmeRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, securedDocument, nil)
		defs := s.box.Render(tools.AnthropicMessages, nil)
		if answer, err := readme(t.Context(), s.client, s.box, defs, "optional", nil); err != nil || !strings.HasPrefix(answer, "The call was made.") {
			t.Errorf("%q, %v", answer, err)
		}
		if answer, err := readme(t.Context(), s.client, s.box, defs, "head", nil); err == nil || !strings.Contains(answer, "needs a credential") {
			t.Errorf("%q, %v", answer, err)
		}
	})
}
