package rank

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"getHTTPResponse2", []string{"get", "http", "respons", "2"}},
		{"list_orders by-customer", []string{"list", "order", "customer"}},
		{"the and of", nil},
		{"日本語", []string{"日本", "本語"}},
		{"検索search", []string{"検索", "search"}},
		{"Größe страница", []string{"größ", "страница"}},
		{"companies running tested", []string{"company", "runn", "test"}},
		{"", nil},
	}
	for _, tt := range tests {
		if got := words(tt.text, 100); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := words(strings.Repeat("word ", 5000), maxFieldWords); len(got) != maxFieldWords {
		t.Errorf("%d words", len(got))
	}
}

// TestRepetitionGainsNothing checks that a tool that repeats the words of a query is not better
// than a tool that is about them.
func TestRepetitionGainsNothing(t *testing.T) {
	entries := []Entry{
		{"send_email", 0, [Fields]string{"send_email", "mail", "Sends an email to one person.", "to subject body"}},
		{"spam", 0, [Fields]string{"spam", "spam", strings.Repeat("send email ", 3000), strings.Repeat("send email ", 3000)}},
	}
	for i := range 50 {
		entries = append(entries, Entry{fmt.Sprint("other", i), 0, [Fields]string{fmt.Sprint("other", i), "x", "Does something else with orders and customers.", "id"}})
	}
	x := indexOf(entries)
	if got := x.Search("send email", 5); got[0].Entry != 0 {
		t.Errorf("%+v", got)
	}
	if got := x.Search("spam", 5); got[0].Entry != 1 {
		t.Errorf("%+v", got)
	}
	if got := x.Search(strings.Repeat("send ", 10)+"email", 5); got[0].Entry != 0 {
		t.Errorf("%+v", got)
	}
}

// indexOf returns the index of a list.
func indexOf(list []Entry) *Index {
	return New(nil, len(list), func(i int) Entry { return list[i] })
}

func BenchmarkSearch(b *testing.B) {
	var entries []Entry
	for i := range 100_000 {
		entries = append(entries, Entry{fmt.Sprint("tool", i), 0, [Fields]string{fmt.Sprintf("get%dThing", i%977), fmt.Sprint("server", i%300),
			fmt.Sprintf("Gets the thing number %d of the list of %d things that customers order.", i%1009, i%31), fmt.Sprintf("id name%d limit offset", i%211)}})
	}
	x := indexOf(entries)
	b.ReportAllocs()
	for b.Loop() {
		x.Search("thing 17 of server 5", 10)
	}
}
