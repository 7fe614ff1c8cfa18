package reading

import (
	"bytes"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Content returns the body as a file that a caller requested, under any verdict. A text is cleaned
// like all text of the model, without its secrets, but it is not cut. suspicious contains the
// classes of passages that address a model.
func (d *Contents) Content(w *fuel.Counter) (content *wayfind.Content, suspicious []string, diags []wayfind.Diagnostic) {
	body := d.input.Body
	content = &wayfind.Content{MediaType: d.input.MediaType, Size: int64(len(body)), SHA256: d.digest, Bytes: body}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return content, nil, nil
	}
	w.Text(len(body))
	walk := walker{secrets: d.secrets, suspect: &suspicions{}}
	clean, removed := text.Clean(string(body), true, 0)
	clean, rules := d.secrets.redact("", clean)
	walk.leak(rules, "content")
	content.Text, _ = text.Clean(clean, true, 0)
	walk.note(removed, "content")
	walk.suspect.look(content.Text, "content")
	return content, walk.suspect.classes(), walk.diagnostics()
}
