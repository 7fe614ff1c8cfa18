package httpcall_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// The oracle writes the request of an operation from the OpenAPI document and the tables of
// the specification. It shares no code with the package under test: it reads the document as
// plain JSON, and uses neither the format's reading of it nor that package.

// tree is a JSON value that keeps its order: nil, bool, json.Number, string, []tree or
// members.
type tree any

type members []member

type member struct {
	name  string
	value tree
}

func (m members) get(name string) tree {
	for _, x := range m {
		if x.name == name {
			return x.value
		}
	}
	return nil
}

func readTree(raw []byte) tree {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := nextTree(d)
	if err != nil {
		panic(err)
	}
	return v
}

func nextTree(d *json.Decoder) (tree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []tree{}
		for d.More() {
			v, err := nextTree(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		list := members{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := nextTree(d)
			if err != nil {
				return nil, err
			}
			list = append(list, member{name.(string), v})
		}
		_, err = d.Token()
		return list, err
	}
	return token, nil
}

// wire is a request as the oracle expects it.
type wire struct {
	method, url string
	header      map[string]string // by names in lower case
	contentType string
	body        string
	parts       []wirePart // of a body of several parts
}

type wirePart struct{ name, file, contentType, body string }

// errUndefined: the specification does not define the value.
var errUndefined = errors.New("undefined")

// book is an OpenAPI document.
type book struct {
	root    members
	version string // "2.0", "3.0", "3.1", "3.2"
	at      *url.URL
}

func newBook(raw []byte, at *url.URL) *book {
	b := &book{root: readTree(raw).(members), at: at, version: "3.0"}
	if v := b.root.get("swagger"); v != nil {
		b.version = "2.0"
	} else if text, ok := b.root.get("openapi").(string); ok {
		b.version = text[:min(3, len(text))]
	}
	return b
}

// object follows references.
func (b *book) object(v tree) members {
	for range 10 {
		m, _ := v.(members)
		ref, ok := m.get("$ref").(string)
		if !ok {
			return m
		}
		rest, _ := strings.CutPrefix(ref, "#/")
		v = b.root
		for step := range strings.SplitSeq(rest, "/") {
			step, _ = url.PathUnescape(step)
			step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
			m, _ := v.(members)
			v = m.get(step)
		}
	}
	return nil
}

func words(v tree) string {
	s, _ := v.(string)
	return s
}

// parameters returns the parameters of an operation: the parameters of the path item,
// overridden by the operation's own.
func (b *book) parameters(item, op members) (list []members) {
	for _, from := range []members{item, op} {
		all, _ := from.get("parameters").([]tree)
		for _, v := range all {
			p := b.object(v)
			i := slices.IndexFunc(list, func(q members) bool {
				return words(q.get("name")) == words(p.get("name")) && words(q.get("in")) == words(p.get("in"))
			})
			if i >= 0 {
				list[i] = p
			} else if words(p.get("name")) != "" {
				list = append(list, p)
			}
		}
	}
	return list
}

// base returns the URL before the paths: the first server, relative to the document (OpenAPI,
// Server Object); or scheme, host and basePath.
func (b *book) base(item, op members) string {
	if b.version == "2.0" {
		scheme, host := b.at.Scheme, b.at.Host
		if list, _ := b.root.get("schemes").([]tree); len(list) > 0 {
			scheme = words(list[0])
			if slices.Contains(list, tree("https")) {
				scheme = "https"
			}
		}
		if h := words(b.root.get("host")); h != "" {
			host = h
		}
		return scheme + "://" + host + strings.TrimSuffix(words(b.root.get("basePath")), "/")
	}
	for _, from := range []members{op, item, b.root} {
		list, _ := from.get("servers").([]tree)
		for _, v := range list {
			server, _ := v.(members)
			text := words(server.get("url"))
			variables, _ := server.get("variables").(members)
			for _, v := range variables {
				text = strings.ReplaceAll(text, "{"+v.name+"}", words(v.value.(members).get("default")))
			}
			u, err := b.at.Parse(strings.TrimSpace(text))
			if err != nil {
				continue
			}
			return strings.TrimSuffix(u.Scheme+"://"+u.Host+u.EscapedPath(), "/")
		}
	}
	return b.at.Scheme + "://" + b.at.Host
}

// given is the value of a parameter, or of a member of the body.
type given struct {
	in, name string
	value    tree
}

func find(list []given, in, name string) (tree, bool) {
	for _, g := range list {
		if g.in == in && g.name == name {
			return g.value, true
		}
	}
	return nil, false
}

// request returns the expected request. The body is nil if there is none.
func (b *book) request(method, path string, item, op members, values []given, body tree) (w wire, err error) {
	defer func() {
		if e := recover(); e == errUndefined {
			err = errUndefined
		} else if e != nil {
			panic(e)
		}
	}()
	w = wire{method: strings.ToUpper(method), header: map[string]string{}}
	var query, cookies []string
	for _, p := range b.parameters(item, op) {
		name, in := words(p.get("name")), words(p.get("in"))
		v, ok := find(values, in, name)
		if !ok || v == nil {
			continue
		}
		if required, _ := p.get("required").(bool); required && slices.Contains([]string{"query", "querystring", "cookie"}, in) && b.written(p, v, percent) == "" {
			panic(errUndefined) // nothing would be sent
		}
		switch in {
		case "path":
			text := b.written(p, v, percent)
			path = strings.ReplaceAll(path, "{"+name+"}", text)
		case "query", "querystring":
			if text := b.written(p, v, percent); text != "" {
				query = append(query, text)
			}
		case "header":
			if text, ok := b.maybe(p, v); ok {
				if lower := strings.ToLower(name); strings.HasPrefix(lower, "content-") || slices.Contains([]string{"user-agent", "accept-encoding", "host", "cookie"}, lower) {
					panic(errUndefined) // ours to say
				}
				w.header[strings.ToLower(name)] = strings.Trim(text, " \t")
			} else if required, _ := p.get("required").(bool); required {
				panic(errUndefined)
			}
		case "cookie":
			if text := b.written(p, v, percent); text != "" {
				cookies = append(cookies, text)
			}
		}
	}
	if segments := strings.Split(path, "/"); slices.Contains(segments, ".") || slices.Contains(segments, "..") {
		panic(errUndefined) // another resource (RFC 3986 §5.2.4)
	}
	w.url = b.base(item, op) + path
	if len(query) > 0 {
		w.url += "?" + strings.Join(query, "&")
	}
	if cookies != nil {
		w.header["cookie"] = strings.Join(cookies, "; ")
	}
	b.content(&w, item, op, body)
	return w, nil
}

// percent encodes all characters except unreserved ones, like net/url but with %20 for blanks.
func percent(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

func plainText(s string) string { return s }

// reserved does not encode the characters that allowReserved allows, except the characters
// that have a meaning in the place.
func reserved(but string) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for i := 0; i < len(s); i++ {
			c := s[i]
			_, err := url.PathUnescape(s[i:min(i+3, len(s))])
			switch {
			case c == '%' && len(s) >= i+3 && err == nil,
				strings.ContainsRune(":/?#[]@!$&'()*+,;=", rune(c)) && !strings.ContainsRune(but, rune(c)):
				out.WriteByte(c)
			default:
				out.WriteString(percent(string([]byte{c})))
			}
		}
		return out.String()
	}
}

