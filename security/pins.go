package security

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Pins are definitions that somebody has looked at, to be compared with what a
// domain says later. They are immutable, a nil *Pins has none, and they may be
// used concurrently. [LoadPins] reads them from a file.
type Pins struct {
	list []Pin // sorted by origin, base and key
}

// Pin is one definition as it was.
type Pin struct {
	// Key of the capability, or ID of the service without its capabilities;
	// empty: all that the Site has.
	Key string `json:"key,omitempty"`
	// PinnedAt is when the Site was resolved.
	PinnedAt time.Time `json:"pinnedAt"`
	// Detail is the digest of the definition in the detail document, where
	// one was read: see wayfind.Capability.Digest.
	Detail string `json:"detail,omitempty"`
	// Site is what was pinned, with its sources and probes.
	Site *wayfind.Site `json:"site"`
}

// Digest is that of the capability's definition, "" where there is none: in
// pins of services and Sites, and of documents that are not JSON.
func (p Pin) Digest() string {
	if _, c := p.Site.Capability(p.Key); c != nil && p.Key != "" {
		return c.Digest
	}
	return ""
}

// order sorts pins, and tells which are about the same.
func (p Pin) order(o Pin) int {
	return cmp.Or(cmp.Compare(p.Site.Origin, o.Site.Origin), cmp.Compare(p.Site.Base, o.Site.Base), cmp.Compare(p.Key, o.Key))
}

// All returns the pins in order of origin and key.
func (p *Pins) All() []Pin {
	if p == nil {
		return nil
	}
	return slices.Clone(p.list)
}

// With returns pins with those of a Site in place of what was pinned under the
// same keys: its capabilities and services of these keys or aliases, or all of
// it without any. The error is of kind wayfind.ErrInvalid, with code
// wayfind.CodeUnknownKey for a key that the Site does not have.
func (p *Pins) With(site *wayfind.Site, keys ...string) (*Pins, error) {
	if len(keys) == 0 {
		keys = []string{""}
	}
	own := p
	for _, key := range keys {
		pin, err := newPin(site, key)
		if err != nil {
			return nil, err
		}
		own = own.with(pin)
	}
	return own, nil
}

// WithDetail is With for a capability whose detail document was read: see
// client.Client.Describe.
func (p *Pins) WithDetail(site *wayfind.Site, detail *wayfind.Detail) (*Pins, error) {
	pin, err := newPin(site, detail.Capability.Key)
	if err != nil {
		return nil, err
	}
	if detail.Source != nil {
		pin.Detail = detail.Capability.Digest
	}
	return p.with(pin), nil
}

func (p *Pins) with(pin Pin) *Pins {
	list := slices.DeleteFunc(p.All(), func(o Pin) bool { return o.order(pin) == 0 })
	list = append(list, pin)
	slices.SortFunc(list, Pin.order)
	return &Pins{list: list}
}

// Without returns pins without those of an origin: of these keys, or all of
// them without any.
func (p *Pins) Without(origin string, keys ...string) *Pins {
	return &Pins{list: slices.DeleteFunc(p.All(), func(o Pin) bool {
		return o.Site.Origin == origin && (len(keys) == 0 || slices.Contains(keys, o.Key))
	})}
}

// newPin takes what a key stands for out of a Site.
func newPin(site *wayfind.Site, key string) (Pin, error) {
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
			return pin, &wayfind.Error{Op: "pins", URL: site.Origin, Kind: wayfind.ErrInvalid, Code: wayfind.CodeUnknownKey,
				Err: &unknownKey{key}}
		}
		only := *service
		only.Capabilities = nil
		own.Services = []wayfind.Service{only}
	}
	return pin, nil
}

type unknownKey struct{ key string }

func (u *unknownKey) Error() string { return "there is no capability or service " + Printable(u.key) }

// Check compares a Site with what is pinned of it. Sources are compared one by
// one, as wayfind.Diff does it: what comes from a document that could not be
// asked is Unknown, and no mismatch. The report is never nil.
func (p *Pins) Check(site *wayfind.Site) *PinReport {
	report := &PinReport{}
	for _, pin := range p.of(site) {
		pin.check(site, report)
	}
	report.settle()
	return report
}

// CheckDetail compares the detail document of a capability, as Describe gives
// it, with the one that was pinned.
func (p *Pins) CheckDetail(site *wayfind.Site, detail *wayfind.Detail) *PinReport {
	report := &PinReport{}
	if detail.Capability == nil || detail.Source == nil {
		return report
	}
	for _, pin := range p.of(site) {
		now := detail.Capability.Digest
		if pin.Key == "" || pin.Detail == "" || !detail.Capability.HasKey(pin.Key) || now == pin.Detail {
			continue
		}
		report.Mismatches = append(report.Mismatches, PinMismatch{
			Origin: site.Origin, Key: pin.Key, Source: detail.Source.URL, Pinned: pin.Detail, Now: now})
	}
	return report
}

