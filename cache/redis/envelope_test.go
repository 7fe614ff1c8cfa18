package redis

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
)

func testSealer(t testing.TB) sealer {
	t.Helper()
	s, err := newSealer(&Options{Key: bytes.Repeat([]byte{1}, MinKey), OldKeys: [][]byte{bytes.Repeat([]byte{2}, MinKey)}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sealed(t testing.TB, s *sealer, saved, until time.Time) []byte {
	t.Helper()
	v := &cache.Variants{Entries: []*cache.Entry{cachetest.Entry("key", "text")}}
	data, err := v.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return s.seal("name", "key", "", data, times{saved: saved, until: until})
}

// An old copy that an attacker restores does not last longer than before.
func TestAnOldCopyThatIsPutBackDoesNotLastLonger(t *testing.T) {
	s, now := testSealer(t), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	value := sealed(t, &s, now, now.Add(time.Hour))
	for at, want := range map[time.Duration]bool{
		0: true, time.Hour - time.Microsecond: true, time.Hour: false, 48 * time.Hour: false,
		-futureSlack: true, -futureSlack - time.Microsecond: false,
	} {
		v, current, err := s.open("name", "key", value, now.Add(at))
		if current != want || (v != nil) != want || err != nil {
			t.Errorf("%v later: %t, %v, %v; want %t", at, current, v, err, want)
		}
	}
	// The times are under the MAC.
	longer := bytes.Clone(value)
	binary.BigEndian.PutUint64(longer[retainAt:], uint64(now.Add(1000*time.Hour).UnixMicro()))
	if _, _, err := s.open("name", "key", longer, now); err == nil {
		t.Error("the end could be changed")
	}
}

// If the key in a value is not the requested one, it is a miss: only an owner of the MAC key can
// write such a value, by mistake.
func TestAnotherKeyInside(t *testing.T) {
	s, now := testSealer(t), time.Now()
	if _, _, err := s.open("name", "other", sealed(t, &s, now, now.Add(time.Hour)), now); err == nil {
		t.Error("the entries of another key count")
	}
}

// The derived keys differ from the caller's key, and their ids reveal nothing of it.
func TestDeriveKey(t *testing.T) {
	key := bytes.Repeat([]byte{1}, MinKey)
	k := deriveKey(key)
	if bytes.Equal(k.mac, key) || bytes.HasPrefix(k.mac, k.id[:]) || k.id == (sealKey{}).id {
		t.Errorf("id %x, key %x", k.id, k.mac)
	}
}

// Only sealed values open.
func FuzzOpen(f *testing.F) {
	s, now := testSealer(f), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	value := sealed(f, &s, now, now.Add(time.Hour))
	f.Add(value)
	f.Add(value[:headSize])
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, current, err := s.open("name", "key", b, now)
		if current != bytes.Equal(b, value) || (err == nil) != current {
			t.Errorf("%x opens: %t, %v", b, current, err)
		}
	})
}

// The whole of a reply is bounded, not each part of it: many texts, or arrays,
// take as much memory as a large one. The next reply begins anew.
func TestReplyIsBoundedAsAWhole(t *testing.T) {
	text := "$1048576\r\n" + strings.Repeat("x", 1<<20) + "\r\n"
	for name, row := range map[string]struct {
		reply string
		fails bool
	}{
		"one text":           {"*1024\r\n" + text, false},
		"two texts":          {"*1024\r\n" + text + "$1048576\r\n", true},
		"a text and a word":  {"*2\r\n" + text + "+OK\r\n", true},
		"many words":         {"*1024\r\n" + strings.Repeat("+"+strings.Repeat("x", 2000)+"\r\n", 1000), true},
		"texts in arrays":    {"*2\r\n*1\r\n" + text + "*1\r\n$1\r\n", true},
		"many elements":      {"*1024\r\n*1\r\n", true},
		"pairs count twice":  {"%600\r\n", true},
		"arrays of arrays":   {"*512\r\n*512\r\n*1\r\n", true},
		"as many as allowed": {"*512\r\n*512\r\n", false},
		"one after another":  {strings.Repeat(text+"*1\r\n"+text+"*1024\r\n"+strings.Repeat("+OK\r\n", 1024), 3), false},
	} {
		c := &scanner{limit: 1 << 20}
		if err := c.look([]byte(row.reply)); (err != nil) != row.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A reply is judged the same however it is cut into pieces, and a well-formed reply is read to its
// end.
func FuzzReply(f *testing.F) {
	for _, reply := range []string{
		"+OK\r\n", "$4\r\ntext\r\n", "$-1\r\n", "_\r\n", "*2\r\n:1\r\n*1\r\n$0\r\n\r\n", "%1\r\n+proto\r\n:3\r\n", "#t\r\n", "-ERR x\r\n",
		"=8\r\ntxt:text\r\n", "*0\r\n", "*-1\r\n", "$99999\r\n", "_x\r\n", "*2\r\n", ",1.5\r\n+OK\r\n",
	} {
		f.Add([]byte(reply), uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, size uint8) {
		whole, pieces := scanner{limit: 1000}, scanner{limit: 1000}
		want := whole.look(b)
		var got error
		for rest := b; len(rest) > 0 && got == nil; {
			n := min(int(size)+1, len(rest))
			got = pieces.look(rest[:n])
			rest = rest[n:]
		}
		if (got == nil) != (want == nil) || want == nil && (got != nil || pieces.begun != whole.begun || pieces.skip != whole.skip || len(pieces.open) != len(whole.open)) {
			t.Errorf("%q: %v as a whole, %v in pieces", b, want, got)
		}
		if whole.skip > 1002 || len(whole.open) > maxNesting {
			t.Errorf("%q: %d bytes to skip, %d open", b, whole.skip, len(whole.open))
		}
	})
}
