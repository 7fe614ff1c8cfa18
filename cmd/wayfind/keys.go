package main

import (
	"os"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/security/cards"
)

// keysHelp says what --keys takes.
const keysHelp = "check the signatures of Agent Cards with the keys in `FILE`: a JWK Set, with the list \"origins\" in each key that is for some sites only"

// setKeys reads --keys.
func (n *network) setKeys(o *client.Options) (err error) {
	o.Trust.FetchKeys = n.fetchKeys
	o.Trust.Keys, err = readKeys(n.keys)
	return err
}

// readKeys reads the key store in a file; "" is none.
func readKeys(name string) (*cards.Keys, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, usagef("--keys: %w", err)
	}
	keys, err := cards.ParseKeys(data)
	if err != nil {
		return nil, usagef("--keys %s: %w", name, err)
	}
	return keys, nil
}

// signaturesText says in a few words what the signatures of a document prove.
func signaturesText(list []wayfind.Signature) string {
	var parts []string
	for i := range list {
		parts = append(parts, signatureText(&list[i]))
	}
	return strings.Join(parts, "; ")
}

func signatureText(s *wayfind.Signature) string {
	key := "a key without a name"
	if s.KeyID != "" {
		key = "the key " + show(oneLine(s.KeyID, 40))
	}
	switch {
	case s.Status == cards.Valid && s.KeySource == cards.KeyPinned:
		return "signed with " + key + ", which is pinned"
	case s.Status == cards.Valid:
		return "signed with " + key + " of the site"
	case s.Status == cards.Unverified:
		return "signature by " + key + " not checked"
	}
	return "signature by " + key + " does not count: " + show(string(s.Code))
}
