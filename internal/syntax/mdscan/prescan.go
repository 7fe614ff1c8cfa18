package mdscan

import "strings"

// prepared is the text for goldmark: the lines that are read, each with its number in the body.
type prepared struct {
	text   []byte
	starts []int
	origin []int
}

// prepare returns the text for goldmark from line first on. It takes one pass over the body,
// and removes constructs that make goldmark slow: deep nesting in one line, and blank lines,
// each of which costs as much as all open lists together.
func (d *Doc) prepare(first int) *prepared {
	p := &prepared{text: make([]byte, 0, len(d.lines.text))}
	blank := true
	for n := first; n <= len(d.lines.starts); n++ {
		line := d.Lines(n, n)
		if count(line) > MaxMarkers {
			d.find(TooDeep, n)
			line = ""
		}
		indent, rest := indentation(line)
		if rest == "" && blank {
			continue
		}
		blank = rest == ""
		p.starts, p.origin = append(p.starts, len(p.text)), append(p.origin, n)
		switch {
		case blank:
		case indent > MaxIndent:
			p.text = append(append(p.text, strings.Repeat(" ", MaxIndent)...), rest...)
		default:
			p.text = append(p.text, line...)
		}
		p.text = append(p.text, '\n')
	}
	return p
}

// indentation returns the columns of spaces at the beginning of a line, and the rest without
// spaces at the end.
func indentation(line string) (columns int, rest string) {
	rest = strings.TrimLeft(line, " \t")
	for _, c := range line[:len(line)-len(rest)] {
		if c == '\t' {
			columns += 4 - columns%4
		} else {
			columns++
		}
	}
	return columns, strings.TrimRight(rest, " \t\r")
}

// count returns the number of markers of quotes and lists at the beginning of a line: ">", and
// "-", "+", "*", "1." and "1)" before a space or the end.
func count(line string) (markers int) {
	for {
		line = strings.TrimLeft(line, " \t")
		n := marker(line)
		if n == 0 {
			return markers
		}
		line = line[n:]
		markers++
	}
}

// marker returns the length of the marker at the beginning of text, or 0.
func marker(text string) int {
	if text == "" {
		return 0
	}
	n := 1
	switch c := text[0]; {
	case c == '>':
		return 1
	case c == '-', c == '+', c == '*':
	case c >= '0' && c <= '9':
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		if digits == len(text) || text[digits] != '.' && text[digits] != ')' {
			return 0
		}
		n = digits + 1
	default:
		return 0
	}
	if n < len(text) && text[n] != ' ' && text[n] != '\t' && text[n] != '\r' {
		return 0
	}
	return n
}
