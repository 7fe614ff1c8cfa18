package call_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// The data of an image, of a sound and of a file, as far as their types can be detected.
const (
	png = "\x89PNG\r\n\x1a\n\x00\x00"
	wav = "RIFF\x04\x00\x00\x00WAVE"
	pdf = "%PDF-1.7\n\xff"
)

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// parts describes the parts of a result in a line.
func parts(res *call.Result) string {
	var list []string
	for _, p := range res.Model.Parts {
		list = append(list, fmt.Sprintf("%s %s %q", p.Media, p.Name, p.Data))
	}
	return strings.Join(list, ", ")
}

// A result contains the images, sounds and files of MCP. An image is recognized by its data.
// The JSON of a result does not contain data, and a failure has no parts.
func TestPartsOfMCP(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newContents(t)
		for _, tt := range []struct{ kind, content, want string }{
			{"tool", `{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"` + base64Of(png) + `"},{"type":"audio","mimeType":"audio/mpeg; x=1","data":"` + base64Of("no header") + `"}`,
				fmt.Sprintf("image/png  %q, audio/mpeg  %q", png, "no header")},
			{"tool", `{"type":"image","mimeType":"image/jpeg","data":"` + base64Of(png) + `"}`, fmt.Sprintf("image/png  %q", png)},
			{"tool", `{"type":"image","data":"` + base64Of(png) + `"}`, fmt.Sprintf("image/png  %q", png)},
			{"tool", `{"type":"image","mimeType":"image/png","data":"aGVsbG8="}`, `application/octet-stream  "hello"`},
			{"tool", `{"type":"image","mimeType":"image/svg+xml","data":"` + base64Of("<svg onload=x()>") + `"}`, `application/octet-stream  "<svg onload=x()>"`},
			{"tool", `{"type":"image","mimeType":"image/png","data":"%%"},{"type":"image","mimeType":"image/png"}`, ""},
			{"tool", `{"type":"resource","resource":{"uri":"shop://a\u202e\nb","mimeType":"application/pdf","blob":"` + base64Of(pdf) + `"}}`, fmt.Sprintf("application/pdf shop://a b %q", pdf)},
			{"resource", `{"uri":"shop://a","text":"a"},{"uri":"shop://b","blob":"` + base64Of(wav) + `"}`, fmt.Sprintf("audio/wave shop://b %q", wav)},
			{"prompt", `{"role":"user","content":{"type":"image","mimeType":"image/png","data":"` + base64Of(png) + `"}}`, fmt.Sprintf("image/png  %q", png)},
		} {
			member := map[string]string{"tool": "content", "resource": "contents", "prompt": "messages"}[tt.kind]
			for _, more := range []string{`"structuredContent":{"a":1},`, ""} {
				c.result = `{"resultType":"complete",` + more + `"` + member + `":[` + tt.content + `]}`
				res, err := c.caller.Call(t.Context(), c.box, c.tool[tt.kind], nil)
				wantCode(t, res, err, made)
				if got := parts(res); got != tt.want || strings.Contains(mustJSON(t, res.Model), base64Of(png)) {
					t.Errorf("%s: %s, want %s; %s", c.result, got, tt.want, mustJSON(t, res.Model))
				}
			}
		}
		c.result = `{"isError":true,"content":[{"type":"image","mimeType":"image/png","data":"` + base64Of(png) + `"}]}`
		if res, err := c.caller.Call(t.Context(), c.box, c.tool["tool"], nil); err == nil || parts(res) != "" {
			t.Errorf("a failure: %s, %v", parts(res), err)
		}
		c.result = `{"content":[` + strings.Repeat(`{"type":"image","data":"`+base64Of(png)+`"},`, 50) + `{"type":"text","text":"a"}]}`
		res, err := c.caller.Call(t.Context(), c.box, c.tool["tool"], nil)
		if err != nil || len(res.Model.Parts) != 16 || strings.Count(res.Model.Text, "(image, ") != 50 {
			t.Errorf("%d parts, %v, %s", len(res.Model.Parts), err, res.Model.Text)
		}
	})
}

