package gate

import (
	"encoding/binary"
	"hash/maphash"
	"time"
)

// faded remembers keys that were taken some time ago, in 12 bytes each: a hash of
// the key, and the second in which it ends. A process that asks many sites takes a
// key for each of them, and nearly never meets one again. Two keys with one hash are
// taken together; among millions of keys that is one chance in 10^12 for the next
// one. It is not safe for concurrent use.
type faded struct {
	max   int
	seed  maphash.Seed
	since time.Duration       // the monotonic time from which ends count
	ends  map[[8]byte][4]byte // seconds, rounded up
	room  int                 // at this size the ended keys are looked for
}

// leastRoom is the size up to which ended keys are not looked for.
const leastRoom = 1 << 12

func newFaded(limit int) *faded {
	return &faded{max: limit, seed: maphash.MakeSeed(), ends: map[[8]byte][4]byte{}, room: leastRoom}
}

func hashed(sum uint64) (h [8]byte) {
	binary.NativeEndian.PutUint64(h[:], sum)
	return h
}

// put takes a key until a moment, or reports that there is no room.
func (f *faded) put(key string, end, now time.Duration) bool {
	if len(f.ends) == 0 {
		f.since = now
	}
	if len(f.ends) >= f.room {
		f.forget(now)
		if len(f.ends) >= f.max {
			return false
		}
		f.room = max(2*len(f.ends), leastRoom)
	}
	if len(f.ends) >= f.max {
		return false
	}
	var seconds [4]byte
	binary.NativeEndian.PutUint32(seconds[:], uint32((end-f.since+time.Second-1)/time.Second))
	f.ends[hashed(maphash.String(f.seed, key))] = seconds
	return true
}

// left returns for how long a key is still taken; zero for no such key.
func (f *faded) left(key string, now time.Duration) time.Duration {
	if len(f.ends) == 0 {
		return 0
	}
	if seconds, ok := f.ends[hashed(maphash.String(f.seed, key))]; ok {
		return max(f.moment(seconds)-now, 0)
	}
	return 0
}

// has reports whether there is a key, ended or not.
func (f *faded) has(key []byte) bool {
	if len(f.ends) == 0 {
		return false
	}
	_, ok := f.ends[hashed(maphash.Bytes(f.seed, key))]
	return ok
}

func (f *faded) forget(now time.Duration) {
	for key, seconds := range f.ends {
		if f.moment(seconds) <= now {
			delete(f.ends, key)
		}
	}
}

func (f *faded) moment(seconds [4]byte) time.Duration {
	return f.since + time.Duration(binary.NativeEndian.Uint32(seconds[:]))*time.Second
}
