package wayfind

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The kinds of [Error], for use with errors.Is.
var (
	// ErrNotFound: the domain was asked and has nothing. This is an answer.
	ErrNotFound = errors.New("nothing found")
	// ErrUnreachable: DNS, TLS, connection, time-out or server failure.
	ErrUnreachable = errors.New("unreachable")
	// ErrBlocked: they refuse us (401, 402, 403, a firewall).
	ErrBlocked = errors.New("blocked by the site")
	// ErrRefused: our policy refuses (address, redirect, other site).
	ErrRefused = errors.New("refused by policy")
	// ErrThrottled: the site, or an obligation to it, forbids a request before some time.
	ErrThrottled = errors.New("throttled")
	// ErrInvalid: a target, key or document that cannot be read.
	ErrInvalid = errors.New("invalid")
	// ErrClosed: the Client was closed.
	ErrClosed = errors.New("client closed")
	// ErrInternal: a bug of this module, or of a Format of the caller.
	ErrInternal = errors.New("internal error")
)

// Code is one cause of an error, more precise than a kind. Codes are stable strings in
// snake_case. New ones are added.
type Code string

// Codes of targets and hosts (also of redirects and endpoints).
const (
	CodeUserinfo        Code = "userinfo"          // user name or password in a URL
	CodeScheme          Code = "scheme"            // not https
	CodePort            Code = "port"              // not the default port
	CodeHostSyntax      Code = "host_syntax"       // not a host name
	CodeHostNumeric     Code = "host_numeric"      // last label is a number
	CodeHostIPLiteral   Code = "host_ip_literal"   // an IP address
	CodeHostIDNA        Code = "host_idna"         // fails IDNA, or hides characters
	CodeHostSingleLabel Code = "host_single_label" // "localhost", "com"
	CodeHostSpecialUse  Code = "host_special_use"  // .local, .internal, .onion …
	CodeTargetPath      Code = "target_path"       // a path that leaves the site ("/..")
)

// Codes of connections and answers.
const (
	CodeBlockedAddress    Code = "blocked_address"     // an address the guard refuses
	CodeHostRefused       Code = "host_refused"        // a host that Network.BeforeHost refuses
	CodeDNSNotFound       Code = "dns_not_found"       // NXDOMAIN or no address
	CodeDNS               Code = "dns"                 // any other DNS failure
	CodeTimeout           Code = "timeout"             // a deadline of ours passed
	CodeCanceled          Code = "canceled"            // the caller left
	CodeNetwork           Code = "network"             // connect, reset, refused
	CodeTLS               Code = "tls"                 // handshake or certificate
	CodeProxy             Code = "proxy"               // the caller's proxy refuses or fails
	CodeProxyAuth         Code = "proxy_auth"          // the caller's proxy wants credentials, or others
	CodeProtocol          Code = "protocol"            // not HTTP as we know it
	CodeHeadersTooLarge   Code = "headers_too_large"   // more than 64 KiB of header
	CodeTooLarge          Code = "too_large"           // body beyond the cap
	CodeTruncated         Code = "truncated"           // body ended early
	CodeEncoding          Code = "encoding"            // not identity, not sound gzip
	CodeStatus            Code = "status"              // a status that is no answer
	CodeRedirectLimit     Code = "redirect_limit"      // more redirects than allowed
	CodeRedirectLoop      Code = "redirect_loop"       // a URL came twice
	CodeRedirectDowngrade Code = "redirect_downgrade"  // https to http
	CodeRedirectCrossSite Code = "redirect_cross_site" // to another site, where forbidden
	CodeRedirectLocation  Code = "redirect_location"   // unusable Location
	CodeOrigin            Code = "origin"              // a request on another origin's connection
	CodeNotBefore         Code = "not_before"          // waiting is an obligation
	CodeCrossSite         Code = "cross_site"          // another site, not approved
	CodeCredential        Code = "credential"          // no credential, or one for another origin
	CodeSecret            Code = "secret"              // a URL that holds a secret, or held one
	CodeDeadline          Code = "deadline"            // not asked: the time was up
	CodeCrowded           Code = "crowded"             // ended early: the site took long, and others waited for what the call held
	CodeRobots            Code = "robots"              // robots.txt forbids it, and it counts
	CodeRobotsUnreachable Code = "robots_unreachable"  // robots.txt could not be asked for, and it counts
	CodeOffline           Code = "offline"             // not asked: no request is allowed, and nothing is stored
	CodeAbsent            Code = "absent"              // 404, 410 or 204
	CodeServerError       Code = "server_error"        // a 5xx
	CodeFirewall          Code = "firewall"            // something before the site answered
	CodePayment           Code = "payment_required"    // 402
	CodeCanary            Code = "canary"              // the page that this server shows for any path
)

