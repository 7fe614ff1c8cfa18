package robots

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dunglas/httpsfv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// There are three vocabularies for wishes about the use of content: Content-Signal,
// Content-Usage and the TDM Reservation Protocol. Their categories differ, so each is a
// separate kind of policy. They never allow or forbid a request.

// wishFields returns the header fields with the same wishes as the records.
func wishFields() []string {
	return []string{fieldSignal, fieldUsage, fieldReservation, fieldReservationPolicy}
}

const (
	fieldSignal            = "Content-Signal"
	fieldUsage             = "Content-Usage"
	fieldReservation       = "Tdm-Reservation"
	fieldReservationPolicy = "Tdm-Policy"
)

// carriesWishes reports whether a response has a field with a wish.
func carriesWishes(h http.Header) bool {
	return slices.ContainsFunc(wishFields(), func(name string) bool { return len(h[name]) > 0 })
}

// parseFields reads the wishes in the header of a response, which are about the one
// resource that answered.
func parseFields(in *parse.Input) *parse.Reading {
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), base: in.FinalURL}
	var paths []string
	if in.FinalURL != nil {
		paths = []string{in.FinalURL.EscapedPath() + "$"}
	}
	add := func(kind, text string, values map[string]string) {
		if len(values) > 0 {
			r.reading.Policies = append(r.reading.Policies, wayfind.Policy{Kind: kind, Text: text, Paths: paths, Values: values})
		}
	}
	if lines := in.Header[fieldSignal]; len(lines) > 0 {
		text := strings.ToValidUTF8(strings.Join(lines, ", "), "\uFFFD")
		add(kindSignal, text, r.signals(text, 0))
	}
	if lines := in.Header[fieldUsage]; len(lines) > 0 {
		text := strings.ToValidUTF8(strings.Join(lines, ", "), "\uFFFD")
		add(kindUsage, text, r.usages(text, 0))
	}
	if lines := in.Header[fieldReservation]; len(lines) > 0 {
		add(kindReservation, "", r.reserved(lines, in))
	}
	r.reading.Diagnostics = r.Diagnostics()
	return &r.reading
}

// reserved reads the fields of the TDM Reservation Protocol. Values other than 0 and 1 are
// ignored.
func (r *reader) reserved(lines []string, in *parse.Input) map[string]string {
	value := strings.TrimSpace(lines[0])
	if len(lines) > 1 || value != "0" && value != "1" {
		r.ReportLine(ruleReservation, 0, "the field %s is %q, which is neither 0 nor 1", fieldReservation, strings.Join(lines, ", "))
		return nil
	}
	values := map[string]string{"tdm-reservation": value}
	if policy := in.Header.Get(fieldReservationPolicy); policy != "" && urlref.CheckLink(policy) == nil {
		if ref, err := url.Parse(policy); err == nil && in.FinalURL != nil {
			values["tdm-policy"] = in.FinalURL.ResolveReference(ref).String()
		}
	}
	return values
}

// cutPath cuts the path from the beginning of a rule. It begins with a slash and ends at the
// first space or tab.
func cutPath(value string) (paths []string, rest string) {
	if !strings.HasPrefix(value, "/") {
		return nil, value
	}
	end := strings.IndexAny(value, " \t")
	if end < 0 {
		end = len(value)
	}
	return []string{value[:end]}, strings.TrimLeft(value[end:], " \t")
}

// signal reads the permitted uses of the content: "search=yes, ai-train=no".
func (r *reader) signal(l line) {
	paths, rest := cutPath(l.value)
	values := r.signals(rest, l.number)
	if len(values) == 0 {
		r.ReportLine(ruleContentSignal, l.number, "the content signal %q says nothing; it is ignored", l.value)
		return
	}
	r.policy(wayfind.Policy{Kind: kindSignal, Text: l.value, Paths: paths, Values: values, Sources: at(l.number)})
}

// signalUse is the signal that limits how long and how much of the content is used.
const signalUse = "use"

// signalValues are the values of each signal, the most cautious one first.
func signalValues() map[string][]string {
	answers := []string{"no", "yes"}
	return map[string][]string{"search": answers, "ai-input": answers, "ai-train": answers, signalUse: {"immediate", "reference", "full"}}
}

// signals reads a list of signals. If two words contradict each other, the cautious one is
// used.
func (r *reader) signals(text string, line int) map[string]string {
	values := make(map[string]string)
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ';' || c == ' ' || c == '\t' }) {
		key, value, _ := strings.Cut(strings.ToLower(word), "=")
		allowed, known := signalValues()[key]
		rank := slices.Index(allowed, value)
		switch {
		case !known:
			r.ReportLine(ruleContentSignal.AsInfo(), line, "the signal %q is none of search, ai-input, ai-train and use", word)
		case rank < 0 && key == signalUse:
			r.ReportLine(ruleContentSignal, line, "the signal %q says neither immediate, reference nor full", word)
		case rank < 0:
			r.ReportLine(ruleContentSignal, line, "the signal %q says neither yes nor no", word)
		case values[key] == "" || rank < slices.Index(allowed, values[key]):
			values[key] = value
		}
	}
	return values
}

// usage reads a rule of Content-Usage: "/images/ train-ai=n". Outside of a group it applies to
// no agent.
func (r *reader) usage(l line) {
	if r.group() == nil {
		r.ReportLine(ruleContentUsage, l.number, "the usage preference %q stands before the first user agent; it is ignored", l.value)
		return
	}
	paths, rest := cutPath(l.value)
	values := r.usages(rest, l.number)
	if len(values) > 0 {
		r.policy(wayfind.Policy{Kind: kindUsage, Text: l.value, Paths: paths, Values: values, Sources: at(l.number)})
	}
}

// usages reads a dictionary of preferences (RFC 9651 §3.2). Keys are compared as bytes, the
// last of a name is used, and parameters and other names are ignored. A dictionary that cannot
// be read is ignored, and so are values other than y and n.
func (r *reader) usages(text string, line int) map[string]string {
	dictionary, err := httpsfv.UnmarshalDictionary([]string{text})
	if err == nil && len(dictionary.Names()) == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		r.ReportLine(ruleContentUsage, line, "the usage preference %q is no dictionary; it says nothing", text)
		return nil
	}
	values := make(map[string]string)
	for _, label := range []string{"search", "train-ai"} {
		member, _ := dictionary.Get(label)
		item, ok := member.(httpsfv.Item)
		if !ok {
			continue
		}
		value, _ := item.Value.(httpsfv.Token)
		if value != "y" && value != "n" {
			r.ReportLine(ruleContentUsage, line, "the usage preference %s is neither y nor n", label)
			continue
		}
		values[label] = string(value)
	}
	return values
}
