package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// readmeClient is the first line of what README.md shows.
func readmeClient() (*client.Client, error) {
	c, err := client.New(nil)
	return c, err
}

// readme is the rest: TestReadme compares it line by line.
func readme(ctx context.Context, c *client.Client, name string, arguments []byte) (errs []error) {
	keep := func(err error) { errs = append(errs, err) }
	box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
	keep(err)
	defs := box.Render(tools.AnthropicMessages, nil)
	tool, err := box.Tool(name)
	keep(err)
	args, err := defs.Projections[name].Decode(arguments)
	keep(err)
	err = tool.Schema.Validate(args, 0)
	return append(errs, err)
}

// TestReadme: the lines of README.md are in a function that is compiled.
func TestReadme(t *testing.T) {
	page := string(golden.Read(t, filepath.Join(golden.Root(t), "README.md")))
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(page, "\n## From a domain to a model's tools\n")
	_, block, opened := strings.Cut(section, "```go\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !opened || !closed {
		t.Fatal("README.md does not show how tools are loaded")
	}
	count := 0
	for line := range strings.Lines(block) {
		code, _, _ := strings.Cut(line, "//")
		if code = strings.TrimSpace(code); code == "" {
			continue
		}
		count++
		if !strings.Contains(string(source), "\t"+code+"\n") {
			t.Errorf("README.md has a line that is compiled nowhere: %s", code)
		}
	}
	if count != 6 {
		t.Errorf("%d lines", count)
	}
}

func TestReadmeRuns(t *testing.T) {
	own, err := readmeClient()
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Close(); err != nil {
		t.Error(err)
	}
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
		for _, err := range readme(t.Context(), n.Client(), "listOrders", []byte(`{"customer_id":"7"}`)) {
			if err != nil {
				t.Error(err)
			}
		}
	})
}
