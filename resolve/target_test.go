package resolve_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/resolve"
)

// codeOf returns the code for a name in a vector ("ErrHostIDNA").
func codeOf(name string) wayfind.Code {
	var b strings.Builder
	runes := []rune(strings.TrimPrefix(name, "Err"))
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || (i+1 < len(runes) && unicode.IsLower(runes[i+1]))) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return wayfind.Code(b.String())
}

func parseCode(s string) (resolve.Target, wayfind.Code, error) {
	target, _, err := resolve.ParseTarget(s)
	var e *wayfind.Error
	if errors.As(err, &e) {
		return target, e.Code, err
	}
	return target, "", err
}

// The vectors, except for one group: a path becomes Base, query and fragment are dropped, and
// only "/.." is refused.
func TestHostVectors(t *testing.T) {
	body, err := os.ReadFile(golden.Vectors(t, "url_idna", "own_host_vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct{ Input, Verdict, Want, Note string }
	}
	if err := json.Unmarshal(body, &file); err != nil || len(file.Cases) == 0 {
		t.Fatalf("vectors: %v, %d cases", err, len(file.Cases))
	}
	for _, c := range file.Cases {
		target, diags, err := resolve.ParseTarget(c.Input)
		want := c.Want
		if want == "ErrTargetPath" && c.Input != "example.com/.." {
			if err != nil || target.Origin != "https://example.com" {
				t.Errorf("%q: got %v, %v; overruled: a path is kept, the rest dropped", c.Input, target, err)
			}
			continue
		}
		if c.Verdict == "deny" {
			var e *wayfind.Error
			if !errors.As(err, &e) || !errors.Is(err, wayfind.ErrInvalid) {
				t.Errorf("%q: got %v, %v; want %s", c.Input, target, err, want)
			} else if e.Code != codeOf(want) && (c.Input != "javascript:alert(1)" || e.Code != wayfind.CodeScheme) {
				t.Errorf("%q: got code %s, want %s", c.Input, e.Code, codeOf(want))
			}
			continue
		}
		if err != nil || target.Host() != want {
			t.Errorf("%q: got %v, %v; want %s", c.Input, target, err, want)
		}
		if c.Verdict == "warn" && len(diags) == 0 {
			t.Errorf("%q: no diagnostic, want a warning (%s)", c.Input, c.Note)
		}
	}
	t.Logf("%d host vectors", len(file.Cases))
}

func TestAllSpellingsAreOneOrigin(t *testing.T) {
	for _, s := range []string{"EXAMPLE.com.", "example.com:443", "https://Example.COM/", "HTTPS://example.com:443", "example.com/", "example.com"} {
		got, diags, err := resolve.ParseTarget(s)
		if err != nil || len(diags) != 0 || got.Directory() != (resolve.Target{Origin: "https://example.com"}) || got.Directory().Key() != "example.com" {
			t.Errorf("ParseTarget(%q) = %v, %v, %v", s, got, diags, err)
		}
	}
}

func TestTargetBase(t *testing.T) {
	for s, want := range map[string]string{
		"https://example.com/shop": "/shop", "example.com/shop/": "/shop", "example.com/a//b/./c": "/a/b/c",
		"example.com/b%C3%BCcher": "/b%C3%BCcher", "example.com/bücher": "/b%C3%BCcher", "example.com/a%2fb": "/a%2Fb",
		"example.com/a,b;c=1": "/a,b;c=1", "https://example.com//a": "/a", "example.com/%zz": "/%25zz", "example.com/%7Eme": "/~me", "example.com/a^b": "/a%5Eb",
	} {
		if got, _, err := resolve.ParseTarget(s); err != nil || got.Base != want {
			t.Errorf("ParseTarget(%q).Base = %q, %v; want %q", s, got.Base, err, want)
		}
	}
	for _, s := range []string{"example.com/..", "example.com/a/../b", "example.com/%2e%2E/x"} {
		if _, code, err := parseCode(s); code != wayfind.CodeTargetPath {
			t.Errorf("ParseTarget(%q): %v, want code %s", s, err, wayfind.CodeTargetPath)
		}
	}
	_, diags, err := resolve.ParseTarget("https://example.com/shop?x=1#top")
	want := []wayfind.Diagnostic{
		{Severity: wayfind.SeverityInfo, Code: "target.fragment_dropped", Message: "the fragment of the target is not used"},
	}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, diags); d != "" {
		t.Errorf("diagnostics (-want +got):\n%s", d)
	}
}