// A result contains the files of an agent, whatever its version.
func TestPartsOfAgents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		content := ""
		x := newWorld(t, clienttest.Pages{"/.well-known/agent-card.json": card03}, func(w http.ResponseWriter, m rpc) {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"kind":"task","id":"t1","status":{"state":"completed","message":{"parts":[{"text":"status"}]}},"artifacts":[{"parts":[%s]}]}}`, m.ID, content)
		})
		c, _ := x.caller(t)
		for _, tt := range []struct{ content, text, want string }{
			{`{"kind":"text","text":"Here."},{"kind":"file","file":{"name":"map\n.png","mimeType":"image/png","bytes":"` + base64Of(png) + `"}}`, "Here.\n(the file map .png, image/png, 10 bytes, SHA-256 ", fmt.Sprintf("image/png map .png %q", png)},
			{`{"raw":"` + base64Of(pdf) + `","mediaType":"application/pdf","filename":"a.pdf"}`, "(the file a.pdf, application/pdf, 10 bytes, SHA-256 ", fmt.Sprintf("application/pdf a.pdf %q", pdf)},
			{`{"kind":"file","file":{"name":"a","uri":"https://shop.example/a"}}`, "(a link to the file a, https://shop.example/a)", ""},
			{`{"raw":"%%","filename":"a"}`, "(the file a, which is no base64)", ""},
			{`{"kind":"data","data":{"x":1}},{"text":"Here."}`, "{\"x\":1}\nHere.", ""},
			{`{"kind":"unknown"}`, "status", ""},
		} {
			content = tt.content
			res, err := c.Call(t.Context(), x.box, x.box.Tools()[0].Name, []byte(`{"message":"hi"}`))
			wantCode(t, res, err, made)
			if !strings.HasPrefix(res.Model.Text, tt.text) || parts(res) != tt.want {
				t.Errorf("%s: %q, %s", tt.content, res.Model.Text, parts(res))
			}
		}
	})
}

// An answer over HTTP that is not text is a part, without the credentials of the call.
func TestPartsOfHTTP(t *testing.T) {
	bubble(t, func(t *testing.T) {
		status, header, body := 200, http.Header{}, ""
		s := newShop(t, securedDocument, func(w http.ResponseWriter, _ *http.Request) {
			maps.Copy(w.Header(), header)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
		c := s.caller(&call.Options{Credentials: vault(secrets()), Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		for _, tt := range []struct {
			status                         int
			media, disposition, body, want string
		}{
			{200, "image/png", "", png, fmt.Sprintf("image/png  %q", png)},
			{200, "application/octet-stream", `attachment; filename="lamp.png"`, png, fmt.Sprintf("image/png lamp.png %q", png)},
			{200, "application/pdf", `attachment; filename="../../etc/passwd"`, pdf, fmt.Sprintf("application/pdf  %q", pdf)},
			{200, "audio/ogg", "", "OggS\x00\xff", fmt.Sprintf("audio/ogg  %q", "OggS\x00\xff")},
			{200, "text/plain", "", "words", ""},
			{200, "application/json", "", `{"a":1}`, ""},
			{200, "image/png", "", "", ""},
			{500, "image/png", "", png, ""},
		} {
			status, body = tt.status, tt.body
			header = http.Header{"Content-Type": {tt.media}, "Content-Disposition": {tt.disposition}}
			res, _ := c.Call(t.Context(), s.box, "head", nil)
			if parts(res) != tt.want {
				t.Errorf("%+v: %s", tt, parts(res))
			}
		}
		status, header, body = 200, http.Header{"Content-Type": {"image/png"}}, png+"s3cret-head"
		res, err := c.Call(t.Context(), s.box, "head", nil)
		if err != nil || len(res.Model.Parts) != 1 || !bytes.HasPrefix(res.Model.Parts[0].Data, []byte(png)) {
			t.Fatal(res.Model, err)
		}
		leaks(t, "a part", string(res.Model.Parts[0].Data))
	})
}
