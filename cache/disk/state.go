package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// A generation, numbers in big-endian order:
//
//	magic and version   4 bytes
//	SHA-256             32 bytes, over all that follows
//	for each key
//	  token             16 bytes, zero when it is not taken
//	  taken at, until   8 bytes each, as in an entry file
//	  cooled at, until  8 bytes each
//	  length of the key 4 bytes
//	  key
const (
	stateMagic = "wfo\x02"
	statesAt   = len(stateMagic) + sha256.Size
	takenAt    = tokenSize
	cooledAt   = takenAt + 16
	keySizeAt  = cooledAt + 16
	stateSize  = keySizeAt + 4
)

const (
	tokenSize = 16
	// maxState is the largest size of a generation that is read, in bytes. No key is longer than a
	// megabyte.
	maxState = 1 << 20
	// maxShared is the largest number of keys in the directory of a host. If a host has more
	// pauses, those that end soonest are lost. maxSharedKey is the longest of these keys. Together
	// they bound the bytes that one pause costs.
	maxShared    = 64
	maxSharedKey = 512
)

// directoryOf returns the name of the directory of a key. The pauses of a host share one. A lease
// has its own, because the lock on a generation applies to all keys in it.
func directoryOf(key string) string {
	if strings.HasPrefix(key, cache.LeasePrefix) || len(key) > maxSharedKey {
		return hashOf(key)
	}
	if name, ok := gate.ParseKey(key); ok {
		return hashOf(hostPrefix + name.Host)
	}
	return hashOf(key)
}

// hostPrefix begins the name of a host's directory, so that no key has the same.
const hostPrefix = "host\n"

// token identifies the call that has taken an obligation.
type token [tokenSize]byte

// state is the state of one key. taken is by a call that may give it back, cooled is by a
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

// encode returns the content of a generation.
func encode(states []state) []byte {
	b := make([]byte, statesAt, statesAt+2*stateSize*len(states))
	copy(b, stateMagic)
	for _, st := range states {
		b = append(b, st.token[:]...)
		for _, t := range [...]time.Time{st.taken.at, st.taken.until, st.cooled.at, st.cooled.until} {
			b = binary.BigEndian.AppendUint64(b, uint64(t.UnixMicro()))
		}
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(st.key))), st.key...)
	}
	sum := sha256.Sum256(b[statesAt:])
	copy(b[len(stateMagic):], sum[:])
	return b
}

// decode reads the form that encode writes. reason is empty if it is valid.
func decode(b []byte) (states []state, reason string) {
	switch {
	case len(b) < statesAt:
		return nil, cutShort
	case string(b[:len(stateMagic)]) != stateMagic:
		return nil, "not a file of this version"
	case sha256.Sum256(b[statesAt:]) != [sha256.Size]byte(b[len(stateMagic):statesAt]):
		return nil, "wrong checksum"
	}
	for b = b[statesAt:]; len(b) > 0; {
		if len(b) < stateSize {
			return nil, cutShort
		}
		st := state{
			token:  token(b[:takenAt]),
			taken:  span{timeAt(b[takenAt:]), timeAt(b[takenAt+8:])},
			cooled: span{timeAt(b[cooledAt:]), timeAt(b[cooledAt+8:])},
		}
		for _, p := range [...]span{st.taken, st.cooled} {
			if d := p.until.Sub(p.at); d < 0 || d > maxHold {
				return nil, "an end out of bounds"
			}
		}
		size := int64(binary.BigEndian.Uint32(b[keySizeAt:]))
		if b = b[stateSize:]; size > int64(len(b)) {
			return nil, cutShort
		}
		st.key, b = string(b[:size]), b[size:]
		states = append(states, st)
	}
	return states, ""
}

const cutShort = "cut off"

// readStates reads a generation. It returns an error that wraps cache.ErrCorrupt if the file is not
// valid.
func (s *Store) readStates(hash string, g generation) ([]state, error) {
	path := generationPath(hash, g.number)
	if !g.info.Mode().IsRegular() || g.info.Size() > maxState {
		return nil, notState(path, "not a file of ours")
	}
	file, err := s.files.open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	fi, err := file.Stat()
	switch {
	case err != nil:
		return nil, failed("stat", path, err)
	case !os.SameFile(g.info, fi) || fi.Size() > maxState:
		return nil, notState(path, "another file")
	}
	data := make([]byte, fi.Size())
	err = s.files.read(path, file, data)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, notState(path, cutShort)
	case err != nil:
		return nil, err
	}
	states, reason := decode(data)
	if reason == "" && slices.ContainsFunc(states, func(st state) bool { return directoryOf(st.key) != hash }) {
		reason = "the state of another key"
	}
	if reason != "" {
		return nil, notState(path, reason)
	}
	return states, nil
}

func notState(path, reason string) error {
	return failed("load", path, fmt.Errorf("%w: %s", cache.ErrCorrupt, reason))
}
