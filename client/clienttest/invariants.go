package clienttest

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/wayfindhq/wayfind"
)

// maxErrorText is the limit that wayfind.Error promises for its text.
const maxErrorText = 512

// CheckDiscovery returns the fault of a request that a site got during
// discovery: a method other than GET, or a header field that identifies the
// user or the referrer. Nil is a request that may be sent to any site.
func CheckDiscovery(method string, header http.Header) error {
	var errs []error
	if method != http.MethodGet {
		errs = append(errs, fmt.Errorf("clienttest: method %q during discovery", method))
	}
	return errors.Join(append(errs, CheckAnonymous(header))...)
}

// CheckAnonymous is the part of [CheckDiscovery] that counts for requests to
// live endpoints as well, as long as the caller gave no credential.
func CheckAnonymous(header http.Header) error {
	var errs []error
	for _, name := range [...]string{"Authorization", "Cookie", "Proxy-Authorization", "Referer", "X-Api-Key"} {
		if _, sent := header[name]; sent {
			errs = append(errs, fmt.Errorf("clienttest: the request has a field %s", name))
		}
	}
	return errors.Join(errs...)
}

// CheckError returns the fault of an error that a Client returned: it must be a
// *wayfind.Error with a kind, and its text at most 512 bytes of printable
// ASCII, for any text of a site. An error of kind wayfind.ErrInternal is a bug.
// Nil is sound, and so is no error.
func CheckError(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	switch text := err.Error(); {
	case !ok || e.Kind == nil:
		return fmt.Errorf("clienttest: %T is no *wayfind.Error with a kind: %.200q", err, text)
	case len(text) > maxErrorText:
		return fmt.Errorf("clienttest: %d bytes of error text: %.200q", len(text), text)
	case !printable(text):
		return fmt.Errorf("clienttest: error text with control characters: %.200q", text)
	case errors.Is(err, wayfind.ErrInternal):
		return fmt.Errorf("clienttest: %w", err)
	}
	return nil
}

func printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// OnlyDiscovery sets whether requests that discovery never sends fail the test,
// from now on; see [CheckDiscovery]. Default: they do not, because a caller may
// have credentials and speak with live endpoints. It returns the Internet.
func (n *Internet) OnlyDiscovery(only bool) *Internet {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.strict = only
	return n
}
