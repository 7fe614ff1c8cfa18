package clienttest

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
)

// maxErrorText is the limit that wayfind.Error promises for its text.
const maxErrorText = 512

// CheckDiscovery returns the fault of a request that a site got during discovery: a method other
// than GET, or a header field that identifies the user or the referrer. It returns nil if the
// request may be sent to any site.
func CheckDiscovery(method string, header http.Header) error {
	var errs []error
	if method != http.MethodGet {
		errs = append(errs, fmt.Errorf("clienttest: method %q during discovery", method))
	}
	return errors.Join(append(errs, without(header, sessionField), CheckAnonymous(header))...)
}

// CheckAnonymous is the part of [CheckDiscovery] that applies to requests to live endpoints as
// well, as long as the caller gave no credential: a key may stand in Referer, too. The request must have
// no Referer and no field of [cache.IdentityFields], except the field that identifies a session of MCP.
func CheckAnonymous(header http.Header) error {
	errs := []error{without(header, "Referer")}
	for _, name := range cache.IdentityFields() {
		if name != sessionField {
			errs = append(errs, without(header, name))
		}
	}
	return errors.Join(errs...)
}

// sessionField identifies a session that a server has begun.
const sessionField = "Mcp-Session-Id"

// without returns an error if a header has a field, in any spelling.
func without(header http.Header, field string) error {
	for name := range header {
		if http.CanonicalHeaderKey(name) == field {
			return fmt.Errorf("clienttest: the request has a field %s", field)
		}
	}
	return nil
}

// CheckError returns the fault of an error that a Client returned. The error must be a
// *wayfind.Error with a kind, and its text at most 512 bytes of printable ASCII, for any text of a
// site. An error of kind wayfind.ErrInternal is a bug. CheckError returns nil if err has no fault
// or is nil.
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

// OnlyDiscovery sets whether requests that discovery never sends fail the test from now on; see
// [CheckDiscovery]. By default they do not, because a caller may have credentials and speak with
// live endpoints. It returns the Internet.
func (n *Internet) OnlyDiscovery(only bool) *Internet {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reading = only
	return n
}