// of are the pins of a Site. They count below whatever path a caller names: what
// belongs to another one was not asked, and is unknown.
func (p *Pins) of(site *wayfind.Site) (list []Pin) {
	for _, pin := range p.All() {
		if pin.Site.Origin == site.Origin {
			list = append(list, pin)
		}
	}
	return list
}

// check adds what differs from one pin.
func (p Pin) check(site *wayfind.Site, report *PinReport) {
	site = p.part(site)
	diff := wayfind.Diff(p.Site, site)
	if p.Key == "" {
		report.Added = append(report.Added, diff.Added...)
	}
	report.Unknown = append(report.Unknown, diff.Unknown...)
	for _, c := range diff.Removed {
		report.at(p.Site, c.Key).Removed = true
	}
	for _, c := range diff.Changed {
		m := report.at(p.Site, c.Key)
		m.Changes = append(m.Changes, c)
	}
	now := readingsBySource(site)
	for _, pinned := range p.Site.Capabilities() {
		p.checkDigests(pinned, now, report)
	}
	for i := range p.Site.Services {
		p.checkVersion(&p.Site.Services[i], site, report)
	}
	p.checkDocuments(site, report)
}

// checkDocuments notes the documents behind a pin whose bytes changed.
func (p Pin) checkDocuments(site *wayfind.Site, report *PinReport) {
	var behind []wayfind.Ref
	for i := range p.Site.Services {
		behind = append(behind, p.Site.Services[i].Sources...)
	}
	for _, c := range p.Site.Capabilities() {
		behind = append(behind, c.Sources...)
	}
	for _, r := range behind {
		was, is := p.Site.Source(r.Source), site.Source(r.Source)
		if was != nil && is != nil && was.SHA256 != is.SHA256 {
			report.Documents = append(report.Documents, r.Source)
		}
	}
}

// part is what a Site has of what is pinned, so that many pins of one large
// Site cost no more than the Site. What has none of the pinned keys may still
// be known by its place in a document: then it is the whole Site.
func (p Pin) part(site *wayfind.Site) *wayfind.Site {
	service, pinned := p.Site.Capability(p.Key)
	if p.Key == "" || pinned == nil {
		return site
	}
	for _, key := range append([]string{pinned.Key}, pinned.Aliases...) {
		now, err := newPin(site, key)
		if _, found := now.Site.Capability(key); err != nil || found == nil {
			continue
		}
		if before := site.Service(service.ID); before != nil && now.Site.Service(service.ID) == nil {
			moved := *before
			moved.Capabilities = nil
			now.Site.Services = append(now.Site.Services, moved)
		}
		return now.Site
	}
	return site
}

// checkDigests compares the readings of a capability, each with that of the
// same document.
func (p Pin) checkDigests(pinned *wayfind.Capability, now map[string]*wayfind.Capability, report *PinReport) {
	for _, was := range readingsOf(pinned) {
		if was.Digest == "" || len(was.Sources) == 0 {
			continue
		}
		is, found := now[was.Sources[0].Source+" "+was.Key]
		if !found || is.Digest == "" || is.Digest == was.Digest {
			continue
		}
		m := report.at(p.Site, pinned.Key)
		m.Source, m.Pinned, m.Now = was.Sources[0].Source, was.Digest, is.Digest
	}
}

// readingsBySource finds what each document says of each key.
func readingsBySource(site *wayfind.Site) map[string]*wayfind.Capability {
	found := map[string]*wayfind.Capability{}
	for _, c := range site.Capabilities() {
		for _, r := range readingsOf(c) {
			if len(r.Sources) > 0 {
				found[r.Sources[0].Source+" "+r.Key] = r
			}
		}
	}
	return found
}

// readingsOf are a capability and those that lost against it.
func readingsOf(c *wayfind.Capability) []*wayfind.Capability {
	list := []*wayfind.Capability{c}
	for i := range c.Alternatives {
		list = append(list, &c.Alternatives[i])
	}
	return list
}

// checkVersion notices a signed document whose version went back: an older one
// is as genuine as the newer one (A2A 1.0 §8.4).
func (p Pin) checkVersion(pinned *wayfind.Service, site *wayfind.Site, report *PinReport) {
	now := site.Service(pinned.ID)
	if now == nil || !signed(p.Site, pinned) {
		return
	}
	if order, ok := compareVersions(now.Version, pinned.Version); ok && order < 0 {
		m := report.at(p.Site, pinned.ID)
		m.PinnedVersion, m.Version = pinned.Version, now.Version
	}
}

