package suites

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
)

// theirIndex is a bleve index in memory.
type theirIndex struct{ bleve.Index }

// bleveOf returns an index of tools by fields, with the analyzer for English.
func bleveOf(list []aTool) (theirIndex, error) {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = en.AnalyzerName
	x, err := bleve.NewMemOnly(mapping)
	if err != nil {
		return theirIndex{}, err
	}
	batch := x.NewBatch()
	for i := range list {
		t := &list[i]
		err := batch.Index(strconv.Itoa(i), map[string]string{"name": t.Name, "server": t.Server, "description": t.Description, "parameters": t.words})
		if err != nil {
			return theirIndex{}, err
		}
	}
	return theirIndex{x}, x.Batch(batch)
}

// search returns the indexes of the best ten, with our weights.
func (x theirIndex) search(text string) (hits []int, err error) {
	var parts []query.Query
	for field, boost := range map[string]float64{"name": 3, "server": 1, "description": 1, "parameters": .5} {
		q := bleve.NewMatchQuery(text)
		q.SetField(field)
		q.SetBoost(boost)
		parts = append(parts, q)
	}
	found, err := x.Search(bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(parts...), 10, 0, false))
	if err != nil {
		return nil, err
	}
	for _, hit := range found.Hits {
		i, err := strconv.Atoi(hit.ID)
		if err != nil {
			return nil, err
		}
		hits = append(hits, i)
	}
	return hits, nil
}

// ranking measures how well queries find their tools.
func ranking() (*measure.Table, error) {
	t := &measure.Table{Title: "Quality of the first ten results", Head: []string{"set", "NDCG@10", "recall@10", "of bleve, NDCG@10", "recall@10", "queries", "base line, NDCG@10", "recall@10"}}
	for _, set := range []struct {
		tools, queries string
		ndcg, recall   float64
	}{
		{"livemcp", "livemcp", .334, .407}, {"bfcl", "bfcl", .819, .947}, {"metatool", "metatool", .542, .663}, {"metatool", "metatool-multi", .576, .716},
	} {
		list, err := toolsOf(set.tools)
		if err != nil {
			return nil, err
		}
		asked, err := lines[aQuery](set.queries + ".queries.jsonl")
		if err != nil {
			return nil, err
		}
		ours := indexed(list)
		theirs, err := bleveOf(list)
		if err != nil {
			return nil, err
		}
		var sums [4]float64
		for _, q := range asked {
			var places []int
			for _, hit := range ours.Search(q.Query, 10) {
				places = append(places, hit.Entry)
			}
			sums[0], sums[1] = add(sums[0], sums[1], list, places, q.Relevant)
			if places, err = theirs.search(q.Query); err != nil {
				return nil, err
			}
			sums[2], sums[3] = add(sums[2], sums[3], list, places, q.Relevant)
		}
		if err := theirs.Close(); err != nil {
			return nil, err
		}
		row := measure.Row{Cells: []string{set.queries}}
		for _, sum := range sums {
			row.Cells = append(row.Cells, fmt.Sprintf("%.3f", sum/float64(len(asked))))
		}
		row.Cells = append(row.Cells, strconv.Itoa(len(asked)), fmt.Sprintf("%.3f", set.ndcg), fmt.Sprintf("%.3f", set.recall))
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// add adds the gain of an answer as a share of the best possible gain, and its recall.
func add(ndcg, recall float64, list []aTool, places []int, relevant []string) (float64, float64) {
	gain, ideal := 0.0, 0.0
	for i, place := range places {
		if slices.Contains(relevant, list[place].ID) {
			recall += 1 / float64(len(relevant))
			gain += 1 / math.Log2(float64(i)+2)
		}
	}
	for i := range min(len(relevant), 10) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	return ndcg + gain/ideal, recall
}
