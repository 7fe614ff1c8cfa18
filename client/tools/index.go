package tools

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The fields of a tool that are searched, with what a word in them weighs and how
// much a long field weighs less (BM25F).
const (
	fieldName = iota
	fieldServer
	fieldDescription
	fieldParameters
	fields
)

const (
	saturation = 1.2
	// maxFieldWords bounds a field, so that a text does not gain by its length.
	maxFieldWords = 2000
)

func weights() (weight, norm [fields]float64) {
	return [fields]float64{3, 1, 1, .5}, [fields]float64{.4, .4, .75, .75}
}

// entry is what is searched of one tool.
type entry struct {
	name string
	rank int // of its source: the lower the better
	text [fields]string
}

// posting is a tool that has a word, and what the word weighs there.
type posting struct {
	tool  uint32
	value float32
}

// index finds tools by words.
type index struct {
	entries []entry
	words   map[string][]posting
}

// newIndex reads all entries twice: lengths first, then weights.
func newIndex(entries []entry) *index {
	x := &index{entries: entries, words: make(map[string][]posting)}
	split := func(e *entry) (list [fields][]string) {
		for f := range list {
			list[f] = words(e.text[f], maxFieldWords)
		}
		return list
	}
	var average [fields]float64
	for i := range entries {
		for f, list := range split(&entries[i]) {
			average[f] += float64(len(list)) / float64(len(entries))
		}
	}
	weight, norm := weights()
	for i := range entries {
		counts := make(map[string]float64)
		var order []string
		for f, list := range split(&entries[i]) {
			length := 1 - norm[f] + norm[f]*float64(len(list))/max(average[f], 1e-9)
			for _, word := range list {
				if _, known := counts[word]; !known {
					order = append(order, word)
				}
				counts[word] += weight[f] / length
			}
		}
		for _, word := range order {
			tf := counts[word]
			x.words[word] = append(x.words[word], posting{uint32(i), float32(tf * (saturation + 1) / (tf + saturation))})
		}
	}
	for word, list := range x.words {
		x.words[word] = slices.Clip(list)
	}
	for i := range entries {
		entries[i].text = [fields]string{}
	}
	return x
}

// found is a tool with its score.
type found struct {
	tool  int
	score float64
}

// search returns the best tools for a query, best first. A tool whose name is the
// query comes before all others.
func (x *index) search(query string, most int) []found {
	asked := words(query, maxFieldWords)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	scores := make([]float64, len(x.entries))
	for _, word := range asked {
		list := x.words[word]
		if len(list) == 0 {
			continue
		}
		n := float64(len(list))
		idf := math.Log(1 + (float64(len(x.entries))-n+.5)/(n+.5))
		for _, p := range list {
			scores[p.tool] += idf * float64(p.value)
		}
	}
	var hits []found
	for i, score := range scores {
		if strings.EqualFold(x.entries[i].name, strings.TrimSpace(query)) {
			score = math.Inf(1)
		}
		if score > 0 {
			hits = append(hits, found{i, score})
		}
	}
	slices.SortFunc(hits, func(a, b found) int {
		p, q := &x.entries[a.tool], &x.entries[b.tool]
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(p.rank, q.rank), cmp.Compare(p.name, q.name))
	})
	return hits[:min(len(hits), max(most, 0))]
}
