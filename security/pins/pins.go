// Package pins stores the decisions of a user: a [Set] of pins contains definitions that the
// user has looked at and reports when they change, and [Approvals] contain the endpoints on
// other sites that may be contacted. Neither becomes part of a Site or of any shared data.
//
// The package does no I/O except on files that the caller names. No function panics on any
// input. Errors are *wayfind.Error with a stable Code.
package pins

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Set contains definitions that a person has looked at, for comparison with later definitions
// of a domain. It is immutable and may be used concurrently. A nil *Set is empty. [Load] reads
// a Set from a file.
type Set struct {
	list    []Pin // sorted by origin, base and key
	version int   // of the file
	rewrite bool  // Save may replace a file of an older version
}

// Pin is one definition at the time when it was pinned.
type Pin struct {
	// Key is the key of a capability, or the ID of a service without its capabilities. It is
	// empty for the whole Site.
	Key string `json:"key,omitempty"`
	// PinnedAt is the time at which the Site was resolved.
	PinnedAt time.Time `json:"pinnedAt"`
	// Detail is the digest of the definition in the detail document, or empty if no detail
	// document was read: see wayfind.Capability.Digest.
	Detail string `json:"detail,omitempty"`
	// Site is the pinned definition, with its sources and probes.
	Site *wayfind.Site `json:"site"`
	// Described is the capability as completed by the detail document: with its parameters,
	// schemas, authentication and everything else that a definition refers to and its digest
	// does not cover. It is nil if no detail document was read, and in pins from files of
	// version 1.
	Described *wayfind.Capability `json:"described,omitempty"`
	// Version is 1 for a pin with a detail from a file of version 1, which does not cover the
	// references of the definition. Otherwise it is 0.
	Version int `json:"version,omitempty"`
}

// Digest returns the digest of the capability's definition. It is empty for pins of services
// and Sites, and for documents that are not JSON.
func (p Pin) Digest() string {
	if _, c := p.Site.Capability(p.Key); c != nil && p.Key != "" {
		return c.Digest
	}
	return ""
}

// Undigested returns the keys of pinned capabilities, and IDs of services, that are from a JSON
// document and have no digest, because the Client that read it had no
// client.Options.Trust.Pins. For these the pin detects only changes in the fields of the model:
// an invisible character or another member is not a mismatch. A document that is signed with a
// pinned key is not included, because the signature covers all its bytes.
func (p Pin) Undigested() (keys []string) {
	fromJSON := map[string]bool{}
	for i := range p.Site.Sources {
		s := &p.Site.Sources[i]
		read := s.SHA256 != "" && strings.HasSuffix(s.MediaType, "json")
		fromJSON[s.URL] = read && s.Authority != wayfind.AuthorityLive && s.Authority != wayfind.AuthorityVerified
	}
	lacks := func(digest string, refs []wayfind.Ref) bool {
		return digest == "" && len(refs) > 0 && fromJSON[refs[0].Source]
	}
	for i := range p.Site.Services {
		service := &p.Site.Services[i]
		if (p.Key == "" || p.Key == service.ID) && lacks(service.Digest, service.Sources) {
			keys = append(keys, service.ID)
		}
		for j := range service.Capabilities {
			if c := &service.Capabilities[j]; lacks(c.Digest, c.Sources) {
				keys = append(keys, c.Key)
			}
		}
	}
	return keys
}

// order sorts pins. It returns 0 if both are about the same key.
func (p Pin) order(o Pin) int {
	return cmp.Or(cmp.Compare(p.Site.Origin, o.Site.Origin), cmp.Compare(p.Site.Base, o.Site.Base), cmp.Compare(p.Key, o.Key))
}

// All returns the pins in order of origin and key.
func (p *Set) All() []Pin {
	if p == nil {
		return nil
	}
	return slices.Clone(p.list)
}

// With returns a Set in which pins of a Site replace the pins with the same keys. The pins are
// the capabilities and services with these keys or aliases, or the whole Site if there are no
// keys. The error is of kind wayfind.ErrInvalid; it has code wayfind.CodeUnknownKey for a key
// that the Site does not have. Pins of a Site without digests contain less, and
// [Pin.Undigested] returns their keys: resolve with client.Options.Trust.Pins, even if it is an
// empty Set.
func (p *Set) With(site *wayfind.Site, keys ...string) (*Set, error) {
	if len(keys) == 0 {
		keys = []string{""}
	}
	more := make([]Pin, len(keys))
	for i, key := range keys {
		pin, err := newPin(site, key)
		if err != nil {
			return nil, err
		}
		more[i] = pin
	}
	return p.with(more...), nil
}

// WithDetail is like With for a capability whose detail document was read: see
// client.Client.Describe.
func (p *Set) WithDetail(site *wayfind.Site, detail *wayfind.Detail) (*Set, error) {
	if detail == nil || detail.Capability == nil {
		return nil, wayfind.NewError("pins", "", wayfind.CodeNoDetail, errors.New("it is no detail of a capability"))
	}
	pin, err := newPin(site, detail.Capability.Key)
	if err != nil {
		return nil, err
	}
	if detail.Source != nil {
		pin.Detail, pin.Described = detail.Capability.Digest, summarized(site, detail.Capability)
	}
	return p.with(pin), nil
}

// with replaces the pins about the same keys. If several new pins have the same key, the last
// one is used.
func (p *Set) with(more ...Pin) *Set {
	list := append(p.All(), more...)
	slices.SortStableFunc(list, Pin.order)
	var kept []Pin
	for i, pin := range list {
		if i+1 == len(list) || pin.order(list[i+1]) != 0 {
			kept = append(kept, pin)
		}
	}
	return p.instead(kept)
}

// Without returns a Set without the pins of an origin that have these keys, or without all pins
// of the origin if there are no keys.
func (p *Set) Without(origin string, keys ...string) *Set {
	return p.instead(slices.DeleteFunc(p.All(), func(o Pin) bool {
		return o.Site.Origin == origin && (len(keys) == 0 || slices.Contains(keys, o.Key))
	}))
}

// instead returns other pins of the same file.
func (p *Set) instead(list []Pin) *Set {
	own := &Set{list: list}
	if p != nil {
		own.version, own.rewrite = p.version, p.rewrite
	}
	return own
}

// newPin takes the definition of a key from a Site.
func newPin(site *wayfind.Site, key string) (Pin, error) {
	if site == nil || site.Origin == "" {
		return Pin{}, wayfind.NewError("pins", "", wayfind.CodeSchema, errors.New("it is no Site of an origin"))
	}
	own := &wayfind.Site{Origin: site.Origin, Host: site.Host, Base: site.Base, Sources: site.Sources, Probes: site.Probes, ResolvedAt: site.ResolvedAt}
	pin := Pin{Key: key, PinnedAt: site.ResolvedAt, Site: own}
	service, capability := site.Capability(key)
	switch {
	case key == "":
		own.Services = slices.Clone(site.Services)
	case capability != nil:
		only := *service
		only.Capabilities = []wayfind.Capability{*capability}
		own.Services, pin.Key = []wayfind.Service{only}, capability.Key
	default:
		if service = site.Service(key); service == nil {
			return pin, wayfind.NewError("pins", site.Origin, wayfind.CodeUnknownKey, errors.New("there is no capability or service "+text.Printable(key)))
		}
		only := *service
		only.Capabilities = nil
		own.Services = []wayfind.Service{only}
	}
	return pin, nil
}
