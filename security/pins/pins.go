// Package pins remembers the decisions of a user: a [Set] of pins holds
// definitions that the user has looked at and tells when they change, and
// [Approvals] hold the endpoints on other sites that may be contacted. Neither
// becomes part of a Site or of anything that is shared.
//
// The package does no I/O except on files that the caller names. No function
// panics on any input. Errors are *wayfind.Error with a stable Code.
package pins

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/text"
)

// Set holds definitions that a person has looked at, to be compared with later
// definitions of a domain. It is immutable and may be used concurrently; a nil
// *Set holds none. [Load] reads one from a file.
type Set struct {
	list    []Pin // sorted by origin, base and key
	version int   // of the file
	rewrite bool  // a file of an older version
}

// Pin is one definition as it was.
type Pin struct {
	// Key of the capability, or ID of the service without its capabilities;
	// empty: the whole Site.
	Key string `json:"key,omitempty"`
	// PinnedAt is when the Site was resolved.
	PinnedAt time.Time `json:"pinnedAt"`
	// Detail is the digest of the definition in the detail document, where
	// one was read: see wayfind.Capability.Digest.
	Detail string `json:"detail,omitempty"`
	// Site is the pinned definition, with its sources and probes.
	Site *wayfind.Site `json:"site"`
	// Described is the capability as the detail document completed it: with
	// its parameters, schemas, authentication and all else that a definition
	// refers to and a digest of it does not cover. Nil where no detail document
	// was read, and in pins of files of version 1.
	Described *wayfind.Capability `json:"described,omitempty"`
	// Version is 1 for a pin with a detail that comes from a file of version 1:
	// it does not cover the references of the definition.
	Version int `json:"version,omitempty"`
}

// Digest is that of the capability's definition, "" where there is none: in
// pins of services and Sites, and of documents that are not JSON.
func (p Pin) Digest() string {
	if _, c := p.Site.Capability(p.Key); c != nil && p.Key != "" {
		return c.Digest
	}
	return ""
}

// Undigested are the keys of pinned capabilities, and IDs of services, that come
// from a JSON document and have no digest: the Client that read it had no
// client.Options.Trust.Pins. The pin notices a change in the fields of the model
// only. An invisible character or another member is no mismatch. A document that
// a pinned key has signed is none of them: the signature covers all its bytes.
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

// order sorts pins, and tells which are about the same.
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

// With returns pins with those of a Site in place of the pins under the same
// keys: its capabilities and services of these keys or aliases, or all of it
// without any. The error is of kind wayfind.ErrInvalid, with code
// wayfind.CodeUnknownKey for a key that the Site does not have. Pins of a Site
// without digests hold less, and [Pin.Undigested] says which: resolve with
// client.Options.Trust.Pins, if only with an empty Set.
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

// WithDetail is With for a capability whose detail document was read: see
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

// with puts pins in place of those about the same; the last one counts.
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

// Without returns pins without those of an origin: of these keys, or all of
// them without any.
func (p *Set) Without(origin string, keys ...string) *Set {
	return p.instead(slices.DeleteFunc(p.All(), func(o Pin) bool {
		return o.Site.Origin == origin && (len(keys) == 0 || slices.Contains(keys, o.Key))
	}))
}

// instead are other pins of the same file.
func (p *Set) instead(list []Pin) *Set {
	own := &Set{list: list}
	if p != nil {
		own.version, own.rewrite = p.version, p.rewrite
	}
	return own
}

// newPin takes the definition of a key out of a Site.
func newPin(site *wayfind.Site, key string) (Pin, error) {
	if site == nil || site.Origin == "" {
		return Pin{}, wayfind.NewError("pins", "", wayfind.CodeSchema, errors.New("it is no Site of an origin"))
	}
	own := &wayfind.Site{Origin: site.Origin, Base: site.Base, Sources: site.Sources, Probes: site.Probes, ResolvedAt: site.ResolvedAt}
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
