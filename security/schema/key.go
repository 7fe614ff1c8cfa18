package schema

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// keys maps values to keys that are the same for equal values (2020-12 core §4.2.2): numbers by
// their value, objects independently of order. The keys of arrays and objects are digests of
// their content and are remembered, so computing the keys of all parts of a value takes no
// longer than reading it. The zero value is empty.
type keys map[jsonscan.Node]string

// longKey is the length above which the key of a text is also a digest, in bytes.
const longKey = 64

func (k *keys) of(count *fuel.Counter, v jsonscan.Node) string {
	count.Add(1)
	switch v.Kind() {
	case jsonscan.Null:
		return "n"
	case jsonscan.Bool:
		if yes, _ := v.Bool(); yes {
			return "t"
		}
		return "f"
	case jsonscan.Number:
		count.Text(len(v.Text()))
		return short('#', decimalOf(v).appendKey(nil))
	case jsonscan.String:
		count.Text(len(v.Text()))
		text, _ := v.Str()
		return short('"', []byte(text))
	}
	key, ok := (*k)[v]
	if !ok {
		key = k.container(count, v)
		if *k == nil {
			*k = make(keys)
		}
		(*k)[v] = key
	}
	return key
}

// short returns the key of a text. No value of another kind has the same key.
func short(kind byte, text []byte) string {
	if len(text) <= longKey {
		return string(kind) + string(text)
	}
	return digest(kind, text)
}

func digest(kind byte, text []byte) string {
	sum := sha256.Sum256(text)
	return "h" + string(kind) + string(sum[:])
}

// sized returns a text with its length, which separates it from the next text.
func sized(s string) string { return strconv.Itoa(len(s)) + ":" + s }

func (k *keys) container(count *fuel.Counter, v jsonscan.Node) string {
	parts := make([]string, 0, v.Len())
	for i := range v.Len() {
		c := v.Child(i)
		key := k.of(count, c)
		if v.Kind() == jsonscan.Object {
			count.Text(len(c.Name()))
			parts = append(parts, sized(c.Name())+sized(key))
			continue
		}
		parts = append(parts, sized(key))
	}
	if v.Kind() == jsonscan.Object {
		slices.Sort(parts)
		return digest('{', []byte(strings.Join(parts, "")))
	}
	return digest('[', []byte(strings.Join(parts, "")))
}
