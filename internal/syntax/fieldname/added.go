package fieldname

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Unsettable reports whether no caller sets a header field: the connection writes it, or it is Referer,
// which a request has only as the key of a service: see [CheckKey]. Its name is canonical.
func Unsettable(field string) bool {
	return slices.Contains([]string{
		"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Http2-Settings", "Expect",
		"Host", "Content-Length", "Proxy-Authorization", "Referer",
	}, field)
}

// CheckAdded returns the reason why a header field, by its canonical name, cannot be added to every
// request to a server: the field has a meaning for the connection, the cache or a protocol.
func CheckAdded(field, value string) error {
	if !IsToken(field) || !httpguts.ValidHeaderFieldValue(value) {
		return errors.New("the name or the value has characters that no header field can hold")
	}
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(field, p) })
	}
	switch {
	case Unsettable(field), field == "Proxy-Authenticate":
		return fmt.Errorf("the field %s belongs to the connection", field)
	case has("Content-"):
		return fmt.Errorf("the field %s belongs to the body", field)
	case has("Accept", "If-"), slices.Contains([]string{"Range", "Cache-Control", "Pragma", "User-Agent", "Cookie"}, field):
		return fmt.Errorf("each request sets the field %s itself", field)
	case has("Mcp-", "A2a-", "Signature"), field == "Last-Event-Id":
		return fmt.Errorf("the field %s belongs to a protocol", field)
	}
	return nil
}
