package reading_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// wide returns a text in UTF-16, with a byte order mark if mark is true.
func wide(text string, order binary.ByteOrder, mark bool) string {
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	var b bytes.Buffer
	_ = binary.Write(&b, order, units)
	return b.String()
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// What stands around a document, or how it is written, is said before its shape: nothing that a document has is
// said to be missing.
func TestTheFirstReasonIsOutsideOfTheShape(t *testing.T) {
	const document = `{"name": "Kettle", "description": "Sells", "version": "1", "url": "https://shop.example.com/a2a", "capabilities": {}, "defaultInputModes": ["text/plain"],
		"defaultOutputModes": ["text/plain"], "skills": [{"id": "buy", "name": "Buy", "description": "Buys", "tags": ["t"]}], "protocolVersion": "0.3.0"}`
	text, _ := json.Marshal(document)
	big, little := binary.BigEndian, binary.LittleEndian
	r := &reading.Reader{Formats: formats.All(), MaxBytes: 1 << 20}
	for name, row := range map[string]struct {
		body string
		code wayfind.Code
		says string
	}{
		"UTF-16LE with a mark":  {wide(document, little, true), wayfind.CodeInvalidUTF8, "the text is UTF-16"},
		"UTF-16BE with a mark":  {wide(document, big, true), wayfind.CodeInvalidUTF8, "the text is UTF-16"},
		"UTF-16LE without one":  {wide(document, little, false), wayfind.CodeInvalidUTF8, "the text is UTF-16"},
		"UTF-16BE without one":  {wide(document, big, false), wayfind.CodeInvalidUTF8, "the text is UTF-16"},
		"gzip":                  {zipped(document), wayfind.CodeEncoding, "gzip data"},
		"a guard":               {")]}'\n" + document, wayfind.CodeJSONSyntax, "a guard against scripts, )]}', stands before the JSON"},
		"a guard and a comma":   {")]}',\n" + document, wayfind.CodeJSONSyntax, "a guard against scripts"},
		"an endless loop":       {"for(;;);" + document, wayfind.CodeJSONSyntax, "a guard against scripts, for(;;);"},
		"a call":                {"callback(" + document + ")", wayfind.CodeJSONSyntax, "the call of a function (JSONP)"},
		"a comment":             {"/* card */ " + document, wayfind.CodeJSONSyntax, "a comment, which JSON does not have"},
		"comments of lines":     {"// one\n// two\n" + document, wayfind.CodeJSONSyntax, "a comment, which JSON does not have"},
		"a list":                {"[" + document + "]", wayfind.CodeSchema, "the document stands in a list of 1"},
		"a member":              {`{"success": true, "data": ` + document + `}`, wayfind.CodeSchema, `the document stands in the member "data"`},
		"a text":                {string(text), wayfind.CodeSchema, "JSON twice"},
		"a comment in line 2":   {strings.Replace(document, "{", "{ // a card\n", 1), wayfind.CodeJSONSyntax, ""},
		"a list of two objects": {`[{"colour": "blue"}, {"colour": "red"}]`, "", "is of type array where an object belongs"},
		"a text of another use": {"hello", wayfind.CodeJSONSyntax, "is a text where JSON belongs"},
		"a picture":             {"\x89PNG\r\n\x1a\n", wayfind.CodeInvalidUTF8, "0x89"},
	} {
		t.Run(name, func(t *testing.T) {
			res := answer(t, row.body)
			res.URL = link(t, "https://shop.example.com/.well-known/agent-card.json")
			d := r.Read(nil, res)
			v, reason, err := d.Verdict()
			_, diags := d.At(reading.At{Requested: res.URL, Final: res.URL})
			var said strings.Builder
			for _, n := range diags {
				said.WriteString(n.Message)
			}
			if err != nil {
				said.WriteString(err.Error())
			}
			if strings.Contains(said.String(), "has nothing of") || !strings.Contains(said.String(), row.says) || reason != string(row.code) || (row.code != "") != (v == wayfind.VerdictMalformed) {
				t.Errorf("%s %q: %s", v, reason, said.String())
			}
		})
	}
}

// A document with a main member of a wrong type gets a word at each place of a format, which is true.
func TestAMainMemberOfAWrongTypeGetsAWord(t *testing.T) {
	r := &reading.Reader{Formats: formats.All(), MaxBytes: 1 << 20}
	for _, f := range r.Formats {
		for _, l := range f.Locations {
			if l.Aside || l.Base || f.Name == "robots" || f.Name == "llmstxt" || f.Name == "agentsmd" || f.Name == "oauth" {
				continue
			}
			for _, value := range []string{`null`, `""`, `"x"`, `7`, `{}`, `[null]`, `true`} {
				var members []string
				for _, m := range f.Marks {
					members = append(members, `"`+m+`": `+value)
				}
				res := answer(t, "{"+strings.Join(members, ", ")+"}")
				res.URL = link(t, "https://shop.example.com"+l.Path)
				d := r.Read(nil, res)
				v, reason, _ := d.Verdict()
				if _, diags := d.At(reading.At{Requested: res.URL, Final: res.URL}); v != wayfind.VerdictFound && reason == "" && len(diags) == 0 {
					t.Errorf("%s of %s: no word about %s", l.Path, f.Name, res.Body)
				}
			}
		}
	}
}

// A document inside another one lies at no place of a format.
func TestAPartLiesAtNoPlace(t *testing.T) {
	r := &reading.Reader{Formats: formats.All(), MaxBytes: 1 << 20}
	res := answer(t, `{"specVersion": "1.0", "host": {"displayName": "S"}, "entries": [{"identifier": "urn:air:shop.example.com:a", "displayName": "A", "type": "application/json", "data": {"colour": "blue"}}]}`)
	res.URL = link(t, "https://shop.example.com/.well-known/ai-catalog.json")
	d := r.Read(nil, res)
	_, diags := d.At(reading.At{Requested: res.URL, Final: res.URL})
	for _, n := range diags {
		if n.Code == "document.foreign" {
			t.Errorf("%s at %s", n.Message, n.Pointer)
		}
	}
}
