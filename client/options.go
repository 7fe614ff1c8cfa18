package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/clock"
	"github.com/wayfindhq/wayfind/internal/run/nilness"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/web/devauth"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/websign"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/cards"
	"github.com/wayfindhq/wayfind/security/pins"
)

// Mode determines the part of the plan that is asked.
type Mode int

const (
	// All asks every place at once, over one connection.
	All Mode = iota
	// FirstMatch asks one format after another, in order of authority, and
	// stops at the first usable document.
	FirstMatch
)

// Options configures a Client. If it is nil or a field is zero, the safe default applies. New
// copies its arguments.
type Options struct {
	// Formats are the formats to ask for, in order of authority; default formats.All().
	// formats.Select returns formats by name or group.
	Formats []*parse.Format
	// Policy determines the addresses that may be contacted and the hosts that form one site. New
	// copies it, and returns an error if it is not valid.
	Policy security.Guard
	// Store keeps answers beyond this Client's own memory, behind it, for example in a directory
	// (package cache/disk) or on a server (package cache/redis). Clients that share a Store and a
	// View ask each origin once. The caller closes the Store, after the Client.
	Store cache.Store
	// Logger gets a debug record for each place that was asked, an info record "call" for each call
	// of a tool (package client/call) and each poll for its outcome, and a warning for each call of
	// Store that fails; default no log. The record of a call has no arguments and no credentials.
	Logger *slog.Logger
	// Observe is called for the parts of each call, for traces and metrics: see package
	// client/otel. The default is nil.
	Observe Observe
	// Timeout bounds one Resolve as a whole, without the time that it waits for Limits; default
	// DefaultTimeout.
	Timeout time.Duration
	// Mode determines the part of the plan that is asked; default All.
	Mode Mode
	// Strict refuses every document that breaks a MUST of its specification (a diagnostic of
	// severity error): verdict malformed.
	Strict bool
	// Offline asks no site. Stored answers are used, even if they are stale, unless the response
	// forbids it. Without Store no answer is known.
	Offline bool
	// Robots determines the treatment of a site's robots.txt.
	Robots Robots
	// Describe calls Approve before it contacts another site than the site of the document, or
	// speaks with a server (Live) of another host than the origin. A non-nil error refuses the
	// contact, and so does a nil Approve. [security.ApproveSameSite] agrees to other hosts of the same
	// site, where most sites have their MCP server. Describe waits for Approve as long as its context lasts.
	Approve func(context.Context, security.ApprovalRequest) error
	// Describe calls Credentials before it requests a document about a service and before it asks a
	// server (Live), and again if the server refuses. For the document of a capability it calls
	// Credentials if the document's own origin answers 401, or 403 with a challenge or although the
	// Site names a scheme: once for all documents of an origin in a call. Resolve calls it likewise
	// for the places of a domain, with the purpose "resolve ORIGIN". Such a Site is for that caller
	// alone and is not kept. If Credentials returns none that opens a place, Resolve does not call it
	// again for the origin while the public Site is fresh, at least 5 minutes and at most an hour;
	// after an error, for 5 minutes. Refresh does. This holds for all callers of the Client: package
	// call asks each principal. A credential that opens a place is not remembered, because ctx may say
	// for whom it is: each Resolve of that Site calls Credentials for the origin again. If
	// Credentials is nil or returns a zero Credential, no credential is sent. Describe and Resolve wait for it as long as their context lasts. An answer to a credential is for
	// that caller alone, whatever its header allows to caches: a document stays in memory, apart
	// from the documents of other callers, and the answer of a server is not kept.
	Credentials func(context.Context, security.CredentialRequest) (security.Credential, error)
	// IdentityFields are the names of request fields that identify a caller: see
	// [cache.Options.IdentityFields]. Nil means [cache.IdentityFields]. If a request has one of
	// these fields, its answer enters no store that others read. An answer to a credential stays in
	// memory in any case, whatever its field and its header.
	IdentityFields []string
	// Live ask endpoints that documents name for their offers, in the protocol of the endpoint.
	// Resolve asks the endpoints of the origin itself, and of the site's own host if documents of that
	// host name them. Describe asks other endpoints, if Approve agrees. If a target is a URL, and the
	// answer to a GET of it has a sign of a server, it is asked as well: see Resolve. Default: no
	// endpoint is asked.
	Live []LiveProber
	// Targets says who names the targets, and so which answers are signs of a server. Default:
	// TargetsOfProgram.
	Targets Targets
	// Trust contains the pins and keys for checking definitions and signatures.
	Trust Trust
	// Network configures the access to the network.
	Network Network
	// Limits bound the requests and the memory of a call, the cost of all calls to this process,
	// and the cost of one call to other sites.
	Limits Limits
	// Lab is for tests, recordings and golden files.
	Lab Lab

	clock  *clock.Clock    // from Lab.Now
	signer *websign.Signer // from Network.Sign
}

