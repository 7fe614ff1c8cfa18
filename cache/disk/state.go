package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// A generation of an obligation, numbers in big-endian order:
//
//	magic and version   4 bytes
//	SHA-256             32 bytes, over all that follows
//	token               16 bytes, zero when it is not taken
//	taken at, until     8 bytes each, as in an entry file
//	cooled at, until    8 bytes each
//	key
const (
	stateMagic = "wfo\x01"
	tokenAt    = len(stateMagic) + sha256.Size
	takenAt    = tokenAt + tokenSize
	cooledAt   = takenAt + 16
	stateSize  = cooledAt + 16
)

const (
	tokenSize = 16
	// maxState is the largest size of a generation that is read, in bytes. No key is longer than a
	// megabyte.
	maxState = 1 << 20
)

// token identifies the call that has taken an obligation.
type token [tokenSize]byte

// state is the state of an obligation. taken is by a call that may give it back, cooled is by a
// call that may not.
type state struct {
	token         token
	taken, cooled span
	key           string
}

// span is the time when something began, by the clock of the process that began it, and the time
// when it ends. It is zero if it never began.
type span struct{ at, until time.Time }

// spanOf returns a span with times in the range and the precision of a file.
func spanOf(now, until time.Time) span {
	if limit := now.Add(maxHold); until.After(limit) {
		until = limit
	}
	return span{now.Truncate(time.Microsecond), until.Truncate(time.Microsecond)}
}

// repair restarts a span that began in the future because the clock was set back. It then lasts as
// long as it was meant to last.
func (st *state) repair(now time.Time) bool {
	taken, cooled := st.taken.repair(now), st.cooled.repair(now)
	return taken || cooled
}

func (p *span) repair(now time.Time) bool {
	if !p.at.After(now.Add(futureSlack)) {
		return false
	}
	*p = spanOf(now, now.Add(p.until.Sub(p.at)))
	return true
}

// end returns the time when the last span of the state ends.
func (st *state) end() time.Time { return latest(st.taken.until, st.cooled.until) }

// held returns the end of the present hold, or zero if there is none.
func (st *state) held(now time.Time) time.Time {
	end := st.end()
	if !end.After(now) {
		return time.Time{}
	}
	if limit := now.Add(maxHold); end.After(limit) {
		return limit
	}
	return end
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// encode returns the content of the file.
func (st *state) encode() []byte {
	b := make([]byte, stateSize, stateSize+len(st.key))
	copy(b, stateMagic)
	copy(b[tokenAt:], st.token[:])
	for i, t := range [...]time.Time{st.taken.at, st.taken.until, st.cooled.at, st.cooled.until} {
		binary.BigEndian.PutUint64(b[takenAt+8*i:], uint64(t.UnixMicro()))
	}
	b = append(b, st.key...)
	sum := sha256.Sum256(b[tokenAt:])
	copy(b[len(stateMagic):], sum[:])
	return b
}

// decodeState reads the form that encode writes. reason is empty if it is valid.
func decodeState(b []byte) (st state, reason string) {
	switch {
	case len(b) < stateSize:
		return st, "cut off"
	case string(b[:len(stateMagic)]) != stateMagic:
		return st, "not a file of this version"
	case sha256.Sum256(b[tokenAt:]) != [sha256.Size]byte(b[len(stateMagic):tokenAt]):
		return st, "wrong checksum"
	}
	st.token = token(b[tokenAt:takenAt])
	st.taken = span{timeAt(b[takenAt:]), timeAt(b[takenAt+8:])}
	st.cooled = span{timeAt(b[cooledAt:]), timeAt(b[cooledAt+8:])}
	st.key = string(b[stateSize:])
	for _, p := range [...]span{st.taken, st.cooled} {
		if d := p.until.Sub(p.at); d < 0 || d > maxHold {
			return state{}, "an end out of bounds"
		}
	}
	return st, ""
}

// readState reads a generation. It returns an error that wraps cache.ErrCorrupt if the file
// contains no valid state.
func (s *Store) readState(hash string, g generation) (state, error) {
	path := generationPath(hash, g.number)
	if !g.info.Mode().IsRegular() || g.info.Size() > maxState {
		return state{}, notState(path, "not a file of ours")
	}
	file, err := s.files.open(path)
	if err != nil {
		return state{}, err
	}
	defer file.Close()
	fi, err := file.Stat()
	switch {
	case err != nil:
		return state{}, failed("stat", path, err)
	case !os.SameFile(g.info, fi) || fi.Size() > maxState:
		return state{}, notState(path, "another file")
	}
	data := make([]byte, fi.Size())
	err = s.files.read(path, file, data)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return state{}, notState(path, "cut off")
	case err != nil:
		return state{}, err
	}
	st, reason := decodeState(data)
	if reason == "" && hashOf(st.key) != hash {
		reason = "the state of another key"
	}
	if reason != "" {
		return state{}, notState(path, reason)
	}
	return st, nil
}

func notState(path, reason string) error {
	return failed("load", path, fmt.Errorf("%w: %s", cache.ErrCorrupt, reason))
}
