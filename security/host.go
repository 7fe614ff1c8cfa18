package security

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Values of Code of a [Note].
const (
	// noteHostMapped: the name differs from the written one in more than upper and lower case,
	// for example in full-width letters or an ideographic full stop.
	noteHostMapped = "target.host_mapped"
	// noteHostHomograph: a label consists of letters that look like Latin letters (UTS 39 §4.1,
	// whole-script confusables).
	noteHostHomograph = "target.host_homograph"
)

// Note is a warning about a host that was accepted.
type Note struct {
	// Code is "target.host_mapped" or "target.host_homograph", for use in a wayfind.Diagnostic.
	Code string
	// Message is one sentence in lower case. Foreign text in it is quoted.
	Message string
}

// Limits of names, in bytes. maxLabel and maxName are from RFC 1035 §2.3.4; maxURL is our own.
const (
	maxLabel = 63
	maxName  = 253
	maxURL   = 2048
	// maxRequest is the length that servers are expected to support (RFC 9110 §4.1).
	maxRequest = 8000
)

// CanonicalHost returns the only canonical spelling of a host name: lower-case A-labels without
// a root dot, "xn--bcher-kva.example" for "Bücher.example.". It maps the name as UTS 46
// specifies for look-up, with all checks of UTS 46.
//
// It refuses IP literals, names that a lenient reader could take for an address, single labels,
// special-use names (RFC 6761 and its registry), invisible characters, and labels that mix
// scripts beyond the level "highly restrictive" of UTS 39. The names example, example.com,
// example.net and example.org are ordinary names here. The error is a *wayfind.Error with Op
// "host", kind wayfind.ErrInvalid and one of the CodeHost… codes.
//
// The host must not have a port, a user name or brackets around a name: see [SplitAuthority].
func CanonicalHost(host string) (canon string, notes []Note, err error) {
	if code, why := checkHostText(host); code != "" {
		return "", nil, hostError(host, code, why)
	}
	if host[0] == '[' {
		return "", nil, hostError(host, bracketCode(host), "it is not a name but an IP address in brackets")
	}
	canon, plain := plainASCII(host)
	if !plain {
		if canon, notes, err = internationalHost(host); err != nil {
			return "", nil, err
		}
	}
	canon = strings.TrimSuffix(canon, ".") // the root
	if code, why := checkName(canon); code != "" {
		return "", nil, hostError(host, code, why)
	}
	return canon, notes, nil
}

// checkHostText refuses characters that cannot be part of a host in any spelling.
func checkHostText(host string) (wayfind.Code, string) {
	if why := checkText(host); why != "" {
		return wayfind.CodeHostSyntax, why
	}
	if host[0] == '[' {
		return "", ""
	}
	for _, r := range host {
		switch {
		case r < utf8.RuneSelf:
			if !text.IsLDH(byte(r)) && r != '.' && r != '_' { // "_" has the code of IDNA
				return wayfind.CodeHostSyntax, fmt.Sprintf("a host name may not contain %q", r)
			}
		case unicode.IsSpace(r):
			return wayfind.CodeHostSyntax, "it contains a blank"
		case text.IsHidden(r):
			return wayfind.CodeHostIDNA, fmt.Sprintf("it hides %U", r)
		}
	}
	return "", ""
}

// checkText refuses a text that is longer than the limit for URLs in documents, and texts that
// checkCharacters refuses.
func checkText(s string) string {
	if len(s) > maxURL {
		return "it is longer than 2048 bytes"
	}
	return checkCharacters(s)
}

// checkCharacters refuses characters that no part of a URL may contain, before the URL is
// parsed. It returns "" if there are none.
func checkCharacters(s string) string {
	switch {
	case s == "":
		return "it is empty"
	case !utf8.ValidString(s):
		return "it is not UTF-8"
	}
	for _, r := range s {
		switch {
		case unicode.IsControl(r):
			return "it contains a control character"
		case r == '\\':
			return "it contains a backslash" // some readers treat it as a slash
		}
	}
	return ""
}

// bracketCode distinguishes IP literals (RFC 3986 §3.2.2), including those with a zone, from
// text that only looks like one.
func bracketCode(host string) wayfind.Code {
	inner, ok := strings.CutSuffix(host[1:], "]")
	literal, zone, hasZone := strings.Cut(inner, "%")
	addr, err := netip.ParseAddr(literal)
	if !ok || err != nil || addr.Is4() || hasZone && zone == "" {
		return wayfind.CodeHostSyntax
	}
	return wayfind.CodeHostIPLiteral
}

// plainASCII is the fast path for names that IDNA only converts to lower case. It returns false
// for all other names, including invalid ones.
func plainASCII(host string) (canon string, ok bool) {
	upper := false
	for i := range len(host) {
		if !text.IsLDH(host[i]) && host[i] != '.' {
			return "", false
		}
		upper = upper || 'A' <= host[i] && host[i] <= 'Z'
	}
	if upper {
		host = strings.ToLower(host)
	}
	for label := range strings.SplitSeq(host, ".") {
		if label != "" && !hyphensInPlace(label) {
			return "", false
		}
	}
	return host, true
}

// hyphensInPlace checks rules 2 and 3 of UTS 46 §4.1 (RFC 5891 §4.2.3.1).
func hyphensInPlace(label string) bool {
	return label[0] != '-' && label[len(label)-1] != '-' && (len(label) < 4 || label[2:4] != "--")
}

