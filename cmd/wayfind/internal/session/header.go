package session

import (
	"errors"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/web/devauth"
	"github.com/wayfindhq/wayfind/security"
)

// headerHelp is the help of the flag -H.
const headerHelp = "send this header field, as `'NAME: VALUE'`, to the servers of --dev and to no others; may be repeated"

// setHeaders reads -H. No error contains a value, which may be a secret.
func (n *Network) setHeaders(o *client.Options) error {
	if len(n.headers) == 0 {
		return nil
	}
	dev := n.devOrigins()
	switch {
	case !n.Dev:
		return ui.Usagef(`-H is for servers under development, with --dev; no other server gets a header field of yours. A credential is given to "wayfind call" with --credential, and --user-agent names the program`)
	case len(dev) == 0:
		return ui.Usagef("-H is for the servers that the command line names with --dev, and it names none, such as http://localhost:3000")
	}
	for _, field := range n.headers {
		list, err := readHeader(field)
		if err != nil {
			return ui.Usagef("-H: %w", err)
		}
		for _, origin := range dev {
			for _, c := range list {
				c.Origin = origin
				if err := devauth.Check(c, dev); err != nil {
					return ui.Usagef("-H: %w", err)
				}
				o.Network.DevCredentials = append(o.Network.DevCredentials, c)
			}
		}
	}
	return nil
}

// readHeader reads a header field, or the cookies of a field Cookie, without their origin.
func readHeader(field string) (list []security.Credential, err error) {
	name, value, ok := strings.Cut(field, ":")
	name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
	switch {
	case !ok || name == "" || value == "":
		return nil, errors.New("write a field as 'NAME: VALUE', such as 'X-Tenant: blue'")
	case name == "User-Agent":
		return nil, errors.New("--user-agent sets the field User-Agent")
	case name != "Cookie":
		return []security.Credential{{Field: name, Value: value}}, nil
	}
	for cookie := range strings.SplitSeq(value, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(cookie), "=")
		if !ok || name == "" {
			return nil, errors.New("write cookies as 'Cookie: NAME=VALUE; NAME=VALUE'")
		}
		list = append(list, security.Credential{In: "cookie", Field: name, Value: value})
	}
	return list, nil
}
