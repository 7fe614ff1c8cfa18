package tools

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

// TestRepetitionGainsNothing: a tool that repeats the words of a query does not come
// before one that is about them, and a name that is the query comes first.
func TestRepetitionGainsNothing(t *testing.T) {
	entries := []entry{
		{"send_email", 0, [fields]string{"send_email", "mail", "Sends an email to one person.", "to subject body"}},
		{"spam", 0, [fields]string{"spam", "spam", strings.Repeat("send email ", 3000), strings.Repeat("send email ", 3000)}},
	}
	for i := range 50 {
		entries = append(entries, entry{fmt.Sprint("other", i), 0, [fields]string{fmt.Sprint("other", i), "x", "Does something else with orders and customers.", "id"}})
	}
	x := newIndex(entries)
	if got := x.search("send email", 5); got[0].tool != 0 {
		t.Errorf("%+v", got)
	}
	if got := x.search("spam", 5); got[0].tool != 1 {
		t.Errorf("%+v", got)
	}
	if got := x.search(strings.Repeat("send ", 10)+"email", 5); got[0].tool != 0 {
		t.Errorf("%+v", got)
	}
}

// The estimate is that of the classes of characters.
func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "word": 1, "internationalization": 4, "a b": 3, "123": 2, "日本": 2, `{"a":1}`: 4} {
		if got := EstimateTokens(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	var entries []entry
	for i := range 100_000 {
		entries = append(entries, entry{fmt.Sprint("tool", i), 0, [fields]string{fmt.Sprintf("get%dThing", i%977), fmt.Sprint("server", i%300),
			fmt.Sprintf("Gets the thing number %d of the list of %d things that customers order.", i%1009, i%31), fmt.Sprintf("id name%d limit offset", i%211)}})
	}
	x := newIndex(entries)
	b.ReportAllocs()
	for b.Loop() {
		x.search("thing 17 of server 5", 10)
	}
}
