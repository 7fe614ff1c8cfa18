package openapi

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// common is what all operations of a document share. It is read once for all of
// them, so that reading one operation does not take longer in a longer document.
type common struct {
	// reader has the servers and the schemes of the document. It belongs to no
	// one: see forOne.
	reader  reader
	service wayfind.Service
	version string
	err     error // of a document that cannot be read
}

// commonKey is that of the common part of a document.
type commonKey struct{}

// commonOf reads what all operations share.
func commonOf(in *parse.Input) (*common, error) {
	shared := in.Derived(commonKey{}, func() any {
		r, err := newReader(in)
		if err != nil {
			return &common{err: err}
		}
		service := r.service()
		version := r.version()
		r.Reader, r.kept = nil, nil // the reading of the whole document has both
		return &common{reader: *r, version: version, service: wayfind.Service{Name: service.Name, Version: service.Version}}
	}).(*common)
	return shared, shared.err
}

// forOne returns a reader for one operation. It belongs to the caller: a reading is
// cleaned in place.
func (s *common) forOne() *reader {
	r := s.reader
	r.Reader = readerOf(r.dialect)
	return &r
}

// auth is the authentication of the service. Like forOne it belongs to the caller.
// Diagnostics about the service are none about an operation.
func (s *common) auth() *wayfind.Auth { return s.forOne().serviceAuth() }

// ownFlows is a scheme with flows that no other copy of it has.
func ownFlows(s wayfind.Scheme) wayfind.Scheme {
	s.Flows = slices.Clone(s.Flows)
	for i := range s.Flows {
		s.Flows[i].Scopes = slices.Clone(s.Flows[i].Scopes)
	}
	return s
}
