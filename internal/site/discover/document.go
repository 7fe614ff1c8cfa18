package discover

import (
	"net/http"
	"net/url"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// note is a document attached to a stored answer.
type note struct{ *reading.Contents }

// WithoutBody implements cache.Note.
func (n note) WithoutBody() cache.Note { return note{n.Contents.WithoutBody()} }

// DocumentOf returns the Contents of an entry, or nil if there are none.
func DocumentOf(e *cache.Entry) *reading.Contents {
	if e == nil {
		return nil
	}
	n, _ := e.Note.(note)
	return n.Contents
}

// confined reports whether an answer must not leave this process, because there are secrets in its
// body, its header or its URL.
func confined(e *cache.Entry) bool {
	if d := DocumentOf(e); d != nil && d.Secret() {
		return true
	}
	if len(secret.Find("", e.URL)) > 0 {
		return true
	}
	for name, values := range e.Header {
		for _, v := range values {
			if len(secret.Find(name, v)) > 0 {
				return true
			}
		}
	}
	return false
}

// Place returns the place of a document: the requested and the final URL, with this Client's rule
// for sites.
func (eng *Engine) Place(requested, final *url.URL) reading.At {
	return reading.At{Sites: eng.Opts.Policy.SuffixList, Requested: requested, Final: final}
}

// PlaceOf returns the place of an outcome's document.
func (eng *Engine) PlaceOf(o *Outcome) reading.At {
	requested, err := url.Parse(o.Candidate.URL)
	if err != nil {
		requested = &url.URL{}
	}
	final := requested
	if n := len(o.Probe.Redirects); n > 0 {
		if u, err := url.Parse(o.Probe.Redirects[n-1]); err == nil {
			final = u
		}
	}
	return o.asOf(eng.Place(requested, final), o.FreshUntil)
}

// read reads an answer for all waiting callers, so only Close ends it.
func (s *Session) read(res *reading.Response) (doc *reading.Contents) {
	eng := s.Engine
	size := int64(len(res.Body))
	if err := s.counted(eng.base, size, func(w *fuel.Counter) { doc = eng.Reader.Read(w, res) }); err != nil {
		return reading.Abandoned(res, err)
	}
	return doc
}

// located is the reading of a document at a place.
type located struct {
	readings, beside []reading.Located
	diags            []wayfind.Diagnostic
}

// locate returns the reading of a document at a place, with the header fields that its answer has
// now. If readings is false, it returns only the things beside the document. The error means that
// the Client was closed meanwhile.
func (s *Session) locate(doc *reading.Contents, at reading.At, header http.Header, readings bool) (l located, err error) {
	l.diags = doc.DiagnosticsAt(at)
	if !(readings && doc.Read()) && !doc.HasBeside() && !s.Engine.Reader.BesideChanged(doc, header) {
		return l, nil
	}
	return s.locateCounted(doc, at, header, readings)
}

func (s *Session) locateCounted(doc *reading.Contents, at reading.At, header http.Header, readings bool) (l located, err error) {
	err = s.counted(s.Engine.base, sizeOf(doc), func(w *fuel.Counter) {
		at.Work = w
		l.diags = doc.DiagnosticsAt(at)
		if readings {
			l.readings, l.diags = doc.At(at)
		}
		var diags []wayfind.Diagnostic
		l.beside, diags = s.Engine.Reader.Beside(doc, at, header)
		l.diags = append(l.diags, diags...)
	})
	return l, err
}

// sizeOf returns the size of a document, or 0 if its body is gone.
func sizeOf(doc *reading.Contents) int64 {
	if doc == nil || doc.Input() == nil {
		return 0
	}
	return int64(len(doc.Input().Body))
}
