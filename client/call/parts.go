package call

import (
	"mime"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
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

// textOf returns the text of a member; "" for any other value.
func textOf(n parse.Node) string {
	s, _ := n.Str()
	return s
}

// maxLine is the maximum number of characters of a text within a line.
const maxLine = 256

// line returns text of the site for use within a line of this package.
func line(s string) string {
	return veil(nil).show(s, secret.Line, maxLine)
}
