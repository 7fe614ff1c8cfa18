package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// An entry file, numbers in big-endian order:
//
//	magic and version     4 bytes
//	SHA-256               32 bytes, over all that follows
//	saved                 8 bytes, microseconds as time.UnixMicro counts them
//	retain until          8 bytes
//	store that saved it   8 bytes, and its monotonic time, 8 bytes
//	length of generation  2 bytes
//	number of parts       1 byte
//	length of the key     4 bytes
//	key, generation       see generations.go
//	entries               as Variants.MarshalBinary writes them, or
//	record                as Record.MarshalBinary writes it, see origins.go, or else
//	names of the parts    which hold an entry each, see parts.go
const (
	entryMagic   = "wfd\x02"
	sumAt        = len(entryMagic)
	savedAt      = sumAt + sha256.Size
	retainAt     = savedAt + 8
	byAt         = retainAt + 8
	monoAt       = byAt + len(storeID{})
	generationAt = monoAt + 8
	partsAt      = generationAt + 2
	keyAt        = partsAt + 1
	headSize     = keyAt + 4
)

// storeID identifies an open Store.
type storeID [8]byte

// head is the content of a file without its entries.
type head struct {
	key, generation string
	saved, retain   time.Time
	by              storeID
	mono            time.Duration // the monotonic time when it was saved
	parts           int
}

// before returns the bytes before the entries, or before the names of the parts.
func (h *head) before(data []byte) []byte {
	b := make([]byte, headSize, headSize+len(h.key)+len(h.generation))
	copy(b, entryMagic)
	binary.BigEndian.PutUint64(b[savedAt:], uint64(h.saved.UnixMicro()))
	binary.BigEndian.PutUint64(b[retainAt:], uint64(h.retain.UnixMicro()))
	copy(b[byAt:], h.by[:])
	binary.BigEndian.PutUint64(b[monoAt:], uint64(h.mono))
	binary.BigEndian.PutUint16(b[generationAt:], uint16(len(h.generation)))
	b[partsAt] = byte(h.parts)
	binary.BigEndian.PutUint32(b[keyAt:], uint32(len(h.key)))
	b = append(append(b, h.key...), h.generation...)
	sum := sha256.New()
	sum.Write(b[savedAt:])
	sum.Write(data)
	sum.Sum(b[sumAt:sumAt])
	return b
}

// headOf reads the head of a file whose checksum is valid. rest is the serialised entries.
func headOf(file []byte) (h head, rest []byte, ok bool) {
	h.saved, h.retain = timeAt(file[savedAt:]), timeAt(file[retainAt:])
	h.by, h.mono = storeID(file[byAt:monoAt]), time.Duration(binary.BigEndian.Uint64(file[monoAt:]))
	h.parts = int(file[partsAt])
	rest = file[headSize:]
	key, generation := int64(binary.BigEndian.Uint32(file[keyAt:])), int64(binary.BigEndian.Uint16(file[generationAt:]))
	if key+generation > int64(len(rest)) {
		return h, nil, false
	}
	h.key, h.generation = string(rest[:key]), string(rest[key:key+generation])
	return h, rest[key+generation:], true
}

// record is an entry file that has been read.
type record struct {
	head
	path     string
	file     fs.FileInfo
	size     int64 // size of the file and its parts
	variants *cache.Variants
	origin   *cache.Record // in place of variants
	sum      string        // the checksum of the file
}

// decode reads an entry file. It checks the magic first, so that no memory is allocated for a file
// of another kind.
func (s *Store) decode(path string, file *os.File, fi fs.FileInfo) (*record, error) {
	size := fi.Size()
	if size < int64(headSize) || size > maxFile {
		return nil, s.reject(path, fi, fmt.Sprintf("%d bytes", size))
	}
	magic := make([]byte, sumAt)
	if err := s.fully(path, file, fi, magic); err != nil {
		return nil, err
	}
	if string(magic) != entryMagic {
		return nil, s.reject(path, fi, "not a file of this version")
	}
	data := make([]byte, size)
	if err := s.fully(path, file, fi, data[sumAt:]); err != nil {
		return nil, err
	}
	if sha256.Sum256(data[savedAt:]) != [sha256.Size]byte(data[sumAt:savedAt]) {
		return nil, s.reject(path, fi, "wrong checksum")
	}
	h, rest, ok := headOf(data)
	if !ok {
		return nil, s.reject(path, fi, "a key that is cut off")
	}
	r := &record{head: h, path: path, file: fi, size: size, sum: string(data[sumAt:savedAt])}
	if h.parts > 0 {
		return r, s.join(r, string(rest))
	}
	var err error
	if cache.IsRecordKey(h.key) {
		if r.origin, err = cache.UnmarshalRecord(h.key, rest); err != nil {
			return nil, s.reject(path, fi, reasonOf(err))
		}
		r.origin.From = From
		return r, nil
	}
	if r.variants, err = cache.UnmarshalVariants(rest); err != nil {
		return nil, s.reject(path, fi, reasonOf(err))
	}
	r.variants.From = From
	return r, nil
}

func reasonOf(err error) string {
	var corrupt *cache.CorruptError
	if errors.As(err, &corrupt) {
		return fmt.Sprintf("entries: byte %d: %s", corrupt.Offset, corrupt.Reason)
	}
	return err.Error()
}

// fully fills b from a file. If the file ends before, it is rejected as corrupt.
func (s *Store) fully(path string, file *os.File, fi fs.FileInfo, b []byte) error {
	err := s.files.read(path, file, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s.reject(path, fi, "cut off")
	}
	return err
}

func timeAt(b []byte) time.Time {
	return time.UnixMicro(int64(binary.BigEndian.Uint64(b))).UTC()
}
