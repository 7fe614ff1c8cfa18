package httpcall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
)

// TestVersion32 tests the additions of OpenAPI 3.2, and other features without a row in the
// vectors.
func TestVersion32(t *testing.T) {
	whole := func(contentType string) wayfind.Param {
		return wayfind.Param{Name: "q", In: "query", Whole: true, ContentType: contentType}
	}
	cookie := func(explode bool) wayfind.Param {
		return wayfind.Param{Name: "color", In: "cookie", Style: "cookie", Explode: &explode}
	}
	in := func(in string, p wayfind.Param) wayfind.Param {
		p.Name, p.In = "v", in
		return p
	}
	for _, tt := range []struct {
		param      wayfind.Param
		args, want string
	}{
		{whole("application/json"), `{"q":{"numbers":[1,2],"flag":null}}`, "?%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D"},
		{whole("application/jsonpath"), `{"q":"$.a.b[1:1]"}`, "?%24.a.b%5B1%3A1%5D"},
		{whole("application/x-www-form-urlencoded"), `{"q":{"foo":"a + b","bar":true}}`, "?foo=a+%2B+b&bar=true"},
		{cookie(true), `{"color":"blue"}`, "color=blue"},
		{cookie(true), `{"color":""}`, "color="},
		{cookie(true), `{"color":["blue","black","brown"]}`, "color=blue; color=black; color=brown"},
		{cookie(true), `{"color":{"R":100,"G":200}}`, "R=100; G=200"},
		{cookie(false), `{"color":["blue","black"]}`, "color=blue,black"},
		{cookie(false), `{"color":{"R":100,"G":200}}`, "color=R,100,G,200"},
		{cookie(true), `{"color":"%41 a"}`, "color=%41 a"},
		{in("path", wayfind.Param{AllowReserved: true}), `{"v":"a:b@c%2Fd/e?f#g"}`, "/a:b@c%2Fd%2Fe%3Ff%23g"},
		{in("query", wayfind.Param{AllowReserved: true}), `{"v":"a/b?c=d&e+f%20g%"}`, "?v=a/b?c=d%26e%2Bf%20g%25"},
		{in("query", wayfind.Param{ContentType: "application/json"}), `{"v":{"a":[1.0]}}`, "?v=%7B%22a%22%3A%5B1.0%5D%7D"},
		{in("header", wayfind.Param{ContentType: "application/json"}), `{"v":{"ä":"😀"}}`, `{"\u00e4":"\ud83d\ude00"}`},
		{in("header", wayfind.Param{Style: "pipeDelimited"}), `{"v":["a","b"]}`, "a|b"},
		{in("path", wayfind.Param{Style: "tabDelimited"}), `{"v":["a","b"]}`, "/a%09b"},
		{in("", wayfind.Param{}), `{"v":false}`, "?v=false"},
		{in("query", wayfind.Param{}), `{"v":0}`, "?v=0"},
		{in("query", wayfind.Param{Style: "deepObject"}), `{"v":{"c":null}}`, "?/"},
		{in("query", wayfind.Param{Style: "deepObject"}), `{"v":{"a":{"gt":5},"b":["x","y"]}}`, "?v%5Ba%5D%5Bgt%5D=5&v%5Bb%5D%5B%5D=x&v%5Bb%5D%5B%5D=y"},
		{in("query", wayfind.Param{Style: "deepObject"}), `{"v":[{"k":"ä","l":[1]},{"k":2}]}`, "?v%5B0%5D%5Bk%5D=%C3%A4&v%5B0%5D%5Bl%5D%5B%5D=1&v%5B1%5D%5Bk%5D=2"},
		{in("query", wayfind.Param{Style: "deepObject", Example: []byte(`"v[0]=a"`)}), `{"v":["a","b"]}`, "?v%5B0%5D=a&v%5B1%5D=b"},
		{in("query", wayfind.Param{Style: "deepObject"}), `{"v":5}`, "?v=5"},
		{in("query", wayfind.Param{Style: "form", Explode: new(true)}), `{"v":[{"k":1}]}`, "?v%5B0%5D%5Bk%5D=1"},
		{in("query", wayfind.Param{Style: "form", Explode: new(true)}), `{"v":{"a":1,"b":[2,3],"c":{"d":4}}}`, "?a=1&b=2&b=3&c%5Bd%5D=4"},
		{in("query", wayfind.Param{Style: "pipeDelimited"}), `{"v":"a"}`, "?v=a"},
	} {
		template := "https://api.example"
		if tt.param.In == "path" {
			template += "/{v}"
		}
		got := ""
		r, err := httpcall.Place(operation("GET", template, "", tt.param), []byte(tt.args))
		if err != nil {
			got = codeOf(err).String()
		} else {
			got = strings.TrimPrefix(strings.TrimPrefix(r.URL, "https://api.example"), "/?")
			switch tt.param.In {
			case "header":
				got = r.Header.Get("V")
			case "cookie":
				got = r.Header.Get("Cookie")
			case "query", "":
				got = "?" + got
			}
		}
		if got != tt.want {
			t.Errorf("%s %s: got %s, want %s", tt.param.In, tt.args, got, tt.want)
		}
	}
}