// The path's last slash and the query are kept, in one spelling.
func TestTargetTail(t *testing.T) {
	for s, want := range map[string]string{
		"example.com": "https://example.com", "example.com/": "https://example.com/", "https://example.com?": "https://example.com",
		"example.com/mcp/": "https://example.com/mcp/", "example.com/mcp//": "https://example.com/mcp/", "example.com/mcp/#top": "https://example.com/mcp/",
		"example.com?a=1": "https://example.com/?a=1", "example.com/x?a=%7e&b=ü": "https://example.com/x?a=~&b=%C3%BC", "example.com/x?": "https://example.com/x",
		"example.com/x?a=/?:@": "https://example.com/x?a=/?:@", "mcp+https://example.com": "mcp+https://example.com/", "MCP+HTTPS://Example.com/a": "mcp+https://example.com/a",
	} {
		got, _, err := resolve.ParseTarget(s)
		if err != nil || got.String() != want || got.HasURL() != (want != "https://example.com") {
			t.Errorf("ParseTarget(%q) = %q, %v; want %q", s, got, err, want)
		}
		if of := resolve.Of(&wayfind.Site{Origin: got.Origin, Base: got.Base + got.Tail}); of.URL() != got.URL() || of.Directory() != got.Directory() {
			t.Errorf("%q: the target of its Site is %+v, want %+v", s, of, got)
		}
	}
	refused(t, wayfind.CodeScheme, "mcp+http://example.com", "mcp+ftp://example.com", "mcp+mcp+https://example.com")
	if _, _, err := resolve.ParseTarget("https://example.com:1/?token=q7Zr2Lw9Xc4Vb8Nm1Kp5"); err == nil || strings.Contains(err.Error(), "q7Zr2") {
		t.Errorf("an error with a secret: %v", err)
	}
}

// refused checks that each target is refused first, with one code, and that the error is safe
// to print.
func refused(t *testing.T, code wayfind.Code, targets ...string) {
	t.Helper()
	for _, s := range targets {
		target, got, err := parseCode(s)
		if got != code || target != (resolve.Target{}) || !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("ParseTarget(%q) = %v, %v; want code %s", s, target, err, code)
			continue
		}
		for _, r := range err.Error() {
			if r < ' ' || r > '~' {
				t.Errorf("ParseTarget(%q): the error holds %U", s, r)
			}
		}
	}
}

func TestUserinfoIsRefused(t *testing.T) {
	refused(t, wayfind.CodeUserinfo,
		"https://good.com@evil.com", "user@example.com", "https://u:p@example.com", "u:p@example.com")
}

func TestOtherSchemesAreRefused(t *testing.T) {
	refused(t, wayfind.CodeScheme,
		"http://example.com", "ftp://example.com", "file:///etc/passwd", "HTTP://example.com", "mailto:x", "ws://example.com")
	refused(t, wayfind.CodeHostSyntax,
		"//host.example", "https:host.example", "https:///host.example", "https://", "https:")
}

func TestOtherPortsAreRefused(t *testing.T) {
	refused(t, wayfind.CodePort,
		"example.com:80", "example.com:8443", "example.com:0", "example.com:99999", "example.com:", "example.com:0443", "example.com:https", "https://example.com:8443/x")
}

