package session

import (
	"fmt"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
	"github.com/wayfindhq/wayfind/internal/web/websign"
)

// signHelp describes the value of --sign-key.
const signHelp = "sign requests over https with the key in `FILE`, so that sites can tell whose they are (Web Bot Auth); not those with a credential of yours (see \"wayfind keys\")"

// setSigner reads --sign-key.
func (n *Network) setSigner(o *client.Options) error {
	if n.signKey == "" {
		return nil
	}
	f, err := ReadSignKey(n.signKey)
	if err != nil {
		return ui.Usagef("--sign-key %w", err)
	}
	o.Network.Sign = &client.Sign{Key: f.Key(), Agent: f.Agent()}
	return nil
}

// ReadSignKey reads a file that "wayfind keys --new" wrote. Its errors name the file.
func ReadSignKey(name string) (*websign.KeyFile, error) {
	data, err := privatefile.ReadSecret(name)
	if err != nil {
		return nil, err
	}
	f, err := websign.ParseKeyFile(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// AgentText returns the User-Agent with the address of --contact.
func AgentText(userAgent, contact string) string {
	if contact == "" {
		return userAgent
	}
	return userAgent + " (" + contact + ")"
}
