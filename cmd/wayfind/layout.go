package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// width returns the number of columns for output, or 0 if there is no limit.
func (a *app) width() int { return widthOf(a.out) }

// widthOf returns $COLUMNS, or the width of the terminal that w writes to, or 0 if w is no
// terminal.
func widthOf(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	f := fileOf(w)
	if f == nil {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}

const (
	// indent is written before the lines below a heading, gap between two columns.
	indent, gap = "  ", "  "
	// narrowest is the smallest width of the last column of a table.
	narrowest = 20
)

// table writes rows in columns, and breaks the text of the last column when the line is full. If
// there is no room for the last column beside the others, it is written below them. It escapes all cells, so that a tab or a line break in a cell does not begin another cell or row.
func (a *app) table(rows [][]string) {
	shown := make([][]string, len(rows))
	for i, row := range rows {
		shown[i] = make([]string, len(row))
		for j, cell := range row {
			shown[i][j] = show(cell)
		}
	}
	columns := columnsOf(shown)
	before := widthBefore(columns)
	room, below := 0, false
	if width := a.width(); width > 0 {
		if room = width - before; room < narrowest {
			room, below = max(narrowest, width-3*len(indent)), true
		}
	}
	for _, row := range shown {
		last := len(row) - 1
		if below && last > 0 {
			a.tableRow(row[:last], columns, row[last], room)
			continue
		}
		lines := []string{""}
		if last >= 0 {
			lines = wrap(row[last], room)
		}
		var b strings.Builder
		for j := range max(last, 0) {
			b.WriteString(pad(row[j], columns[j]) + gap)
		}
		a.line("%s", strings.TrimRight(indent+b.String()+lines[0], " "))
		for _, more := range lines[1:] {
			a.line("%s%s", strings.Repeat(" ", utf8.RuneCountInString(indent+b.String())), more)
		}
	}
}

// fits reports whether the line has room for the last column of a table beside the others.
func (a *app) fits(rows [][]string) bool {
	width := a.width()
	return width == 0 || width-widthBefore(columnsOf(rows)) >= narrowest
}

// widthBefore returns the width of the columns before the last one, and of the gaps.
func widthBefore(columns []int) int {
	before := len(indent)
	for _, n := range columns[:max(0, len(columns)-1)] {
		before += n + len(gap)
	}
	return before
}

// tableRow writes a row of a narrow table: the last cell below the others, unless both fit in one
// line.
func (a *app) tableRow(row []string, columns []int, last string, room int) {
	var cells []string
	for j, cell := range row {
		cells = append(cells, pad(cell, columns[j]))
	}
	first := strings.TrimRight(indent+strings.Join(cells, gap), " ")
	if whole := strings.TrimRight(indent+strings.Join(append(cells, last), gap), " "); utf8.RuneCountInString(whole) <= a.width() {
		a.line("%s", whole)
		return
	}
	if utf8.RuneCountInString(first) > a.width() {
		first = indent + strings.Join(row, " ")
	}
	a.line("%s", first)
	for _, part := range wrap(last, room) {
		if part != "" {
			a.line("%s%s", strings.Repeat(indent, 3), part)
		}
	}
}

// columnsOf returns the widths of the columns of a table. The last cell of a row that is shorter
// than others is a note below a row, and is ignored.
func columnsOf(rows [][]string) []int {
	longest := 0
	for _, row := range rows {
		longest = max(longest, len(row))
	}
	columns := make([]int, longest)
	for _, row := range rows {
		for j, cell := range row {
			if j < len(row)-1 || j == longest-1 {
				columns[j] = max(columns[j], utf8.RuneCountInString(cell))
			}
		}
	}
	return columns
}

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// wrap breaks a text between words into lines of at most n characters. A longer word has a line of
// its own. If n is 0, the length is not limited.
func wrap(s string, n int) []string {
	if n <= 0 || utf8.RuneCountInString(s) <= n {
		return []string{s}
	}
	var lines []string
	line, length := "", 0
	for i, word := range strings.Split(s, " ") {
		size := utf8.RuneCountInString(word)
		if i > 0 && length+1+size > n {
			lines = append(lines, line)
			line, length = "", 0
		} else if i > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+size
	}
	return append(lines, line)
}

// paragraph writes a text below a heading. It breaks each line that is too long.
func (a *app) paragraph(s string) {
	room := 0
	if width := a.width(); width >= narrowest {
		room = width - len(indent)
	}
	for l := range strings.SplitSeq(s, "\n") {
		if l == "" {
			continue
		}
		for _, part := range wrap(show(l), room) {
			a.line("%s%s", indent, part)
		}
	}
}

// indented writes a text after an indent. It breaks lines that are too long.
func (a *app) indented(indent, text string) {
	room := 0
	if width := a.width(); width >= len(indent)+narrowest {
		room = width - len(indent)
	}
	for _, part := range wrap(text, room) {
		a.line("%s%s", indent, part)
	}
}

// hanging writes a text after an indent. Lines after the first have a deeper indent.
func (a *app) hanging(before, text string) {
	room := 0
	if width := a.width(); width >= len(before)+2*len(indent)+narrowest {
		room = width - len(before) - 2*len(indent)
	}
	for i, part := range wrap(text, room) {
		if i == 1 {
			before += indent + indent
		}
		a.line("%s%s", before, part)
	}
}
