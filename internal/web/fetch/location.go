package fetch

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
)

// maxLocation is the maximum length of a Location in bytes.
const maxLocation = 2048

// location parses the Location of a redirect from base. There must be exactly one, and the host
// policy applies as for any other URL. secured is true if it leads to http, where https is asked.
func location(values []string, base *url.URL) (u *url.URL, secured bool, err error) {
	if len(values) != 1 {
		return nil, false, unusable(fmt.Errorf("%d Location headers", len(values)))
	}
	text := strings.Trim(values[0], " \t")
	switch {
	case text == "":
		return nil, false, unusable(errors.New("empty Location"))
	case len(text) > maxLocation:
		return nil, false, unusable(fmt.Errorf("location of %d bytes", len(text)))
	case badPort(text):
		return nil, false, unusable(errors.New("port beyond 65535"))
	}
	if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") {
		text = strings.ReplaceAll(text, `\`, "%5C") // a path, though browsers may disagree
	}
	if base.Scheme == "https" {
		text, secured = overTLS(text)
	}
	u, err = security.DevGuard(security.Origin(base)).ParseURL(text, base)
	if err != nil {
		return nil, false, locationError(text, err)
	}
	if isGlued(u.Hostname()) {
		return nil, false, unusable(fmt.Errorf("host %q: is a slash missing before the path?", u.Hostname()))
	}
	u.Fragment, u.RawFragment = "", ""
	return u, secured, nil
}

// overTLS returns the https form of an http URL that names no port but 80 and no user: a site whose
// bare name redirects by way of http answers there, too. Nothing is sent over http.
func overTLS(text string) (string, bool) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found || !strings.EqualFold(scheme, "http") {
		return text, false
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Host == "" || u.Port() != "" && u.Port() != "80" {
		return text, false
	}
	if u.Port() == "80" {
		rest = strings.TrimSuffix(u.Host, ":80") + strings.TrimPrefix(rest, u.Host)
	}
	return "https://" + rest, true
}

// isGlued recognises "https://host" + "/.well-known/x" joined by a server that lost the slash.
func isGlued(host string) bool {
	return strings.HasSuffix(host, ".well-known")
}

func badPort(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Port() == "" {
		return false
	}
	_, err = strconv.ParseUint(u.Port(), 10, 16)
	return err != nil
}

// locationError keeps the code of a host that the policy refuses. It has codes of its own for
// faults of redirects.
func locationError(text string, err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return unusable(err)
	}
	switch e.Code {
	case wayfind.CodeScheme:
		if scheme, _, _ := strings.Cut(text, ":"); strings.EqualFold(scheme, "http") {
			return refused(wayfind.CodeRedirectDowngrade, errors.New("from https to http"))
		}
		return refused(wayfind.CodeScheme, e.Err)
	case wayfind.CodeUserinfo, wayfind.CodeHostSyntax, wayfind.CodeLimit, "":
		return unusable(e.Err)
	}
	return refused(e.Code, e.Err)
}

func unusable(err error) error {
	return refused(wayfind.CodeRedirectLocation, err)
}
