package call

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// print is the data about a subject in a ticket. It distinguishes the subject from every other
// one.
type print struct {
	Method string `json:"method"`
	Origin string `json:"origin"`
	// Target is the path with the query.
	Target string `json:"target"`
	// Fields are the names of the header fields, in order. Values is a digest of their values
	// and of the cookies, without credentials.
	Fields []string `json:"fields,omitempty"`
	Values string   `json:"values"`
	// Credentials are the places of credentials.
	Credentials []string `json:"credentials,omitempty"`
	Body        string   `json:"body"`
}

// print returns the print of a subject.
func (s *subject) print() print {
	p := print{Method: s.method, Origin: s.url.Scheme + "://" + s.url.Host, Target: s.url.RequestURI()}
	values := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s.header)) {
		p.Fields = append(p.Fields, name)
		fmt.Fprintf(values, "%q %q\n", name, s.header[name])
	}
	for _, c := range s.cookies {
		fmt.Fprintf(values, "cookie %q %q\n", c.Field, c.Value)
	}
	p.Values = hex.EncodeToString(values.Sum(nil))
	for _, c := range s.placed {
		p.Credentials = append(p.Credentials, c.Scheme+" "+c.In+" "+c.Name+" "+c.Origin)
	}
	body := sha256.Sum256(s.body)
	p.Body = hex.EncodeToString(body[:])
	return p
}

// equal compares all members.
func (p print) equal(q print) bool { return reflect.DeepEqual(p, q) }
