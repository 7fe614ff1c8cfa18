package mcp

import (
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// Limits of the texts of a Server Card, in characters.
const (
	minName, maxName = 3, 200
	maxTitle         = 100
	maxVersion       = 255
)

// identity reads the name, the version and the publisher of a server.
func (r *reader) identity(obj parse.Node, s *wayfind.Service) {
	info := obj.IfSet("serverInfo")
	info = r.Object(info, "serverInfo", parse.Optional, secInfo)
	if inner := obj.Get("server"); !info.Exists() && hasAddress(inner) {
		info = inner
	}
	who := obj
	if info.Exists() {
		who = info
	}
	names := []string{"name", "server_name"}
	if r.shape == shapeManifest {
		names = []string{"server_name", "name"}
	}
	s.Name = r.text(who, r.needName(), names...)
	r.names(obj, who, s)
	s.Description = r.text(obj, r.needCard(), "description")
	if n := info.Get("description"); s.Description == "" {
		s.Description, _ = n.Str()
	}
	r.length(obj, "description", maxTitle)
	s.Version = r.versionOf(obj, who)
	r.about(obj, info, s)
	s.Provider = r.provider(obj, info, s)
	s.Tags = append(r.words(obj, "tags"), r.words(obj, "keywords")...)
	s.Categories = r.words(obj, "categories")
	for _, n := range [...]parse.Node{obj.Get("available"), info.Get("available")} {
		if available, ok := n.Bool(); ok && !available {
			r.Report(ruleNotAvailable.At(r.shape.section()), n, "the document says that the server is not available")
			s.Status = &wayfind.Status{Operational: new(false)}
		}
	}
	known := []string{"name", "title", "version", "description", "available", "icons", "iconUrl", "icon", "websiteUrl", "homepage", "vendor"}
	if hasAddress(info) {
		known = append(known, "type", "transport", "headers", "variables")
		known = append(known, addresses()...)
	}
	r.rest(info, &s.Extensions, known...)
}

// needName returns the need of a name: entries of a configuration have their names as members,
// and entries of other lists may be known by their places.
func (r *reader) needName() parse.Need {
	switch r.shape {
	case shapeConfig:
		return parse.Optional
	case shapeServers:
		return parse.Should
	}
	return parse.Must
}

// needCard returns the need of the members that Server Cards and server.json must have.
func (r *reader) needCard() parse.Need {
	if r.shape == shapeCard || r.shape == shapeRegistry {
		return parse.Must
	}
	return parse.Optional
}

// names reads the title, which is shown to people; the name is then kept in the Extensions.
func (r *reader) names(obj, who parse.Node, s *wayfind.Service) {
	if r.shape == shapeCard || r.shape == shapeRegistry {
		r.checkName(obj.Get("name"), s.Name)
	}
	title := r.text(who, parse.Optional, "title")
	if title == "" && who.Pointer() != obj.Pointer() {
		title = r.text(obj, parse.Optional, "title")
	}
	r.length(obj, "title", maxTitle)
	if title != "" && title != s.Name {
		switch {
		case s.Name == "":
		case who.Pointer() != obj.Pointer() && isString(obj.Get("name")): // the name is kept as such
			parse.Keep(&s.Extensions, "serverInfo", rawjson.Obj(rawjson.Member{Name: "name", Value: rawjson.Quote(s.Name)}))
		default:
			parse.Keep(&s.Extensions, "name", rawjson.Quote(s.Name))
		}
		s.Name = title
	}
}

// checkName reports names that do not consist of reverse DNS and a name.
func (r *reader) checkName(n parse.Node, text string) {
	if n.Kind() != parse.String {
		return
	}
	space, rest, ok := strings.Cut(text, "/")
	switch {
	case !ok || !isWord(space, ".-") || !isWord(rest, "._-"):
		r.Report(ruleName.At(r.shape.section()), n, "the name %.200q is not written as in \"com.example/server\"", text)
	case len(text) < minName || len(text) > maxName:
		r.Report(ruleName.At(r.shape.section()), n, "the name has %d characters; %d to %d are allowed", len(text), minName, maxName)
	}
}

// isWord reports whether text has only letters, digits and the others.
func isWord(text, others string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"+others) == ""
}

// length reports text that is longer than Server Cards and server.json allow.
func (r *reader) length(obj parse.Node, member string, limit int) {
	text, ok := obj.Get(member).Str()
	if n := utf8.RuneCountInString(text); ok && n > limit && r.needCard() == parse.Must {
		r.Report(ruleTooLong.At(r.shape.section()).AsWarning(), obj.Get(member), "%s has %d characters; %d are allowed", member, n, limit)
	}
}

// versionOf reads the version of the server, which earlier versions of server.json wrapped.
func (r *reader) versionOf(obj, who parse.Node) string {
	need := r.needCard()
	if r.shape == shapeInfo || r.shape == shapeManifest {
		need = parse.Must
	}
	if detail := obj.Get("version_detail"); detail.Kind() == parse.Object {
		r.Report(ruleFormerMember, detail, "version_detail is of an early server.json; it is version now")
		return r.Text(detail, "version", need, secRegistry)
	}
	member := who.Pick("version", "server_version")
	if r.shape == shapeManifest {
		member = who.Pick("server_version", "version")
	}
	if need == parse.Optional {
		who = who.IfSet(member)
	}
	text := r.Text(who, member, need, r.shape.section())
	if r.needCard() == parse.Must && (isRange(text) || len(text) > maxVersion) {
		r.Report(ruleVersion.At(r.shape.section()), who.Get(member), "the version %.100q is not one exact version", text)
	}
	return text
}

// isRange recognises texts that are ranges of versions.
func isRange(text string) bool {
	return strings.ContainsAny(text, "^~<>=*|") || strings.Contains(text, " - ") || strings.HasSuffix(text, ".x") || strings.Contains(text, ".x.")
}

// about reads the pages and the picture of a server.
func (r *reader) about(obj, info parse.Node, s *wayfind.Service) {
	for _, at := range [...]parse.Node{obj, info} {
		for _, member := range [...]string{"documentationUrl", "documentation", "websiteUrl", "website", "homepage"} {
			if s.DocsURL == "" && isString(at.Get(member)) {
				s.DocsURL = r.URL(at, member, r.base, parse.Optional, r.shape.section())
			} else {
				parse.SetExtension(&s.Extensions, member, at.Get(member))
			}
		}
		for _, member := range [...]string{"iconUrl", "icon"} {
			if text, ok := at.Get(member).Str(); ok && s.IconURL == "" && !strings.HasPrefix(text, "data:") {
				s.IconURL = r.URL(at, member, r.base, parse.Optional, r.shape.section())
			}
		}
		r.icons(at, s)
	}
}

// icons reads the first icon that has an address. If there are more, all are kept.
func (r *reader) icons(at parse.Node, s *wayfind.Service) {
	list := r.Objects(at.IfSet("icons"), "icons", parse.Optional, r.shape.section())
	for _, icon := range list {
		text, _ := icon.Get("src").Str()
		if s.IconURL == "" && !strings.HasPrefix(text, "data:") {
			s.IconURL = r.URL(icon, "src", r.base, parse.Must, r.shape.section())
		}
	}
	switch {
	case len(list) > 1 || len(list) == 1 && s.IconURL == "":
		parse.SetExtension(&s.Extensions, "icons", at.Get("icons"))
	case len(list) == 1:
		r.keepWithout(list[0], "icons", &s.Extensions, "src")
	}
}

// provider reads the provider of the server, by any of the names in use.
func (r *reader) provider(obj, info parse.Node, s *wayfind.Service) *wayfind.Provider {
	for _, member := range [...]string{"provider", "publisher", "vendor", "owner"} {
		n := obj.Get(member)
		if n.Kind() == parse.Missing {
			n = info.Get(member)
		}
		p := wayfind.Provider{}
		if text, ok := n.Str(); ok {
			p.Name = text
		} else if n.Kind() == parse.Object {
			p.Name, _ = n.Get(n.Pick("name", "organization")).Str()
			p.URL = r.URL(n.IfSet("url"), "url", r.base, parse.Optional, r.shape.section())
			if !n.HasOnly("name", "organization", "url") {
				parse.SetExtension(&s.Extensions, member, n)
			}
		}
		if p != (wayfind.Provider{}) {
			return &p
		}
	}
	return nil
}

// words reads a list of words.
func (r *reader) words(obj parse.Node, member string) []string {
	return r.Strings(obj.IfSet(member), member, parse.Optional, r.shape.section())
}
