// Package mocking shows how to test a program that discovers domains: the
// tests run against an Internet in memory, with virtual time.
package mocking

import (
	"context"
	"errors"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// Tools returns the keys of what a domain lets an agent call. A domain that
// offers nothing has no tools; a domain that could not be asked is an error.
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
