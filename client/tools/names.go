package tools

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security"
)

// MaxName is the maximum length of a name that all vendors accept. MaxPrefixed is the part that
// remains after the prefix of an MCP host.
const (
	MaxName     = 64
	MaxPrefixed = 46
)

// ErrSameKey is the error if names cannot be created because a capability is in the list twice.
var ErrSameKey = errors.New("tools: the same key twice")

// Subject is the thing that a name is made for.
type Subject struct {
	// Origin is the origin of the site, and Key the key of the capability there. The name is
	// for both together.
	Origin, Key string
	// From is the text that the name is made from: the ID of the capability in the document,
	// otherwise its title, otherwise the last part of its key, otherwise its method and path. A
	// text that leaves no letter of a name, such as one in another script, is passed over.
	From string
	// Domain is the registrable domain of the Origin. If it is empty, it is determined from the
	// Origin.
	Domain string
}

// NameOptions are options for the form of names. Nil means 64 characters and no earlier names.
type NameOptions struct {
	// Max is the maximum length of a name. If it is zero, MaxName is used.
	Max int
	// Given are earlier names, name → [NameKey]. Their subjects keep them.
	Given map[string]string
	// Sites puts the whole domain before every name ("shop_example__order"), even if there is only
	// one site. A name then never refers to a tool of another site, whatever other sites are
	// added.
	Sites bool
}

// NameKey returns the subject of a name as one text.
func NameKey(origin, key string) string { return origin + "\x00" + key }

// Names returns a name for each subject that every vendor accepts:
// ^[A-Za-z_][A-Za-z0-9_-]{0,63}$. A name depends on its subject and on the subjects that it
// could be confused with, but not on their order. Names that differ only in case can be
// confused. If there are several sites, each name begins with the first label of the site's
// domain.
//
// The error is ErrSameKey if a subject is in the list twice.
func Names(subjects []Subject, opts *NameOptions) ([]string, error) {
	n := naming{most: MaxName, subjects: subjects}
	if opts != nil {
		n.most, n.given, n.whole = cmp.Or(opts.Max, MaxName), opts.Given, opts.Sites
	}
	seen := make(map[string]bool, len(subjects))
	for _, s := range subjects {
		id := NameKey(s.Origin, s.Key)
		if seen[id] {
			return nil, fmt.Errorf("%w: %q of %q", ErrSameKey, s.Key, s.Origin)
		}
		seen[id] = true
	}
	n.prefixes()
	return n.names(), nil
}

// naming creates the names of a set of subjects.
type naming struct {
	most     int
	subjects []Subject
	given    map[string]string
	whole    bool              // see NameOptions.Sites
	prefix   map[string]string // by origin
}

// prefixes computes the labels of sites, if there are several. If two sites have the same
// label, their whole domains are used.
func (n *naming) prefixes() {
	domains := make(map[string]string) // by origin
	for _, s := range n.subjects {
		if _, ok := domains[s.Origin]; !ok {
			domains[s.Origin] = cmp.Or(s.Domain, domainOf(s.Origin))
		}
	}
	sites := make(map[string]map[string]bool) // domains by label
	for _, d := range domains {
		label, _, _ := strings.Cut(d, ".")
		if sites[label] == nil {
			sites[label] = make(map[string]bool)
		}
		sites[label][d] = true
	}
	n.prefix = make(map[string]string)
	if !n.whole && len(sites) == 1 && len(sites[firstLabel(domains)]) == 1 {
		return
	}
	for origin, d := range domains {
		label, _, _ := strings.Cut(d, ".")
		if n.whole || len(sites[label]) > 1 {
			label = strings.ReplaceAll(d, ".", "_")
		}
		n.prefix[origin] = label
	}
}

func firstLabel(domains map[string]string) string {
	for _, d := range domains {
		label, _, _ := strings.Cut(d, ".")
		return label
	}
	return ""
}

// domainOf returns the registrable domain of an origin, or its host.
func domainOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return origin
	}
	var list *security.SuffixList
	domain, _ := list.RegistrableDomain(u.Hostname())
	return cmp.Or(domain, u.Hostname())
}

