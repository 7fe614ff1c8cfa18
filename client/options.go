package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/clock"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/internal/websign"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/cards"
	"github.com/wayfindhq/wayfind/security/pins"
)

// Mode is the part of the plan that is asked.
type Mode int

const (
	// All asks every place at once, over one connection.
	All Mode = iota
	// FirstMatch asks one format after another, in order of authority, and
	// stops at the first usable document.
	FirstMatch
)

// Options are the choices a Client is made with. Nil and every zero field are
// the safe defaults; New copies its arguments.
type Options struct {
	// Formats to ask for, in order of authority; default formats.All(). Those of
	// names and groups are returned by formats.Select.
	Formats []*parse.Format
	// Policy says which addresses may be contacted, and which hosts are one
	// site. New copies it and refuses one that makes no sense.
	Policy security.Guard
	// Store keeps answers beyond this Client's own memory, behind it: a
	// directory (package cache/disk) or a server (package cache/redis), for
	// example. Clients that share one, and a View, ask each origin once. The
	// caller closes it, after the Client.
	Store cache.Store
	// Logger gets a debug record for each place that was asked, and a warning
	// for each call of Store that fails; default none.
	Logger *slog.Logger
	// Observe is told of the parts of each call, for traces and metrics: see
	// package client/otel. Default none.
	Observe Observe
	// Timeout bounds one Resolve as a whole, without the time that it waits for
	// Limits; default DefaultTimeout.
	Timeout time.Duration
	// Mode is the part of the plan that is asked; default All.
	Mode Mode
	// Strict refuses every document that breaks a MUST of its specification
	// (a diagnostic of severity error): verdict malformed.
	Strict bool
	// Offline asks no site. Stored answers count, also stale ones, unless the
	// response forbids that. Without Store no answer is known.
	Offline bool
	// Robots decides how a site's robots.txt is treated.
	Robots Robots
	// Approve is asked by Describe before it contacts another site than the
	// one the document is from, or speaks with a server (Live) of another host
	// than the origin; nil refuses. A non-nil error refuses. Describe waits for
	// it as long as its context lasts.
	Approve func(context.Context, security.ApprovalRequest) error
	// Describe asks Credentials for documents that need authentication, and for
	// servers (Live), again when a server refuses; nil and a zero Credential:
	// nothing is sent. Describe waits for it as long as its context lasts. An
	// answer to one is for that caller alone, whatever the answer says of caches:
	// a document stays in memory, apart from those of other callers, and the
	// answer of a server is not kept.
	Credentials func(context.Context, security.CredentialRequest) (security.Credential, error)
	// IdentityFields name the request fields that identify a caller: see
	// [cache.Options.IdentityFields]. Nil is [cache.IdentityFields]. No store that
	// others read gets an answer to a request with one of them. An answer to a
	// credential stays in memory in any case, whatever its field and its header say.
	IdentityFields []string
	// Live ask endpoints that documents name for their offers, in their own
	// protocol: during Resolve those of the origin itself, others by Describe,
	// if Approve agrees. The URL of a target with a path is asked as well, first of
	// all. Default: no endpoint is asked.
	Live []LiveProber
	// Trust holds the pins and keys for checking definitions and signatures.
	Trust Trust
	// Network is how the network is reached.
	Network Network
	// Limits bound the requests and the memory of a call, the cost of all calls
	// to this process, and the cost of one to others.
	Limits Limits
	// Lab is for tests, recordings and golden files.
	Lab Lab

	clock  *clock.Clock    // of Lab.Now
	signer *websign.Signer // of Network.Sign
}

// Robots holds the treatment of a site's robots.txt (RFC 9309), for [Options].
type Robots struct {
	// Mode is RobotsReport by default.
	Mode RobotsMode
	// Token is the product token that rules may name; default "wayfind".
	// Letters, "-" and "_" (RFC 9309 §2.2.1).
	Token string
}

// Trust holds the pins and keys for checking definitions and signatures, for
// [Options].
type Trust struct {
	// Pins are definitions that a person has looked at: the definitions of
	// Resolve and Describe are compared with them. Set, also without any pin in
	// it, it gives capabilities their Digest. Probe and package client/actors
	// do not look at them.
	Pins *pins.Set
	// PinPolicy decides on definitions that differ from their pins;
	// default PinRefuse.
	PinPolicy PinPolicy
	// Keys are those that the signatures of Agent Cards are checked with. A
	// card that one of them signed has the authority "verified": see
	// cards.ParseKeys.
	Keys *cards.Keys
	// FetchKeys asks for the keys that signatures name by a URL ("jku"), where
	// Keys has none and that URL is on the card's own site. Such a key proves
	// that the card was not changed, not who wrote it. Probe yields such a card
	// a second time, once it was checked. Default: no key is asked for.
	FetchKeys bool
}

// Lab holds settings for tests, recordings and golden files, for [Options].
type Lab struct {
	// Now tells the time: nil is [time.Now]. Times without a monotonic reading
	// leave monotonic time to the system. With Now the canary's path is fixed.
	Now func() time.Time
	// Record gets each answer and failure that a reading was made of, from any
	// source and from several goroutines at once; see Recording.Add. Requests
	// with Client.HTTP or a credential are not reported.
	Record func(*Exchange)
	// StrictFloor: inside a format's pause between two requests, a document
	// whose response says no-cache or must-revalidate gives an error of kind
	// wayfind.ErrThrottled, not the last reading of it marked stale.
	StrictFloor bool
}

// withDefaults returns a copy of o (which may be nil) with zero fields filled
// in, or an error of kind wayfind.ErrInvalid.
func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Formats == nil {
		c.Formats = formats.All()
	}
	c.clock = clock.Of(c.Lab.Now)
	c.Formats, c.Live, c.IdentityFields = slices.Clone(c.Formats), slices.Clone(c.Live), slices.Clone(c.IdentityFields)
	c.Policy, c.Network.UnsafeTLS = c.Policy.Clone(), c.Network.UnsafeTLS.Clone()
	c.Network.Local = maps.Clone(c.Network.Local)
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

// check refuses formats that cannot work, before they surprise a Resolve.
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

// checkLive returns the fault of a prober.
func checkLive(list []LiveProber) error {
	seen := map[string]bool{}
	for i, p := range list {
		switch {
		case p == nil:
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

// view hashes the settings that decide who answers: the caller's word for Dial,
// Resolver and their like, and the policy. Empty for the defaults.
func (o *Options) view(random func() string) string {
	name := o.Network.View
	own := o.Network.Dial != nil || o.Network.Resolver != nil || o.Network.RootCAs != nil || o.Network.UnsafeDial != nil || o.Network.UnsafeTLS != nil
	if name == "" && own {
		name = random()
	}
	policy := o.Policy.Fingerprint()
	if name == "" && policy == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(name), name, policy))
	return hex.EncodeToString(sum[:16])
}