func TestHiddenCharactersInAHostAreRefused(t *testing.T) {
	refused(t, wayfind.CodeHostSyntax,
		"exa\x1bmple.com", "example.com\x00", "exam ple.com", "example.com\t", "example.com\n", "example.com\\@evil.com", "example%2ecom", "example.com,evil.com", "example.com;evil.com", "$(id).example.com", "\xff.com")
}

func TestNumericHostsAreRefused(t *testing.T) {
	refused(t, wayfind.CodeHostNumeric,
		"127.1", "0x7f.1", "2130706433", "017700000001", "0177.0.0.1", "127.0.0.01", "foo.0x10", "https://0x7f000001/")
}

func TestIPLiteralsAreRefused(t *testing.T) {
	refused(t, wayfind.CodeHostIPLiteral,
		"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[fe80::1%25lo]", "127.0.0.1.", "8.8.8.8", "https://[::1]:443/")
}

func TestAHostIsMappedBeforeItIsJudged(t *testing.T) {
	refused(t, wayfind.CodeHostIPLiteral,
		"①②⑦.0.0.1", "⑯⑨｡②⑤④｡⑯⑨｡②⑤④", "１２７.0.0.1")
	refused(t, wayfind.CodeHostSingleLabel,
		"ⓛⓞⓒⓐⓛⓗⓞⓢⓣ")
}

func TestCharactersThatIDNADropsAreRefused(t *testing.T) {
	refused(t, wayfind.CodeHostIDNA,
		"exa\u00admple.com", "exa\u200bmple.com", "exa\ufeffmple.com", "exa\u200dmple.com", "\u202eexample.com", "ex\U000e0061mple.com", "xn--example-.com")
}

func TestSpecialUseNamesAreRefused(t *testing.T) {
	refused(t, wayfind.CodeHostSingleLabel,
		"localhost", "intranet", "com")
	refused(t, wayfind.CodeHostSpecialUse,
		"foo.local", "metadata.google.internal", "x.onion", "1.0.0.127.in-addr.arpa", "a.localhost", "a.test", "a.invalid", "a.alt")
}

func FuzzParseTarget(f *testing.F) {
	for _, s := range []string{"example.com", "https://Example.COM:443/a/b?c#d", "bücher.de", "127.1", "user@x.com", "[::1]", "a..b", "example.com/%2e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		target, _, err := resolve.ParseTarget(s)
		if err != nil {
			if target != (resolve.Target{}) || len(err.Error()) > 512 {
				t.Fatalf("%q: %v beside %v", s, target, err)
			}
			return
		}
		again, diags, err := resolve.ParseTarget(target.String())
		if err != nil || again != target {
			t.Fatalf("%q: %v reads as %v, %v", s, target, again, err)
		}
		for _, d := range diags {
			if d.Code != "target.host_homograph" {
				t.Fatalf("%q: canonical %v has the diagnostic %v", s, target, d)
			}
		}
	})
}

// A list keeps no secret, names no server, and has one name for a domain.
func TestTargetsOfLists(t *testing.T) {
	for s, want := range map[string]string{
		"example.com/": "example.com", "https://example.com": "example.com", "example.com/docs/": "example.com/docs/", "example.com/?page=2": "example.com/?page=2",
		"mcp+https://example.com/mcp": "scheme", "https://example.com/x?token=q7Zr2Lw9Xc4Vb8Nm1Kp5": "secret",
	} {
		target, _, err := resolve.ParseTarget(s)
		if err != nil {
			t.Fatal(err)
		}
		listed, err := target.Listed()
		got := listed.Key()
		if e, ok := errors.AsType[*wayfind.Error](err); ok {
			got = string(e.Code)
			if !errors.Is(err, wayfind.ErrInvalid) || strings.Contains(err.Error(), "q7Zr2") || listed != (resolve.Target{}) {
				t.Errorf("%q: %v, %+v", s, err, listed)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
