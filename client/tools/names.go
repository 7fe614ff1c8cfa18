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

	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/security"
)

// MaxName is the longest name that all vendors take, and MaxPrefixed the part
// that remains behind the prefix of an MCP host.
const (
	MaxName     = 64
	MaxPrefixed = 46
)

// ErrSameKey reports that names cannot be given because a capability is in the
// list twice.
var ErrSameKey = errors.New("tools: the same key twice")

// Subject is the thing that a name is made for.
type Subject struct {
	// Origin of the site, and Key of the capability there. The name stands for
	// both together.
	Origin, Key string
	// From is the text that the name is made from: the document's ID of the
	// capability, else its title, else the last part of its key.
	From string
	// Domain is the registrable domain of the Origin, looked up when empty.
	Domain string
}

// NameOptions control the form of names. Nil: 64 characters, no earlier names.
type NameOptions struct {
	// Max bounds the length of a name; zero means MaxName.
	Max int
	// Given are names that were given before, name → [NameKey]. Their subjects
	// keep them.
	Given map[string]string
	// Sites puts the whole domain before every name, also where there is one site: a
	// name then never stands for a tool of another site, whatever is there besides.
	Sites bool
}

// NameKey is the subject of a name, as one text.
func NameKey(origin, key string) string { return origin + "\x00" + key }

// Names gives each subject a name that every vendor takes:
// ^[A-Za-z_][A-Za-z0-9_-]{0,63}$. A name depends on its subject and on those
// that it would be confused with, not on the order. Names that differ only in
// case are confused. Where there are several sites, names begin with the first
// label of the site's domain.
//
// The error is ErrSameKey when a subject is there twice.
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

// naming gives names to a set.
type naming struct {
	most     int
	subjects []Subject
	given    map[string]string
	whole    bool              // see NameOptions.Sites
	prefix   map[string]string // by origin
}

// prefixes are the labels of sites, where there are several. Two with one label
// have their domains.
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

// domainOf is the registrable domain of an origin, or its host.
func domainOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return origin
	}
	var list *security.SuffixList
	domain, _ := list.RegistrableDomain(u.Hostname())
	return cmp.Or(domain, u.Hostname())
}

// names gives earlier names first, then all others. All members of a group that
// would be confused get a suffix.
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

// clash reports a name that several subjects would get.
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

// bare is a name without any suffix.
func (n *naming) bare(s Subject) string {
	base, _ := baseName(s.From)
	return joined(n.prefix[s.Origin], base)
}

// name makes one name. Its suffix has at least size characters; 0 is for none
// unless the name needs one alone: letters were lost, it is too long, or others
// use it.
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

// baseName makes an ASCII name of a text. It reports letters of other scripts
// that were lost, and an empty result.
func baseName(from string) (name string, lost bool) {
	plain := text.Unaccented(from)
	lost = len([]rune(plain)) != len([]rune(from)) && !isASCII(from)
	var b strings.Builder
	for _, r := range plain {
		switch spelt := spelling(r); {
		case r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case spelt != "":
			lost = true
			b.WriteString(spelt)
		default:
			lost = lost || r >= 0x80
			if s := b.String(); s != "" && s[len(s)-1] != '_' {
				b.WriteByte('_')
			}
		}
	}
	name = strings.Trim(b.String(), "_")
	if strings.Trim(name, "_-") == "" {
		return "tool", true
	}
	if c := name[0]; c == '-' || c >= '0' && c <= '9' {
		name = "_" + name
	}
	return name, lost
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// spelling gives ASCII letters for letters that normal forms do not decompose.
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

// reserved are the names that hosts, vendors and this package use.
func reserved(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "tool_search") || strings.HasPrefix(name, "wayfind_") || slices.Contains([]string{
		"web_search", "web_fetch", "file_search", "code_interpreter", "code_execution", "image_generation", "computer", "computer_use", "bash", "shell",
		"memory", "text_editor", "str_replace_editor", "str_replace_based_edit_tool", "apply_patch", "python", "functions", "function", "browser",
		"multi_tool_use_parallel", "parallel", "none", "auto", "any", "required", "tool", "tools", "final_answer", "structured_output",
	}, name)
}
