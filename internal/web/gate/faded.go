package gate

import (
	"encoding/binary"
	"hash/maphash"
	"time"
)

// faded remembers keys that were taken or held some time ago, as a hash of 7 bytes with the
// minute in which they end. A process that contacts many sites has one or two keys for each of
// them, and almost never needs a key again. Keys with the same hash end together. For a key
// among a million others, the probability is 1 in 10^10. It is not safe for concurrent use.
type faded struct {
	max  int
	seed maphash.Seed
	n    int
	ends map[fadedEnd]map[[7]byte]struct{}
}

// fadedEnd holds the values that many keys share.
type fadedEnd struct {
	minute int64 // of monotonic time, rounded up
	reason string
}

func newFaded(limit int) *faded {
	return &faded{max: limit, seed: maphash.MakeSeed(), ends: map[fadedEnd]map[[7]byte]struct{}{}}
}

// put adds a key that ends at a time. It returns false if there is no room.
func (f *faded) put(key, reason string, end, now time.Duration) bool {
	if f.n >= f.max {
		return false
	}
	minute := int64(end / time.Minute)
	if momentAt(minute) < end {
		minute++
	}
	at := fadedEnd{minute, reason}
	keys := f.ends[at]
	if keys == nil {
		f.forget(now)
		keys = map[[7]byte]struct{}{}
		f.ends[at] = keys
	}
	f.n -= len(keys)
	keys[shortHash(maphash.String(f.seed, key))] = struct{}{}
	f.n += len(keys)
	return true
}

// forget removes the keys that have ended.
func (f *faded) forget(now time.Duration) {
	for at, keys := range f.ends {
		if momentAt(at.minute) <= now {
			f.n -= len(keys)
			delete(f.ends, at)
		}
	}
}

// left returns the remaining time of a key, and its reason; zero if there is no such key.
func (f *faded) left(key string, now time.Duration) (left time.Duration, reason string) {
	if f.n == 0 {
		return 0, ""
	}
	h := shortHash(maphash.String(f.seed, key))
	for at, keys := range f.ends {
		if more := momentAt(at.minute) - now; more > left {
			if _, ok := keys[h]; ok {
				left, reason = more, at.reason
			}
		}
	}
	return left, reason
}

// has reports whether there is a key, ended or not.
func (f *faded) has(key []byte) bool {
	if f.n == 0 {
		return false
	}
	h := shortHash(maphash.Bytes(f.seed, key))
	for _, keys := range f.ends {
		if _, ok := keys[h]; ok {
			return true
		}
	}
	return false
}

func momentAt(minute int64) time.Duration { return time.Duration(minute) * time.Minute }

func shortHash(sum uint64) (h [7]byte) {
	var all [8]byte
	binary.NativeEndian.PutUint64(all[:], sum)
	copy(h[:], all[:])
	return h
}
