package a2a

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// protocolA2A is the protocol of interfaces that name no other protocol.
const protocolA2A = "a2a"

// headerVersion is the header field that contains the protocol version of a call (1.0
// §3.6).
const headerVersion = "A2A-Version"

// faces collects the interfaces of a card. Its indexes prevent that a repeated
// interface is listed twice.
type faces struct {
	list []wayfind.Interface
	// at maps an address with its transport, version and tenant to an index in list.
	at map[place]int
	// urls maps the address alone to an index in list.
	urls map[string]int
}

type place struct{ address, transport, version, tenant string }

// interfaces reads the interfaces of the agent. supportedInterfaces comes first (1.0
// §8.3.2), followed by the declarations of earlier versions.
func (r *reader) interfaces(root parse.Node) []wayfind.Interface {
	f := &faces{at: map[place]int{}, urls: map[string]int{}}
	if r.edition == edition10 {
		r.supported(root, f)
	}
	if (r.edition < edition10 || r.union || root.Get("url").Exists()) && r.speaks(root, f) {
		r.main(root, f)
		r.additional(root, f)
		if version := versionOf(root); version != "" {
			f.dated(version)
		}
	}
	return f.list
}

// speaks reports whether url is an interface of A2A. It is one if the card names a
// transport or a version of the protocol. Otherwise the default transport applies to the
// card of an agent only, and not to a card that lists only other protocols.
func (r *reader) speaks(root parse.Node, f *faces) bool {
	if root.Has("preferredTransport", "additionalInterfaces", "protocolVersion") {
		return true
	}
	spoken := func(face wayfind.Interface) bool { return face.Protocol == protocolA2A }
	return isAgent(root) && (slices.ContainsFunc(f.list, spoken) || root.Get("supportedInterfaces").Len() == 0)
}

// supported reads the interfaces of 1.0.
func (r *reader) supported(root parse.Node, f *faces) {
	entries := r.Objects(root, "supportedInterfaces", parse.Must, r.at.card)
	r.notEmpty(root, "supportedInterfaces", r.at.card)
	for _, entry := range r.bounded(root.Get("supportedInterfaces"), entries) {
		face, ok := r.face(entry)
		if !ok {
			continue
		}
		if _, twice := f.add(face); twice {
			r.Report(ruleDuplicateInterface.At(r.at.face), entry, "the interface stands twice")
		}
	}
}

// face reads an entry of supportedInterfaces. ok is false if the entry has no address
// that can be used.
func (r *reader) face(entry parse.Node) (face wayfind.Interface, ok bool) {
	face = wayfind.Interface{Sources: parse.SourcesAt(entry)}
	known := append(r.readBinding(entry, &face), "url", "protocolBinding", "protocolVersion", "tenant")
	face.Tenant = r.String(entry.IfSet("tenant"), "tenant", parse.Optional, r.at.face)
	need := parse.Optional
	if face.Protocol == protocolA2A {
		need = parse.Must
	}
	version := r.Text(entry, "protocolVersion", need, r.at.face)
	if version != "" {
		face.Versions = []string{version}
	}
	if face.Protocol == protocolA2A {
		r.checkVersion(entry.Get("protocolVersion"), version)
		face.RequiredHeaders = r.headers(strings.HasPrefix(version, "0."))
	}
	face.Extensions = r.rest(entry, known...)
	ok = r.locate(r.Reader, entry, parse.Must, r.at.face, &face)
	return face, ok
}

// readBinding reads the protocol and the binding of an entry. It returns the members
// it read that no version defines.
func (r *reader) readBinding(entry parse.Node, face *wayfind.Interface) (strange []string) {
	face.Protocol = protocolA2A
	member := "protocol"
	if !entry.Get(member).Exists() {
		member = "type"
	}
	protocol, _ := entry.Get(member).Str()
	former := entry.Get("transport") // the name of the member before 1.0
	switch {
	case entry.Get("protocolBinding").Exists():
		face.Transport = transport(r.Reader, entry, "protocolBinding", r.at.face)
	case protocol != "" && !strings.EqualFold(protocol, protocolA2A):
		// Some cards list the other protocols of a site as if they were bindings of
		// A2A.
		r.Report(ruleInterfaceProtocol.At(r.at.face), entry.Get(member), "the interface speaks %q and not A2A", protocol)
		face.Protocol, strange = strings.ToLower(protocol), []string{member}
		if former.Kind() == parse.String {
			face.Transport, _ = former.Str()
			strange = append(strange, "transport")
		}
	case former.Kind() == parse.String:
		r.Report(ruleInterfaceTransport.At(r.at.face), former, "transport stands where protocolBinding belongs; it was read")
		face.Transport, strange = transport(r.Reader, entry, "transport", r.at.face), []string{"transport"}
	default:
		r.String(entry, "protocolBinding", parse.Must, r.at.face)
	}
	return strange
}

