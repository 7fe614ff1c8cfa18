package wayfind

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// These are the kinds of [Error], for use with errors.Is.
var (
	// ErrNotFound means that the domain was asked and offers nothing. This is a definite
	// answer, unless Site.Incomplete lists places that gave none.
	ErrNotFound = errors.New("nothing found")
	// ErrUnreachable means a failure of DNS, TLS, the connection or the server, or a time-out.
	ErrUnreachable = errors.New("unreachable")
	// ErrBlocked means that the site refuses us (401, 402, 403, a firewall).
	ErrBlocked = errors.New("blocked by the site")
	// ErrRefused means that our policy refuses (address, redirect, other site).
	ErrRefused = errors.New("refused by policy")
	// ErrThrottled means that the site, or an obligation to it, forbids a request before some
	// time.
	ErrThrottled = errors.New("throttled")
	// ErrInvalid means that a target, key or document cannot be read.
	ErrInvalid = errors.New("invalid")
	// ErrClosed means that the Client was closed.
	ErrClosed = errors.New("client closed")
	// ErrInternal means a bug of this module, or of a Format of the caller.
	ErrInternal = errors.New("internal error")
)

// Code is one cause of an error, more precise than a kind. Codes are stable strings in
// snake_case. New codes may be added.
type Code string

// These are the codes of targets and hosts, also in redirects and endpoints.
const (
	CodeUserinfo        Code = "userinfo"          // a user name or password in a URL
	CodeScheme          Code = "scheme"            // not https
	CodePort            Code = "port"              // not the default port
	CodeHostSyntax      Code = "host_syntax"       // not a host name
	CodeHostNumeric     Code = "host_numeric"      // the last label is a number
	CodeHostIPLiteral   Code = "host_ip_literal"   // an IP address
	CodeHostIDNA        Code = "host_idna"         // it fails IDNA, or contains hidden characters
	CodeHostSingleLabel Code = "host_single_label" // "localhost", "com"
	CodeHostSpecialUse  Code = "host_special_use"  // .local, .internal, .onion …
	CodeTargetPath      Code = "target_path"       // a path that leaves the site ("/..")
)

// These are the codes of connections and answers.
const (
	CodeBlockedAddress    Code = "blocked_address"     // an address that the guard refuses
	CodeHostRefused       Code = "host_refused"        // a host that Network.BeforeHost refuses
	CodeDNSNotFound       Code = "dns_not_found"       // NXDOMAIN or no address
	CodeDNS               Code = "dns"                 // any other DNS failure
	CodeTimeout           Code = "timeout"             // a deadline of this program passed
	CodeCanceled          Code = "canceled"            // the caller cancelled
	CodeNetwork           Code = "network"             // connect, reset, refused
	CodeTLS               Code = "tls"                 // handshake or certificate
	CodeProxy             Code = "proxy"               // the caller's proxy refuses or fails
	CodeProxyAuth         Code = "proxy_auth"          // the caller's proxy requires credentials, or other ones
	CodeProtocol          Code = "protocol"            // not valid HTTP
	CodeHeadersTooLarge   Code = "headers_too_large"   // more than 64 KiB of header
	CodeTooLarge          Code = "too_large"           // a body that exceeds the limit
	CodeTruncated         Code = "truncated"           // a body that ended early
	CodeEncoding          Code = "encoding"            // neither identity nor valid gzip
	CodeStatus            Code = "status"              // a status that is not an answer
	CodeRedirectLimit     Code = "redirect_limit"      // more redirects than allowed
	CodeRedirectLoop      Code = "redirect_loop"       // a URL occurred twice
	CodeRedirectDowngrade Code = "redirect_downgrade"  // to http with a port or a user, or back to a URL that was asked
	CodeRedirectCrossSite Code = "redirect_cross_site" // to another site, although it is forbidden
	CodeRedirectLocation  Code = "redirect_location"   // unusable Location
	CodeOrigin            Code = "origin"              // a request on another origin's connection
	CodeNotBefore         Code = "not_before"          // the time to wait has not passed
	CodeCrossSite         Code = "cross_site"          // another site, which is not approved
	CodeCredential        Code = "credential"          // no credential, or one for another origin
	CodeSecret            Code = "secret"              // a URL that contains a secret, or contained one
	CodeDeadline          Code = "deadline"            // not asked: the time expired
	CodeCrowded           Code = "crowded"             // ended early: the site took long, and other callers waited for memory that the call held
	CodeRobots            Code = "robots"              // robots.txt forbids it, and it is obeyed
	CodeRobotsUnreachable Code = "robots_unreachable"  // robots.txt could not be read, and it is obeyed
	CodeOffline           Code = "offline"             // not asked: no request is allowed, and nothing is stored
	CodeAbsent            Code = "absent"              // 404, 410 or 204
	CodeServerError       Code = "server_error"        // a 5xx
	CodeFirewall          Code = "firewall"            // something in front of the site answered
	CodePayment           Code = "payment_required"    // 402
	CodePrice             Code = "price"               // 402 that names the price
	CodeCanary            Code = "canary"              // the page that this server shows for any path
)