// Codes of documents.
const (
	CodeHTML          Code = "html"           // a web page where a document should be
	CodeInvalidUTF8   Code = "invalid_utf8"   // bytes that are not UTF-8
	CodeJSONSyntax    Code = "json_syntax"    // not JSON (RFC 8259)
	CodeJSONDuplicate Code = "json_duplicate" // a member name twice in one object
	CodeJSONTrailing  Code = "json_trailing"  // data after the value
	CodeJSONDepth     Code = "json_depth"     // nested deeper than 64
	CodeYAMLSyntax    Code = "yaml_syntax"    // not YAML
	CodeYAMLForbidden Code = "yaml_forbidden" // an anchor, a tag or another construct of YAML that is not read
	CodeYAMLDuplicate Code = "yaml_duplicate" // a key twice in one mapping
	CodeLimit         Code = "limit"          // another limit
	CodeSchema        Code = "schema"         // readable, but not such a document
	CodeNoFormat      Code = "no_format"      // no format claims it
	CodeUnknownKey    Code = "unknown_key"    // no such capability or service
	CodeNoDetail      Code = "no_detail"      // nothing more to fetch
	CodeUnusable      Code = "unusable"       // readable, and nothing in it can be used
	CodeStrict        Code = "strict"         // breaks a MUST, under Options.Strict
	CodeDigest        Code = "digest"         // not the bytes that the listing of a file promises
	CodePanic         Code = "panic"          // recovered from a panic
)

// Codes of signatures (RFC 7515; A2A 1.0 §8.4). None of them makes a document
// unusable; Signature.Code contains them.
const (
	CodeSigInvalid    Code = "sig_invalid"          // the key did not sign these bytes
	CodeSigHeader     Code = "sig_header"           // a protected header that must be refused
	CodeSigAlg        Code = "sig_alg"              // no algorithm with a public key that we accept
	CodeSigKey        Code = "sig_key"              // a key that must not be used for it, or comes with it
	CodeSigJKU        Code = "sig_jku"              // keys at a place that is not asked or has none to offer
	CodeSigDomain     Code = "sig_domain"           // genuine, and of another site's document
	CodeSigNumber     Code = "sig_ambiguous_number" // a number on which readers differ (RFC 7493 §2.2)
	CodeSigProfile    Code = "sig_profile"          // signed in a form that does not cover the document
	CodeSigUnverified Code = "sig_unverified"       // the key is unknown
	CodeSigUnsigned   Code = "sig_unsigned"         // no signature, although a key is pinned
)

// Codes of facts that the caller keeps.
const (
	CodePinMismatch Code = "pin_mismatch" // not the definition that was pinned
	CodeNotApproved Code = "not_approved" // not approved, or not any more
	CodeStored      Code = "stored"       // a file of ours that cannot be used: pins, approvals, a recording, results
)

// maxErrorText bounds Error.Error: the text may quote foreign bytes.
const maxErrorText = 512

// Error is the one error type of this module.
type Error struct {
	// Op is the stage: "target", "dns", "dial", "proxy", "tls", "headers",
	// "body", "redirect", "parse", "resolve", "describe" and so on.
	Op string
	// URL is the URL that was asked, or the target. It may be empty. A text that was
	// refused for its characters is escaped.
	URL string
	// Kind is one of the Err… variables of this package.
	Kind error
	// Code is the cause. It may be empty.
	Code Code
	// NotBefore is the earliest time to ask again, if it is known. It is always set for
	// ErrThrottled.
	NotBefore time.Time
	// Unsent is true if the request did not reach the peer as a whole, or if the peer did
	// not process it (RFC 9113 §8.7). Sending it again cannot have an effect twice.
	// Client.HTTP sets it; false means that this is not known.
	Unsent bool
	// Answered is true if a byte of an answer had arrived.
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

// quoteIfNeeded leaves plain URLs readable and quotes everything else.
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

// cut shortens escaped ASCII text. No escape is divided, and no base from its
// marks.
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

// escaped returns the code point that a text begins with, written as itself or
// as an escape.
func escaped(s string) (r rune, size int) {
	r, _, tail, err := strconv.UnquoteChar(s, 0)
	if err != nil {
		return rune(s[0]), 1
	}
	return r, len(s) - len(tail)
}

const zeroWidthJoiner = '\u200d'

// joins reports whether a code point belongs to the letter before it: marks and
// skin tones. Package security knows all of UAX 29; escapes need no more.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || r == zeroWidthJoiner || 0x1F3FB <= r && r <= 0x1F3FF
}
