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
// policy applies as for any other URL.
func location(values []string, base *url.URL) (*url.URL, error) {
	if len(values) != 1 {
		return nil, unusable(fmt.Errorf("%d Location headers", len(values)))
	}
	text := strings.Trim(values[0], " \t")
	switch {
	case text == "":
		return nil, unusable(errors.New("empty Location"))
	case len(text) > maxLocation:
		return nil, unusable(fmt.Errorf("location of %d bytes", len(text)))
	case badPort(text):
		return nil, unusable(errors.New("port beyond 65535"))
	}
	if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") {
		text = strings.ReplaceAll(text, `\`, "%5C") // a path, though browsers may disagree
	}
	u, err := security.DevGuard(security.Origin(base)).ParseURL(text, base)
	if err != nil {
		return nil, locationError(text, err)
	}
	if isGlued(u.Hostname()) {
		return nil, unusable(fmt.Errorf("host %q: is a slash missing before the path?", u.Hostname()))
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
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