// These are the codes of documents.
const (
	CodeHTML          Code = "html"           // a web page instead of a document
	CodeInvalidUTF8   Code = "invalid_utf8"   // bytes that are not UTF-8
	CodeJSONSyntax    Code = "json_syntax"    // not JSON (RFC 8259)
	CodeJSONDuplicate Code = "json_duplicate" // a member name twice in one object
	CodeJSONTrailing  Code = "json_trailing"  // data after the value
	CodeJSONDepth     Code = "json_depth"     // nested deeper than 64
	CodeYAMLSyntax    Code = "yaml_syntax"    // not YAML
	CodeYAMLForbidden Code = "yaml_forbidden" // an anchor, a tag or another construct of YAML that is not read
	CodeYAMLDuplicate Code = "yaml_duplicate" // a key twice in one mapping
	CodeLimit         Code = "limit"          // another limit
	CodeSchema        Code = "schema"         // readable, but not a document of this kind
	CodeNoFormat      Code = "no_format"      // no format claims it
	CodeUnknownKey    Code = "unknown_key"    // no such capability or service
	CodeNoDetail      Code = "no_detail"      // nothing more to fetch
	CodeUnusable      Code = "unusable"       // readable, but without any usable part
	CodeStrict        Code = "strict"         // it breaks a MUST, with Options.Strict
	CodeDigest        Code = "digest"         // the digest differs from the digest in the listing of a file
	CodePanic         Code = "panic"          // recovered from a panic
)

// These are the codes of signatures (RFC 7515; A2A 1.0 §8.4). They never make a document
// unusable. Signature.Code contains them.
const (
	CodeSigInvalid    Code = "sig_invalid"          // the key did not sign these bytes
	CodeSigHeader     Code = "sig_header"           // a protected header that must be refused
	CodeSigAlg        Code = "sig_alg"              // an algorithm that is not an accepted one with a public key
	CodeSigKey        Code = "sig_key"              // a key that must not be used for it, or that comes with it
	CodeSigJKU        Code = "sig_jku"              // keys at a place that is not asked or has no keys
	CodeSigDomain     Code = "sig_domain"           // genuine, but for the document of another site
	CodeSigNumber     Code = "sig_ambiguous_number" // a number on which readers differ (RFC 7493 §2.2)
	CodeSigProfile    Code = "sig_profile"          // signed in a form that does not cover the document
	CodeSigUnverified Code = "sig_unverified"       // the key is unknown
	CodeSigUnsigned   Code = "sig_unsigned"         // there is no signature, although a key is pinned
)

