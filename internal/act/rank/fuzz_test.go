package rank

import "testing"

// FuzzSearch checks that no text of a site or of a model causes a panic in an index, and that
// the results are ordered by score.
func FuzzSearch(f *testing.F) {
	f.Add("getHTTPResponse2", "Gets it.", "http response")
	f.Add("\xff\u202e", "検索する。ค้นหา", "検索")
	f.Add("", "a a a a a", "a the")
	f.Fuzz(func(t *testing.T, name, text, query string) {
		x := indexOf([]Entry{
			{Name: "a", Text: [Fields]string{Name: name, Description: text}},
			{Name: "b", Rank: 1, Text: [Fields]string{Name: text, Parameters: name}},
			{Name: "c", Text: [Fields]string{Server: query}},
		})
		for most := range 5 {
			hits := x.Search(query, most)
			if len(hits) > most {
				t.Fatalf("%d hits of at most %d", len(hits), most)
			}
			for i, hit := range hits {
				if hit.Score <= 0 || i > 0 && hit.Score > hits[i-1].Score {
					t.Errorf("%+v", hits)
				}
			}
		}
	})
}
