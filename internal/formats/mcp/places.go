package mcp

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// faces is the list of interfaces that is being read. Its index prevents a repeated interface
// from being listed twice.
type faces struct {
	list []wayfind.Interface
	at   map[string]int
}

// add adds an interface to the list, or merges it with an interface that has the same place
// and no other transport.
func (f *faces) add(face wayfind.Interface) {
	if f.at == nil {
		f.at = map[string]int{}
	}
	place := bare(face.URL) + face.Template + string(face.Extensions["url"])
	key := place + " " + face.Transport
	i, twice := f.at[key]
	if !twice && face.Transport == "" {
		i, twice = f.at[place]
	}
	if !twice {
		f.at[key] = len(f.list)
		if _, ok := f.at[place]; !ok {
			f.at[place] = len(f.list)
		}
		f.list = append(f.list, face)
		return
	}
	have := &f.list[i]
	have.Sources = append(have.Sources, face.Sources...)
	if have.Versions == nil {
		have.Versions = face.Versions
	}
	if have.Auth == nil {
		have.Auth = face.Auth
	}
	for name, value := range face.Extensions {
		if _, said := have.Extensions[name]; !said {
			parse.Keep(&have.Extensions, name, value)
		}
	}
}

// spread adds an interface for each of the transports, if the interface has none of its own.
func (f *faces) spread(face wayfind.Interface, transports []string) {
	if face.Transport != "" || len(transports) == 0 {
		f.add(face)
		return
	}
	for _, face.Transport = range transports {
		own := face
		own.Sources = slices.Clone(face.Sources)
		f.add(own)
	}
}

// bare returns a URL for comparison, without its last slash.
func bare(u string) string { return strings.TrimSuffix(u, "/") }

// places reads the addresses of a server from all members that may contain them, the most
// exact first. It reads all addresses that [speaks] recognises.
func (r *reader) places(obj parse.Node, f *faces, s *wayfind.Service) {
	beside := hasAddress(obj) || hasEndpoint(obj) // a transport without an address is that of these
	for _, list := range [...]string{"remotes", "transports"} {
		if n := obj.Get(list); hasAddress(n) {
			r.Report(ruleWrongType.At(r.shape.section()).AsWarning(), n, "member %q is an object where an array belongs; it was read as its only entry", list)
			r.place(n, "", f, s)
			continue
		} else if n.Kind() == parse.Object {
			if !beside || !isStated(n) {
				r.keyed(obj, list, f, s)
			}
			continue
		} else if beside && isStated(n) {
			continue
		}
		entries := r.Objects(obj.IfSet(list), list, parse.Optional, r.shape.section())
		for _, entry := range r.bounded(obj.Get(list), entries) {
			r.place(entry, "", f, s)
		}
	}
	remotes := len(f.list)
	switch transport := obj.Get("transport"); {
	case beside && isStated(transport):
	case transport.Kind() == parse.Object:
		r.place(transport, "", f, s)
	case slices.Contains([]parse.Kind{parse.String, parse.Missing, parse.Null}, transport.Kind()):
	default:
		r.Report(ruleWrongType.At(r.shape.section()).AsWarning(), transport, "member \"transport\" is %v where object or string belongs; it is ignored", transport.Kind())
	}
	r.single(obj, f, s)
	if has(obj, "remotes") {
		r.conflict(obj, f.list[:remotes], f.list[remotes:])
	}
	if list := obj.Get("endpoints"); list.Kind() == parse.Object {
		r.keyed(obj, "endpoints", f, s)
	} else {
		r.listed(obj, f, s)
	}
	r.byWord(obj, f, s)
	r.versions(obj, f)
}

