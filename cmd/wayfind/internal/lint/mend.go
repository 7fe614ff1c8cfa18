package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/textpos"
	"github.com/wayfindhq/wayfind/parse"
)

// edit replaces a part of a document.
type edit struct {
	at, end int
	text    string
}

// overlaps reports whether two edits cannot both be made.
func (e edit) overlaps(o edit) bool {
	if e.at == e.end || o.at == o.end { // an insertion beside another edit: their order would be a guess
		return e.at <= o.end && o.at <= e.end
	}
	return e.at < o.end && o.at < e.end
}

// Mending is how findings of some codes are mended without a decision: to what the reader
// has taken the value for, or to the only spelling that there is.
type Mending struct {
	Rules []string // the codes behind the dot
	What  string   // for the documentation
	// edits mend one finding, all of them or none. The value is missing for a document
	// that is no JSON, and for a finding without a pointer.
	edits func(t *mended, f *lintFinding, n parse.Node) []edit
}

// Mendings are all of them. None breaks or joins lines.
func Mendings() []Mending {
	return []Mending{
		{[]string{"bom"}, "A byte order mark is removed.", mendMark},
		{[]string{"json_syntax"}, "Commas after the last element or member are removed, where nothing else is wrong with the JSON.", mendCommas},
		{[]string{"wrong_type"}, "A number, `true` or `false` that must be a text gets quotes, and a text that is a number, `true` or `false` loses them.", mendType},
		{[]string{"misspelt"}, "A member is renamed to the name that the message asks about.", mendName},
		{[]string{"schema_word"}, "A type in a schema becomes the type that the message asks about.", mendText(typeMeant)},
		{[]string{"interface_transport"}, "`transport` is renamed to `protocolBinding`.", renamedTo("protocolBinding")},
		{[]string{"schema_member"}, "The schema of a tool is renamed to `inputSchema`.", renamedTo("inputSchema")},
		{[]string{"digest_member", "digest_form"}, "A digest is written as `digest`, with `sha256:` and digits in lower case.", mendDigest},
		{[]string{"schema_type"}, "A schema with `properties` and without `type` gets `\"type\": \"object\"`.", mendSchemaType},
		{[]string{"not_array", "array", "dependency_text"}, "A single element is put into brackets, where it was read so.", mendBrackets},
		{[]string{"method_case"}, "A method is written in upper case.", mendText(func(_ *mended, _ *lintFinding, s string) string { return strings.ToUpper(s) })},
		{[]string{"binding"}, "The binding of an interface is spelt as it was read: `JSONRPC`, `GRPC` or `HTTP+JSON`.", mendText(bindingRead)},
		{[]string{"domain_syntax"}, "A domain is written as the host name that was read.", mendText(wordRead)},
		{[]string{"transport"}, "A transport is written as the word that was read, such as `streamable-http` for `http`.", mendText(wordRead)},
		{[]string{"base_url_slash", "slash"}, "The slash at the end of a URL is removed.", mendText(func(_ *mended, _ *lintFinding, s string) string { return strings.TrimRight(s, "/") })},
		{[]string{"base_url_query", "server_query"}, "The query and the fragment of a URL are removed.", mendText(func(_ *mended, _ *lintFinding, s string) string { return before(s, "?#") })},
		{[]string{"url_fragment"}, "The fragment of a URL is removed.", mendText(func(_ *mended, _ *lintFinding, s string) string { return before(s, "#") })},
		{[]string{"base_path"}, "A path gets the slash at its beginning.", mendText(func(_ *mended, _ *lintFinding, s string) string { return "/" + s })},
		{[]string{"api_url_scheme"}, "A URL without a scheme gets `https://`.", mendText(func(_ *mended, _ *lintFinding, s string) string { return "https://" + strings.TrimLeft(s, "/") })},
		{[]string{"endpoint_scheme", "server_scheme", "api_scheme", "base_url_scheme", "detail_url_scheme", "url_scheme"},
			"`http://` becomes `https://`, for the host that serves the document over https itself: that of a URL, or of `--url`.", mendText(overHTTPS)},
	}
}

