package openapi

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// common is the part of a document that all operations share. It is read once for all of them,
// so that reading one operation does not take longer in a longer document.
type common struct {
	// reader has the servers and the schemes of the document. It must not be used directly: see
	// forOne.
	reader  reader
	service wayfind.Service
	version string
	err     error // the error if the document cannot be read
}

// commonKey is the key of the common part of a document.
type commonKey struct{}

// commonOf returns the part that all operations share.
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

// auth returns the authentication of the service. Like the result of forOne, it belongs to the
// caller. Diagnostics about the service are not reported for an operation.
func (s *common) auth() *wayfind.Auth { return s.forOne().serviceAuth() }

// ownFlows returns the scheme with its own copy of the flows.
func ownFlows(s wayfind.Scheme) wayfind.Scheme {
	s.Flows = slices.Clone(s.Flows)
	for i := range s.Flows {
		s.Flows[i].Scopes = slices.Clone(s.Flows[i].Scopes)
	}
	return s
}
