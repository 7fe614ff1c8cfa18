// Package uuid makes UUIDs (RFC 9562).
package uuid

import (
	"crypto/rand"
	"encoding/binary"
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
func V7(now time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	return write(b, 0x70)
}

func write(b [16]byte, version byte) string {
	b[6], b[8] = b[6]&0x0f|version, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Made returns the time in a UUID of version 7; false for any other text.
func Made(s string) (time.Time, bool) {
	digits, version, _ := strings.Cut(strings.Replace(s, "-", "", 1), "-")
	ms, err := strconv.ParseInt(digits, 16, 64)
	return time.UnixMilli(ms), err == nil && len(s) == 36 && strings.HasPrefix(version, "7")
}
