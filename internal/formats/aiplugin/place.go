package aiplugin

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

const placeSection = "api.url"

// place returns the URLs that api.url may mean, the likeliest first, and nil if there
// is no usable one. A text without a scheme is a host and a path if it begins with a
// host name. Otherwise it is a reference relative to the manifest (RFC 3986 §5.1.3).
func (r *reader) place(n parse.Node, text string) []string {
	if isPlaceholder(text) {
		r.Report(ruleAPIPlaceholder, n, "the URL %q still has a placeholder", text)
		return nil
	}
	if err := urlref.CheckReference(text); err != nil {
		r.Report(ruleAPIURL, n, "the URL %q cannot be used: %s", text, err)
		return nil
	}
	if isHost(text) {
		r.Report(ruleAPIURLScheme, n, "the URL %q has no scheme; it was read with https://", text)
		text = "https://" + text
	}
	ref, err := url.Parse(text)
	if err == nil && ref.Scheme == "" {
		return r.relative(n, text, ref)
	}
	u, err := urlref.AbsoluteURL(text)
	if err != nil {
		r.Report(ruleAPIURL, n, "the URL %q cannot be used: %s", text, err)
		return nil
	}
	switch odd := urlref.OddHost(u); {
	case u.Scheme != "https":
		r.Report(ruleAPIScheme, n, "the URL does not start with https://")
	case odd != nil:
		r.Report(ruleAPIHost, n, "the URL is doubtful: %s", odd)
	}
	return []string{urlref.TidyURL(u)}
}

// relative resolves a reference. Many publishers mean a path from the root of the site
// although the reference is relative to the manifest. The path from the root is the
// second URL.
func (r *reader) relative(n parse.Node, text string, ref *url.URL) []string {
	r.Report(ruleRelativeAPIURL, n, "the URL %q is relative to the manifest", text)
	if r.base == nil {
		return nil
	}
	first := urlref.TidyURL(r.base.ResolveReference(ref))
	root := r.base.ResolveReference(&url.URL{Path: "/"})
	second := urlref.TidyURL(root.ResolveReference(ref))
	if second == first {
		return []string{first}
	}
	return []string{first, second}
}

// isPlaceholder reports whether the author did not complete the URL.
func isPlaceholder(text string) bool {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	return strings.ContainsAny(paramspec.Placeholders(text), "{}<>$")
}

// isHost reports whether text begins with a host name: the part after its last dot
// consists of letters and is not a file extension.
func isHost(text string) bool {
	host, _, slash := strings.Cut(text, "/")
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || !slash || strings.ContainsAny(host, "?#:@") {
		return false
	}
	last := strings.ToLower(host[dot+1:])
	return len(last) > 1 && strings.Trim(last, "abcdefghijklmnopqrstuvwxyz") == "" && last != "json" && last != "yaml" && last != "yml"
}
