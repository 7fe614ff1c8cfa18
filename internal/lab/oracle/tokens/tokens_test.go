package tokens

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// maxError is the maximum error of the estimate, on average over definitions.
const maxError = .08

// TestEstimate compares the estimate with o200k for the definitions in the sets for ranking.
func TestEstimate(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"livemcp", "bfcl", "metatool"} {
		var ratios []float64
		off, all, estimated := 0.0, 0, 0
		for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", "ranking", set+".tools.jsonl"))) {
			text := definition(t, line)
			want, err := o200k.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			got := tools.EstimateTokens(text)
			all, estimated = all+want, estimated+got
			ratio := float64(got) / float64(want)
			ratios = append(ratios, ratio)
			off += math.Abs(ratio - 1)
		}
		off /= float64(len(ratios))
		slices.Sort(ratios)
		at := func(q float64) float64 { return ratios[int(q*float64(len(ratios)-1))] }
		t.Logf("%s: %d definitions, %d tokens, estimated %d; mean error %.1f %%, ratio %.2f (p05 %.2f, p95 %.2f)", set, len(ratios), all, estimated, off*100, at(.5), at(.05), at(.95))
		most := maxError
		if !golden.Published(t, golden.EnvVectors) {
			most = .2 // definitions of a line each are rated too large
		}
		if off > most {
			t.Errorf("%s: the mean error is %.3f, want at most %.2f", set, off, most)
		}
	}
}

// definition returns a tool as a function of OpenAI.
func definition(t *testing.T, line []byte) string {
	t.Helper()
	var tool struct {
		Name, Description string
		Schema            json.RawMessage
	}
	if err := json.Unmarshal(line, &tool); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any{"name": tool.Name, "description": tool.Description, "parameters": tool.Schema}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
