// Package rank finds tools by words. It uses BM25 over the fields of a tool, with a weight for
// each field (BM25F), for identifiers and texts in many scripts.
package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// These are the fields of a tool that are searched.
const (
	Name = iota
	Server
	Description
	Parameters
	Service // the words that all tools of a service share
	Fields
)

const (
	// saturation is k1 of BM25. Tools have short texts, and a query for two tools contains
	// words of several fields.
	saturation = 1.4
	// maxFieldWords is the maximum number of words of a field. maxRepeats is the maximum number
	// of times that a word in it is counted: a field that repeats a word more often only
	// becomes longer.
	maxFieldWords = 2000
	maxRepeats    = 3
)

// weights returns the weight of a word in each field, and the discount for long fields.
func weights() (weight, norm [Fields]float64) {
	return [Fields]float64{3, 1, 1, .5, .25}, [Fields]float64{.4, .4, .55, .4, .55}
}

// Entry contains the searched texts of one tool.
type Entry struct {
	Name string
	// Rank is the rank of its source, which orders equal scores. A lower rank is better.
	Rank int
	Text [Fields]string
}

// Hit is an entry that was found.
type Hit struct {
	Entry int
	Score float64
}

// posting is an entry that contains a word, and the weight of the word in it.
type posting struct {
	entry  uint32
	weight float32
}

// list is a range in the postings: the entries of one word.
type list struct{ start, length uint32 }

// Index finds entries by words. It is immutable and may be used by several goroutines.
type Index struct {
	names    []string
	ranks    []int32
	words    map[string]int // the index of the list
	lists    []list
	postings []posting
	english  bool
}

// New returns an index of n entries. It reads each entry twice: first for the lengths, then for
// the weights. The steps are counted.
func New(count *fuel.Counter, n int, entry func(int) Entry) *Index {
	b := builder{count: count, entry: entry, here: make(map[string]int), weighed: make(map[string]float64), x: &Index{names: make([]string, n), ranks: make([]int32, n), words: make(map[string]int)}}
	for i := range n {
		b.measure(i)
	}
	total := uint32(0)
	for i, l := range b.x.lists {
		b.x.lists[i] = list{start: total}
		total += l.length
	}
	b.x.postings = make([]posting, total)
	for i := range n {
		b.weigh(i)
	}
	b.x.english = b.language()
	return b.x
}

// builder fills an Index.
type builder struct {
	count *fuel.Counter
	entry func(int) Entry
	total [Fields]int // the number of words
	x     *Index

	parts   [Fields][]string   // the fields of the current entry
	here    map[string]int     // how often a field contains a word
	weighed map[string]float64 // the words of an entry
}

// split returns the words of an entry by field. The result is valid until the next call.
func (b *builder) split(e *Entry) *[Fields][]string {
	for f := range b.parts {
		b.count.Text(len(e.Text[f]))
		b.parts[f] = appendWords(b.parts[f][:0], e.Text[f], maxFieldWords)
		b.count.Add(len(b.parts[f]))
	}
	return &b.parts
}

// measure counts the entries for each word.
func (b *builder) measure(i int) {
	e := b.entry(i)
	b.x.names[i], b.x.ranks[i] = e.Name, int32(min(e.Rank, math.MaxInt32))
	clear(b.here)
	for f, part := range b.split(&e) {
		b.total[f] += len(part)
		for _, word := range part {
			if b.here[word]++; b.here[word] == 1 {
				b.list(word).length++
			}
		}
	}
}

// list returns the list of a word, and creates it if it does not exist.
func (b *builder) list(word string) *list {
	at, known := b.x.words[word]
	if !known {
		at = len(b.x.lists)
		b.x.words[strings.Clone(word)] = at // keep only the word of the text
		b.x.lists = append(b.x.lists, list{})
	}
	return &b.x.lists[at]
}

// weigh writes the postings of an entry.
func (b *builder) weigh(i int) {
	e := b.entry(i)
	weight, norm := weights()
	clear(b.weighed)
	for f, part := range b.split(&e) {
		average := float64(b.total[f]) / float64(len(b.x.names))
		length := 1 - norm[f] + norm[f]*float64(len(part))/max(average, 1e-9)
		clear(b.here)
		for _, word := range part {
			if b.here[word]++; b.here[word] <= maxRepeats {
				b.weighed[word] += weight[f] / length
			}
		}
	}
	for word, tf := range b.weighed {
		l := b.list(word)
		b.x.postings[l.start+l.length] = posting{uint32(i), float32(tf * (saturation + 1) / (tf + saturation))}
		l.length++
	}
}

// of returns the postings of a word.
func (x *Index) of(word string) []posting {
	at, known := x.words[word]
	if !known {
		return nil
	}
	l := x.lists[at]
	return x.postings[l.start : l.start+l.length]
}

// Search returns the best entries for a query, at most most. The best is first. Entries with
// equal scores are ordered by rank and then by name. A nil Index has no entries.
func (x *Index) Search(query string, most int) []Hit {
	if x == nil {
		return nil
	}
	asked := words(query, maxFieldWords)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	scores := make([]float32, len(x.names))
	for _, word := range asked {
		found := x.of(word)
		if len(found) == 0 {
			continue
		}
		n := float64(len(found))
		idf := float32(math.Log(1 + (float64(len(x.names))-n+.5)/(n+.5)))
		for _, p := range found {
			scores[p.entry] += idf * p.weight
		}
	}
	return x.best(scores, most)
}

// best returns the entries with the highest scores.
func (x *Index) best(scores []float32, most int) (hits []Hit) {
	order := func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(x.ranks[a.Entry], x.ranks[b.Entry]), cmp.Compare(x.names[a.Entry], x.names[b.Entry]))
	}
	if most = min(most, len(scores)); most <= 0 {
		return nil
	}
	keep := 2 * most
	var least float32
	for i, score := range scores {
		if score <= 0 || score < least {
			continue
		}
		if hits = append(hits, Hit{i, float64(score)}); len(hits) >= keep && len(hits) > most {
			slices.SortFunc(hits, order)
			hits = hits[:most]
			least = float32(hits[most-1].Score)
		}
	}
	slices.SortFunc(hits, order)
	return hits[:min(len(hits), most)]
}
