package llmstxt

// Link is a link in a text: its URL and its place in bytes.
type Link struct {
	URL        string
	Start, End int
}

// LinksOf returns the links of a text.
func LinksOf(text string) []Link {
	var list []Link
	for _, l := range linksOf(text, nil) {
		list = append(list, Link{l.url, l.start, l.end})
	}
	return list
}