// signed reports whether a service comes from a document with a signature that
// counts.
func signed(site *wayfind.Site, s *wayfind.Service) bool {
	return slices.ContainsFunc(s.Sources, func(r wayfind.Ref) bool {
		source := site.Source(r.Source)
		return source != nil && slices.ContainsFunc(source.Signatures, func(s wayfind.Signature) bool {
			return s.Status == SignatureValid && s.KeySource == KeyPinned
		})
	})
}

// PinReport is what differs from what was pinned.
type PinReport struct {
	// Mismatches are the definitions that changed, one for each key.
	Mismatches []PinMismatch `json:"mismatches,omitempty"`
	// Added are services and capabilities that a Site pinned as a whole did
	// not have. They are no mismatch.
	Added []wayfind.Change `json:"added,omitempty"`
	// Documents are the URLs of those behind the pins whose bytes changed.
	// That alone is no mismatch: the pinned definitions may be the same.
	Documents []string `json:"documents,omitempty"`
	// Unknown are keys of which the Site cannot tell: see wayfind.Difference.
	Unknown []string `json:"unknown,omitempty"`
}

// PinMismatch is one definition that changed.
type PinMismatch struct {
	Origin string `json:"origin"`
	// Key of the capability, or ID of the service.
	Key string `json:"key"`
	// Source is the document in which it changed, where that is known.
	Source string `json:"source,omitempty"`
	// Pinned and Now are digests of the definition that differ. Where Changes
	// are empty, it changed in what the model does not show: in a character
	// that is not visible, for example.
	Pinned string `json:"pinned,omitempty"`
	Now    string `json:"now,omitempty"`
	// PinnedVersion and Version are set when a signed document went back to
	// an older version.
	PinnedVersion string `json:"pinnedVersion,omitempty"`
	Version       string `json:"version,omitempty"`
	// Removed: it is gone, by the word of the document that had it.
	Removed bool `json:"removed,omitempty"`
	// Changes are field by field.
	Changes []wayfind.Change `json:"changes,omitempty"`
}

// Empty reports whether nothing is known to have changed.
func (r *PinReport) Empty() bool { return len(r.Mismatches) == 0 }

// Of is the part of a report about a capability, with its service, or about a
// service.
func (r *PinReport) Of(site *wayfind.Site, key string) *PinReport {
	keys := []string{key}
	if service, capability := site.Capability(key); capability != nil {
		keys = append(append(keys, capability.Key, service.ID), capability.Aliases...)
	}
	part := &PinReport{}
	for _, m := range r.Mismatches {
		if slices.Contains(keys, m.Key) {
			part.Mismatches = append(part.Mismatches, m)
		}
	}
	return part
}

// at is the mismatch of a key, in which more can be said.
func (r *PinReport) at(site *wayfind.Site, key string) *PinMismatch {
	i := slices.IndexFunc(r.Mismatches, func(m PinMismatch) bool { return m.Key == key })
	if i < 0 {
		i = len(r.Mismatches)
		r.Mismatches = append(r.Mismatches, PinMismatch{Origin: site.Origin, Key: key})
	}
	return &r.Mismatches[i]
}

// settle puts a report in order: several pins may say the same.
func (r *PinReport) settle() {
	slices.SortStableFunc(r.Mismatches, func(a, b PinMismatch) int { return cmp.Compare(a.Key, b.Key) })
	for i := range r.Mismatches {
		m := &r.Mismatches[i]
		order := func(a, b wayfind.Change) int {
			return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Field, b.Field))
		}
		slices.SortStableFunc(m.Changes, order)
		m.Changes = slices.CompactFunc(m.Changes, func(a, b wayfind.Change) bool { return order(a, b) == 0 })
	}
	slices.Sort(r.Documents)
	r.Documents = slices.Compact(r.Documents)
	slices.Sort(r.Unknown)
	r.Unknown = slices.Compact(r.Unknown)
}

// String says in one sentence what differs. Foreign text in it is escaped.
func (m PinMismatch) String() string {
	what := Printable(m.Key)
	var parts []string
	for _, c := range m.Changes {
		parts = append(parts, strings.TrimSpace(string(c.Class)+" ("+c.Field+")"))
	}
	if m.Rollback() {
		parts = append(parts, "its version went back from "+Printable(m.PinnedVersion)+" to "+Printable(m.Version))
	}
	switch {
	case m.Removed:
		return what + " was pinned and is gone"
	case len(parts) == 0:
		return what + " is not what was pinned: its definition changed in what the model does not show"
	}
	return what + " is not what was pinned: " + strings.Join(parts, ", ")
}

// Rollback reports whether a signed document went back to an older version.
func (m PinMismatch) Rollback() bool { return m.PinnedVersion != "" }

// PinError is the error of definitions that are not what was pinned.
type PinError struct{ Report *PinReport }

// Error says what differs, the first of it when that is much.
func (e *PinError) Error() string {
	var parts []string
	for _, m := range e.Report.Mismatches {
		parts = append(parts, m.String())
	}
	return strings.Join(parts, "; ")
}
