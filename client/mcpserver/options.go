package mcpserver

import (
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Defaults and limits.
const (
	// MaxDirect and MaxDirectTokens bound the tools that are listed beside the four, and
	// the tokens of their definitions. A model finds larger numbers of tools by searching.
	// A list that was given up comes back when it is half as large.
	MaxDirect       = 40
	MaxDirectTokens = 10_000
	// DefaultAskTime is the time that a person has to agree.
	DefaultAskTime = 5 * time.Minute
	// MaxMessage is the longest message of a host, in bytes.
	MaxMessage = 1 << 20
	// NotifyPause is the least time between two notices that the list has changed.
	NotifyPause = 5 * time.Second

	// firstWait bounds the wait of a list for the first reading of the domains. A host
	// takes a slow start for a failure.
	firstWait = 2 * time.Second
	// leastPause and mostPause bound the pause between two readings of the domains.
	leastPause = 10 * time.Second
	mostPause  = time.Hour
	// maxDomains is the number of domains that a server may have.
	maxDomains = 1000
	// maxSessions is the number of sessions over HTTP that are held.
	maxSessions = 256
	// maxNames is the number of bytes of the table of names, beyond which it loses those of
	// tools that are gone. It has room for as many tools as a Box may have.
	maxNames = 8 << 20
	// pageSize is the number of tools on a page of the list.
	pageSize = 100
)

// Options of [New]. Nil and zero are the safe defaults.
type Options struct {
	// Domains are the domains that the server has from the start.
	Domains []string
	// Only and Except choose operations, and OperationNames names them, as in
	// [tools.Options]. A name needs a domain. Logger is told of one that nothing matches.
	Only, Except   []tools.Filter
	OperationNames []tools.OperationName
	// Allow names tools that are called without asking a person. An exact name is for the
	// tool of Domains as it is defined when the server first reads it. A pattern, which
	// contains a "*", is for calls of tools of Domains that may change something and that
	// nothing speaks against: never for those that a person must be asked about each time.
	Allow []string
	// HostConfirms: a host that has no elicitation asks a person itself before it calls a
	// tool that changes something. Such a call is then made if the host names the tool
	// itself. It is refused otherwise, and always through wayfind_call.
	HostConfirms bool
	// Open are patterns of domains that wayfind_open opens without asking a person, such as
	// "example.com" or "*.example.com".
	Open []string
	// TrustAnnotations are hosts of MCP servers whose word about the effects of their tools
	// is trusted. The servers that Domains name, or that are on their origins, are trusted
	// without it if they describe their tools themselves.
	TrustAnnotations []string
	// ReadOnly offers and calls only tools whose method changes nothing.
	ReadOnly bool
	// NoOpen refuses to open further domains.
	NoOpen bool
	// Stored is a client that sends no requests, over the same store. Its tools are
	// shown until the domains are read; with nil none are. It must outlive the server.
	Stored *client.Client
	// AskTime is the time that a person has to agree, 0 for DefaultAskTime.
	AskTime time.Duration
	// Name and Version identify the server to hosts; default "wayfind" and "0".
	Name, Version string
	// Logger receives failures of readings; nil logs nothing.
	Logger *slog.Logger
}

// withDefaults returns a copy with zero fields filled in.
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
	own.Domains = slices.Clone(own.Domains)
	own.AskTime = cmp.Or(own.AskTime, DefaultAskTime)
	own.Name, own.Version = cmp.Or(own.Name, "wayfind"), cmp.Or(own.Version, "0")
	if own.Logger == nil {
		own.Logger = slog.New(slog.DiscardHandler)
	}
	return own, nil
}
