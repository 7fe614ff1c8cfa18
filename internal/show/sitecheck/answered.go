package sitecheck

import (
	"bytes"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve"
)

// asked are the probes of places of the site, without those that only led to its own host.
func (f *facts) asked() iter.Seq[*wayfind.Probe] {
	return func(yield func(*wayfind.Probe) bool) {
		for i := range f.Site.Probes {
			if p := &f.Site.Probes[i]; p.Verdict != wayfind.VerdictSkipped && p.Reason != resolve.ReasonHost && !yield(p) {
				return
			}
		}
	}
}

// placed are the probes of places that were asked for a document and answered, and that no document names.
func (f *facts) placed() iter.Seq[*wayfind.Probe] {
	return func(yield func(*wayfind.Probe) bool) {
		for p := range f.asked() {
			if p.From == "" && p.Status != 0 && p.Reason != resolve.ReasonAside && !yield(p) {
				return
			}
		}
	}
}

// isSilent reports whether no place answered for the site.
func (f *facts) isSilent() bool {
	for p := range f.placed() {
		if isBait(p) || !isRefusing(p) && p.Verdict.Answered() && pathOf(p.URL) != "/robots.txt" {
			return false
		}
	}
	return true
}

// isBait reports whether a place refuses as a path does that cannot exist.
func isBait(p *wayfind.Probe) bool {
	return p.Verdict == wayfind.VerdictAbsent && p.Reason == string(wayfind.CodeCanary)
}

// isRefusing reports whether a place refuses or fails.
func isRefusing(p *wayfind.Probe) bool {
	v := p.Verdict
	return isBait(p) || v == wayfind.VerdictProtected || v == wayfind.VerdictBlocked || v == wayfind.VerdictUnreachable
}

// isPlainlyAbsent reports whether the server says that there is no document, or shows a page.
func isPlainlyAbsent(p *wayfind.Probe) bool {
	return p.Status == http.StatusNotFound || p.Status == http.StatusGone || p.Verdict == wayfind.VerdictSoft404
}

// isUnfollowed reports whether a place answered with a redirect that was not followed.
func isUnfollowed(p *wayfind.Probe) bool { return p.Status >= 300 && p.Status <= 399 }

// redirected returns the kind of the redirect by which a place leads to another web page, "" if it does not.
// A redirect to another name of the site keeps the path.
func redirected(f *facts, p *wayfind.Probe) setup {
	n := len(p.Redirects)
	if n == 0 || p.Verdict != wayfind.VerdictSoft404 {
		return ""
	}
	to, err := url.Parse(p.Redirects[n-1])
	switch kept := pathOf(p.URL); {
	case err != nil, to.Path == kept, to.Path == kept+"/":
		return ""
	case to.Host != f.host():
		return setupAway
	case isLogin(to.Path) || bytes.Contains(f.answer(p).Body, []byte(`type="password"`)):
		return setupLogin
	}
	return setupHome
}

// isLogin reports whether a path is that of a login.
func isLogin(path string) bool {
	for _, word := range [...]string{"login", "signin", "sign-in", "sign_in", "password", "/auth", "/sso", "unauthenticated"} {
		if strings.Contains(strings.ToLower(path), word) {
			return true
		}
	}
	return false
}

// isMistyped reports whether a place has Markdown that is served as a web page.
func (f *facts) isMistyped(p *wayfind.Probe) bool {
	if p.Verdict != wayfind.VerdictSoft404 || p.Reason != string(wayfind.CodeHTML) {
		return false
	}
	body := bytes.TrimLeft(bytes.TrimPrefix(f.answer(p).Body, []byte("\ufeff")), " \t\r\n")
	return bytes.HasPrefix(body, []byte("# "))
}

// moved is the finding of a place whose redirect its specification forbids.
func (f *facts) moved(p *wayfind.Probe) finding {
	to := f.Answers[p.URL].Header.Get("Location")
	why := "and its specification follows no such redirect"
	if f.Elsewhere != "" {
		why = "as everything does"
	}
	out := absent(fmt.Sprintf("%s redirects to %q, %s", f.short(p.URL), to, why))
	if parsed, err := url.Parse(to); err == nil && parsed.Path == pathOf(p.URL)+"/" {
		out.mend = f.setting(setupSlash, p)
	}
	return out
}

func withoutQuery(u string) string {
	u, _, _ = strings.Cut(u, "?")
	return u
}

// status is the status of a place in words.
func status(p *wayfind.Probe) string {
	if p.Status == 0 {
		return ""
	}
	return fmt.Sprintf(" (status %d)", p.Status)
}
