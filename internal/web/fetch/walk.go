package fetch

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/security"
)

// Walk follows the redirects of one request, hop by hop. It checks their targets and sends no
// request. Set URL to the first URL in the form of [security.ParseURL], request Final, and pass
// each answer to [Walk.Next].
type Walk struct {
	// URL is the first URL.
	URL *url.URL
	// Redirects is the maximum number of redirects to follow; zero by default.
	Redirects int
	// SameSiteOnly refuses redirects to another registrable domain than the domain of URL.
	SameSiteOnly bool
	// Sites determines which hosts are one site; nil means the bundled list.
	Sites *security.SuffixList

	// Chain contains the URLs after the first, in order.
	Chain []string
	// CrossSite is true if any hop was on another registrable domain than the first, even if a
	// later hop returned to it.
	CrossSite bool

	final *url.URL // nil: URL
}

// Final returns the URL to request next, or after the last answer the URL that was requested last.
func (w *Walk) Final() *url.URL {
	if w.final == nil {
		return w.URL
	}
	return w.final
}

// Before returns the URL whose redirect led to Final, or "" if there was no redirect.
func (w *Walk) Before() string {
	switch n := len(w.Chain); n {
	case 0:
		return ""
	case 1:
		return w.URL.String()
	default:
		return w.Chain[n-2]
	}
}

// Next takes the status and the Location fields of the answer from Final. done is true if the
// answer is no redirect. Otherwise Final becomes the target of the redirect: 301, 302, 303, 307 and
// 308 are followed (RFC 9110 §15.4).
//
// A redirect to http is followed over https, unless it names a port or a user, or leads back to a URL
// that was asked before.
//
// A redirect that is not followed is an error of kind ErrRefused and Op "redirect". The code is
// CodeRedirectLimit, CodeRedirectLoop, CodeRedirectDowngrade, CodeRedirectCrossSite,
// CodeRedirectLocation, CodeSecret (a URL that contains a secret), a code of the host policy, or
// CodeStatus for 300, 304, 305 and 306.
func (w *Walk) Next(status int, locations []string) (done bool, err error) {
	if status < 300 || status > 399 {
		return true, nil
	}
	next, err := w.judge(status, locations)
	if err != nil {
		return false, withURL(err, w.Final())
	}
	w.final = next
	w.Chain = append(w.Chain, next.String())
	return false, nil
}

// judge returns the target of a redirect, or an error if it is not followed.
func (w *Walk) judge(status int, locations []string) (*url.URL, error) {
	switch status {
	case 301, 302, 303, 307, 308:
	default:
		return nil, refused(wayfind.CodeStatus, &StatusError{status})
	}
	if len(w.Chain) >= w.Redirects && len(w.Chain) > 0 {
		return nil, refused(wayfind.CodeRedirectLimit, fmt.Errorf("more than %d redirects", w.Redirects))
	}
	next, secured, err := location(locations, w.Final())
	if err != nil {
		return nil, err
	}
	if len(secret.Find("", next.String())) > 0 {
		return nil, refused(wayfind.CodeSecret, errors.New("a secret stands in the URL, which is not ours to use"))
	}
	switch seen := w.seen(next.String()); {
	case seen && secured:
		return nil, refused(wayfind.CodeRedirectDowngrade, errors.New("from https to http"))
	case seen:
		return nil, refused(wayfind.CodeRedirectLoop, errors.New("this URL was asked before"))
	}
	if security.Origin(w.URL) != security.Origin(next) && !w.Sites.SameSite(w.URL.Hostname(), next.Hostname()) {
		if w.SameSiteOnly || w.Redirects <= 0 {
			return nil, refused(wayfind.CodeRedirectCrossSite, &OtherSite{next.Hostname()})
		}
		w.CrossSite = true
	}
	if w.Redirects <= 0 {
		return nil, refused(wayfind.CodeRedirectLimit, errors.New("no redirect is followed at this place"))
	}
	return next, nil
}

// seen reports whether a URL was requested before.
func (w *Walk) seen(u string) bool {
	return u == w.URL.String() || slices.Contains(w.Chain, u)
}

// OtherSite is the cause of an error if a redirect leads to another site and is not followed.
type OtherSite struct{ Host string }

func (e *OtherSite) Error() string { return fmt.Sprintf("to %q", e.Host) }

func refused(code wayfind.Code, err error) error {
	return failAs(opRedirect, wayfind.ErrRefused, code, err)
}
