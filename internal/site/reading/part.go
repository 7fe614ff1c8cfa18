package reading

import (
	"cmp"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// part is one format's reading of a document. The three types around it indicate how far it has
// been processed.
type part struct {
	Format *parse.Format
	Source wayfind.Source
	*parse.Reading
	// around is the number of indexes around the reading, in the same document.
	around int
}

// Around returns the number of indexes around a reading in its own document.
func (l Located) Around() int { return l.around }

// raw is a reading as its format made it.
type raw struct{ part }

// Clean is a reading whose texts are clean. Callers that get the same bytes share it, so it does
// not contain the place where they were found. [Contents.At] and [Clean.At] add the place.
type Clean struct {
	part part
	// etag and lastModified are the validators that it was read with, unchanged.
	etag, lastModified string
	// secrets are the secrets of the document.
	secrets *secrets
}

// Located is a clean reading for one request: a copy with source and trust. Only package reading
// makes one.
type Located struct{ located }

type located struct{ part }

// Made makes a located reading, for tests of the packages that use it.
func Made(f *parse.Format, source wayfind.Source, r *parse.Reading) Located {
	return Located{located{part{Format: f, Source: source, Reading: r}}}
}

// Verified raises the rank of a document that the owner of a pinned key signed. A document of
// another site stays a claim of that site.
func (l *Located) Verified() {
	if a := l.Source.Authority; a == wayfind.AuthorityNative || a == wayfind.AuthorityLinked {
		l.Source.Authority = wayfind.AuthorityVerified
	}
}

// OwnSignatures copies the signatures of a reading, so that they can be checked again.
func (l *Located) OwnSignatures() { l.Source.Signatures = slices.Clone(l.Source.Signatures) }

// Capabilities returns the number of capabilities.
func (c Clean) Capabilities() (n int) {
	for i := range c.part.Services {
		n += len(c.part.Services[i].Capabilities)
	}
	return n
}

// source returns the source of a reading, as far as its document contains it.
func (d *Contents) source(f *parse.Format, r *parse.Reading) wayfind.Source {
	authority := cmp.Or(r.Authority, wayfind.AuthorityNative)
	if d.around > 0 && authority.Rank() < wayfind.AuthorityCatalog.Rank() {
		authority = wayfind.AuthorityCatalog
	}
	return wayfind.Source{
		Format: f.Name, Dialect: r.Dialect, Version: r.Version, URL: d.input.URL.String(),
		MediaType: d.input.MediaType, SHA256: d.digest,
		ETag: d.input.Header.Get("ETag"), LastModified: d.input.Header.Get("Last-Modified"),
		Authority: authority, Confidence: r.Confidence,
		Signatures: slices.Clone(r.Signatures),
	}
}
