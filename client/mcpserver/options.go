package mcpserver

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/run/nilness"
)

// Defaults and limits.
const (
	// maxDirect and maxDirectTokens are the largest number of tools that are listed in addition to
	// the four, and the largest number of tokens of their definitions. If there are more, a model
	// finds tools by searching. They are then listed again when they need at most half of both
	// limits.
	maxDirect       = 40
	maxDirectTokens = 10_000
	// defaultAskTime is the time that a person has to agree.
	defaultAskTime = 5 * time.Minute
	// defaultPatience is the time for which a call waits for work that goes on.
	defaultPatience = 50 * time.Second
	// maxMessage is the longest message of a host, in bytes.
	maxMessage = 1 << 20
	// notifyPause is the shortest time between two notices that the list has changed.
	notifyPause = 5 * time.Second

	// firstWait is the longest time that a list waits for the first reading of the domains. A host
	// treats a slow start as a failure.
	firstWait = 2 * time.Second
	// leastPause and mostPause are the shortest and the longest pause between two readings of a
	// domain.
	leastPause = 10 * time.Second
	mostPause  = time.Hour
	// maxDomains is the largest number of domains of a server.
	maxDomains = 1000
	// maxSessions is the largest number of sessions over HTTP at a time.
	maxSessions = 256
	// maxNames is the largest size of the table of names, in bytes. A larger table loses the names
	// of tools that are gone. It has room for as many tools as a Box may have.
	maxNames = 8 << 20
	// pageSize is the number of tools on a page of the list.
	pageSize = 100
)

// Options are the options of [New]. Nil and zero values are safe defaults.
type Options struct {
	// Domains are the domains that the server has from the start.
	Domains []string
	// Only and Except select operations, and OperationNames names them, as in [tools.Options]. A
	// name needs a domain. Logger receives a warning about a name or filter that matches nothing.
	Only, Except   []tools.Filter
	OperationNames []tools.OperationName
	// Allow names tools that are called without asking a person. An exact name is for the tool of
	// Domains as it is defined when the server first reads it. A name without a domain is bound when
	// all Domains have answered, if one tool alone has it. A pattern, which contains a "*", is
	// for calls of tools of Domains that may change something. It never covers calls that a person
	// must be asked about each time. When all Domains have answered, Logger receives a warning with the
	// tools that each entry allows. If no entry allows any, [Server.Failed] is
	// closed.
	Allow []string
	// HostConfirms means that a host without elicitation asks a person itself before it calls a
	// tool that changes something. Such a call is then made if the host calls the tool by its own
	// name. It is always refused through wayfind_call.
	HostConfirms bool
	// Open are patterns of domains that wayfind_open opens without asking a person, such as
	// "example.com" or "*.example.com".
	Open []string
	// TrustAnnotations are hosts of MCP servers whose annotations about the effects of their tools
	// are trusted. The servers that Domains name, or that are on their origins, are trusted without
	// it if they describe their tools themselves.
	TrustAnnotations []string
	// ReadOnly restricts the server to tools whose method changes nothing.
	ReadOnly bool
	// NoOpen means that the server opens no further domains.
	NoOpen bool
	// Stored is a client with the same store that sends no requests. Its tools are shown until the
	// domains are read. If it is nil, no tools are shown until then. It must outlive the server.
	Stored *client.Client
	// AskTime is the time that a person has to agree. Zero means five minutes.
	AskTime time.Duration
	// Patience is the time for which a call waits for work that goes on at a service after its answer,
	// with notices of progress. The model then gets a handle, with which wayfind_wait waits for as long
	// again. Hosts end a call that takes long, many after a minute. Zero means 50 seconds.
	Patience time.Duration
	// Name and Version identify the server to hosts. The defaults are "wayfind" and "0".
	Name, Version string
	// Logger receives failures of readings. If it is nil, nothing is logged.
	Logger *slog.Logger
}

// withDefaults returns a copy with the defaults for zero fields.
func (o *Options) withDefaults(c *client.Client) (Options, error) {
	var own Options
	if o != nil {
		own = *o
	}
	if err := access.Check(c); err != nil {
		return own, fmt.Errorf("mcpserver: %w", err)
	}
	if own.Stored != nil && access.Check(own.Stored) != nil {
		return own, errors.New("mcpserver: Options.Stored is zero: client.New makes a Client")
	}
	if own.Logger != nil && !nilness.Logs(own.Logger) {
		return own, errors.New("mcpserver: Options.Logger is zero: slog.New makes one")
	}
	if own.AskTime < 0 || own.Patience < 0 || len(own.Domains) > maxDomains {
		return own, errors.New("mcpserver: AskTime or Patience is negative, or there are more than 1000 Domains")
	}
	own.Domains = slices.Clone(own.Domains)
	own.AskTime = cmp.Or(own.AskTime, defaultAskTime)
	own.Patience = cmp.Or(own.Patience, defaultPatience)
	own.Name, own.Version = cmp.Or(own.Name, "wayfind"), cmp.Or(own.Version, "0")
	if own.Logger == nil {
		own.Logger = slog.New(slog.DiscardHandler)
	}
	return own, nil
}
