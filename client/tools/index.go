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
	// maxFieldWords bounds a field, and maxRepeats how often a word in it counts: a
	// field that repeats a word only becomes longer.
	maxFieldWords = 2000
	maxRepeats    = 3
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
	exact   map[string]int // by name in lower case
}

// newIndex reads all entries twice: lengths first, then weights.
func newIndex(entries []entry) *index {
	x := &index{entries: entries, words: make(map[string][]posting), exact: make(map[string]int, len(entries))}
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
			here := make(map[string]int, len(list))
			for _, word := range list {
				if here[word]++; here[word] > maxRepeats {
					continue
				}
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
		x.exact[strings.ToLower(entries[i].name)] = i
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
	if i, ok := x.exact[strings.ToLower(strings.TrimSpace(query))]; ok {
		scores[i] = math.Inf(1)
	}
	return x.best(scores, most)
}

// best keeps the best tools while it looks at all, so that it sorts few.
func (x *index) best(scores []float64, most int) (hits []found) {
	order := func(a, b found) int {
		p, q := &x.entries[a.tool], &x.entries[b.tool]
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(p.rank, q.rank), cmp.Compare(p.name, q.name))
	}
	if most = min(most, len(scores)); most <= 0 {
		return nil
	}
	keep := 2 * most
	least := 0.0
	for i, score := range scores {
		if score <= 0 || score < least {
			continue
		}
		if hits = append(hits, found{i, score}); len(hits) >= keep && len(hits) > most {
			slices.SortFunc(hits, order)
			hits = hits[:most]
			least = hits[most-1].score
		}
	}
	slices.SortFunc(hits, order)
	return hits[:min(len(hits), most)]
}
