package cache

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Options are the options of an Engine or a Transport. Nil and the zero value are safe defaults.
type Options struct {
	// Now returns the time, for tests. Nil means [time.Now]. If its times have no monotonic
	// reading, that of the system is used.
	Now func() time.Time
	// View is the name of the network that answers, if that is not the public Internet. Different
	// views share no entries. It is part of every key.
	View string
	// Strict selects the rules of RFC 9111 and nothing else. Lifetimes have no limit. A reload
	// (max-age=0) revalidates immutable entries, too. Waiters with Rules do not share a response
	// with no-store. A stale entry is served if the origin cannot be asked (§4.2.4). With a
	// SharedStore alone, an answer to credentials is kept for everyone if it has public, s-maxage
	// or must-revalidate (§3.5).
	Strict bool
	// OneUser means that all requests of a Transport, and its store, belong to one user in one
	// account. Then no request field makes a partition, and answers to credentials are kept like
	// other answers, also by a store on a disk. This is safe in a program that acts for one user,
	// such as a command. It is not safe in a server that passes on the credentials of its users. If
	// the account or the rights change, an answer whose Vary does not name the credential answers
	// the next account until it is stale or forgotten. A Transport without OneUser over the same
	// store finds none of these answers. If a store is a SharedStore, NewEngine and NewTransport
	// panic unless Partition names the user.
	OneUser bool
	// Partition is the name of the principal to which all requests of a Transport belong, such as an
	// account. It implies OneUser: all tokens of a principal share its answers, also tokens with
	// other rights. Every key contains the name as an HMAC, with the key of a [KeyedStore]. So
	// Transports with different names share no answers, and a SharedStore keeps answers to
	// credentials, also those that the origin calls private. An unsafe request, and a Purge of a URL
	// or an origin, ends the answers of the principal alone; a Purge of Everything ends those of all
	// principals. Empty means that request fields separate callers.
	Partition string
	// IdentityFields are the names of the request fields that identify a caller. Requests that
	// differ in one of them never share an answer (but see Strict). Answers to requests with such a
	// field stay in the memory of the process, and the values of the fields are kept as digests
	// only. Nil means [IdentityFields]. A list replaces the default, so append your fields to it. A
	// field that is in no list of this package, but has the name of a credential ("X-Acme-Token"),
	// identifies the caller as well.
	IdentityFields []string
	// Harmless are the names of further request fields that neither say who asks nor choose a
	// representation, such as the number of a request. Every value of a field that this package does
	// not know is a variant, and the answers stay in the memory of the process unless their Vary
	// names the field. If the last 32 values at an origin are all different, then for ten minutes
	// an answer is kept only if its value comes again, and a warning names the field. With Strict and a SharedStore alone,
	// answers with public are for everyone, whatever such fields say.
	Harmless []string
	// Allow reports whether an answer from an address may be used under the present policy. False
	// means a miss. The address is the zero value if it is not known. Nil allows all addresses.
	// Allow must be safe for concurrent use.
	Allow func(remote netip.AddrPort) bool
	// Failed is the error, for errors.Is, that an Origin returns if the origin could not be asked,
	// so that a stale entry may stand in (RFC 5861 §4). Nil means every error except
	// context.Canceled.
	Failed error
	// StaleIfError is the time past its freshness for which an entry without a stale-if-error
	// directive may stand in. Zero means not at all (with Strict: Retention). A directive always
	// has precedence.
	StaleIfError time.Duration
	// StaleAfter is the time after which a stored answer that is no longer fresh stands in for an
	// origin that has not answered. The request goes on for at most 30 s, and renews the stored
	// answer; until it ends, other callers get the stored answer at once. The answer must be within
	// its own stale-if-error, else within StaleIfError or, if that is zero, 24 hours past its
	// freshness. no-cache, must-revalidate, s-maxage and proxy-revalidate, as far as they bind this
	// cache, and the deadline of a caller have precedence. Zero means that callers wait. StaleAfter
	// has no effect with Strict and for an Ask with Rules.
	StaleAfter time.Duration
	// StrictFloor means that the HeldError of a floor is returned in place of a stale entry with
	// no-cache or must-revalidate.
	StrictFloor bool
	// Answered, if it is not nil, is called by a Transport for each request before its response is
	// returned. [Of] and Cache-Status describe the source of the response. resp is nil if err is
	// not nil. Answered must be quick, must not use the body, and must be safe for concurrent use.
	Answered func(req *http.Request, resp *http.Response, err error)
	// MarkAs is the name of a field that a Transport sets to "1" in responses from the store for which
	// the origin was not asked, for programs that look for one, such as "X-From-Cache". Other responses
	// do not have the field, even if the origin sends it. Empty means no field. Cache-Status says more.
	MarkAs string
	// Logger gets a warning for each call of the store that fails. If it is nil, nothing is logged.
	Logger *slog.Logger
	// MaxBody is the size of the largest body that is kept, in bytes. Larger bodies are passed on.
	// math.MaxInt64 means no limit. Zero and negative values mean DefaultMaxBody.
	MaxBody int64
}

// maxBody returns MaxBody or its default.
func (o *Options) maxBody() int64 {
	if o.MaxBody > 0 {
		return min(o.MaxBody, math.MaxInt64-1) // so that one byte more does not overflow
	}
	return DefaultMaxBody
}

// staleIfError returns the window for entries without a directive.
func (o *Options) staleIfError() time.Duration {
	if o.StaleIfError == 0 && o.Strict {
		return Retention
	}
	return o.StaleIfError
}

// principalMark begins the name of a principal in a view, and oneUserMark is in the view of one user
// without a name.
const (
	principalMark = "\x1fprincipal="
	oneUserMark   = "\x1fone-user"
)

// setPrincipal adds the principal to the view, so that a Transport over the same store without
// OneUser finds none of the answers. It returns the views whose answers a change of a resource ends
// as well: those that the principal has by the other keys of the store, or, in a store of one machine,
// the view with or without OneUser. It panics if the answers of one user would be in a store that others read, without a
// name.
func (o *Options) setPrincipal(store Store, keys [][]byte) (siblings []string) {
	switch {
	case o.Partition != "":
		view := o.View
		for i, key := range keys {
			h := hmac.New(sha256.New, key)
			h.Write([]byte("wayfind principal\x00" + o.Partition))
			if own := view + principalMark + hex.EncodeToString(h.Sum(nil)); i == 0 {
				o.View = own
			} else {
				siblings = append(siblings, own)
			}
		}
	case o.OneUser && othersRead(store):
		panic("cache: OneUser over a store that other machines read needs the name of the user: Options.Partition")
	case o.OneUser:
		siblings = []string{o.View}
		o.View += oneUserMark
	case !othersRead(store):
		siblings = []string{o.View + oneUserMark}
	}
	return siblings
}

// hasPrincipal reports whether a key contains the name of a principal.
func hasPrincipal(key string) bool {
	_, to, ok := partitionIn(key)
	return ok && strings.Contains(key[:to], principalMark)
}
