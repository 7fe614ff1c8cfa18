package mcpserver

import (
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/client"
)

// Defaults and limits.
const (
	// MaxDirect and MaxDirectTokens are how many tools are listed beside the four, and
	// how many tokens they may come to. More are found by searching. Once given up, a
	// list comes back when it is half as large.
	MaxDirect       = 40
	MaxDirectTokens = 10_000
	// DefaultAskTime is how long a person may take to agree.
	DefaultAskTime = 5 * time.Minute
	// MaxMessage is the longest message of a host, in bytes.
	MaxMessage = 1 << 20
	// NotifyPause is the least time between two notices that the list has changed.
	NotifyPause = 5 * time.Second

	// firstWait is how long a list waits for the first reading of the domains. A host
	// takes a slow start for a failure.
	firstWait = 2 * time.Second
	// leastPause and mostPause are between two readings of the domains.
	leastPause = 10 * time.Second
	mostPause  = time.Hour
	// readers are how many domains are asked at a time.
	readers = 8
	// maxDomains is how many domains may be behind a server.
	maxDomains = 1000
	// pageSize is how many tools a page of the list has.
	pageSize = 100
)

// Options of [New]. Nil and zero are the safe defaults.
type Options struct {
	// Domains are behind the server from the start.
	Domains []string
	// Allow names tools that are called without asking anyone.
	Allow []string
	// ReadOnly offers and calls only tools whose method changes nothing.
	ReadOnly bool
	// NoOpen refuses to open further domains.
	NoOpen bool
	// Stored is a client that sends no requests, over the same store. The tools that it
	// knows are shown until the domains are read; nil: none are. It must outlive the
	// server.
	Stored *client.Client
	// AskTime is how long a person may take to agree, 0 for DefaultAskTime.
	AskTime time.Duration
	// Name and Version tell hosts who the server is; default "wayfind" and "0".
	Name, Version string
	// Logger is told of readings that fail; nil: no one is.
	Logger *slog.Logger
}

// withDefaults is a copy with zero fields filled in.
func (o *Options) withDefaults(c *client.Client) (Options, error) {
	var own Options
	if o != nil {
		own = *o
	}
	if c == nil {
		return own, errors.New("mcpserver: no client")
	}
	if own.AskTime < 0 || len(own.Domains) > maxDomains {
		return own, errors.New("mcpserver: AskTime is negative, or there are more than 1000 Domains")
	}
	own.Domains, own.Allow = slices.Clone(own.Domains), slices.Clone(own.Allow)
	own.AskTime = cmp.Or(own.AskTime, DefaultAskTime)
	own.Name, own.Version = cmp.Or(own.Name, "wayfind"), cmp.Or(own.Version, "0")
	if own.Logger == nil {
		own.Logger = slog.New(slog.DiscardHandler)
	}
	return own, nil
}