// names assigns earlier names first, then all others. If several members of a group could be
// confused, all of them get a suffix.
func (n *naming) names() []string {
	out := make([]string, len(n.subjects))
	taken := make(map[string]bool)
	kept := make(map[string]string, len(n.given))
	for name, id := range n.given {
		kept[id] = name
		taken[strings.ToLower(name)] = true
	}
	groups := make(map[string]int)
	for i, s := range n.subjects {
		if out[i] = kept[NameKey(s.Origin, s.Key)]; out[i] == "" {
			groups[strings.ToLower(n.name(s, 0))]++
		}
	}
	for size := 6; ; size += 4 {
		used := make(map[string]int)
		next := slices.Clone(out)
		for i, s := range n.subjects {
			if out[i] != "" {
				continue
			}
			next[i] = n.name(s, 0)
			if fold := strings.ToLower(next[i]); groups[fold] > 1 || taken[fold] {
				next[i] = n.name(s, size)
			} else if size > 6 && needsSuffix(s, n) {
				next[i] = n.name(s, size)
			}
			used[strings.ToLower(next[i])]++
		}
		if !clash(used, taken) || size > 20 {
			return next
		}
	}
}

// clash reports whether several subjects would get the same name.
func clash(used map[string]int, taken map[string]bool) bool {
	for name, times := range used {
		if times > 1 || taken[name] {
			return true
		}
	}
	return false
}

func needsSuffix(s Subject, n *naming) bool {
	return n.name(s, 0) != n.bare(s)
}

// bare returns a name without any suffix.
func (n *naming) bare(s Subject) string {
	base, _ := baseName(s.From)
	return joined(n.prefix[s.Origin], base)
}

// name returns one name. Its suffix has at least size characters. If size is 0, there is a
// suffix only if the name itself needs one: letters were lost, it is too long, or it is
// reserved.
func (n *naming) name(s Subject, size int) string {
	base, lost := baseName(s.From)
	whole := joined(n.prefix[s.Origin], base)
	if size == 0 && !lost && len(whole) <= n.most && !reserved(whole) {
		return whole
	}
	size = max(size, 6)
	if room := n.most - size - 1; len(whole) > room {
		whole = strings.TrimRight(whole[:max(room, 1)], "_")
	}
	sum := sha256.Sum256([]byte(NameKey(s.Origin, s.Key)))
	return whole + "_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:size]
}

// joined puts a prefix before a base.
func joined(prefix, base string) string {
	if prefix == "" {
		return base
	}
	label, _ := baseName(prefix)
	return label + "__" + strings.TrimPrefix(base, "_")
}

// baseName makes an ASCII name from a text. It also reports whether letters of other scripts
// were lost, or nothing was left.
func baseName(from string) (name string, lost bool) {
	name, respelt, lost := plainName(from)
	lost = lost || respelt
	if name == "" {
		return "tool", true
	}
	if c := name[0]; c == '-' || c >= '0' && c <= '9' {
		name = "_" + name
	}
	return name, lost
}

// plainName returns the characters of a text that a name may have, or "" if there are none. It also
// reports whether letters were written with others, as "ss" for "ß", and whether some were lost.
func plainName(from string) (name string, respelt, lost bool) {
	plain := text.Unaccented(from)
	lost = len([]rune(plain)) != len([]rune(from)) && !isASCII(from)
	var b strings.Builder
	for _, r := range plain {
		switch spelt := spelling(r); {
		case r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case spelt != "":
			respelt = true
			b.WriteString(spelt)
		default:
			lost = lost || r >= 0x80
			if s := b.String(); s != "" && s[len(s)-1] != '_' {
				b.WriteByte('_')
			}
		}
	}
	if name = strings.Trim(b.String(), "_"); strings.Trim(name, "_-") == "" {
		name = ""
	}
	return name, respelt, lost
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// spelling returns ASCII letters for letters that normal forms do not decompose.
func spelling(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'Æ':
		return "AE"
	case 'ø':
		return "o"
	case 'Ø':
		return "O"
	case 'œ':
		return "oe"
	case 'Œ':
		return "OE"
	case 'ł':
		return "l"
	case 'Ł':
		return "L"
	case 'đ', 'ð':
		return "d"
	case 'Đ', 'Ð':
		return "D"
	case 'þ':
		return "th"
	case 'Þ':
		return "Th"
	case 'ı':
		return "i"
	}
	return ""
}

// reserved reports whether hosts, vendors or this package use a name.
func reserved(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "tool_search") || strings.HasPrefix(name, "wayfind_") || slices.Contains([]string{
		"web_search", "web_fetch", "file_search", "code_interpreter", "code_execution", "image_generation", "computer", "computer_use", "bash", "shell",
		"memory", "text_editor", "str_replace_editor", "str_replace_based_edit_tool", "apply_patch", "python", "functions", "function", "browser",
		"multi_tool_use_parallel", "parallel", "none", "auto", "any", "required", "tool", "tools", "final_answer", "structured_output",
	}, name)
}
