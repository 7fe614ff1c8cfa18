package redis

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"
)

// Limits of a reply.
const (
	// replySlack is the length that the texts of a reply may have in addition to the largest value,
	// for greetings and errors, in bytes.
	replySlack = 64 << 10
	// maxElements is the largest number of elements of a reply, including those in its arrays and
	// maps. The greeting has about two dozen.
	maxElements = 1024
	// maxNesting is the largest depth of their nesting. The greeting has three levels.
	maxNesting = 8
)

// errReply reports an invalid reply.
var errReply = errors.New("not a reply")

// errUnasked reports a reply without a request.
var errUnasked = errors.New("a reply without a request")

// guardedConn checks the RESP3 protocol. It ends the connection before the library sees a length
// for which it would allocate too much memory, or a reply that would make it panic: a malformed or
// unexpected reply.
type guardedConn struct {
	net.Conn
	unhook  func() bool
	sign    func()       // notes that the server has sent something
	asked   atomic.Int64 // commands that have been written or begun
	out, in scanner
	err     error // set after an invalid reply
}

// Read implements net.Conn.
func (c *guardedConn) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.Conn.Read(p)
	if n > 0 && c.sign != nil {
		c.sign()
	}
	c.err = c.in.look(p[:n])
	if c.err == nil && c.in.begun > c.asked.Load() {
		c.err = errUnasked
	}
	if c.err != nil {
		return 0, c.err
	}
	return n, err
}

// Write implements net.Conn.
func (c *guardedConn) Write(p []byte) (int, error) {
	if err := c.out.look(p); err != nil {
		return 0, err
	}
	c.asked.Store(c.out.begun)
	return c.Conn.Write(p)
}

// Close implements net.Conn.
func (c *guardedConn) Close() error {
	c.unhook()
	return c.Conn.Close()
}

// scanner follows the structure of one direction. It finds where elements begin and end, but
// ignores their content.
type scanner struct {
	limit int64 // the total limit for the texts of a reply
	begun int64 // number of commands or replies

	texts    int64 // bytes in the texts and words of this reply, so far
	elements int64 // elements of this reply, so far

	kind     byte  // of the element whose line is being read; 0 before it
	number   int64 // the number in the line, so far
	negative bool
	line     int64   // bytes of the line, so far
	last     byte    // the last byte of the line
	skip     int64   // remaining bytes of a text
	open     []int64 // remaining elements of each array and map that is not at its end
}

// look processes the next bytes.
func (c *scanner) look(b []byte) error {
	for len(b) > 0 {
		if c.skip > 0 {
			n := min(c.skip, int64(len(b)))
			b, c.skip = b[n:], c.skip-n
			continue
		}
		if err := c.next(b[0]); err != nil {
			return err
		}
		b = b[1:]
	}
	return nil
}

// next processes one byte of the line that begins an element.
func (c *scanner) next(b byte) error {
	c.line++
	last := c.last
	c.last = b
	if c.kind == 0 {
		c.kind = b
		if len(c.open) == 0 {
			c.begun++
			c.texts, c.elements = 0, 0
		}
		return nil
	}
	switch c.kind {
	case '+', '-', ',', '(', ':', '#', '_':
		// Simple strings, numbers and the like consist of their line only.
		if b == '\n' {
			return c.word(last)
		}
		if c.line > replySlack {
			return fmt.Errorf("%w: a line of more than %d bytes", errReply, replySlack)
		}
	case '$', '!', '=', '*', '~', '%':
		switch {
		case b == '\n' && last == '\r' && c.line > 3:
			return c.length()
		case last == '\r', c.line > 20: // 18 digits
			return errReply
		case b == '-' && c.line == 2:
			c.negative = true
		case b >= '0' && b <= '9':
			c.number = c.number*10 + int64(b-'0')
		case b != '\r':
			return errReply
		}
	default:
		return fmt.Errorf("%w: an element of type %q", errReply, c.kind)
	}
	return nil
}

// word ends an element without a length. The library requires a fixed length of two types.
func (c *scanner) word(last byte) error {
	if last != '\r' || c.kind == '_' && c.line != 3 || c.kind == '#' && c.line != 4 {
		return errReply
	}
	if err := c.text(c.line); err != nil {
		return err
	}
	c.begin()
	c.done()
	return nil
}

// length checks the length of a text, an array or a map.
func (c *scanner) length() error {
	kind, n, null := c.kind, c.number, c.negative
	c.begin()
	switch {
	case null && (n != 1 || kind != '$' && kind != '*'):
		return errReply
	case null:
		c.done()
	case kind == '$' || kind == '!' || kind == '=':
		if err := c.text(n); err != nil {
			return err
		}
		c.skip = n + 2
		c.done()
	default:
		return c.array(kind, n)
	}
	return nil
}

// text counts the bytes of a text. Many small texts take as much memory as a large one.
func (c *scanner) text(n int64) error {
	if n > c.limit-c.texts {
		return fmt.Errorf("%w: texts of more than %d bytes", errReply, c.limit)
	}
	c.texts += n
	return nil
}

// array opens an array, a set or a map of n elements or pairs.
func (c *scanner) array(kind byte, n int64) error {
	if kind == '%' {
		n *= 2
	}
	if n > maxElements-c.elements || len(c.open) == maxNesting {
		return fmt.Errorf("%w: more than %d elements, or more than %d in each other", errReply, maxElements, maxNesting)
	}
	c.elements += n
	if n == 0 {
		c.done()
		return nil
	}
	c.open = append(c.open, n)
	return nil
}

// begin prepares for the next element.
func (c *scanner) begin() {
	c.kind, c.number, c.negative, c.line, c.last = 0, 0, false, 0, 0
}

// done counts one element, and the elements that end with it.
func (c *scanner) done() {
	for len(c.open) > 0 {
		c.open[len(c.open)-1]--
		if c.open[len(c.open)-1] > 0 {
			return
		}
		c.open = c.open[:len(c.open)-1]
	}
}
