package client_test

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// resolveOver resolves a domain by a Client of its own over a store, which then has
// all that was learnt.
func resolveOver(t *testing.T, internet *clienttest.Internet, store cache.Store, domain string) {
	t.Helper()
	c := newClient(t, internet, shared(store), func(o *client.Options) { o.Network.View, o.Formats = "fleet", nil })
	site, err := c.Resolve(t.Context(), domain)
	if err != nil || len(site.Services) != 1 {
		t.Fatalf("%v, %d services", err, len(site.Services))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// A domain of thirty places is few commands to a Redis server: its answers are read and
// written as one record, and its pauses are looked at together.
func TestADomainIsFewCommandsOfRedis(t *testing.T) {
	internet, server := clienttest.New(t), testkit.StartRedis(t)
	var host *clienttest.Host
	for _, domain := range []string{"first.example", "shop.example"} {
		host = internet.Host(domain, clienttest.Pages{})
		host.Handle(wellKnown, page(manifest(domain, "/a"), "Cache-Control", "max-age=3600", "ETag", `"1"`))
	}
	store, err := redis.Open(server.URL(), &redis.Options{Key: bytes.Repeat([]byte{7}, redis.MinKey), Budget: patience})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	resolveOver(t, internet, store, "first.example") // the server then knows the scripts
	for _, when := range []struct {
		name     string
		commands int
		requests bool
	}{{"cold", 40, true}, {"known", 8, false}} {
		before := len(host.Requests())
		server.ResetCommands()
		resolveOver(t, internet, store, "shop.example")
		all, counts := 0, server.Commands()
		for name, n := range counts {
			if name != "config|resetstat" && name != "info" && name != "ping" && name != "hello" && name != "script|load" {
				all += n
			}
		}
		t.Logf("%s: %d commands, %v, %d requests", when.name, all, counts, len(host.Requests())-before)
		if all > when.commands {
			t.Errorf("%s: %d commands: %v", when.name, all, counts)
		}
		if asked := len(host.Requests()) > before; asked != when.requests {
			t.Errorf("%s: %d requests", when.name, len(host.Requests())-before)
		}
	}
}

// For a domain, a directory contains one record, and one file for the pauses that formats demand.
func TestADomainIsFewFiles(t *testing.T) {
	internet, dir := clienttest.New(t), t.TempDir()
	host := internet.Host("shop.example", clienttest.Pages{})
	host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600", "ETag", `"1"`))
	for range 2 {
		before := len(host.Requests())
		store, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		resolveOver(t, internet, store, "shop.example")
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if before > 0 && len(host.Requests()) > before {
			t.Errorf("%d requests for a known domain", len(host.Requests())-before)
		}
	}
	var records, pauses []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		switch {
		case !d.Type().IsRegular():
		case strings.Contains(path, "/v1/o/"):
			pauses = append(pauses, path)
		default:
			records = append(records, path)
		}
		return nil
	})
	if len(records) != 1 || len(pauses) != 1 {
		t.Errorf("records %q, pauses %q", records, pauses)
	}
}
