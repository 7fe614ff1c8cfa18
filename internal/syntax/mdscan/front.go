package mdscan

import "strings"

// front removes the front matter. It begins with the first line of the text, after an optional
// byte order mark, which must be exactly "---". Only another such line ends it. front returns
// the line on which the rest begins.
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

// isFence reports whether a line consists of three dashes. Spaces may follow.
func isFence(line string) bool {
	return strings.TrimRight(line, " \t") == "---"
}

func (d *Doc) find(what What, line int) {
	d.Findings = append(d.Findings, Finding{what, line})
}