// Targets says who names the targets of a Client.
type Targets int

const (
	// TargetsOfProgram are named by a program or its configuration. The signs are those of Resolve.
	TargetsOfProgram Targets = iota
	// TargetsTyped are typed by a person who waits for the answer. A 405 or 406 without more, and the
	// path "/" after the host, are also signs of a server, if no document was found below the URL.
	TargetsTyped
	// TargetsListed are from a list of strangers. No URL of a target is asked as a server.
	TargetsListed
)

// Robots configures the treatment of a site's robots.txt (RFC 9309), for [Options].
type Robots struct {
	// Mode is RobotsReport by default.
	Mode RobotsMode
	// Token is the product token that rules may name; default "wayfind". It consists of letters,
	// "-" and "_" (RFC 9309 §2.2.1).
	Token string
}

// Trust contains the pins and keys for checking definitions and signatures, for [Options].
type Trust struct {
	// Pins are definitions that a person has reviewed. Resolve and Describe compare their
	// definitions with them. If Pins is not nil, even without any pin in it, capabilities get their
	// Digest. Probe and package client/actors do not use Pins. They are for all callers of the
	// Client. The pins of one user belong into Options.Pinned of package client/call, which gets the
	// context of a call: see call.Pinned.
	Pins *pins.Set
	// PinPolicy determines the treatment of definitions that differ from their pins; default
	// PinRefuse.
	PinPolicy PinPolicy
	// Keys are the keys for checking the signatures of Agent Cards. A card that is signed with one
	// of them has the authority "verified": see cards.ParseKeys.
	Keys *cards.Keys
	// FetchKeys requests the keys that signatures name by a URL ("jku"), if Keys does not contain
	// them and the URL is on the card's own site. Such a key proves that the card was not changed,
	// but not who wrote it. Probe yields such a card a second time after it was checked. Default:
	// no key is requested.
	FetchKeys bool
}

// Lab holds settings for tests, recordings and golden files, for [Options].
type Lab struct {
	// Now returns the current time; nil means [time.Now]. If its times have no monotonic reading,
	// the system provides monotonic time. With Now, the path of the canary is fixed.
	Now func() time.Time
	// Record gets each answer and failure that a reading was made of, from any source and from
	// several goroutines at once; see Recording.Add. It also gets each call, and each request to a
	// live endpoint, with the result and without their secrets. Documents that were read with a
	// credential, and requests with Client.HTTP, are not reported.
	Record func(*Exchange)
	// StrictFloor applies within a format's pause between two requests. A document whose response
	// contains no-cache or must-revalidate then gives an error of kind wayfind.ErrThrottled instead
	// of its last reading marked stale.
	StrictFloor bool
}

// withDefaults returns a copy of o (which may be nil) with zero fields filled in, or an error of
// kind wayfind.ErrInvalid.
func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Formats == nil {
		c.Formats = formats.All()
	}
	c.clock = clock.Of(c.Lab.Now)
	if err := c.checkGiven(); err != nil {
		return c, err
	}
	c.Formats, c.Live, c.IdentityFields = slices.Clone(c.Formats), slices.Clone(c.Live), slices.Clone(c.IdentityFields)
	c.Policy, c.Network.UnsafeTLS = c.Policy.Clone(), c.Network.UnsafeTLS.Clone()
	c.Network.Local, c.Network.DevCredentials = maps.Clone(c.Network.Local), slices.Clone(c.Network.DevCredentials)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = text.PrintableLogger(c.Logger)
	c.Formats = withRobots(c.Formats, c.Robots.Mode)
	setDefault(&c.Network.UserAgent, DefaultUserAgent)
	setDefault(&c.Robots.Token, defaultRobotsToken)
	setDefault(&c.Timeout, DefaultTimeout)
	c.Limits.setDefaults()
	setDefault(&c.Network.KeepAlive, defaultKeepAlive)
	if err := c.setSigner(); err != nil {
		return c, err
	}
	return c, c.check()
}

