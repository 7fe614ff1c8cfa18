package mdscan

import "strings"

// front splits the front matter off. Its opening line is the first of the text,
// behind a byte order mark at most, and nothing but "---"; only another such
// line closes it. It returns the line on which the rest begins.
func (d *Doc) front() (next int) {
	if !isFence(d.Lines(1, 1)) {
		return 1
	}
	for n := 2; n <= len(d.lines.starts); n++ {
		if isFence(d.Lines(n, n)) {
			d.HasFront, d.FrontLine = true, 2
			d.Front = d.lines.text[d.lines.starts[1]:d.lines.starts[n-1]]
			return n + 1
		}
	}
	d.find(UnclosedFront, 1)
	return 1
}

// isFence reports lines of three dashes; blanks may follow.
func isFence(line string) bool {
	return strings.TrimRight(line, " \t") == "---"
}

func (d *Doc) find(what What, line int) {
	d.Findings = append(d.Findings, Finding{what, line})
}
