package call

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// maxParts is the maximum number of parts in a result. The text of the result mentions all
// further parts.
const maxParts = 16

// Part is a part of an answer that is not text: an image, a sound or a file. The text of the
// result mentions it, with its size and digest. A model may get it if its API accepts the
// type. It is data of the site, like texts, but it is not searched for instructions.
type Part struct {
	// Media is the media type without parameters. A type that begins with "image/" is detected
	// from the data, because APIs refuse a request with an invalid image. It is
	// "application/octet-stream" if the type is not known.
	Media string `json:"media"`
	// Name is the address or the file name that the site gives the part, cleaned. It may be
	// empty.
	Name string `json:"name,omitempty"`
	// Data is the content, without credentials of the call.
	Data []byte `json:"-"`
}

// Image reports whether the part is an image.
func (p *Part) Image() bool { return strings.HasPrefix(p.Media, "image/") }

// Audio reports whether the part is a sound.
func (p *Part) Audio() bool { return strings.HasPrefix(p.Media, "audio/") }

const octets = "application/octet-stream"

// mediaOf returns the media type of a part.
func mediaOf(declared string, data []byte) string {
	media, _, err := mime.ParseMediaType(declared)
	if err != nil || !strings.Contains(media, "/") {
		media = octets
	}
	seen, _, _ := mime.ParseMediaType(http.DetectContentType(data))
	switch {
	case strings.HasPrefix(seen, "image/") && (media == octets || strings.HasPrefix(media, "image/")):
		return seen
	case strings.HasPrefix(media, "image/"):
		return octets
	case media == octets && strings.HasPrefix(seen, "audio/"):
		return seen
	}
	return media
}

// part adds a part to a result.
func (s *sent) part(res *Result, media, name string, data []byte) {
	if len(data) == 0 || len(res.Model.Parts) >= maxParts {
		return
	}
	name = s.equipment.secrets.text(name, false, maxLine)
	res.Model.Parts = append(res.Model.Parts, Part{Media: mediaOf(media, data), Name: name, Data: s.equipment.secrets.over(data)})
}

// mcpPart adds a block of MCP content that is not text.
func (s *sent) mcpPart(res *Result, block parse.Node) {
	media, uri, data := mcp.Octets(block)
	s.part(res, media, uri, data)
}

// a2aPart adds a part of an A2A message if it is a file, in the format of 1.0 or of earlier
// versions. It returns the text of the part, or a description of the file.
func (s *sent) a2aPart(res *Result, p parse.Node) string {
	data, media, name, at := p.Get("raw"), p.Get("mediaType"), p.Get("filename"), p.Get("url")
	if file := p.Get("file"); file.Exists() {
		data, media, name, at = file.Get("bytes"), file.Get("mimeType"), file.Get("name"), file.Get("uri")
	}
	raw, err := base64.StdEncoding.DecodeString(textOf(data))
	switch {
	case p.Get("text").Exists():
		return textOf(p.Get("text"))
	case at.Exists():
		return fmt.Sprintf("(a link to the file %s, %s)", line(textOf(name)), line(textOf(at)))
	case err != nil || len(raw) == 0:
		return "(the file " + line(textOf(name)) + ", which is no base64)"
	}
	s.part(res, textOf(media), textOf(name), raw)
	return fmt.Sprintf("(the file %s, %s, %d bytes, SHA-256 %x)", line(textOf(name)), line(textOf(media)), len(raw), sha256.Sum256(raw))
}

// textOf returns the text of a member; "" for any other value.
func textOf(n parse.Node) string {
	s, _ := n.Str()
	return s
}

// maxLine is the maximum number of characters of a text within a line.
const maxLine = 256

// line returns text of the site for use within a line of this package.
func line(s string) string {
	clean, _ := text.Clean(s, false, maxLine)
	return clean
}

// httpPart adds an answer over plain HTTP that is not text.
func (s *sent) httpPart(res *Result, h http.Header, body []byte) {
	_, params, err := mime.ParseMediaType(h.Get("Content-Disposition"))
	name := params["filename"]
	if err != nil || name == "" || path.Base(name) != name {
		name = ""
	}
	s.part(res, h.Get("Content-Type"), name, body)
}
