// Package mocking shows how to test a program that discovers domains. The tests use an Internet
// in memory, with virtual time.
package mocking

import (
	"context"
	"errors"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// Tools returns the keys of all capabilities of a domain that an agent can call. A domain that
// offers nothing has no tools. If a domain could not be asked, Tools returns an error.
func Tools(ctx context.Context, c *client.Client, domain string) ([]string, error) {
	site, err := c.Resolve(ctx, domain)
	if errors.Is(err, wayfind.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, capability := range site.Capabilities() {
		keys = append(keys, capability.Key)
	}
	return keys, nil
}
