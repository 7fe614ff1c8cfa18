package links

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/weblink"
)

// field reads the lines of a Link field.
func (r *reader) field(lines []string) {
	left, broken := MaxBytes, false
	for _, line := range lines {
		if len(line) > left {
			line, left = cutField(line[:left]), 0
			r.ReportLine(ruleTruncated, 0, "the Link field is longer than %d bytes; lines beyond that were not read", MaxBytes)
		}
		left -= len(line)
		for line = weblink.Trim(line); line != ""; line = weblink.Trim(line) {
			v, rest, ok := weblink.Cut(line)
			line = rest
			if !ok {
				broken = true
				continue
			}
			r.header(v)
		}
		if left == 0 {
			break
		}
	}
	if broken {
		r.ReportLine(ruleSyntax, 0, "a part of the Link field is no link; it is ignored")
	}
}

// cutField returns the beginning of a field up to the last comma, so that no link is read in
// part.
func cutField(line string) string { return line[:max(0, strings.LastIndexByte(line, ','))] }
