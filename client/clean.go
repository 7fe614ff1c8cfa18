package client

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// Caps on text of the model, in code points.
const (
	maxLine = 1 << 10 // names, titles, keys, identifiers
	maxText = 16 << 10
	maxURL  = 2 << 10
)

// cleanReading cleans every string of a reading, map keys and JSON included,
// and says what it removed. It walks the types, so that a field that is added
// to the model is cleaned without anybody thinking of it; the struct tag
// `clean:"text"` allows line breaks, `clean:"url"` allows a URL's length.
func cleanReading(r *resolve.Reading) []wayfind.Diagnostic {
	w := walker{}
	for _, v := range []any{&r.Services, &r.Policies, &r.Documents, &r.Diagnostics, &r.Source, &r.Version, &r.Dialect, &r.Unusable, &r.Links} {
		w.walk(reflect.ValueOf(v).Elem(), "", "")
	}
	return w.diagnostics()
}

// walker cleans values in place. They are a reading's own: no one else has
// seen them yet.
type walker struct {
	removed security.Removed
	// first is the field in which something was removed first, and fields
	// how many.
	first  string
	fields int
}

// walk cleans v. field names it, mode is the struct tag it stands under.
func (w *walker) walk(v reflect.Value, field, mode string) {
	switch v.Kind() {
	case reflect.String:
		if s := w.text(v.String(), field, mode); s != v.String() {
			v.SetString(s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			w.walk(v.Elem(), field, mode)
		}
	case reflect.Struct:
		w.walkStruct(v)
	case reflect.Slice:
		w.walkSlice(v, field, mode)
	case reflect.Map:
		w.walkMap(v, field, mode)
	}
}

func (w *walker) walkStruct(v reflect.Value) {
	t := v.Type()
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			w.walk(v.Field(i), f.Name, f.Tag.Get("clean"))
		}
	}
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

func (w *walker) walkSlice(v reflect.Value, field, mode string) {
	if v.Type() == rawJSON {
		v.SetBytes(w.json(v.Bytes(), field))
		return
	}
	for i := range v.Len() {
		w.walk(v.Index(i), field, mode)
	}
}

// walkMap rebuilds a map with string keys.
func (w *walker) walkMap(v reflect.Value, field, mode string) {
	if v.IsNil() || v.Type().Key().Kind() != reflect.String {
		return
	}
	clean := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		key := reflect.New(v.Type().Key()).Elem()
		key.SetString(w.text(it.Key().String(), field, ""))
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(it.Value())
		w.walk(value, field, mode)
		clean.SetMapIndex(key, value)
	}
	v.Set(clean)
}

func (w *walker) text(s, field, mode string) string {
	limit := maxLine
	switch mode {
	case "text":
		limit = maxText
	case "url":
		limit = maxURL
	}
	clean, removed := security.CleanText(s, mode == "text", limit)
	w.note(removed, field)
	return clean
}

// json cleans the strings inside a JSON value. A value that is no JSON is a
// mistake of a format; it is left out rather than passed on.
func (w *walker) json(raw []byte, field string) []byte {
	if len(raw) == 0 {
		return raw
	}
	clean, removed, err := security.CleanJSON(raw)
	if err != nil {
		return nil
	}
	w.note(removed, field)
	return clean
}

func (w *walker) note(removed security.Removed, field string) {
	if !removed.Any() {
		return
	}
	if w.fields == 0 {
		w.first = strings.ToLower(field[:1]) + field[1:]
	}
	w.fields++
	w.removed.Add(removed)
}

func (w *walker) diagnostics() []wayfind.Diagnostic {
	if w.fields == 0 {
		return nil
	}
	message := "text was cleaned (" + w.removed.String() + "), first in the field " + w.first
	code := "text.cut"
	if w.removed.Hidden() {
		code = "text.hidden"
	}
	return []wayfind.Diagnostic{{Severity: wayfind.SeverityWarning, Code: code, Message: message}}
}
