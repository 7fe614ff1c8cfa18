package security

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

type hostVectors struct {
	Cases []struct{ Input, Verdict, Want, Note string }
}

// wantCode returns the code for a name in the vectors.
func wantCode(name string) wayfind.Code {
	return map[string]wayfind.Code{
		"ErrHostSyntax": wayfind.CodeHostSyntax, "ErrHostIDNA": wayfind.CodeHostIDNA,
		"ErrHostNumeric": wayfind.CodeHostNumeric, "ErrHostIPLiteral": wayfind.CodeHostIPLiteral,
		"ErrHostSingleLabel": wayfind.CodeHostSingleLabel, "ErrHostSpecialUse": wayfind.CodeHostSpecialUse,
		"ErrUserinfo": wayfind.CodeUserinfo, "ErrPort": wayfind.CodePort, "ErrScheme": wayfind.CodeScheme,
	}[name]
}

// TestHostsAreJudgedAsTheirVectorsSay checks the host part of a target, between an optional
// "https://" and the path.
func TestHostsAreJudgedAsTheirVectorsSay(t *testing.T) {
	ran := 0
	for _, v := range golden.VectorJSON[hostVectors](t, "url_idna", "own_host_vectors.json").Cases {
		if v.Want == "ErrTargetPath" || v.Want == "ErrScheme" || strings.Contains(v.Note, "ErrScheme") || v.Note == "scheme-relative" || v.Note == "opaque" {
			continue // for the parser of targets
		}
		ran++
		authority := v.Input
		if len(authority) > 8 && strings.EqualFold(authority[:8], "https://") {
			authority = authority[8:]
			if i := strings.IndexByte(authority, '/'); i >= 0 {
				authority = authority[:i]
			}
		}
		var notes []Note
		canon := ""
		host, err := SplitAuthority(authority)
		if err == nil {
			canon, notes, err = CanonicalHost(host)
		}
		switch v.Verdict {
		case "deny":
			if code(err) != wantCode(v.Want) || canon != "" || !errors.Is(err, wayfind.ErrInvalid) {
				t.Errorf("%q (%s): got %q, %v; want code %s", v.Input, v.Note, canon, err, wantCode(v.Want))
			}
		default:
			if err != nil || canon != v.Want || (v.Verdict == "warn") != (len(notes) > 0) {
				t.Errorf("%q (%s): got %q, %v, %v; want %s %q", v.Input, v.Note, canon, notes, err, v.Verdict, v.Want)
			}
		}
	}
	t.Logf("%d rows", ran)
	if ran < golden.Least(t, golden.EnvVectors, 95) {
		t.Errorf("only %d rows", ran)
	}
}

func TestCanonicalHost(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, c := range []struct {
		host, want string
		code       wayfind.Code
	}{
		{"Example.ORG.", "example.org", ""},
		{"a.b-c.example", "a.b-c.example", ""},
		{"XN--BCHER-KVA.example", "xn--bcher-kva.example", ""},
		{long + ".example", long + ".example", ""},
		{"例え.テスト.jp", "xn--r8jz45g.xn--zckzah.jp", ""},
		{"日本abcカナ.jp", "xn--abc-mj4b4fp673ao4b.jp", ""},
		{"abc한국.kr", "xn--abc-ot8lk11n.kr", ""},
		{"col·lecci.cat", "xn--collecci-ioa.cat", ""},
		{"i❤.ws", "xn--i-7iq.ws", ""},
		{"0x.example", "0x.example", ""},
		{"0x", "", wayfind.CodeHostNumeric},
		{"a.0x", "", wayfind.CodeHostNumeric},
		{"a.0XfF", "", wayfind.CodeHostNumeric},
		{"1.2.3.0x7f.", "", wayfind.CodeHostNumeric},
		{"a.xn--", "", wayfind.CodeHostIDNA},
		{"example.com.xn--", "", wayfind.CodeHostIDNA},
		{"example.com。ＸＮ--", "", wayfind.CodeHostIDNA},
		{"example.com.xn--.", "", wayfind.CodeHostIDNA},
		{"abcд.example", "", wayfind.CodeHostIDNA},
		{"xn--abc-pdd.example", "", wayfind.CodeHostIDNA}, // its A-label
		{"аррӏеΩ.example", "", wayfind.CodeHostIDNA},
		{"a∕b.example", "", wayfind.CodeHostIDNA}, // division slash
		{"a·b.example", "", wayfind.CodeHostIDNA}, // middle dot out of place
		{"١۱.example", "", wayfind.CodeHostIDNA},  // digits of two kinds
		{"نامه\u200cای.example", "", wayfind.CodeHostIDNA},
		{"xn--mgba3gch31f060k.example", "", wayfind.CodeHostIDNA}, // the same, encoded
		{"FAẞ.de", "", wayfind.CodeHostIDNA},
		{"a\u00A0b.example", "", wayfind.CodeHostSyntax},
		{"a\u2028b.example", "", wayfind.CodeHostSyntax},
		{"a\u0085.example", "", wayfind.CodeHostSyntax},
		{"a\xff.example", "", wayfind.CodeHostSyntax},
		{"example.com:443", "", wayfind.CodeHostSyntax},
		{"user@example.com", "", wayfind.CodeHostSyntax},
		{"example.com.well-known", "", wayfind.CodeHostSyntax},
		{"bücher。。de", "", wayfind.CodeHostSyntax},
		{"bücher.de。。", "", wayfind.CodeHostSyntax},
		{"[::1%]", "", wayfind.CodeHostSyntax},
		{"[::1]x", "", wayfind.CodeHostSyntax},
		{"[", "", wayfind.CodeHostSyntax},
		{strings.Repeat("a.", 1025), "", wayfind.CodeHostSyntax},
		{strings.Repeat("ü", 62) + ".example", "", wayfind.CodeHostSyntax},
	} {
		got, _, err := CanonicalHost(c.host)
		if got != c.want || code(err) != c.code {
			t.Errorf("CanonicalHost(%q) = %q, %v; want %q, code %q", c.host, got, err, c.want, c.code)
		}
	}
}

