package ui

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Width returns the number of columns for output, or 0 if there is no limit.
func (a *App) Width() int { return WidthOf(a.Out) }

// WidthOf returns $COLUMNS, or the width of the terminal that w writes to, or 0 if w is no
// terminal.
func WidthOf(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	f := FileOf(w)
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
	// Indent is written before the lines below a heading, gap between two columns.
	Indent, gap = "  ", "  "
	// narrowest is the smallest width of the last column of a table.
	narrowest = 20
)

// Table writes rows in columns, and breaks the text of the last column when the line is full. If
// there is no room for the last column beside the others, it is written below them. It escapes all cells, so that a tab or a line break in a cell does not begin another cell or row.
func (a *App) Table(rows [][]string) {
	shown := make([][]string, len(rows))
	for i, row := range rows {
		shown[i] = make([]string, len(row))
		for j, cell := range row {
			shown[i][j] = Show(cell)
		}
	}
	columns := columnsOf(shown)
	before := widthBefore(columns)
	room, below := 0, false
	if width := a.Width(); width > 0 {
		if room = width - before; room < narrowest {
			room, below = max(narrowest, width-3*len(Indent)), true
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
			lines = Wrap(row[last], room)
		}
		var b strings.Builder
		for j := range max(last, 0) {
			b.WriteString(pad(row[j], columns[j]) + gap)
		}
		a.Line("%s", strings.TrimRight(Indent+b.String()+lines[0], " "))
		for _, more := range lines[1:] {
			a.Line("%s%s", strings.Repeat(" ", cells(Indent+b.String())), more)
		}
	}
}

// Fits reports whether the line has room for the last column of a table beside the others.
func (a *App) Fits(rows [][]string) bool {
	width := a.Width()
	return width == 0 || width-widthBefore(columnsOf(rows)) >= narrowest
}

// widthBefore returns the width of the columns before the last one, and of the gaps.
func widthBefore(columns []int) int {
	before := len(Indent)
	for _, n := range columns[:max(0, len(columns)-1)] {
		before += n + len(gap)
	}
	return before
}

// tableRow writes a row of a narrow table: the last cell below the others, unless both fit in one
// line.
func (a *App) tableRow(row []string, columns []int, last string, room int) {
	var parts []string
	for j, cell := range row {
		parts = append(parts, pad(cell, columns[j]))
	}
	first := strings.TrimRight(Indent+strings.Join(parts, gap), " ")
	if whole := strings.TrimRight(Indent+strings.Join(append(parts, last), gap), " "); cells(whole) <= a.Width() {
		a.Line("%s", whole)
		return
	}
	if cells(first) > a.Width() {
		first = Indent + strings.Join(row, " ")
	}
	a.Line("%s", first)
	for _, part := range Wrap(last, room) {
		if part != "" {
			a.Line("%s%s", strings.Repeat(Indent, 3), part)
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
				columns[j] = max(columns[j], cells(cell))
			}
		}
	}
	return columns
}

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-cells(s)))
}

// cells returns the width of a text in cells of a terminal: two for a character of Chinese or Japanese,
// none for a mark that joins the letter before it (Unicode UAX #11, UAX #29).
func cells(s string) int { return uniseg.StringWidth(s) }

// Wrap breaks a text between words into lines of at most n cells. A longer word has a line of its own,
// unless it is of a script that puts no blanks between words: then it is broken where the script allows it
// (Unicode UAX #14). If n is 0, the length is not limited.
func Wrap(s string, n int) []string {
	if n <= 0 || cells(s) <= n {
		return []string{s}
	}
	var lines []string
	line, length := "", 0
	for i, word := range strings.Split(s, " ") {
		for k, part := range partsOf(word) {
			size, blank := cells(part), ""
			if k == 0 && i > 0 {
				blank = " "
			}
			if length+len(blank)+size > n && (k == 0 && i > 0 || length > 0) {
				lines = append(lines, line)
				line, length, blank = "", 0, ""
			}
			line, length = line+blank+part, length+len(blank)+size
		}
	}
	return append(lines, line)
}

// partsOf returns the parts of a word between which a line may end: the word alone, or the parts of a word
// with wide characters.
func partsOf(word string) (parts []string) {
	if cells(word) == utf8.RuneCountInString(word) {
		return []string{word}
	}
	for rest, state := word, -1; rest != ""; {
		var part string
		part, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		parts = append(parts, part)
	}
	return parts
}

// Paragraph writes a text below a heading. It breaks each line that is too long.
func (a *App) Paragraph(s string) {
	room := 0
	if width := a.Width(); width >= narrowest {
		room = width - len(Indent)
	}
	for l := range strings.SplitSeq(s, "\n") {
		if l == "" {
			continue
		}
		for _, part := range Wrap(Show(l), room) {
			a.Line("%s%s", Indent, part)
		}
	}
}

// Indented writes a text after an indent. It breaks lines that are too long.
func (a *App) Indented(indent, text string) {
	room := 0
	if width := a.Width(); width >= len(indent)+narrowest {
		room = width - len(indent)
	}
	for _, part := range Wrap(text, room) {
		a.Line("%s%s", indent, part)
	}
}

// Hanging writes a text after an indent. Lines after the first have a deeper indent.
func (a *App) Hanging(before, text string) {
	room := 0
	if width := a.Width(); width >= len(before)+2*len(Indent)+narrowest {
		room = width - len(before) - 2*len(Indent)
	}
	for i, part := range Wrap(text, room) {
		if i == 1 {
			before += Indent + Indent
		}
		a.Line("%s%s", before, part)
	}
}
