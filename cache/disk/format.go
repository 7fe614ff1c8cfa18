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
//	magic and version   4 bytes
//	SHA-256             32 bytes, over all that follows
//	saved               8 bytes, microseconds as time.UnixMicro counts them
//	retain until        8 bytes
//	length of the key   4 bytes
//	key, entries        as Variants.MarshalBinary writes them
const (
	entryMagic = "wfd\x01"
	sumAt      = len(entryMagic)
	savedAt    = sumAt + sha256.Size
	retainAt   = savedAt + 8
	keyAt      = retainAt + 8
	headSize   = keyAt + 4
)

// headOf is all of a file that comes before the entries.
func headOf(key string, data []byte, saved, until time.Time) []byte {
	head := make([]byte, headSize, headSize+len(key))
	copy(head, entryMagic)
	binary.BigEndian.PutUint64(head[savedAt:], uint64(saved.UnixMicro()))
	binary.BigEndian.PutUint64(head[retainAt:], uint64(until.UnixMicro()))
	binary.BigEndian.PutUint32(head[keyAt:], uint32(len(key)))
	head = append(head, key...)
	sum := sha256.New()
	sum.Write(head[savedAt:])
	sum.Write(data)
	sum.Sum(head[sumAt:sumAt])
	return head
}

// record is an entry file that has been read.
type record struct {
	path          string
	file          fs.FileInfo
	key           string
	saved, retain time.Time
	variants      *cache.Variants
}

// decode reads an entry file. The head is looked at first: no memory is set
// aside for a file that does not even begin as one of ours.
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
	rest := data[headSize:]
	n := int64(binary.BigEndian.Uint32(data[keyAt:]))
	if n > int64(len(rest)) {
		return nil, s.reject(path, fi, "a key that is cut off")
	}
	v, err := cache.UnmarshalVariants(rest[n:])
	if err != nil {
		return nil, s.reject(path, fi, reasonOf(err))
	}
	v.From = From
	return &record{path: path, file: fi, key: string(rest[:n]), saved: timeAt(data[savedAt:]), retain: timeAt(data[retainAt:]), variants: v}, nil
}

func reasonOf(err error) string {
	var corrupt *cache.CorruptError
	if errors.As(err, &corrupt) {
		return fmt.Sprintf("entries: byte %d: %s", corrupt.Offset, corrupt.Reason)
	}
	return err.Error()
}

// fully fills b. A file that ends before is corrupt.
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
