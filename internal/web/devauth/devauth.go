// Package devauth judges the credentials that every request to a server under development carries.
package devauth

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/security"
)

// Check returns the reason why a credential cannot be sent with every request to its origin, which
// must be one of the servers under development. The reason does not contain the credential.
func Check(c security.Credential, dev []string) error {
	if !slices.Contains(dev, c.Origin) {
		return fmt.Errorf("%s is not in Policy.AllowDev", c.Origin)
	}
	if u, err := url.Parse(c.Origin); err != nil || u.Scheme == "http" && !security.IsLoopback(u.Host) {
		return fmt.Errorf("%s: a credential is sent over http to this machine only", c.Origin)
	}
	switch {
	case c.In == "":
		return fieldname.CheckAdded(http.CanonicalHeaderKey(c.Field), c.Value)
	case c.In != "cookie":
		return fmt.Errorf("the place %q is neither a header field nor a cookie", c.In)
	case strings.Contains(c.Value, ";"):
		return errors.New("the value of a cookie has no semicolon")
	}
	return fieldname.CheckAdded("X-"+c.Field, c.Value) // a name of a cookie is a token too
}
