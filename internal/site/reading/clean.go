package reading

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/uniqname"
	"github.com/wayfindhq/wayfind/parse"
)

// Caps on text of the model, in code points.
const (
	maxLine = 1 << 10 // names, titles, keys, identifiers
	maxText = 16 << 10
	maxURL  = 2 << 10
)

// clean cleans every string of a reading, including map keys and JSON, and reports the removed
// parts. It walks the types, so a new field of the model is cleaned without further work. The
// struct tag `clean:"text"` allows line breaks, and `clean:"url"` the length of a URL.
// `clean:"wire"` is for data that a call sends, and `clean:"schema"` for the schema of that data:
// if it is changed, the invocation of the capability contains that fact. The fields of a type that
// need cleaning are determined once.
//
// Secrets are removed afterwards, and before a text is cut. known are the secrets of the document.
func (r raw) clean(known *secrets, steps *fuel.Counter) (Clean, []wayfind.Diagnostic) {
	w := walker{secrets: known, work: steps}
	for _, v := range []any{&r.Source, &r.Version, &r.Dialect, &r.Unusable, &r.Links, &r.Diagnostics} {
		w.walk(reflect.ValueOf(v).Elem(), "", "")
	}
	w.suspect = &suspicions{}
	for _, v := range []any{&r.Services, &r.Policies, &r.Documents} {
		w.walk(reflect.ValueOf(v).Elem(), "", "")
	}
	if w.badURLs > 0 || w.redactedURL || w.unsafe.count > 0 {
		dropURLs(r.Services)
		dropLinks(r.Reading)
	}
	return Clean{part: r.part, secrets: known}, w.diagnostics()
}

// walker cleans values in place. The values belong to one reading that has not been shared yet.
type walker struct {
	work    *fuel.Counter
	removed text.Removed
	// first is the first field with a removal, and fields is their number.
	first  string
	fields int
	// badURLs is the number of URLs that were emptied, and firstURL the field of the first.
	badURLs  int
	firstURL string
	// unsafe contains the URLs that were emptied because of their scheme or content.
	unsafe unsafeURLs
	// secrets contains the known secrets. leaks contains the others: the rule, and the first field
	// in which it was found.
	secrets *secrets
	leaks   map[string]string
	// redactedURL is true if a URL lost a secret, so that it leads nowhere.
	redactedURL bool
	// name is the name of the current value, if the document gives one: the key of a map, or a
	// member next to it.
	name string
	// altered is the first field of the present capability that cleaning changed although a call
	// sends it.
	altered string
	// suspect collects passages that address a model; nil if they are not searched for.
	suspect *suspicions
}

// walk cleans v. field is its name, and mode its struct tag.
func (w *walker) walk(v reflect.Value, field, mode string) {
	w.work.Add(1)
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
	plan := plans()[v.Type()]
	if c, ok := v.Addr().Interface().(*wayfind.Capability); ok {
		defer w.sends(c)()
	}
	if plan.suspicious != nil && w.suspect != nil {
		defer w.suspect.owned(v.FieldByIndex(plan.suspicious))()
	}
	label := ""
	if plan.name != nil {
		label = v.FieldByIndex(plan.name).String()
	}
	for i := range plan.fields {
		f := &plan.fields[i]
		w.name = ""
		if f.value {
			w.name = label
		}
		w.walk(v.Field(f.index), f.label, f.mode)
	}
	w.name = ""
}