// These are the codes of facts that the caller stores.
const (
	CodePinMismatch Code = "pin_mismatch" // the definition differs from the pinned one
	CodeNotApproved Code = "not_approved" // not approved, or no longer approved
	CodeStored      Code = "stored"       // a file of ours that is unusable: pins, approvals, a recording, results
)

// maxErrorText is the maximum length of the result of Error.Error, because the text may quote
// foreign bytes.
const maxErrorText = 512

// Error is the only error type of this module.
type Error struct {
	// Op is the stage: "target", "dns", "dial", "proxy", "tls", "headers",
	// "body", "redirect", "parse", "resolve", "describe" and so on.
	Op string
	// URL is the URL that was requested, or the target. It may be empty. A text that was
	// refused for its characters is escaped.
	URL string
	// Kind is one of the Err… variables of this package.
	Kind error
	// Code is the cause. It may be empty.
	Code Code
	// NotBefore is the earliest time to ask again, if it is known. It is always set for
	// ErrThrottled.
	NotBefore time.Time
	// Unsent is true if the peer did not receive the whole request, or did not process it (RFC
	// 9113 §8.7). To send it again can then not have an effect twice. Client.HTTP sets it. If
	// it is false, this is not known.
	Unsent bool
	// Answered is true if a byte of the answer had arrived.
	Answered bool
	// Err is the cause. Its text is escaped and cut when printed.
	Err error
}

// Error returns one line of at most 512 bytes of printable ASCII, with foreign text
// escaped. It is for people and logs. For a language model, use [ErrorClass].
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(escape(e.Op))
	if e.URL != "" {
		fmt.Fprintf(&b, " %s", quoteIfNeeded(e.URL))
	}
	if e.Kind != nil {
		fmt.Fprintf(&b, ": %s", escape(e.Kind.Error()))
	}
	if e.Code != "" {
		fmt.Fprintf(&b, " (%s)", escape(string(e.Code)))
	}
	if !e.NotBefore.IsZero() {
		fmt.Fprintf(&b, ", not before %s", e.NotBefore.UTC().Format(time.RFC3339))
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %s", escape(e.Err.Error()))
	}
	return cut(b.String(), maxErrorText)
}

// Unwrap returns the kind and the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.Kind != nil {
		errs = append(errs, e.Kind)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// Temporary reports whether the same call may succeed later without a change by the
// caller. It is always true if NotBefore is set.
func (e *Error) Temporary() bool {
	if !e.NotBefore.IsZero() {
		return true
	}
	switch e.Kind {
	case ErrThrottled:
		return true
	case ErrUnreachable:
		return e.Code != CodeDNSNotFound && e.Code != CodeTLS && e.Code != CodeProtocol
	}
	return false
}

// quoteIfNeeded returns plain URLs unchanged and quotes all other texts.
func quoteIfNeeded(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f || s[i] == '"' {
			return fmt.Sprintf("%+q", s)
		}
	}
	return s
}

// escape makes foreign error text safe for a terminal and a log line.
func escape(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	q := fmt.Sprintf("%+q", s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// cut shortens escaped ASCII text. It divides no escape, and separates no base from its marks.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end, joined := 0, false
	for at := 0; at <= n-len("..."); {
		r, size := escaped(s[at:])
		if !joined && !joins(r) {
			end = at
		}
		joined = r == zeroWidthJoiner
		at += size
	}
	return s[:end] + "..."
}

// escaped returns the first code point of a text, which may be written as an escape.
func escaped(s string) (r rune, size int) {
	r, _, tail, err := strconv.UnquoteChar(s, 0)
	if err != nil {
		return rune(s[0]), 1
	}
	return r, len(s) - len(tail)
}

const zeroWidthJoiner = '\u200d'

// joins reports whether a code point belongs to the letter before it: marks and skin tones.
// Package security implements UAX 29 completely. Escapes need no more than this.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || r == zeroWidthJoiner || 0x1F3FB <= r && r <= 0x1F3FF
}
