package aidiscovery

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Bounds of texts in characters (§3.2, §3.3). Publishers exceed them so often
// that longer texts are reported and kept.
const (
	maxName           = 100
	maxDescription    = 300
	wantedDescription = 200
	maxCapabilityText = 200
	maxReturns        = 300
	maxID             = 64
)

// categories returns the labels of this version (§3.2).
func categories() []string {
	return []string{"productivity", "ecommerce", "finance", "news", "weather", "maps", "search", "data", "communication",
		"calendar", "storage", "media", "health", "education", "travel", "food", "government", "developer"}
}

// service reads the service object (§3.2).
func (r *reader) service(root parse.Node) wayfind.Service {
	obj := r.Object(root, "service", parse.Must, "§3.1")
	s := wayfind.Service{
		Name:        r.text(obj, "name", maxName, ruleNameLength),
		Description: r.text(obj, "description", maxDescription, ruleDescriptionLength),
	}
	if n := utf8.RuneCountInString(s.Description); n >= wantedDescription && n <= maxDescription {
		r.Report(ruleDescriptionLength.AsInfo(), obj.Get("description"), "the description has %d characters; under %d are recommended", n, wantedDescription)
	}
	s.Categories = r.list(obj, "category", func(label string, n parse.Node) {
		if !slices.Contains(categories(), label) {
			r.Report(ruleCategory, n, "the category %q is not one of the %d defined", label, len(categories()))
		}
	})
	s.Languages = r.list(obj, "language", func(tag string, n parse.Node) {
		if !isLanguageTag(tag) {
			r.Report(ruleLanguage, n, "%q is not a language tag of BCP 47", tag)
		}
	})
	if obj.Exists() && !obj.Get("language").Exists() {
		s.Languages, s.Defaulted = []string{"en"}, []string{"languages"}
	}
	keep(&s, "service", r.strays("service", obj, "name", "description", "category", "language")...)
	return s
}

// text reads a required text of 1 to limit characters. length is the rule for other
// lengths.
func (r *reader) text(obj parse.Node, name string, limit int, length parse.Rule) string {
	text := r.String(obj, name, parse.Must, length.Section)
	n := obj.Get(name)
	switch count := utf8.RuneCountInString(text); {
	case text == "" && n.Kind() == parse.String:
		r.Report(length, n, "the %s is empty", name)
	case count > limit:
		r.Report(length, n, "the %s has %d characters; %d are allowed", name, count, limit)
	}
	return text
}

// list reads an array of strings, which must have at least one element and no
// repetitions. It calls check for each. A single string is read as a list of one.
func (r *reader) list(obj parse.Node, name string, check func(text string, n parse.Node)) []string {
	array := obj.Get(name)
	if text, ok := array.Str(); ok {
		r.Report(ruleWrongType.At("§3.2"), array, "%s is a string where an array of strings belongs; it was read as its one element", name)
		check(text, array)
		return []string{text}
	}
	unique := r.Strings(obj, name, parse.Optional, "§3.2")[:0]
	if array.Kind() == parse.Array && array.Len() == 0 {
		r.Report(ruleEmptyList, array, "%s is empty; it has at least one element or is left out", name)
	}
	seen := map[string]bool{}
	for _, n := range array.Items() {
		text, ok := n.Str()
		switch {
		case !ok:
		case seen[text]:
			r.Report(ruleDuplicateValue, n, "%s has %q twice", name, text)
		default:
			seen[text] = true
			check(text, n)
			unique = append(unique, text)
		}
	}
	return unique
}

// Bounds of a language tag and of its subtags (RFC 5646 §4.4.1, §2.1).
const (
	maxTag    = 35
	maxSubtag = 8
)

// isLanguageTag reports whether text has the form of a language tag (RFC 5646 §2.1).
// It does not check whether the subtags are registered.
func isLanguageTag(text string) bool {
	first, rest, more := strings.Cut(text, "-")
	private := strings.EqualFold(first, "x") || strings.EqualFold(first, "i")
	if len(text) > maxTag || !isAlphanumeric(first) || strings.ContainsAny(first, "0123456789") || len(first) < 2 && !(private && more) {
		return false
	}
	for more {
		var subtag string
		if subtag, rest, more = strings.Cut(rest, "-"); !isAlphanumeric(subtag) {
			return false
		}
	}
	return true
}

// isAlphanumeric reports whether text consists of 1 to 8 ASCII letters and digits.
func isAlphanumeric(text string) bool {
	return text != "" && len(text) <= maxSubtag && !strings.ContainsFunc(text, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	})
}