// TestTemplateQuery: a variable without a value in the query of a template is left out with
// its field, and no other field is.
func TestTemplateQuery(t *testing.T) {
	const template = "https://api.example/a?fixed=1&q={q}&lang={lang}#frag"
	for args, want := range map[string]string{
		`{"q":"a&b","lang":"de"}`: "https://api.example/a?fixed=1&q=a%26b&lang=de",
		`{"q":"","frag":"x"}`:     "https://api.example/a?fixed=1&q=",
		`{"q":null}`:              "https://api.example/a?fixed=1",
		`{"q":["a","b,c"]}`:       "https://api.example/a?fixed=1&q=a,b%2Cc",
	} {
		r, err := httpcall.Place(operation("GET", template, ""), []byte(args))
		if err != nil || r.URL != want {
			t.Errorf("%s: %v, %v, want %s", args, r, err, want)
		}
	}
	if r, err := httpcall.Place(operation("GET", "https://api.example/a?q=x{q}", ""), []byte("{}")); codeOf(err) != httpcall.CodeMissing {
		t.Errorf("%+v, %v", r, err)
	}
}

// A variable in the fragment would have no effect on the request, so there is no request.
func TestAVariableInTheFragmentIsRefused(t *testing.T) {
	for template, refused := range map[string]bool{
		"https://api.example/a#{y}": true, "https://api.example/a/{id}{#y}": true, "https://api.example/a{#y,z}": true,
		"https://api.example/a?q={q}#x{y}": true, "https://api.example/{id}/{#y": true, "https://api.example/a#y}": true,
		"https://api.example/{#y}/{id}": true, "https://api.example/{id}#y": false, "https://api.example/a/{i#d}": false, "https://api.example/a/{#d}?q={q}#top": false,
	} {
		params := []wayfind.Param{{Name: "y", In: "query"}}
		for _, name := range []string{"id", "i#d", "#d"} {
			if strings.Contains(template, "{"+name+"}") {
				params = append(params, wayfind.Param{Name: name, In: "path"})
			}
		}
		op := operation("GET", template, "", params...)
		_, err := op.Callable()
		r, placed := httpcall.Place(op, []byte(`{"id":"1","i#d":"2","#d":"3","q":"4"}`))
		want := httpcall.Code{}
		if refused {
			want = httpcall.CodeFragment
		}
		if codeOf(err) != want || codeOf(placed) != want || r != nil && strings.Contains(r.URL, "#") {
			t.Errorf("%s: %v; %+v, %v", template, err, r, placed)
		}
	}
}

// needs is an operation whose body is required.
func needs(op *httpcall.Operation) *httpcall.Operation {
	op.Invocation.BodyRequired = new(true)
	return op
}