// flat returns a value as text. Numbers are unchanged.
func flat(v tree) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	}
	panic(errUndefined)
}

// line is a line of the table "Style Examples": the text before the values and between them,
// and whether names are written.
type line struct {
	before, between, comma string
	named                  bool
	emptyName              string // behind a name whose value is empty
}

// table returns a line of OpenAPI 3.1.1, "Style Examples", with the cookie style of 3.2. The
// delimiters of 2.0 are its collectionFormats.
func table(in, style string) (line, bool) {
	lines := map[string]line{
		"path simple": {"", ",", ",", false, ""}, "path label": {".", ".", ",", false, ""}, "path matrix": {";", ";", ",", true, ""},
		"header simple": {"", ",", ",", false, ""}, "query form": {"", "&", ",", true, "="}, "cookie form": {"", "&", ",", true, "="}, "cookie cookie": {"", "; ", ",", true, "="},
		"query spaceDelimited": {"", "&", "%20", true, "="}, "query pipeDelimited": {"", "&", "%7C", true, "="}, "query tsv": {"", "&", "%09", true, "="},
		"path ssv": {"", ",", "%20", false, ""}, "path tsv": {"", ",", "%09", false, ""}, "path pipes": {"", ",", "%7C", false, ""},
		"header ssv": {"", ",", " ", false, ""}, "header tsv": {"", ",", "\t", false, ""}, "header pipes": {"", ",", "|", false, ""},
		"query deepObject": {"", "&", "", true, "="},
	}
	l, ok := lines[in+" "+style]
	return l, ok
}

