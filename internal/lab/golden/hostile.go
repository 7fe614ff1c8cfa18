package golden

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Hostile is text that must never be shown unchanged (vectors/naughty and vectors/unicode). It
// puts the text into documents, and detects which parts appear in the output.
type Hostile struct {
	texts  []string
	hidden []rune
	is     map[rune]bool
	n      atomic.Int64 // the number of texts that were returned
}

// NewHostile reads the vectors.
func NewHostile(t testing.TB) *Hostile {
	t.Helper()
	h := &Hostile{is: map[rune]bool{}}
	var rows []struct{ Text string }
	if err := json.Unmarshal(mustRead(t, Vectors(t, "naughty", "hostile_strings_own.json")), &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		h.texts = append(h.texts, row.Text)
	}
	for line := range strings.Lines(string(mustRead(t, Vectors(t, "unicode", "dangerous_codepoints.tsv")))) {
		name, _, _ := strings.Cut(line, "\t")
		if n, err := strconv.ParseUint(strings.TrimPrefix(name, "U+"), 16, 32); err == nil {
			h.hidden = append(h.hidden, rune(n))
			h.is[rune(n)] = true
		}
	}
	if len(h.texts) < Least(t, EnvVectors, 45) || len(h.hidden) < Least(t, EnvVectors, 4300) {
		t.Fatalf("%d texts and %d code points", len(h.texts), len(h.hidden))
	}
	return h
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// perText is the number of dangerous code points in each text.
const perText = 20

// Text returns the next hostile text: one of the strings, and some of the code points.
func (h *Hostile) Text() string {
	n := int(h.n.Add(1)) - 1 // servers ask from several goroutines
	var text strings.Builder
	text.WriteString(h.texts[n%len(h.texts)])
	for i := range perText {
		text.WriteString("." + string(h.hidden[(n*perText+i)%len(h.hidden)]))
	}
	return text.String()
}

// maxName is the length of the longest name that readers of JSON accept.
const maxName = 2 << 10

func (h *Hostile) name() string {
	text := h.Text()
	return strings.ToValidUTF8(text[:min(len(text), maxName)], "")
}

// Poison puts hostile text into a document. In JSON it changes strings, including names. If all
// is true, it changes all strings, or else only prose and new members, so that a reader still
// recognises the document. In any other text it appends to each line.
func (h *Hostile) Poison(doc []byte, all bool) []byte {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err == nil {
		if out, err := json.Marshal(h.value(v, all)); err == nil {
			return out
		}
	}
	var out strings.Builder
	for line := range strings.Lines(string(doc)) {
		text := strings.TrimRight(line, "\r\n")
		if all || strings.Contains(text, " ") {
			text += h.Text()
		}
		out.WriteString(text + "\n")
	}
	return []byte(out.String())
}

func (h *Hostile) value(v any, all bool) any {
	switch v := v.(type) {
	case string:
		if all || strings.Contains(v, " ") {
			return v + h.Text()
		}
	case []any:
		for i := range v {
			v[i] = h.value(v[i], all)
		}
	case map[string]any:
		out := map[string]any{"x-" + h.name(): h.Text()}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member := v[name]
			out[name] = h.value(member, all)
			if all {
				out[name+h.name()] = member
			}
		}
		return out
	}
	return v
}

// Hidden returns the first dangerous code point in a text, or "". Line breaks and the selector
// of an emoji are not dangerous.
func (h *Hostile) Hidden(text string) string {
	for i, r := range text {
		if (r < ' ' || r > '~') && h.is[r] && r != '\n' && !(r == '\ufe0f' && isEmoji(text[:i], text[i+len("\ufe0f"):])) {
			return fmt.Sprintf("%U in %+q", r, text[max(0, i-60):min(len(text), i+30)])
		}
	}
	return ""
}

// isEmoji reports whether a selector between two texts is visible: after a symbol, or after a
// digit of a keycap.
func isEmoji(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	if strings.ContainsRune("0123456789#*", last) {
		return strings.HasPrefix(after, "\u20e3")
	}
	return last > 0xa0 && (unicode.In(last, unicode.S, unicode.P) || last == '\u2139')
}

// HiddenIn is Hidden for the JSON text of a value, and for the strings that a reader gets from
// it.
func (h *Hostile) HiddenIn(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if why := h.Hidden(string(raw)); why != "" {
		return why
	}
	var back any
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	return h.hiddenString(back)
}

func (h *Hostile) hiddenString(v any) string {
	why := ""
	switch v := v.(type) {
	case string:
		return h.Hidden(v)
	case []any:
		for _, item := range v {
			why = cmp.Or(why, h.hiddenString(item))
		}
	case map[string]any:
		for name, member := range v {
			why = cmp.Or(why, h.Hidden(name), h.hiddenString(member))
		}
	}
	return why
}

// Fill puts hostile text into every string of the value that v points to, to a depth at which the
// model repeats itself.
func (h *Hostile) Fill(v any) { h.fill(reflect.ValueOf(v).Elem(), 6) }

func (h *Hostile) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(h.Text())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			h.fill(v.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				h.fill(v.Field(i), depth)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			raw, _ := json.Marshal(h.Text())
			v.SetBytes(raw)
		} else if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			h.fill(v.Index(0), depth-1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		h.fill(key, depth)
		h.fill(value, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}