// conflict reports an address next to remotes that is not among them for its transport.
func (r *reader) conflict(obj parse.Node, remotes, beside []wayfind.Interface) {
	for _, face := range beside {
		same := func(remote wayfind.Interface) bool {
			return remote.Transport == face.Transport || remote.Transport == "" || face.Transport == ""
		}
		if i := slices.IndexFunc(remotes, same); i >= 0 {
			r.Report(ruleConflict.At(r.shape.section()), obj, "the address %.200q is not that of remotes, %.200q; both were read", cmp.Or(face.URL, face.Template), cmp.Or(remotes[i].URL, remotes[i].Template))
		}
	}
}

// place reads an object that is about one place: an entry of remotes, or a transport. A server
// that is run on the caller's machine is not a place. The word for the transport may be the
// name of the member with the object.
func (r *reader) place(n parse.Node, under string, f *faces, s *wayfind.Service) {
	need := parse.Optional
	if (r.shape == shapeCard || r.shape == shapeRegistry) && under == "" {
		need = parse.Must
	}
	member := n.Pick("type", "transport_type", "transport", "protocol")
	word := cmp.Or(r.transport(n, member, need), under)
	if word == transportLocal || isString(n.Get("command")) {
		r.local(n, s)
		known := []string{member, "type", "command", "installCommand", "install_command", "args", "env", "package"}
		if has(n, "package") {
			known = append(known, "version")
		}
		r.rest(n, &s.LocalInstall[len(s.LocalInstall)-1].Extensions, known...)
		return
	}
	at := n.Pick(addresses()...)
	if !has(n, at) {
		r.String(n, at, parse.Must, r.shape.section())
		return
	}
	face := wayfind.Interface{Protocol: protocol, Transport: word, Sources: parse.SourcesAt(n)}
	if !r.locate(n, at, &face) {
		return
	}
	face.Versions = r.versionList(n)
	r.headers(n, &face)
	if a := r.auth(n, &face.Extensions); a != nil {
		face.Auth = a
	}
	r.rest(n, &face.Extensions, member, at, "headers", "variables",
		"protocolVersions", "supportedProtocolVersions", "protocolVersion", "authentication", "auth")
	f.add(face)
}

// keyed reads places whose names are transports (SEP-1960), or "mcp" among other endpoints of
// a site. The others are kept.
func (r *reader) keyed(obj parse.Node, member string, f *faces, s *wayfind.Service) {
	list := obj.Get(member)
	var others []rawjson.Member
	read := 0
	for name, n := range list.Members() {
		word, known := transportKey(name)
		if !known || read == parse.DefaultItems || !isString(n) && !hasAddress(n) {
			others = append(others, rawjson.Member{Name: name, Value: n.Copy()})
			continue
		}
		read++
		r.under(list, name, word, f, s)
	}
	parse.Keep(&s.Extensions, member, rawjson.Some(others))
}

// under reads a place whose name is a word for its transport: the address, or an object with
// it.
func (r *reader) under(obj parse.Node, member, word string, f *faces, s *wayfind.Service) {
	n := obj.Get(member)
	if n.Kind() == parse.Object {
		r.place(n, word, f, s)
		return
	}
	face := wayfind.Interface{Protocol: protocol, Transport: word, Sources: parse.SourcesAt(n)}
	if r.locate(obj, member, &face) {
		f.add(face)
	}
}

// listed reads endpoints of a list: the ones with a word for a transport.
func (r *reader) listed(obj parse.Node, f *faces, s *wayfind.Service) {
	var others []parse.Raw
	for i, n := range obj.Get("endpoints").Items() {
		if i < parse.DefaultItems && hasAddress(n) && hasTransport(n) {
			r.place(n, "", f, s)
		} else {
			others = append(others, n.Copy())
		}
	}
	if others != nil {
		parse.Keep(&s.Extensions, "endpoints", rawjson.Arr(others...))
	}
}