// styleOf returns the style of a parameter, with the defaults of its version.
func (b *book) styleOf(p members, in string) (style string, explode bool) {
	if b.version == "2.0" {
		format := words(p.get("collectionFormat"))
		switch {
		case format == "multi" && in == "query":
			return "form", true
		case format == "ssv" && in == "query":
			return "spaceDelimited", false
		case format == "pipes" && in == "query":
			return "pipeDelimited", false
		case format == "tsv", format == "ssv", format == "pipes":
			return format, false
		case in == "query":
			return "form", false
		}
		return "simple", false
	}
	style = words(p.get("style"))
	if style == "" {
		style = map[string]string{"query": "form", "cookie": "form", "path": "simple", "header": "simple"}[in]
	}
	explode, said := p.get("explode").(bool)
	if !said {
		explode = style == "form" || style == "cookie"
	}
	return style, explode || style == "deepObject"
}

// partsOf returns the number of items or members; -1 for a value that cannot have any.
func partsOf(v tree) int {
	switch v := v.(type) {
	case []tree:
		return len(v)
	case members:
		return len(v)
	}
	return -1
}

// maybe is written for a header field, in which "" may be a value.
func (b *book) maybe(p members, v tree) (string, bool) {
	if partsOf(v) == 0 && p.get("content") == nil {
		return "", false
	}
	return b.written(p, v, plainText), true
}

// written returns the text of a parameter.
func (b *book) written(p members, v tree, encode func(string) string) string {
	name, in := words(p.get("name")), words(p.get("in"))
	if content, ok := p.get("content").(members); ok {
		return b.inMedia(content[0].name, name, in, v, encode)
	}
	style, explode := b.styleOf(p, in)
	l, ok := table(in, style)
	if !ok {
		panic(errUndefined)
	}
	encodeName := encode
	if yes, _ := p.get("allowReserved").(bool); yes && in == "query" {
		encode, encodeName = reserved("[]#&+"), reserved("[]#&+=")
	} else if yes && in == "path" && b.version == "3.2" {
		encode, encodeName = reserved("[]#/?"), reserved("[]#/?")
	}
	if style == "cookie" {
		encode = plainText
		encodeName = func(s string) string {
			if strings.Contains(s, " ") {
				panic(errUndefined) // no name of a cookie (RFC 6265 §4.1.1)
			}
			return s
		}
	}
	if parts := partsOf(v); in == "cookie" && style == "form" && explode && parts > 0 {
		panic(errUndefined) // "&" is no delimiter of cookies (OpenAPI 3.1.1, appendix D)
	}
	text := l.text(style, explode, name, v, encode, encodeName)
	if in == "path" && text == "" {
		panic(errUndefined)
	}
	return text
}

func (l line) text(style string, explode bool, name string, v tree, encode, encodeName func(string) string) string {
	label := func(name, value string) string {
		switch {
		case !l.named:
			return value
		case value == "":
			return name + l.emptyName
		}
		return name + "=" + value
	}
	if style == "deepObject" || explode && style == "form" && partsOf(v) > 0 {
		var fields []string
		for _, f := range bracketed(name, v, style == "deepObject", 0) {
			fields = append(fields, encodeName(f.name)+"="+encode(f.text))
		}
		return strings.Join(fields, "&")
	}
	var items []string
	switch v := v.(type) {
	case []tree:
		if len(v) == 0 {
			return ""
		}
		for _, item := range v {
			if text := encode(flat(item)); explode {
				items = append(items, label(encodeName(name), text))
			} else {
				items = append(items, text)
			}
		}
	case members:
		if len(v) == 0 {
			return ""
		}
		for _, m := range v {
			value := encode(flat(m.value))
			switch {
			case explode && strings.HasSuffix(style, "Delimited"):
				panic(errUndefined)
			case explode && l.named: // RFC 6570 §3.2.1: what stands behind an empty value
				items = append(items, label(encodeName(m.name), value))
			case explode:
				items = append(items, encodeName(m.name)+"="+value)
			default:
				items = append(items, encode(m.name), value)
			}
		}
	default:
		return l.before + label(encodeName(name), encode(flat(v)))
	}
	if explode {
		return l.before + strings.Join(items, l.between)
	}
	joined := strings.Join(items, l.comma)
	if l.named {
		joined = encodeName(name) + "=" + joined
	}
	return l.before + joined
}

// bracketField is a field whose name shows its place in a nested value.
type bracketField struct{ name, text string }

