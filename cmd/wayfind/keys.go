package main

import (
	"os"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security/cards"
)

// keysHelp describes the value of --keys.
const keysHelp = "check the signatures of Agent Cards with the keys in `FILE`: a JWK Set, with the list \"origins\" in each key that is for some sites only"

// setKeys reads --keys.
func (n *network) setKeys(o *client.Options) (err error) {
	o.Trust.FetchKeys = n.fetchKeys
	o.Trust.Keys, err = readKeys(n.keys)
	return err
}

// readKeys reads the key store in a file. It returns nil if name is empty.
func readKeys(name string) (*cards.Keys, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, ui.Usagef("--keys: %w", err)
	}
	keys, err := cards.ParseKeys(data)
	if err != nil {
		return nil, ui.Usagef("--keys %s: %w", name, err)
	}
	return keys, nil
}
