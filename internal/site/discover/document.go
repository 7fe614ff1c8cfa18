package discover

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
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

// located is the reading of a document at a place.
type located struct {
	readings, beside []reading.Located
	diags            []wayfind.Diagnostic
}

// sizeOf returns the size of a document, or 0 if its body is gone.
func sizeOf(doc *reading.Contents) int64 {
	if doc == nil || doc.Input() == nil {
		return 0
	}
	return int64(len(doc.Input().Body))
}