// bracketed returns the fields of a value as docs/SCHEMAS.md has them: PHP, Rack and qs read them.
func bracketed(name string, v tree, deep bool, level int) (list []bracketField) {
	if level > 0 && (v == nil || partsOf(v) == 0) {
		panic(errUndefined) // it would vanish
	}
	switch v := v.(type) {
	case nil:
	case members:
		for _, m := range v {
			inner := m.name
			if deep || level > 0 {
				inner = strings.TrimSuffix(name, "[]") + "[" + m.name + "]"
			}
			if m.value == nil {
				continue
			}
			_, isList := m.value.([]tree)
			if isList && partsOf(m.value) == 0 {
				panic(errUndefined)
			}
			if !deep && level == 0 && isList {
				list = append(list, bracketed(inner, m.value, false, 0)...)
				continue
			}
			list = append(list, bracketed(inner, m.value, deep, level+1)...)
		}
	case []tree:
		nested := slices.ContainsFunc(v, func(item tree) bool { return partsOf(item) >= 0 })
		for i, item := range v {
			switch {
			case nested:
				list = append(list, bracketed(fmt.Sprintf("%s[%d]", strings.TrimSuffix(name, "[]"), i), item, true, level+1)...)
			case deep || level > 0:
				list = append(list, bracketed(strings.TrimSuffix(name, "[]")+"[]", item, true, level+1)...)
			default:
				list = append(list, bracketed(name, item, true, level+1)...)
			}
		}
	default:
		list = append(list, bracketField{name, flat(v)})
	}
	return list
}

// inMedia writes a parameter with content.
func (b *book) inMedia(kind, name, in string, v tree, encode func(string) string) string {
	text := ""
	switch {
	case strings.HasSuffix(kind, "json"):
		text = string(writeTree(v))
	case kind == "application/x-www-form-urlencoded":
		text = formBody(v.(members), nil)
		if in == "querystring" {
			return text
		}
	default:
		text = flat(v)
	}
	if text = encode(text); in == "query" || in == "cookie" {
		text = percent(name) + "=" + text
	}
	return text
}

// writeTree writes JSON without blanks.
func writeTree(v tree) []byte {
	switch v := v.(type) {
	case []tree:
		out := []byte{'['}
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, writeTree(item)...)
		}
		return append(out, ']')
	case members:
		out := []byte{'{'}
		for i, m := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(append(out, writeTree(m.name)...), ':'), writeTree(m.value)...)
		}
		return append(out, '}')
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// mediaOf returns the media type of the body and its description in the document. It prefers
// JSON to forms, and forms to other types, like a caller with JSON values.
func (b *book) mediaOf(op members) (kind string, media members) {
	content, _ := b.object(op.get("requestBody")).get("content").(members)
	best := 5
	for _, m := range content {
		name, _, _ := strings.Cut(strings.ToLower(m.name), ";")
		rank := 3
		switch name = strings.TrimSpace(name); {
		case name == "application/json":
			rank = 0
		case strings.HasSuffix(name, "json"):
			rank = 1
		case name == "application/x-www-form-urlencoded", name == "multipart/form-data":
			rank = 2
		case strings.Contains(name, "*"):
			rank = 4
		}
		if rank < best {
			best, kind, media = rank, m.name, b.object(m.value)
		}
	}
	return kind, media
}

// content writes the body.
func (b *book) content(w *wire, item, op members, body tree) {
	kind, media := b.mediaOf(op)
	how := map[string]members{}
	if b.version == "2.0" {
		kind = b.kind20(item, op)
		for _, p := range b.parameters(item, op) {
			if words(p.get("in")) == "formData" {
				value, isMembers := body.(members)
				if required, _ := p.get("required").(bool); required && isMembers && partsOf(value.get(words(p.get("name")))) == 0 {
					panic(errUndefined) // nothing would be sent
				}
				how[words(p.get("name"))] = p
			}
		}
	}
	encoding, _ := media.get("encoding").(members)
	for _, e := range encoding {
		how[e.name], _ = e.value.(members)
	}
	if body == nil || kind == "" {
		return
	}
	w.contentType = kind
	if strings.Contains(kind, "*") {
		w.contentType = "application/json"
	}
	switch {
	case strings.Contains(kind, "json") || strings.Contains(kind, "*"):
		w.body = string(writeTree(body))
	case kind == "application/x-www-form-urlencoded":
		w.body = b.form(body.(members), how)
	case kind == "multipart/form-data":
		for _, p := range b.formPairs(body.(members), how, b.files(item, op, media)) {
			w.parts = append(w.parts, p.wirePart)
		}
	case strings.HasPrefix(kind, "text/") && kind != "text/xml":
		w.body = flat(body)
	case kind == "application/octet-stream":
		raw, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, strings.NewReader(flat(body))))
		if err != nil {
			panic(errUndefined)
		}
		w.body = string(raw)
	default:
		panic(errUndefined)
	}
}

