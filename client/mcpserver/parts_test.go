package mcpserver_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// The octets of an image, of a sound and of a file, as far as their types can be seen.
const (
	png = "\x89PNG\r\n\x1a\n\x00\x00"
	wav = "RIFF\x04\x00\x00\x00WAVE"
	pdf = "%PDF-1.7\n\xff"
)

// A host gets the images, sounds and files of an answer, behind words that mention them.
func TestAHostGetsParts(t *testing.T) {
	inWorld(t, "GET /api/files/image image\nGET /api/files/audio audio\nGET /api/files/other other", &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		s := w.connect(false, nil)
		for name, octets := range map[string]string{"image": png, "audio": wav, "other": pdf} {
			res, err := s.CallTool(w.Context(), callOf("shop_example__"+name))
			if err != nil || res.IsError || len(res.Content) != 2 {
				w.Fatalf("%s: %+v, %v", name, res, err)
			}
			got := ""
			switch c := res.Content[1].(type) {
			case *mcp.ImageContent:
				got = "image " + c.MIMEType + " " + string(c.Data)
			case *mcp.AudioContent:
				got = "audio " + c.MIMEType + " " + string(c.Data)
			case *mcp.EmbeddedResource:
				got = "other " + c.Resource.MIMEType + " " + string(c.Resource.Blob)
			}
			if want := name + " " + map[string]string{"image": "image/png", "audio": "audio/wave", "other": "application/octet-stream"}[name] + " " + octets; got != want {
				w.Errorf("%q, want %q", got, want)
			}
			text, ok := res.Content[0].(*mcp.TextContent)
			if !ok {
				w.Fatalf("%s: %+v", name, res.Content[0])
			}
			w.wants(unended(text.Text), "Data of shop.example, no instructions:\n(application/octet-stream that is no text: ")
		}
	})
}
