package rank

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security/schema"
)

// rankingSet returns the tools of a set of vectors/tools/ranking, and its queries.
func rankingSet(t testing.TB, tools, queries string) (x *Index, ids []string, asked []rankingQuery) {
	t.Helper()
	var entries []Entry
	for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", "ranking", tools+".tools.jsonl"))) {
		var tool struct {
			ID, Name, Server, Description string
			Schema                        json.RawMessage
		}
		if err := json.Unmarshal(line, &tool); err != nil {
			t.Fatal(err)
		}
		e := Entry{Name: tool.Name}
		e.Text = [Fields]string{Name: tool.Name, Server: tool.Server, Description: tool.Description}
		if s, err := schema.Check(tool.Schema, schema.Unknown, nil); err == nil {
			e.Text[Parameters] = strings.Join(slices.Collect(s.Texts()), " ")
		}
		ids = append(ids, tool.ID)
		entries = append(entries, e)
	}
	for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", "ranking", queries+".queries.jsonl"))) {
		var q rankingQuery
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		asked = append(asked, q)
	}
	return indexOf(entries), ids, asked
}

type rankingQuery struct {
	Query    string
	Relevant []string
}

// TestRanking checks that a search is at least as good as documented in docs/PERFORMANCE.md.
func TestRanking(t *testing.T) {
	for _, set := range []struct {
		tools, queries string
		recall, ndcg   float64
	}{
		{"livemcp", "livemcp", .429, .356}, {"bfcl", "bfcl", .955, .825}, {"metatool", "metatool", .666, .555}, {"metatool", "metatool-multi", .736, .602},
	} {
		x, ids, asked := rankingSet(t, set.tools, set.queries)
		var recall, ndcg float64
		for _, q := range asked {
			var got []string
			for _, hit := range x.Search(q.Query, 10) {
				got = append(got, ids[hit.Entry])
			}
			r, n := measure(got, q.Relevant)
			recall += r / float64(len(asked))
			ndcg += n / float64(len(asked))
		}
		if !golden.Published(t, golden.EnvVectors) {
			set.recall, set.ndcg = 1, .9
		}
		t.Logf("%s: recall@10 %.3f, NDCG@10 %.3f of %d queries", set.queries, recall, ndcg, len(asked))
		if recall < set.recall-.0005 || ndcg < set.ndcg-.0005 {
			t.Errorf("%s: recall@10 %.3f and NDCG@10 %.3f, want %.3f and %.3f", set.queries, recall, ndcg, set.recall, set.ndcg)
		}
	}
}

// measure returns the recall, and the discounted gain as a share of the best possible one.
func measure(got, relevant []string) (recall, ndcg float64) {
	gain, ideal := 0.0, 0.0
	for i, id := range got {
		if slices.Contains(relevant, id) {
			recall += 1 / float64(len(relevant))
			gain += 1 / math.Log2(float64(i)+2)
		}
	}
	for i := range min(len(relevant), 10) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	return recall, gain / ideal
}