// strictIDNA is the UTS 46 profile for look-up with all checks. Lengths are checked in
// checkName, because their errors have another code.
var strictIDNA = idna.New(
	idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(true),
	idna.ValidateLabels(true), idna.CheckHyphens(true), idna.CheckJoiners(true), idna.BidiRule(),
)

// internationalHost maps a name to A-labels and judges its U-labels, so both spellings of a
// name get the same verdict.
func internationalHost(host string) (canon string, notes []Note, err error) {
	refuse := func(cause error) (string, []Note, error) {
		return "", nil, wayfind.NewError("host", text.Clip(host), wayfind.CodeHostIDNA, cause)
	}
	if strings.ContainsRune(host, capitalSharpS) {
		return refuse(errors.New("two editions of UTS 46 map U+1E9E to different names"))
	}
	canon, err = strictIDNA.ToASCII(host)
	if err != nil {
		return refuse(notIDNA(host))
	}
	if losesLabel(host, canon) {
		return refuse(errors.New("a label stands for nothing"))
	}
	shown, err := strictIDNA.ToUnicode(canon)
	if err != nil {
		return refuse(notIDNA(canon))
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(shown, "."), ".") {
		if err := checkLabel(label); err != nil {
			return refuse(err)
		}
	}
	return canon, hostNotes(host, canon, shown), nil
}

// notIDNA returns the reason why IDNA refuses a name, in words for a person who wrote it.
func notIDNA(host string) error {
	for label := range strings.SplitSeq(fullStops.Replace(host), ".") {
		label = strings.ToLower(label)
		switch {
		case strings.Contains(label, "_"):
			return errors.New("a host name may not contain '_'")
		case strings.HasPrefix(label, "-"), strings.HasSuffix(label, "-"):
			return fmt.Errorf("its label %+q begins or ends with a hyphen", label)
		case strings.HasPrefix(label, "xn--"):
			if _, err := strictIDNA.ToUnicode(label); err != nil {
				return fmt.Errorf("its label %+q is not a valid encoding of an international name", label)
			}
		case len(label) >= 4 && label[2:4] == "--":
			return fmt.Errorf("its label %+q has two hyphens in the third and fourth place", label)
		default:
			if _, err := strictIDNA.ToASCII(label); err != nil {
				return fmt.Errorf("its label %+q contains characters that a host name may not contain, or may not contain in this order", label)
			}
		}
	}
	return errors.New("its labels cannot be combined, because the name has both directions of writing")
}

// fullStops replaces the other full stops between labels with dots (UTS #46 §2.3).
var fullStops = strings.NewReplacer("\u3002", ".", "\uFF0E", ".", "\uFF61", ".")

// losesLabel reports whether IDNA turned a label that was not empty into an empty one: "xn--"
// decodes to nothing, and "a.xn--" would become a name with a root dot.
func losesLabel(host, canon string) bool {
	written := strings.Split(fullStops.Replace(host), ".")
	labels := strings.Split(canon, ".")
	if len(written) != len(labels) {
		return true
	}
	for i, label := range labels {
		if label == "" && written[i] != "" {
			return true
		}
	}
	return false
}

// capitalSharpS is mapped to "ss" up to Unicode 15.0 and to "ß" since 15.1.
const capitalSharpS = '\u1E9E'

// checkName checks a canonical name without its root dot.
func checkName(canon string) (wayfind.Code, string) {
	if len(canon) > maxName {
		return wayfind.CodeHostSyntax, "it is longer than 253 bytes"
	}
	for label := range strings.SplitSeq(canon, ".") {
		switch {
		case label == "":
			return wayfind.CodeHostSyntax, "there is nothing before or after one of its dots"
		case len(label) > maxLabel:
			return wayfind.CodeHostSyntax, "one of its labels is longer than 63 bytes"
		}
	}
	last := canon[strings.LastIndexByte(canon, '.')+1:]
	switch {
	case isNumber(last) && isIPv4(canon):
		return wayfind.CodeHostIPLiteral, "it is an IP address"
	case isNumber(last):
		return wayfind.CodeHostNumeric, "it ends in a number, which some readers take for an IP address"
	case last == canon:
		return wayfind.CodeHostSingleLabel, "it has one label only"
	case isSpecialUse(last):
		return wayfind.CodeHostSpecialUse, "." + last + " is not for public names"
	case last == "well-known":
		return wayfind.CodeHostSyntax, "there is no slash before .well-known"
	}
	return "", ""
}

func isIPv4(canon string) bool {
	addr, err := netip.ParseAddr(canon)
	return err == nil && addr.Is4()
}

// isNumber is the "ends in a number" check of the URL Standard §3.5. It accepts decimal, octal
// and hexadecimal labels, and "0x" alone.
func isNumber(label string) bool {
	if digits, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// isSpecialUse reports whether a top-level domain is reserved by RFC 6761 (localhost, test,
// invalid), RFC 6762 (local), RFC 7686 (onion), RFC 9476 (alt), RFC 8375 and others (arpa), or
// by ICANN ("internal", in 2024). The endings in the second line are used in private networks
// (RFC 6762 appendix G), and ICANN does not delegate them. "example" is not listed, because no
// private network uses it.
func isSpecialUse(tld string) bool {
	switch tld {
	case "localhost", "local", "internal", "test", "invalid", "onion", "alt", "arpa",
		"corp", "home", "mail", "lan", "intranet", "private", "localdomain":
		return true
	}
	return false
}

func hostError(host string, code wayfind.Code, why string) error {
	return wayfind.NewError("host", text.Clip(host), code, errors.New(why))
}
