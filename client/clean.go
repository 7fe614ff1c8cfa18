package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
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
	if w.badURLs > 0 {
		dropURLs(r.Services)
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
	// badURLs counts URLs that were emptied, firstURL the field of the first.
	badURLs  int
	firstURL string
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
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			w.walk(v.Field(i), cmp.Or(name, f.Name), f.Tag.Get("clean"))
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

// walkMap rebuilds a map with string keys. Keys that are the same once they are
// clean are all kept, with "~2" and so on, in the order of the raw ones.
func (w *walker) walkMap(v reflect.Value, field, mode string) {
	if v.IsNil() || v.Type().Key().Kind() != reflect.String {
		return
	}
	clean := reflect.MakeMapWithSize(v.Type(), v.Len())
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, raw := range keys {
		key := reflect.New(v.Type().Key()).Elem()
		name := w.text(raw.String(), field, "")
		key.SetString(name)
		for n := 2; clean.MapIndex(key).IsValid(); n++ {
			key.SetString(fmt.Sprintf("%s~%d", name, n))
		}
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(v.MapIndex(raw))
		w.walk(value, field, mode)
		clean.SetMapIndex(key, value)
	}
	v.Set(clean)
}

func (w *walker) text(s, field, mode string) string {
	if mode == "url" {
		return w.url(s, field)
	}
	limit := maxLine
	if mode == "text" {
		limit = maxText
	}
	clean, removed := security.CleanText(s, mode == "text", limit)
	w.note(removed, field)
	return clean
}

// url empties a URL that cleaning would change: what is left would lead
// somewhere else.
func (w *walker) url(s, field string) string {
	if clean, _ := security.CleanText(s, false, maxURL); clean == s && len(s) <= maxURL {
		return s
	}
	if w.badURLs == 0 {
		w.firstURL = field
	}
	w.badURLs++
	return ""
}

// dropURLs takes out what hangs on a URL that was emptied.
func dropURLs(services []wayfind.Service) {
	empty := func(s string) bool { return s == "" }
	for i := range services {
		for j := range services[i].Capabilities {
			c := &services[i].Capabilities[j]
			c.DetailURLs = slices.DeleteFunc(c.DetailURLs, empty)
			if inv := c.Invocation; inv != nil && inv.URL == "" && inv.Template == "" && inv.Via == "" {
				c.Invocation = nil
			}
		}
	}
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
		w.first = field
	}
	w.fields++
	w.removed.Add(removed)
}

func (w *walker) diagnostics() []wayfind.Diagnostic {
	var diags []wayfind.Diagnostic
	if w.badURLs > 0 {
		diags = append(diags, wayfind.Diagnostic{Severity: wayfind.SeverityError, Code: "text.url",
			Message: fmt.Sprintf("%d URLs are too long or hold hidden characters and were left out, first in the field %s", w.badURLs, w.firstURL)})
	}
	if w.fields == 0 {
		return diags
	}
	message := "text was cleaned (" + w.removed.String() + "), first in the field " + w.first
	code := "text.cut"
	if w.removed.Hidden() {
		code = "text.hidden"
	}
	return append(diags, wayfind.Diagnostic{Severity: wayfind.SeverityWarning, Code: code, Message: message})
}
