package redis

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash"
	"slices"
	"strconv"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// schema is the number in the names of obligations, which all versions share. The names of entries and
// of generations contain cache.Schema, so that those of other versions have other names.
const schema = 1

// A value, numbers in big-endian order:
//
//	magic and version     4 bytes
//	key id                4 bytes, zero without a key
//	MAC                   32 bytes, over the name in Redis and all that follows
//	generation            32 bytes, see generations.go
//	origin                8 bytes, a part of the hash of its name
//	saved                 8 bytes, microseconds as time.UnixMicro counts them
//	retain until          8 bytes
//	store that saved it   8 bytes, and its monotonic time, 8 bytes
//	length of the key     4 bytes
//	key, entries          as Variants.MarshalBinary writes them, or Record.MarshalBinary
const (
	magic          = "wfr\x03"
	idAt           = len(magic)
	idSize         = 4
	macAt          = idAt + idSize
	generationAt   = macAt + sha256.Size
	generationSize = 2 * textSize
	originAt       = generationAt + generationSize
	savedAt        = originAt + len(originID{})
	retainAt       = savedAt + 8
	byAt           = retainAt + 8
	monoAt         = byAt + len(storeID{})
	keyAt          = monoAt + 8
	headSize       = keyAt + 4
)

// originID identifies an origin, storeID one open Store.
type (
	originID [8]byte
	storeID  [8]byte
)

// originOf returns the ID of the origin of a key.
func originOf(key string) originID { return idOf(cache.ScopesOf(key)[1]) }

func idOf(s cache.Scope) originID {
	sum := sha256.Sum256([]byte(s.String()))
	return originID(sum[:len(originID{})])
}

// times are the time when a value was saved, the store that saved it, and the time until which it
// is kept.
type times struct {
	saved, until time.Time
	by           storeID
	mono         time.Duration
}

// futureSlack is the tolerated lead of another host's clock.
const futureSlack = time.Minute

// maxKeys is the largest number of keys of a store.
const maxKeys = 16

// kind is the last part of a name.
type kind string

const (
	kindEntry kind = "a" // answers, or a record
	kindCount kind = "g" // the numbers of an origin, or of everything
	kindTaken kind = "t" // an obligation that can be given back
	kindHeld  kind = "h" // an obligation that cannot be given back
)

// name returns the key in Redis. The hash hides the URL and limits the length. The braces keep all
// kinds of one key together if a server has several parts.
func (s *Store) name(key string, k kind) string {
	sum := sha256.Sum256([]byte(key))
	number := schema
	if k == kindEntry || k == kindCount {
		number = s.entries
	}
	return s.prefix + strconv.Itoa(number) + ":{" + base64.RawURLEncoding.EncodeToString(sum[:]) + "}:" + string(k)
}

// sealer writes and reads values.
type sealer struct {
	keys []sealKey // the first key is used for writing
}

// sealKey is a key for authentication. Its id in a value identifies the key to use.
type sealKey struct {
	id     [idSize]byte
	mac    []byte // nil for a checksum, which proves nothing about the writer
	digest []byte // see Store.DigestKeys
}

// newSealer derives its keys from the caller's keys.
func newSealer(opts *Options) (sealer, error) {
	if opts.Key == nil {
		if !opts.InsecureUnauthenticated {
			return sealer{}, ErrNoKey
		}
		if len(opts.OldKeys) > 0 {
			return sealer{}, errors.New("redis: OldKeys without Key")
		}
		return sealer{keys: []sealKey{{}}}, nil
	}
	if opts.InsecureUnauthenticated {
		return sealer{}, errors.New("redis: Key and InsecureUnauthenticated contradict each other")
	}
	all := append([][]byte{opts.Key}, opts.OldKeys...)
	if len(all) > maxKeys {
		return sealer{}, errors.New("redis: too many keys")
	}
	var s sealer
	for _, key := range all {
		if len(key) < MinKey {
			return sealer{}, ErrShortKey
		}
		s.keys = append(s.keys, deriveKey(key))
	}
	return s, nil
}

// deriveKey derives the id, which is visible, and the secret key for the MAC from a key.
func deriveKey(key []byte) sealKey {
	derive := func(label string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte("wayfind cache/redis " + label))
		return h.Sum(nil)
	}
	k := sealKey{mac: derive("mac"), digest: derive("digest")}
	copy(k.id[:], derive("id"))
	return k
}

// sum returns the MAC of a value with its name.
func (k *sealKey) sum(name string, value []byte) []byte {
	var h hash.Hash
	if k.mac != nil {
		h = hmac.New(sha256.New, k.mac)
	} else {
		h = sha256.New()
	}
	h.Write(value[:macAt])
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(name))))
	h.Write([]byte(name))
	h.Write(value[generationAt:])
	return h.Sum(nil)
}

// seal returns the value for a name.
func (s *sealer) seal(name, key, generation string, data []byte, at times) []byte {
	k := &s.keys[0]
	origin := originOf(key)
	value := make([]byte, headSize, headSize+len(key)+len(data))
	copy(value, magic)
	copy(value[idAt:], k.id[:])
	copy(value[generationAt:originAt], generation)
	copy(value[originAt:], origin[:])
	binary.BigEndian.PutUint64(value[savedAt:], uint64(at.saved.UnixMicro()))
	binary.BigEndian.PutUint64(value[retainAt:], uint64(at.until.UnixMicro()))
	copy(value[byAt:], at.by[:])
	binary.BigEndian.PutUint64(value[monoAt:], uint64(at.mono))
	binary.BigEndian.PutUint32(value[keyAt:], uint32(len(key)))
	value = append(append(value, key...), data...)
	copy(value[macAt:], k.sum(name, value))
	return value
}

// open reads a value. The value is not current if its time is over, or if it begins later than a
// difference of clocks explains. Then Redis has kept it too long, or has an old copy. The entries
// alias value.
func (s *sealer) open(name, key string, value []byte, now time.Time) (entries []byte, current bool, err error) {
	if len(value) < headSize || string(value[:idAt]) != magic {
		return nil, false, errors.New("not a value of this version")
	}
	i := slices.IndexFunc(s.keys, func(k sealKey) bool { return string(k.id[:]) == string(value[idAt:macAt]) })
	if i < 0 {
		return nil, false, errors.New("written with an unknown key")
	}
	if !hmac.Equal(s.keys[i].sum(name, value), value[macAt:generationAt]) {
		return nil, false, errors.New("wrong MAC")
	}
	rest := value[headSize:]
	n := int64(binary.BigEndian.Uint32(value[keyAt:]))
	if n > int64(len(rest)) || string(rest[:n]) != key {
		return nil, false, errors.New("another key")
	}
	if at := timesIn(value); !at.until.After(now) || at.saved.After(now.Add(futureSlack)) {
		return nil, false, nil
	}
	return rest[n:], true, nil
}

// timesIn reads the times of a value.
func timesIn(value []byte) times {
	return times{
		saved: timeAt(value[savedAt:]), until: timeAt(value[retainAt:]),
		by: storeID(value[byAt:monoAt]), mono: time.Duration(binary.BigEndian.Uint64(value[monoAt:])),
	}
}

func timeAt(b []byte) time.Time {
	return time.UnixMicro(int64(binary.BigEndian.Uint64(b))).UTC()
}