// sends begins a capability. When it ends, its invocation is marked if it was altered.
func (w *walker) sends(c *wayfind.Capability) (end func()) {
	outer := w.altered
	w.altered = ""
	return func() {
		if c.Invocation != nil {
			c.Invocation.Altered = w.altered
		}
		w.altered = outer
	}
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

func (w *walker) walkSlice(v reflect.Value, field, mode string) {
	if v.Type() == rawJSON {
		v.SetBytes(w.json(v.Bytes(), field, mode))
		return
	}
	for i := range v.Len() {
		w.walk(v.Index(i), field, mode)
	}
}

// walkMap rebuilds a map with string keys. If several keys are equal after cleaning, all are kept,
// with "~2" and so on, in the order of the raw keys.
func (w *walker) walkMap(v reflect.Value, field, mode string) {
	if v.IsNil() || v.Type().Key().Kind() != reflect.String {
		return
	}
	clean, taken := reflect.MakeMapWithSize(v.Type(), v.Len()), make(uniqname.Taken, v.Len())
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, raw := range keys {
		key := reflect.New(v.Type().Key()).Elem()
		w.work.Add(1)
		w.name = ""
		key.SetString(taken.Free(w.text(raw.String(), field, "")))
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(v.MapIndex(raw))
		w.name = raw.String()
		w.walk(value, field, mode)
		clean.SetMapIndex(key, value)
	}
	v.Set(clean)
}

func (w *walker) text(s, field, mode string) string {
	w.work.Text(len(s))
	if mode == "url" {
		return w.url(s, field)
	}
	limit := maxLine
	if mode == "text" {
		limit = maxText
	}
	clean, removed := text.Clean(s, mode == "text", 0)
	clean, rules := w.secrets.redact(w.name, clean)
	w.leak(rules, field)
	clean, cut := text.Clean(clean, mode == "text", limit)
	removed.Add(cut)
	w.note(removed, field)
	if mode == modeWire && clean != s {
		w.alter(field)
	}
	w.suspect.look(clean, field)
	return clean
}

func (w *walker) alter(field string) { w.altered = cmp.Or(w.altered, field) }

// leak records the rules of secrets that were not known.
func (w *walker) leak(rules []string, field string) {
	for _, rule := range rules {
		if _, again := w.leaks[rule]; again {
			continue
		}
		if w.leaks == nil {
			w.leaks = map[string]string{}
		}
		w.leaks[rule] = field
	}
}

// url empties a URL that cleaning would change, because the rest would lead somewhere else.
func (w *walker) url(s, field string) string {
	if isUnsafeURL(s) {
		w.unsafe.drop(field)
		return ""
	}
	if clean, _ := text.Clean(s, false, maxURL); clean == s && len(s) <= maxURL {
		clean, rules := w.secrets.redactURL(s)
		w.leak(rules, field)
		w.redactedURL = w.redactedURL || clean != s
		return clean
	}
	if w.badURLs == 0 {
		w.firstURL = field
	}
	w.badURLs++
	return ""
}

// dropURLs removes parts that depend on a URL that was emptied or lost a secret. A credential in a
// document belongs to another party, and is not used.
func dropURLs(services []wayfind.Service) {
	for i := range services {
		services[i].DetailURLs = slices.DeleteFunc(services[i].DetailURLs, leadsNowhere)
		for j := range services[i].Capabilities {
			c := &services[i].Capabilities[j]
			c.DetailURLs = slices.DeleteFunc(c.DetailURLs, leadsNowhere)
			inv := c.Invocation
			if inv == nil {
				continue
			}
			gone := inv.URL == "" && inv.Template == "" && inv.Via == ""
			if gone || secret.IsRedacted(inv.URL) || secret.IsRedacted(inv.Template) {
				c.Invocation = nil
			}
		}
	}
}

// dropLinks removes links to URLs that lead nowhere.
func dropLinks(r *parse.Reading) {
	for i := range r.Links {
		r.Links[i].URLs = slices.DeleteFunc(r.Links[i].URLs, leadsNowhere)
	}
	r.Links = slices.DeleteFunc(r.Links, func(l parse.Link) bool { return len(l.URLs) == 0 })
}

func leadsNowhere(ref string) bool { return ref == "" || secret.IsRedacted(ref) }

// json cleans the strings inside a JSON value. If the value is no JSON, which is a mistake of a
// format, it is left out.
func (w *walker) json(raw []byte, field, mode string) []byte {
	if len(raw) == 0 {
		return raw
	}
	w.work.Text(len(raw))
	clean, removed, err := text.CleanJSON(raw)
	if err != nil {
		return nil
	}
	w.note(removed, field)
	clean = w.redactJSON(w.dropUnsafe(keepBlanks(raw, clean, mode), field), field)
	if altered(raw, clean, mode) {
		w.alter(field)
	}
	w.suspect.lookJSON(clean, field)
	return clean
}

// redactJSON removes secrets from the strings inside a JSON value.
func (w *walker) redactJSON(raw []byte, field string) []byte {
	own := findJSONSecrets(w.name, raw)
	if own == nil && w.secrets == nil {
		return raw
	}
	clean, err := text.RewriteJSON(raw, func(s string) string {
		s, rules := own.redact("", s)
		w.leak(rules, field)
		s, rules = w.secrets.redact("", s)
		w.leak(rules, field)
		return s
	})
	if err != nil {
		return nil
	}
	if own != nil {
		for rule := range own.rules {
			if !w.secrets.has(rule) {
				w.leak([]string{rule}, field)
			}
		}
	}
	return clean
}

func (w *walker) note(removed text.Removed, field string) {
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
		diags = append(diags, ruleTextURL.Diagnostic("", "%d URLs are too long or hold hidden characters and were left out, first in the field %s", w.badURLs, w.firstURL))
	}
	diags = append(diags, w.unsafe.diagnostics()...)
	for _, rule := range slices.Sorted(maps.Keys(w.leaks)) {
		diags = append(diags, ruleTextSecret.Diagnostic("", "a likely secret (%s) was taken out, first in the field %s", rule, w.leaks[rule]))
	}
	diags = append(diags, w.suspect.diagnostics()...)
	if w.fields == 0 {
		return diags
	}
	return append(diags, ruleOfRemoved(w.removed).Diagnostic("", "text was cleaned (%s), first in the field %s", w.removed, w.first))
}

// ruleOfRemoved returns the rule about a text that lost a part.
func ruleOfRemoved(removed text.Removed) parse.Rule {
	if removed.Hidden() {
		return ruleTextHidden
	}
	return ruleTextCut
}
