package apicatalog

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// anchor returns the service that the links of a context describe. It is nil if they
// describe the catalogue, or if the anchor cannot be used.
func (r *reader) anchor(context parse.Node) *wayfind.Service {
	n := context.Get("anchor")
	if !n.Exists() {
		return nil
	}
	text := r.String(context, "anchor", parse.Optional, secContext)
	if text == "" {
		return nil
	}
	at, template, err := r.resolve(text)
	switch {
	case err != nil:
		r.Report(ruleAnchor, n, "the anchor %q cannot be used: %s", text, err)
		return nil
	case at+template == "", r.isCatalog(at):
		return nil
	}
	if at != "" && !strings.Contains(text, "://") {
		r.Report(ruleRelative, n, "the anchor %q is relative to the catalogue", text)
	}
	return r.service(at, template, context)
}

// service returns the service at a URL or template, and adds it if it is new. It
// returns nil if there are too many services.
func (r *reader) service(at, template string, n parse.Node) *wayfind.Service {
	if known := r.services[at+template]; known != nil {
		known.Sources = append(known.Sources, parse.SourcesAt(n)...)
		return known
	}
	if len(r.list) >= parse.DefaultItems {
		r.more.services++
		return nil
	}
	face := wayfind.Interface{Protocol: "http", URL: at, Template: template, Sources: parse.SourcesAt(n)}
	if t, ok := parse.ParseTemplate(template); ok {
		for _, v := range t.Names() {
			face.Variables = append(face.Variables, wayfind.Variable{Name: v})
		}
	}
	made := &wayfind.Service{ID: r.slug(at + template), Interfaces: []wayfind.Interface{face}, Sources: parse.SourcesAt(n)}
	r.services[at+template] = made
	r.list = append(r.list, made)
	return made
}

// slug returns a name for a service, made from the path of its URL. The name begins
// with the host if it is not the host of the catalogue.
func (r *reader) slug(at string) string {
	text := at
	if _, rest, ok := strings.Cut(at, "://"); ok {
		text = rest
	}
	if r.base != nil {
		if path, ok := strings.CutPrefix(text, r.base.Host); ok && strings.Trim(path, "/") != "" {
			text = path
		}
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	first := cmp.Or(strings.Join(words, "-"), "api")
	slug := first
	for n := 2; r.slugs[slug]; n++ {
		slug = fmt.Sprintf("%s~%d", first, n)
	}
	r.slugs[slug] = true
	return slug
}

// resolve makes a reference absolute, relative to the URL of the catalogue (RFC 9264
// §4). The result is a URL, or a template if the reference has variables. Both are
// empty if the base of the reference is not known.
func (r *reader) resolve(text string) (at, template string, err error) {
	if strings.ContainsAny(text, "{}") {
		e, err := parse.ResolveEndpoint(text, r.base)
		return "", e.Template, err
	}
	if text == "" {
		if r.base == nil {
			return "", "", nil
		}
		return urlref.TidyURL(r.base), "", nil
	}
	if err := urlref.CheckLink(text); err != nil {
		return "", "", err
	}
	ref, err := url.Parse(text)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("it is not a URL")
	case ref.Scheme == "" && r.base == nil:
		return "", "", nil
	case ref.Scheme == "":
		ref = r.base.ResolveReference(ref)
	}
	if ref, err = urlref.AbsoluteURL(ref.String()); err != nil {
		return "", "", err
	}
	return urlref.TidyURL(ref), "", nil
}

// isCatalog reports whether a URL is the URL of this catalogue, or of the catalogue of
// any host.
func (r *reader) isCatalog(at string) bool {
	u, err := url.Parse(at)
	if err != nil {
		return false
	}
	return u.Path == Path || r.base != nil && at == urlref.TidyURL(r.base) || r.requested != nil && at == urlref.TidyURL(r.requested)
}

// isThis reports whether a URL is the URL of this catalogue.
func (r *reader) isThis(at string) bool {
	return r.base != nil && at == urlref.TidyURL(r.base) || r.requested != nil && at == urlref.TidyURL(r.requested)
}