// checkGiven refuses values that are nil in disguise, before they are used.
func (o *Options) checkGiven() error {
	_, own := o.Network.Resolver.(*net.Resolver) // a nil one is as good as another
	switch {
	case o.Store != nil && nilness.Of(o.Store):
		return invalidOption("Store is a nil %T: memory.New, disk.Open and redis.Open make one", o.Store)
	case o.Logger != nil && !nilness.Logs(o.Logger):
		return invalidOption("Logger is zero: slog.New makes one")
	case o.Network.Resolver != nil && !own && nilness.Of(o.Network.Resolver):
		return invalidOption("Network.Resolver is a nil %T", o.Network.Resolver)
	}
	return nil
}

// check refuses options that cannot work, before a Resolve fails on them.
func (o *Options) check() error {
	seen := map[string]bool{}
	for i, f := range o.Formats {
		switch {
		case f == nil:
			return invalidOption("Formats[%d] is nil", i)
		case !formatName(f.Name):
			return invalidOption("Formats[%d]: the name %q is not of lower-case letters and digits", i, f.Name)
		case seen[f.Name]:
			return invalidOption("Formats has %q twice", f.Name)
		case f.Match == nil || f.Parse == nil:
			return invalidOption("format %q lacks Match or Parse", f.Name)
		}
		seen[f.Name] = true
		if err := checkLocations(f); err != nil {
			return invalidOption("format %q: %w", f.Name, err)
		}
	}
	if err := checkLive(o.Live); err != nil {
		return invalidOption("Live: %w", err)
	}
	if strings.ContainsFunc(o.Network.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		return invalidOption("Network.UserAgent %q has characters that no header field can hold", o.Network.UserAgent)
	}
	if err := o.Policy.Validate(); err != nil {
		return invalidOption("Policy: %w", err)
	}
	for _, c := range o.Network.DevCredentials {
		if err := devauth.Check(c, o.Policy.AllowDev); err != nil {
			return invalidOption("Network.DevCredentials: %w", err)
		}
	}
	if o.Policy.UnsafeProxy != nil && o.Network.UnsafeDial != nil {
		return invalidOption("Policy.UnsafeProxy and Network.UnsafeDial both make the connections: choose one")
	}
	if err := fetch.CheckTLS(o.Network.UnsafeTLS); err != nil {
		return invalidOption("Network.UnsafeTLS: %w", err)
	}
	if o.Mode != All && o.Mode != FirstMatch {
		return invalidOption("there is no Mode %d", o.Mode)
	}
	if o.Trust.PinPolicy < PinRefuse || o.Trust.PinPolicy > PinAllowSafer {
		return invalidOption("there is no PinPolicy %d", o.Trust.PinPolicy)
	}
	if o.Robots.Mode < RobotsReport || o.Robots.Mode > RobotsEnforce {
		return invalidOption("there is no RobotsMode %d", o.Robots.Mode)
	}
	if strings.Trim(o.Robots.Token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") != "" {
		return invalidOption("Robots.Token %q is no product token: letters, \"-\" and \"_\"", o.Robots.Token)
	}
	if o.Timeout < 0 || o.Network.KeepAlive < 0 {
		return invalidOption("Timeout and Network.KeepAlive must not be negative")
	}
	return o.Limits.check()
}

// checkLive returns the fault of a prober, or nil.
func checkLive(list []LiveProber) error {
	seen := map[string]bool{}
	for i, p := range list {
		switch {
		case nilness.Of(p):
			return fmt.Errorf("prober %d is nil", i)
		case seen[p.Protocol()]:
			return fmt.Errorf("two probers speak %q", p.Protocol())
		}
		seen[p.Protocol()] = true
	}
	return nil
}

func formatName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func checkLocations(f *parse.Format) error {
	paths := map[string]bool{}
	for _, l := range f.Locations {
		if !strings.HasPrefix(l.Path, "/") || strings.HasPrefix(l.Path, "//") {
			return fmt.Errorf("location %q does not begin with one slash", l.Path)
		}
		if l.After != "" && !paths[l.After] {
			return fmt.Errorf("location %q comes after %q, which is not listed before it", l.Path, l.After)
		}
		paths[l.Path] = true
	}
	return nil
}

// view hashes the settings that determine who answers, and to whom: the policy, the key that signs, and
// the caller's View for Dial, Resolver and similar fields. It is empty for the defaults.
func (o *Options) view(random func() string) string {
	name := o.Network.View
	own := o.Network.Dial != nil || o.Network.Resolver != nil || o.Network.RootCAs != nil || o.Network.UnsafeDial != nil || o.Network.UnsafeTLS != nil
	if name == "" && own || len(o.Network.DevCredentials) > 0 { // answers without these credentials are others
		name = random()
	}
	policy := o.Policy.Fingerprint() + o.signature()
	if name == "" && policy == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(name), name, policy))
	return hex.EncodeToString(sum[:16])
}