// mended is a document under way.
type mended struct {
	*textpos.Text
	host string // that serves it over https; may be empty
}

// mends are the edits that mend findings without a decision, in order.
func mends(t *mended, list []lintFinding) (edits []edit) {
	for i := range list {
		f := &list[i]
		n := parse.Node{}
		if f.Pointer != "" {
			n = t.At(f.Pointer)
		}
		_, rule, _ := strings.Cut(f.Code, ".")
		for _, m := range Mendings() {
			if !slices.Contains(m.Rules, rule) {
				continue
			}
			own := m.edits(t, f, n)
			if !slices.ContainsFunc(own, func(e edit) bool { return slices.ContainsFunc(edits, e.overlaps) }) {
				edits = append(edits, own...)
			}
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	return edits
}

const byteOrderMark = "\ufeff"

func mendMark(t *mended, _ *lintFinding, _ parse.Node) []edit {
	if !bytes.HasPrefix(t.Body(), []byte(byteOrderMark)) {
		return nil
	}
	return []edit{{0, len(byteOrderMark), ""}}
}

// mendCommas removes commas before a closing bracket. Other mistakes in JSON are
// not mended: the rest must be JSON without the commas.
func mendCommas(t *mended, _ *lintFinding, _ parse.Node) (edits []edit) {
	comma, inText, value := -1, false, false // value is true if there is one before the comma
	for i := 0; i < len(t.Body()); i++ {
		switch c := t.Body()[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText, comma, value = !inText, -1, true
		case inText, c == ' ', c == '\t', c == '\r', c == '\n':
		case c == ',':
			comma = -1
			if value {
				comma = i
			}
			value = false
		default:
			if comma >= 0 && (c == ']' || c == '}') {
				edits = append(edits, edit{comma, comma + 1, ""})
			}
			comma, value = -1, c != '[' && c != '{' && c != ':'
		}
	}
	if _, err := (&parse.Input{Body: applied(t.Body(), edits)}).JSON(); err != nil {
		return nil
	}
	return edits
}

// replaced is a value that is written anew; "" for none.
func replaced(n parse.Node, text string) []edit {
	if !n.Exists() || text == "" || text == string(n.Raw()) {
		return nil
	}
	return []edit{{n.Offset(), n.Offset() + len(n.Raw()), text}}
}

// mendText mends a text by a function; "" leaves it as it is.
func mendText(as func(t *mended, f *lintFinding, text string) string) func(*mended, *lintFinding, parse.Node) []edit {
	return func(t *mended, f *lintFinding, n parse.Node) []edit {
		text, ok := n.Str()
		if !ok {
			return nil
		}
		if text = as(t, f, text); text == "" {
			return nil
		}
		return replaced(n, quoted(text))
	}
}

func mendType(_ *mended, f *lintFinding, n parse.Node) []edit {
	text, isText := n.Str()
	switch {
	case (strings.Contains(f.Message, " where string belongs") || strings.Contains(f.Message, " where the string ")) && (n.Kind() == parse.Number || n.Kind() == parse.Bool):
		return replaced(n, quoted(string(n.Raw())))
	case strings.Contains(f.Message, " where number belongs") && isText:
		if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
			return replaced(n, text)
		}
	case strings.Contains(f.Message, " where boolean belongs") && (text == "true" || text == "false"):
		return replaced(n, text)
	}
	return nil
}

// mendName renames a member to the second name in the message.
func mendName(t *mended, f *lintFinding, n parse.Node) []edit {
	if names := namesIn(f.Message); len(names) == 2 {
		return t.rename(f.Pointer, n, names[1])
	}
	return nil
}

func renamedTo(name string) func(*mended, *lintFinding, parse.Node) []edit {
	return func(t *mended, f *lintFinding, n parse.Node) []edit { return t.rename(f.Pointer, n, name) }
}

// rename changes the name of a member, unless its object has one of that name already.
func (t *mended) rename(pointer string, n parse.Node, to string) []edit {
	cut := strings.LastIndexByte(pointer, '/')
	if !n.Exists() || cut < 0 || t.At(pointer[:cut]).Get(to).Exists() {
		return nil
	}
	begin, end := n.NameSpan()
	return []edit{{begin, end, quoted(to)}}
}

func mendDigest(t *mended, f *lintFinding, n parse.Node) []edit {
	text, _ := n.Str()
	digits, _ := strings.CutPrefix(strings.ToLower(text), "sha256:")
	edits := replaced(n, quoted("sha256:"+digits))
	if strings.HasSuffix(f.Code, ".digest_form") {
		return edits
	}
	renamed := t.rename(f.Pointer, n, "digest")
	if renamed == nil || len(digits) != 64 {
		return nil
	}
	return append(renamed, edits...)
}

func mendSchemaType(_ *mended, _ *lintFinding, n parse.Node) []edit {
	if n.Kind() != parse.Object || n.Get("properties").Kind() != parse.Object {
		return nil
	}
	for _, other := range []string{"type", "$ref", "anyOf", "oneOf", "allOf", "not", "enum", "const"} {
		if n.Get(other).Exists() {
			return nil
		}
	}
	raw := n.Raw()
	first := n.Offset() + 1 + len(raw[1:]) - len(bytes.TrimLeft(raw[1:], " \t\r\n"))
	return []edit{{first, first, `"type": "object", `}}
}

func mendBrackets(_ *mended, f *lintFinding, n parse.Node) []edit {
	text, isText := n.Str()
	switch {
	case !n.Exists(), n.Kind() == parse.Array, isText && strings.ContainsAny(text, ", ;|"): // it may be several
		return nil
	case strings.HasSuffix(f.Code, ".array") && !strings.Contains(f.Message, "read as its only element"):
		return nil
	}
	end := n.Offset() + len(n.Raw())
	return []edit{{n.Offset(), n.Offset(), "["}, {end, end, "]"}}
}

// bindingRead is the binding that a message says was read.
func bindingRead(_ *mended, f *lintFinding, _ string) string {
	_, word, _ := strings.Cut(f.Message, " was read as ")
	if !slices.Contains([]string{"JSONRPC", "GRPC", "HTTP+JSON"}, word) {
		return ""
	}
	return word
}

// typeMeant is the type that a message asks about.
func typeMeant(_ *mended, f *lintFinding, _ string) string {
	if names := namesIn(f.Message); len(names) == 2 {
		return names[1]
	}
	return ""
}

// wordRead is the host name or the transport that a message says was read.
func wordRead(_ *mended, f *lintFinding, _ string) string {
	names := namesIn(f.Message)
	if len(names) != 2 || !strings.Contains(f.Message, " was read as ") {
		return ""
	}
	return names[1]
}

// before is a text up to the first of some characters.
func before(text, marks string) string {
	if i := strings.IndexAny(text, marks); i >= 0 {
		return text[:i]
	}
	return text
}

// overHTTPS is an http URL of the document's own host, which answers over https.
func overHTTPS(t *mended, _ *lintFinding, text string) string {
	u, err := url.Parse(text)
	if err != nil || t.host == "" || u.Scheme != "http" || u.User != nil || !strings.EqualFold(strings.TrimSuffix(u.Host, ":80"), t.host) {
		return ""
	}
	_, rest, _ := strings.Cut(text, "://")
	return "https://" + u.Hostname() + strings.TrimPrefix(rest, u.Host)
}

var quotedName = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// namesIn are the quoted words of a message.
func namesIn(message string) (names []string) {
	for _, q := range quotedName.FindAllString(message, -1) {
		name, err := strconv.Unquote(q)
		if err != nil {
			return nil
		}
		names = append(names, name)
	}
	return names
}

func quoted(s string) string {
	b, _ := ui.EncodeCompact(s) // a string can always be written
	return string(b)
}
