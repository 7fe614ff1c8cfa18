package jsonscan

import (
	"bytes"
	"slices"
)

// Fit reads as much of a body as [Scan] would accept. Use it for documents that are useful in
// part, such as lists, if Scan has refused them for MaxDepth, MaxName or MaxNodes. A value that
// is nested too deeply becomes an empty string. A member with a name that is too long, and all
// values after the first MaxNodes, are omitted. [Node.Left] and [Node.Whole] report them.
// [Node.Raw] returns the text as written, without the omitted parts. Inside these parts Fit
// only checks brackets and strings. The rest is checked as strictly as in Scan.
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

// Left returns the number of elements or members of the value that [Fit] omitted.
func (n Node) Left() int {
	if e := n.node(); e != nil {
		return n.doc.left[e.start]
	}
	return 0
}

// Whole reports whether [Fit] kept the whole value, at all depths.
func (n Node) Whole() bool {
	e := n.node()
	if e == nil {
		return true
	}
	i, _ := slices.BinarySearch(n.doc.holes, e.start)
	return i == len(n.doc.holes) || n.doc.holes[i] >= e.end
}

// fitter overwrites the values beyond the limits with spaces, so that offsets do not change.
type fitter struct {
	body, out []byte
	open      []container
	values    int
	left      map[uint32]int // by the offset of the container
	holes     []uint32
}

// container is an open container.
type container struct {
	start  int
	object bool
	kept   bool // a value in it is kept
	comma  int  // the offset of the comma before the next value, or -1
	name   int  // the start of the name of that value, or -1
	long   bool // the name is too long
}

// fit passes over the body once. It stops where the body is not JSON, and Scan then returns the
// reason.
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
			i++ // a byte order mark is not ASCII
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

// value passes over a scalar, or into a container, and returns the offset after it.
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
			f.out[in.comma] = ' ' // all values before it were omitted
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

// leaveOut overwrites a value with its name and the comma before it.
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

// blank overwrites text with spaces, but keeps the line breaks, because messages contain line
// numbers.
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
