// Package uuid makes UUIDs (RFC 9562).
package uuid

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// V4 makes a random UUID (§5.4).
func V4() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand documents it
	return write(b, 0x40)
}

// V7 makes a UUID that begins with the time (§5.7).
func V7(now time.Time) string { return write(v7(now), 0x70) }

func v7(now time.Time) (b [16]byte) {
	_, _ = rand.Read(b[:])
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	return b
}

// seedSize is the number of bytes of a UUID before its tag.
const seedSize = 12

// V7For makes a UUID of version 7 whose last four bytes are a tag over its other bytes and a text, with a
// key. Two UUIDs for one text differ.
func V7For(now time.Time, key, text []byte) string {
	b := v7(now)
	stamp(&b, 0x70)
	copy(b[seedSize:], tag(key, b[:seedSize], text))
	return spell(b)
}

// IsFor reports whether a UUID has the tag of a text. Another UUID has it once in four billion times.
func IsFor(s string, key, text []byte) bool {
	raw, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	return err == nil && len(raw) == 16 && bytes.Equal(raw[seedSize:], tag(key, raw[:seedSize], text))
}

func tag(key, seed, text []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(seed)
	m.Write(text)
	return m.Sum(nil)[:16-seedSize]
}

func write(b [16]byte, version byte) string {
	stamp(&b, version)
	return spell(b)
}

// stamp sets the version and the variant.
func stamp(b *[16]byte, version byte) { b[6], b[8] = b[6]&0x0f|version, b[8]&0x3f|0x80 }

func spell(b [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Made returns the time in a UUID of version 7; false for any other text.
func Made(s string) (time.Time, bool) {
	digits, version, _ := strings.Cut(strings.Replace(s, "-", "", 1), "-")
	ms, err := strconv.ParseInt(digits, 16, 64)
	return time.UnixMilli(ms), err == nil && len(s) == 36 && strings.HasPrefix(version, "7")
}
