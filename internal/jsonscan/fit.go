package jsonscan

import (
	"bytes"
	"slices"
)

// Fit reads as much of a body as [Scan] would accept. It is for documents of which a
// part is of use, such as lists, when Scan has refused them for MaxDepth, MaxName or
// MaxNodes. A value that is nested too deep becomes an empty string. A member whose
// name is too long, and all values after the first MaxNodes, are left out. [Node.Left]
// and [Node.Whole] say where, and [Node.Raw] is as written, without these parts. Inside
// of them only brackets and strings are checked; the rest is as strict as in Scan.
func Fit(body []byte) (*Doc, error) {
	f := fitter{body: body, out: bytes.Clone(body), left: map[uint32]int{}}
	if len(body) <= MaxBytes {
		f.fit()
	}
	doc, err := Scan(f.out)
	if err != nil {
		return nil, err
	}
	slices.Sort(f.holes)
	doc.left, doc.holes = f.left, f.holes
	return doc, nil
}

// Left returns the number of elements or members that [Fit] left out of the
// value.
func (n Node) Left() int {
	if e := n.node(); e != nil {
		return n.doc.left[e.start]
	}
	return 0
}

// Whole reports whether [Fit] kept the whole value, at every depth.
func (n Node) Whole() bool {
	e := n.node()
	if e == nil {
		return true
	}
	i, _ := slices.BinarySearch(n.doc.holes, e.start)
	return i == len(n.doc.holes) || n.doc.holes[i] >= e.end
}

// fitter overwrites with blanks the values beyond the limits, so that offsets stay.
type fitter struct {
	body, out []byte
	open      []container
	values    int
	left      map[uint32]int // by the offset of the container
	holes     []uint32
}

// container is one that is open.
type container struct {
	start  int
	object bool
	kept   bool // a value in it is kept
	comma  int  // the one before the value that comes next, -1 without
	name   int  // where the name of that value begins, -1 without
	long   bool // that name is too long
}

// fit goes over the body once. It stops where the body cannot be JSON: Scan
// says why.
func (f *fitter) fit() {
	for i := 0; i < len(f.body); {
		top := f.top()
		switch c := f.body[i]; {
		case c == ',' && top != nil:
			top.comma, top.name, top.long = i, -1, false
			i++
		case (c == ']' || c == '}') && top != nil:
			f.open = f.open[:len(f.open)-1]
			i++
		case c == '"' && top != nil && top.object && top.name < 0:
			end := skipString(f.body, i)
			top.name, top.long = i, end-i-2 > MaxName
			i = end
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ':' || c >= 0x80 && f.values == 0:
			i++ // a byte order mark is not of ASCII
		case c == ',' || c == ']' || c == '}':
			return
		default:
			i = f.value(i, top)
		}
	}
}

func (f *fitter) top() *container {
	if len(f.open) == 0 {
		return nil
	}
	return &f.open[len(f.open)-1]
}

// value goes over a scalar, or into a container, and returns where to go on.
func (f *fitter) value(i int, in *container) int {
	nests := f.body[i] == '{' || f.body[i] == '['
	if in != nil && (f.values >= MaxNodes || in.long) {
		end := skip(f.body, i)
		f.leaveOut(in, i, end)
		return end
	}
	f.values++
	if in != nil {
		if in.comma >= 0 && !in.kept && f.left[uint32(in.start)] > 0 {
			f.out[in.comma] = ' ' // all before it were left out
		}
		in.kept, in.comma = true, -1
	}
	if !nests {
		return skip(f.body, i)
	}
	if len(f.open) == MaxDepth {
		end := skip(f.body, i)
		blank(f.out[i:end])
		copy(f.out[i:end], `""`)
		f.holes = append(f.holes, uint32(i))
		return end
	}
	f.open = append(f.open, container{start: i, object: f.body[i] == '{', comma: -1, name: -1})
	return i + 1
}

// leaveOut blanks a value with its name and the comma before it.
func (f *fitter) leaveOut(in *container, i, end int) {
	from := i
	if in.name >= 0 {
		from = in.name
	}
	if in.comma >= 0 {
		f.out[in.comma] = ' '
	}
	blank(f.out[from:end])
	at := uint32(in.start)
	if f.left[at]++; f.left[at] == 1 {
		f.holes = append(f.holes, uint32(from))
	}
}

// blank keeps the lines, which messages count.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// skip returns the end of the value that begins at i.
func skip(body []byte, i int) int {
	depth := 0
	for i < len(body) {
		switch body[i] {
		case '"':
			i = skipString(body, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			i++
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// skipString returns the end of the string that begins at i.
func skipString(body []byte, i int) int {
	for i++; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(body)
}
