package call_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// readme is the program that README.md shows. It is compiled and never run, because it would ask a
// domain: TestReadmeRuns makes the same calls in a laboratory.
func readme(ctx context.Context) error {
	c, err := client.New(nil)
	if err != nil {
		return err
	}
	defer c.Close()
	site, err := c.Resolve(ctx, "bookings.example")
	if err != nil {
		return err
	}
	fmt.Println(len(site.Services))

	box, err := tools.Load(ctx, c, []string{"bookings.example"}, nil)
	if err != nil {
		return err
	}
	defs := box.Render(tools.AnthropicMessages, nil)
	caller, err := call.New(c, nil)
	if err != nil {
		return err
	}
	res, err := caller.With(defs.Form).Call(ctx, box, "search_tables", []byte(`{"city": "Rome"}`))
	fmt.Println(res.Model.Prompt())
	return err
}

func TestReadme(t *testing.T) {
	page := string(golden.Read(t, filepath.Join(golden.Root(t), "README.md")))
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	code := func(text string) (lines []string) {
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, " // ")
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	_, shown, _ := strings.Cut(page, "```go\n")
	shown, _, _ = strings.Cut(shown, "```")
	_, compiled, _ := strings.Cut(string(source), "func readme(ctx context.Context) error {\n")
	compiled, _, _ = strings.Cut(compiled, "\n\treturn err\n}\n")
	if diff := cmp.Diff(code(compiled), code(shown)); diff != "" || shown == "" {
		t.Errorf("README.md shows another program than the one that is compiled here:\n%s", diff)
	}
	_ = readme
}

func TestReadmeRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, securedDocument, nil)
		defs := s.box.Render(tools.AnthropicMessages, nil)
		caller, err := call.New(s.client, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"optional": "The call was made.", "head": "needs a credential"} {
			res, err := caller.With(defs.Form).Call(t.Context(), s.box, name, nil)
			if answer := res.Model.Prompt(); (err == nil) != (name == "optional") || !strings.Contains(answer, want) {
				t.Errorf("%s: %q, %v", name, answer, err)
			}
		}
	})
}