// checkVersion reports versions that are not Major.Minor (1.0 §3.6), and versions that
// are not known.
func (r *reader) checkVersion(n parse.Node, version string) {
	if version == "" {
		return
	}
	major, minor, _ := strings.Cut(version, ".")
	switch {
	case !isDigits(major) || !isDigits(minor):
		r.Report(ruleVersion, n, "protocolVersion %q is not Major.Minor", version)
	case major != "0" && major != "1":
		r.Report(ruleVersion, n, "the version %q of the protocol is not known", version)
	}
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// main reads the interface of versions before 1.0: url, and preferredTransport since
// 0.2.5.
func (r *reader) main(root parse.Node, f *faces) {
	need := parse.Must
	if r.edition == edition10 {
		need = parse.Optional
		if !r.union {
			r.removed(root.Get("url"), "url", "supportedInterfaces has it")
		}
	}
	face := r.former(root)
	if root.Get("preferredTransport").Exists() {
		face.Transport = transport(r.old, root, "preferredTransport", r.oldAt.transport)
	} else {
		// The specification of 0.3 requires the member (§5.6.1), but its schema
		// defines a default.
		face.Transport, face.Defaulted = transportJSONRPC, []string{"transport"}
		if r.edition == edition03 {
			r.String(root, "preferredTransport", parse.Should, "§5.6.1")
		}
	}
	if !r.locate(r.old, root, need, r.oldAt.card, &face) {
		return
	}
	if i, ok := f.urls[bare(face.URL)]; ok && face.Defaulted != nil {
		// A default does not contradict an interface of the card.
		f.list[i].Sources = append(f.list[i].Sources, face.Sources...)
		return
	}
	f.add(face)
}

// former returns an interface of a version before 1.0.
func (r *reader) former(at parse.Node) wayfind.Interface {
	return wayfind.Interface{Protocol: protocolA2A, Sources: parse.SourcesAt(at), RequiredHeaders: r.headers(true)}
}

// headers returns the header fields that each call must have. A call of 1.0 names its
// version: without it, a server treats the call as 0.3 (§3.6).
func (r *reader) headers(former bool) []string {
	switch {
	case former && r.named:
		return []string{"X-A2A-Extensions"}
	case former:
		return nil
	case r.named:
		return []string{"A2A-Extensions", headerVersion}
	}
	return []string{headerVersion}
}

// additional reads the further interfaces of 0.2.5 to 0.3 (§5.6).
func (r *reader) additional(root parse.Node, f *faces) {
	list := root.Get("additionalInterfaces")
	entries := r.old.Objects(root.IfSet("additionalInterfaces"), "additionalInterfaces", parse.Optional, r.oldAt.card)
	main, declared := len(f.list)-1, false
	for _, entry := range r.bounded(list, entries) {
		face := r.former(entry)
		face.Transport = transport(r.old, entry, "transport", r.oldAt.face)
		face.Extensions = r.rest(entry, "url", "transport")
		if !r.locate(r.old, entry, parse.Must, r.oldAt.face, &face) {
			continue
		}
		i, known := f.urls[bare(face.URL)]
		if known && r.edition < edition10 && f.list[i].Transport != face.Transport {
			r.Report(ruleTransportConflict.At(r.at.transport), entry, "the URL stands for %q and for %q", f.list[i].Transport, face.Transport)
		}
		at, twice := f.add(face)
		declared = declared || twice && at == main
	}
	if len(entries) > 0 && !declared && r.edition < edition10 && main >= 0 {
		r.Report(ruleMainInterface.At(r.at.transport), list, "additionalInterfaces does not repeat url and preferredTransport")
	}
}

// dated sets the version of a card for the interfaces of earlier versions, which have
// no version of their own.
func (f *faces) dated(version string) {
	for i := range f.list {
		face := &f.list[i]
		if face.Versions == nil && face.Protocol == protocolA2A && !slices.Contains(face.RequiredHeaders, headerVersion) {
			face.Versions = []string{version}
		}
	}
}

// add lists an interface, or adds its source to an equal interface in the list. An
// interface without a version equals an interface of any version.
func (f *faces) add(face wayfind.Interface) (at int, twice bool) {
	address := bare(face.URL) + face.Template + string(face.Extensions["address"]) + string(face.Extensions["url"])
	version := strings.Join(face.Versions, " ")
	key := place{address, face.Transport, version, face.Tenant}
	loose := place{address, face.Transport, "", ""}
	at, twice = f.at[key]
	if !twice {
		at = len(f.list)
		f.list = append(f.list, face)
		f.at[key] = at
		if _, ok := f.at[loose]; !ok {
			f.at[loose] = at
		}
		if _, ok := f.urls[bare(face.URL)]; !ok && face.URL != "" {
			f.urls[bare(face.URL)] = at
		}
		return at, false
	}
	f.list[at].Sources = append(f.list[at].Sources, face.Sources...)
	return at, true
}

// bare returns a URL for comparison: a trailing slash makes no difference.
func bare(u string) string { return strings.TrimSuffix(u, "/") }

// bounded returns the entries within the limit and reports the others.
func (r *reader) bounded(list parse.Node, entries []parse.Node) []parse.Node {
	if len(entries) <= parse.DefaultItems {
		return entries
	}
	r.Report(ruleTruncated.At(r.at.card).Beyond("entries", len(entries), parse.DefaultItems), list, "of %d entries the first %d were read", len(entries), parse.DefaultItems)
	return entries[:parse.DefaultItems]
}

// notEmpty reports an empty list that must have an element (1.0 §5.7). It is not an
// error, because the card of §8.4.1 breaks the rule as well.
func (r *reader) notEmpty(obj parse.Node, member, section string) {
	if n := obj.Get(member); n.Kind() == parse.Array && n.Len() == 0 && r.edition == edition10 {
		r.Report(ruleEmpty.At(section), n, "the list %q is empty", member)
	}
}
