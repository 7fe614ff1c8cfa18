package reading

import (
	"bytes"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/parse"
)

// File is a document that references of another document lead to.
type File struct {
	// URL is the URL in the references, and Final the URL that answered.
	URL   string
	Final *url.URL
	// Root is the value of the document. If it does not exist, the document was not read, and Why
	// is the reason.
	Root parse.Node
	Why  string
}

// Divided returns the format that reads a document together with others that its references lead
// to; nil for most documents.
func (d *Contents) Divided() *parse.Format {
	if !d.divided || d.input == nil {
		return nil
	}
	return d.dividing()
}

// dividing returns the format of a reading that may consist of several documents.
func (d *Contents) dividing() *parse.Format {
	for i := range d.readings {
		if f := d.readings[i].part.Format; f.Files {
			return f
		}
	}
	return nil
}

// divide records whether a reference leads out of the document. Hardly any document has such a
// reference, so the text is searched before references are resolved.
func (d *Contents) divide() {
	if d.dividing() == nil {
		return
	}
	root, err := d.input.Tree()
	for text := root.Raw(); err == nil; {
		_, rest, found := bytes.Cut(text, []byte(`"$ref"`))
		if !found {
			return
		}
		value := bytes.TrimLeft(rest, ": \t\r\n")
		if bytes.HasPrefix(value, []byte(`"`)) && !bytes.HasPrefix(value, []byte(`"#`)) {
			d.divided = len(Outside(root, d.input.FinalURL)) > 0 // some are in data
			return
		}
		text = rest
	}
}

// WithFiles reads a document again, together with others that its references lead to. It returns
// nil if they are too large together.
func (r *Reader) WithFiles(w *fuel.Counter, d *Contents, files []File) *Contents {
	f := d.Divided()
	root, err := d.input.Tree()
	if f == nil || err != nil {
		return nil
	}
	body := bundle(root, d.input, files, int(r.Limit(f).Limit))
	if body == nil {
		return nil
	}
	w.Text(len(body))
	unread := make(map[string]string)
	for _, file := range files {
		if !file.Root.Exists() {
			unread[file.URL] = file.Why
		}
	}
	source := d.input.URL.String()
	own := &Contents{
		input:  &parse.Input{URL: d.input.URL, FinalURL: d.input.FinalURL, MediaType: d.input.MediaType, Header: d.input.Header, Body: body, Unread: unread},
		digest: d.digest, verdict: wayfind.VerdictFound, besides: d.besides,
	}
	r.match(own)
	own.secrets = findSecrets(own.input)
	own.secret = d.secret || own.secrets != nil
	own.diags = slices.Concat(sourced(d.input.Diagnostics(), source), own.secrets.diagnostics(source))
	r.parse(w, own)
	return own
}