// kind20 returns the media type of a body in version 2.0.
func (b *book) kind20(item, op members) string {
	consumes, ok := op.get("consumes").([]tree)
	if !ok {
		consumes, _ = b.root.get("consumes").([]tree)
	}
	kind := ""
	for _, p := range b.parameters(item, op) {
		switch words(p.get("in")) {
		case "formData":
			if words(p.get("type")) == "file" {
				return "multipart/form-data"
			}
			kind = "application/x-www-form-urlencoded"
			if slices.Contains(consumes, tree("multipart/form-data")) && !slices.Contains(consumes, tree(kind)) {
				kind = "multipart/form-data"
			}
		case "body":
			kind = "application/json"
			if len(consumes) > 0 && !slices.Contains(consumes, tree(kind)) {
				kind = words(consumes[0])
			}
		}
	}
	return kind
}

// files returns the members of a multipart body that are bytes.
func (b *book) files(item, op, media members) map[string]bool {
	files := map[string]bool{}
	for _, p := range b.parameters(item, op) {
		files[words(p.get("name"))] = words(p.get("type")) == "file"
	}
	properties, _ := b.object(media.get("schema")).get("properties").(members)
	for _, m := range properties {
		s := b.object(m.value)
		if items := b.object(s.get("items")); items != nil {
			s = items
		}
		files[m.name] = words(s.get("format")) == "binary" || words(s.get("contentEncoding")) == "base64"
	}
	return files
}

type pair struct {
	wirePart
	reserved bool
}

// formPairs returns the names and values of a form (OpenAPI, Encoding Object).
func (b *book) formPairs(body members, how map[string]members, files map[string]bool) (list []pair) {
	for _, m := range body {
		e := how[m.name]
		style, explode := words(e.get("style")), true
		if yes, ok := e.get("explode").(bool); ok {
			explode = yes
		}
		comma := map[string]string{"spaceDelimited": " ", "pipeDelimited": "|"}[style]
		if comma == "" {
			comma = ","
		} else if e.get("explode") == nil {
			explode = false
		}
		if b.version == "2.0" {
			format := words(e.get("collectionFormat"))
			style, explode = "form", format == "multi"
			comma = map[string]string{"ssv": " ", "tsv": "\t", "pipes": "|", "csv": ",", "": ",", "multi": ""}[format]
		}
		add := func(name string, v tree) {
			p := pair{wirePart: wirePart{name: name}}
			p.reserved, _ = e.get("allowReserved").(bool)
			kind := words(e.get("contentType"))
			if e.get("style") != nil {
				kind = ""
			}
			kind, _, _ = strings.Cut(kind, ",")
			switch _, object := v.(members); {
			case files[m.name]:
				raw, err := base64.StdEncoding.DecodeString(flat(v))
				if err != nil {
					panic(errUndefined)
				}
				p.body, p.file, p.contentType = string(raw), "file", "application/octet-stream"
			case object || strings.HasSuffix(kind, "json"):
				p.body, p.contentType = string(writeTree(v)), "application/json"
			default:
				p.body = flat(v)
			}
			if kind != "" {
				p.contentType = kind
			}
			list = append(list, p)
		}
		if style == "deepObject" || style == "form" && explode && !files[m.name] && partsOf(m.value) > 0 {
			for _, f := range bracketed(m.name, m.value, style == "deepObject", 0) {
				add(f.name, f.text)
			}
			continue
		}
		switch v := m.value.(type) {
		case nil:
		case []tree:
			var joined []string
			for _, item := range v {
				if explode || files[m.name] {
					add(m.name, item)
				} else {
					joined = append(joined, flat(item))
				}
			}
			if joined != nil {
				add(m.name, strings.Join(joined, comma))
			}
		case members:
			switch {
			case style == "":
				add(m.name, v)
			case explode:
				for _, x := range v {
					add(x.name, x.value)
				}
			default:
				var joined []string
				for _, x := range v {
					joined = append(joined, x.name, flat(x.value))
				}
				if joined != nil {
					add(m.name, strings.Join(joined, comma))
				}
			}
		default:
			add(m.name, v)
		}
	}
	return list
}

func (b *book) form(body members, how map[string]members) string {
	var out []string
	for _, p := range b.formPairs(body, how, nil) {
		value := formText(p.body)
		if p.reserved {
			value = strings.ReplaceAll(reserved("[]#&+")(p.body), "%20", "+")
		}
		out = append(out, formText(p.name)+"="+value)
	}
	return strings.Join(out, "&")
}

func formBody(m members, how map[string]members) string { return new(book).form(m, how) }

// formText is the serializer of WHATWG, based on net/url. They differ in "*" and "~".
func formText(s string) string {
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(s))
}