// TestBodies: the body if no member of it is given, and rare kinds of bodies.
func TestBodies(t *testing.T) {
	b := wayfind.Param{Name: "b", In: "body", Whole: true}
	file := wayfind.Param{Name: "f", In: "body", Schema: []byte(`{"type":"string","format":"binary"}`)}
	header := wayfind.Encoding{Name: "a\"\r\nb", ContentType: "text/plain", Headers: []wayfind.Param{
		{Name: "X-Kind", Enum: []json.RawMessage{json.RawMessage(`"one"`)}}, {Name: "Content-Type", Default: json.RawMessage(`"x"`)}, {Name: "X-Free"},
	}}
	form := operation("POST", "https://api.example/", "multipart/form-data", body("a\"\r\nb"), file)
	form.Invocation.Encodings = []wayfind.Encoding{header}
	styled := operation("POST", "https://api.example/", "multipart/form-data", body("a"), body("f"))
	styled.Invocation.Encodings = []wayfind.Encoding{{Name: "a", Style: "form", Explode: new(false), ContentType: "application/json"}, {Name: "f", Style: "form", ContentType: "image/png"}}
	for _, tt := range []struct {
		op         *httpcall.Operation
		args, want string
	}{
		{operation("POST", "https://api.example/", "application/json", body("a")), `{}`, "application/json {}"},
		{operation("GET", "https://api.example/", "application/json", body("a")), `{}`, " "},
		{operation("POST", "https://api.example/", "application/json", b), `{}`, " "},
		{needs(operation("DELETE", "https://api.example/", "application/json", body("a"))), `{}`, "application/json {}"},
		{needs(operation("GET", "https://api.example/", "application/json")), `{}`, "application/json {}"},
		{needs(operation("POST", "https://api.example/", "application/json", b)), `{"b":null}`, "application/json null"},
		{operation("POST", "https://api.example/", "application/json", b), `{"b":null}`, "application/json null"},
		{operation("POST", "https://api.example/", "text/plain", b), `{"b":null}`, " "},
		{operation("POST", "https://api.example/", "text/plain", b), `{"b":"a\nb"}`, "text/plain a\nb"},
		{operation("POST", "https://api.example/", "", wayfind.Param{Name: "a"}), `{"a": [1.50, "x"]}`, `application/json {"a":[1.50, "x"]}`},
		{operation("POST", "https://api.example/", "application/sdp", b), `{"b":"v=0\r\n"}`, "application/sdp v=0\r\n"},
		{operation("POST", "https://api.example/", "application/x-ndjson", b), "{\"b\":[{\"a\":\n1},2]}", "application/x-ndjson {\"a\": 1}\n2\n"},
		{operation("POST", "https://api.example/", "image/png", b), `{"b":"_-8"}`, "image/png \xff\xef"},
		{operation("POST", "https://api.example/", "image/png", wayfind.Param{Name: "b", In: "body", Whole: true, Schema: []byte(`{"type":"string","format":"byte"}`)}), `{"b":"_-8"}`, "image/png _-8"},
		{operation("POST", "https://api.example/", "image/*", b), `{"b":"R0lGODlh"}`, "image/gif GIF89a"},
		{operation("POST", "https://api.example/", "image/*", b), `{"b":"PHN2Zy8+"}`, "application/octet-stream <svg/>"},
		{operation("POST", "https://api.example/", "image/*", wayfind.Param{Name: "b", In: "body", Whole: true, Schema: []byte(`{"type":"string","format":"byte"}`)}), `{"b":"R0lGODlh"}`, "image/gif R0lGODlh"},
		{styled, `{"a":[1,"x"],"f":"x"}`, "multipart/form-data; boundary=B --B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1,x\r\n--B\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nx\r\n--B--\r\n"},
		{form, `{"a\"\r\nb":"x","f":"aGk="}`, "multipart/form-data; boundary=B --B\r\nContent-Disposition: form-data; name=\"a%22%0D%0Ab\"\r\nContent-Type: text/plain\r\nX-Kind: one\r\n\r\nx\r\n" +
			"--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"file\"\r\nContent-Type: application/octet-stream\r\n\r\nhi\r\n--B--\r\n"},
	} {
		r, err := httpcall.Place(tt.op, []byte(tt.args))
		if err != nil {
			t.Errorf("%s: %v", tt.args, err)
			continue
		}
		got := r.Header.Get("Content-Type") + " " + string(r.Body)
		if _, boundary, ok := strings.Cut(r.Header.Get("Content-Type"), "boundary="); ok {
			got = strings.ReplaceAll(got, boundary, "B")
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.args, diff)
		}
	}
}