func TestHostNotes(t *testing.T) {
	for host, want := range map[string][]string{
		"example.com":             nil,
		"EXAMPLE.com.":            nil,
		"BÜCHER.de":               nil,
		"bu\u0308cher.de":         nil,
		"xn--bcher-kva.bücher.de": nil,
		"пример.com":              nil,
		"ｅxample.com":             {noteHostMapped},
		"example。com":             {noteHostMapped},
		"аррӏе.com":               {noteHostHomograph},
		"xn--80ak6aa92e.com":      {noteHostHomograph},
		"сор.рф":                  nil, // all letters are Cyrillic
		"ɡoogle.com":              {noteHostHomograph},
		"αοκ.example":             {noteHostHomograph},
	} {
		_, notes, err := CanonicalHost(host)
		var codes []string
		for _, n := range notes {
			codes = append(codes, n.Code)
			if strings.ContainsFunc(n.Message, func(r rune) bool { return r > '~' || r < ' ' }) {
				t.Errorf("%q: the message is not plain: %q", host, n.Message)
			}
		}
		if diff := cmp.Diff(want, codes); diff != "" || err != nil {
			t.Errorf("notes of %q (-want +got), %v:\n%s", host, err, diff)
		}
	}
}

// TestErrorsOfHostsAreEscaped checks that a refused host is not printed unescaped.
func TestErrorsOfHostsAreEscaped(t *testing.T) {
	for _, host := range []string{"a\x1b[2J.example", "a\nb", "\u202eexample.com", "a\u009b", strings.Repeat("ё\x00", 3000)} {
		_, _, err := CanonicalHost(host)
		if err == nil {
			t.Fatalf("%q was accepted", host)
		}
		text := err.Error()
		if len(text) > 512 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%q: error text %q", host, text)
		}
	}
}

// TestShortWayAgrees checks that the short way for ASCII agrees with IDNA.
func TestShortWayAgrees(t *testing.T) {
	for _, host := range []string{
		"Example.com", "a-b.c", "a--b.c", "-a.c", "a-.c", "ab--c.d", "abc--d.e", "a_b.c",
		"1.2.3.4", "", ".", "a..b", "xn--a.b", "r3---sn.example", "A", "a.", "3.14-x",
	} {
		short, ok := plainASCII(host)
		long, err := strictIDNA.ToASCII(host)
		if ok && (err != nil || short != long) {
			t.Errorf("%q: short %q, IDNA %q, %v", host, short, long, err)
		}
	}
}

func FuzzCanonicalHost(f *testing.F) {
	for _, v := range golden.VectorJSON[hostVectors](f, "url_idna", "own_host_vectors.json").Cases {
		f.Add(v.Input)
	}
	f.Add("例え。テスト.jp.")
	f.Fuzz(func(t *testing.T, host string) {
		testkit.BoundAllocs(t, len(host), 100, 16<<10, func() { _, _, _ = CanonicalHost(host) })
		canon, _, err := CanonicalHost(host)
		if err != nil {
			if canon != "" || code(err) == "" || code(err) == "?" {
				t.Fatalf("%q: %q beside %v", host, canon, err)
			}
			return
		}
		again, notes, err := CanonicalHost(canon)
		if err != nil || again != canon {
			t.Fatalf("%q: %q, then %q, %v", host, canon, again, err)
		}
		for _, n := range notes {
			if n.Code == noteHostMapped {
				t.Fatalf("%q: canonical, and mapped: %v", canon, n)
			}
		}
		if short, ok := plainASCII(host); ok && strings.TrimSuffix(short, ".") != canon {
			t.Fatalf("%q: the short way gives %q, not %q", host, short, canon)
		}
	})
}