// byWord reads the places in members with telling names, and the places in the object that
// identifies the server.
func (r *reader) byWord(obj parse.Node, f *faces, s *wayfind.Service) {
	read := 0
	for member, n := range obj.Members() {
		if isGroup(member, n) {
			r.keyed(obj, member, f, s)
			continue
		}
		word, ok := placeNamed(member, n)
		if !ok {
			continue
		}
		if read++; read > parse.DefaultItems {
			r.Report(ruleTruncated.At(r.shape.section()), obj, "of the addresses the first %d were read", parse.DefaultItems)
			return
		}
		if word == "" && isString(n) { // the transport of the document is that of its server
			r.plainPlace(obj, member, f)
			continue
		}
		r.under(obj, member, word, f, s)
	}
	for _, member := range [...]string{"serverInfo", "server"} {
		if who := obj.Get(member); hasAddress(who) {
			r.single(who, f, s)
		}
	}
}

// plainPlace reads an address whose member names no transport.
func (r *reader) plainPlace(obj parse.Node, member string, f *faces) {
	word := ""
	if said := obj.Get(obj.Pick("transport", "type")); isKnownTransport(said) {
		if known, _ := transportWord(textOf(said)); known != transportLocal {
			word = known
		}
	}
	face := wayfind.Interface{Protocol: protocol, Transport: word, Sources: parse.SourcesAt(obj.Get(member))}
	if r.locate(obj, member, &face) {
		f.spread(face, stated(obj))
	}
}

// idle reports members that are about a command if there is no command.
func (r *reader) idle(obj parse.Node, members ...string) {
	for _, member := range members {
		if n := obj.Get(member); has(obj, member) {
			r.Report(ruleMissing.At(r.shape.section()).AsWarning(), n, "required member \"command\" is missing beside %q, which is ignored", member)
		}
	}
}

// single reads a place among the members of a server.
func (r *reader) single(obj parse.Node, f *faces, s *wayfind.Service) {
	word := r.transportOf(obj, s)
	if word == transportLocal || isString(obj.Get("command")) || has(obj, "installCommand") || has(obj, "install_command") {
		r.local(obj, s)
	} else {
		r.idle(obj, "args", "env")
	}
	for _, at := range [...]string{"endpoint", "url", "uri", "serverUrl", "server_url"} {
		if at == "uri" && !isAddress(obj.Get(at)) {
			continue
		}
		if !isString(obj.Get(at)) {
			if has(obj, at) && obj.Get(at).Kind() != parse.Object {
				r.String(obj, at, parse.Optional, r.shape.section())
			}
			continue
		}
		if textOf(obj.Get(at)) == "" {
			r.Report(ruleEndpoint.At(r.shape.section()), obj.Get(at), "the address is empty")
			continue
		}
		if at == "url" && (word == "" || hasEndpoint(obj)) && r.leadsHome(obj) {
			if hasOtherPlaces(obj) {
				r.Report(ruleHomePage.At(r.shape.section()).AsInfo(), obj.Get(at), "the URL is the home page of the site; the document has other addresses, and it was not taken for one")
				parse.SetExtension(&s.Extensions, at, obj.Get(at))
				continue
			}
			r.Report(ruleHomePage.At(r.shape.section()), obj.Get(at), "the URL is the home page of the site; the document has no other address, so it was taken for the server's")
		}
		face := wayfind.Interface{Protocol: protocol, Transport: word, Sources: parse.SourcesAt(obj.Get(at))}
		if word == transportLocal {
			face.Transport = ""
		}
		if r.locate(obj, at, &face) {
			r.headers(obj, &face)
			f.spread(face, stated(obj))
		}
	}
	if n := obj.Get("endpoint"); n.Kind() == parse.Object {
		r.place(n, "", f, s)
	}
}

// transportOf returns the transport among the members of a server. A type may be the type of
// something else.
func (r *reader) transportOf(obj parse.Node, s *wayfind.Service) string {
	if isString(obj.Get("transport")) {
		return r.transport(obj, "transport", parse.Optional)
	}
	if isKnownTransport(obj.Get("type")) {
		return r.transport(obj, "type", parse.Optional)
	}
	parse.SetExtension(&s.Extensions, "type", obj.Get("type"))
	return ""
}

// locate reads the address of an interface. ok is false if there is no usable address.
func (r *reader) locate(obj parse.Node, member string, face *wayfind.Interface) (ok bool) {
	n := obj.Get(member)
	text := r.String(obj, member, parse.Must, r.shape.section())
	if n.Kind() != parse.String {
		return false
	}
	if strings.HasPrefix(text, "wss://") || strings.HasPrefix(text, "ws://") {
		r.Report(ruleWebsocket.At(r.shape.section()), n, "the protocol has no WebSocket transport; the address was kept as it is written")
		face.Transport = transportWebSocket
		parse.SetExtension(&face.Extensions, "url", n)
		return true
	}
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "${") {
		r.Report(ruleEndpointVariable.At(r.shape.section()), n, "the address begins with a variable; its host is unknown")
		parse.SetExtension(&face.Extensions, "url", n)
		return true
	}
	ref := paramspec.Braces(text)
	e, err := r.in.ResolveEndpoint(ref)
	if err == nil && e.Form == parse.FormOther {
		err = errors.New("it is neither a URL nor a path that begins with a slash")
	}
	switch {
	case err != nil:
		r.Report(ruleEndpoint.At(r.shape.section()), n, "the address cannot be used: %s", err)
		r.refused = true
		return false
	case !e.Resolved():
		r.Report(ruleEndpointRelative.At(r.shape.section()).AsInfo(), n, "the address is relative to a site that is not known")
		parse.SetExtension(&face.Extensions, "url", n)
		return true
	case e.Form != parse.FormAbsolute && r.needCard() == parse.Must:
		r.Report(ruleEndpointRelative.At(r.shape.section()), n, "the address %q is no full URL; it was resolved against the site that served the document", text)
	case e.Form != parse.FormAbsolute:
		r.Report(ruleEndpointRelative.At(r.shape.section()).AsInfo(), n, "the address %q was resolved against the site that served the document", text)
	}
	r.CheckEndpoint(n, e, r.shape.section())
	face.URL, face.Template = e.URL, e.Template
	r.variables(obj, e.Ref.Names(), face)
	return true
}

// versions adds the protocol versions of a server to its interfaces that have no versions of
// their own.
func (r *reader) versions(obj parse.Node, f *faces) {
	list := r.versionList(obj)
	for i := range f.list {
		if f.list[i].Versions == nil {
			f.list[i].Versions = slices.Clone(list)
		}
	}
}

// maxVersions is the number of protocol versions that are read. The protocol has had six, and
// every interface repeats the list.
const maxVersions = 32

// versionList reads the versions of the protocol, under any of their names.
func (r *reader) versionList(obj parse.Node) []string {
	var list []string
	for _, member := range [...]string{"supportedProtocolVersions", "protocolVersions", "protocolVersion"} {
		n := obj.Get(member)
		if n.Kind() == parse.String {
			text, _ := n.Str()
			r.checkDate(n, text)
			return []string{text}
		}
		for _, item := range r.Array(obj.IfSet(member), member, parse.Optional, r.shape.section()).Items() {
			text, ok := item.Str()
			if len(list) == maxVersions {
				r.Report(ruleTruncated.At(r.shape.section()), n, "of %d versions the first %d were read", n.Len(), maxVersions)
				break
			}
			if !ok {
				r.Report(ruleWrongType.At(r.shape.section()).AsWarning(), item, "a version is %v where string belongs; it is ignored", item.Kind())
				continue
			}
			r.checkDate(item, text)
			list = append(list, text)
		}
		if list != nil {
			return list
		}
	}
	return nil
}

// checkDate reports protocol versions that are not dates. All real versions are dates.
func (r *reader) checkDate(n parse.Node, text string) {
	digits := strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return '0'
		}
		return c
	}, text)
	if digits != "0000-00-00" {
		r.Report(ruleProtocolVersion.At(r.shape.section()), n, "the version %.100q of the protocol is not written as a date", text)
	}
}
