package discover

import (
	"context"
	"log/slog"
	"net/netip"
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/clock"
	"github.com/wayfindhq/wayfind/internal/run/fairshare"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/cards"
	"github.com/wayfindhq/wayfind/security/pins"
)

// Options contains the choices that the requests of an engine depend on.
type Options struct {
	Formats    []*parse.Format
	Policy     security.Guard
	Memory     cache.Store // for responses, of the Client alone; the engine closes it
	Store      cache.Store // behind Memory; nil: no store
	View       string      // of the network
	Logger     *slog.Logger
	Observe    Observer // nil: no observer
	Timeout    time.Duration
	FirstMatch bool
	Strict     bool
	Offline    bool
	Robots     Robots
	Live       []live.Prober
	Typed      bool // a person types the targets: see client.Options
	Listed     bool // the targets are from a list of strangers
	Trust      Trust
	// Approve and Credentials may be nil.
	Approve     func(context.Context, security.ApprovalRequest) error
	Credentials func(context.Context, security.CredentialRequest) (security.Credential, error)
	// DevCredentials are sent with every request to their origins.
	DevCredentials []security.Credential
	// IdentityFields are as in the options of the cache.
	IdentityFields []string
	// Network makes the connections. Tunnelled is true if they are made without this process seeing
	// an address.
	Network   fetch.Options
	Tunnelled bool
	// Unsafe contains the diagnostics that each Site has about the caller's choices.
	Unsafe []wayfind.Diagnostic
	Limits Limits
	Lab    Lab
	Clock  *clock.Clock
}

// Robots configures the treatment of robots.txt.
type Robots struct {
	Ignore, Enforce bool
	Token           string
}

// Trust contains the pins and keys for checking definitions and signatures. Refuse returns the
// error of a report about pins, or nil if the caller lets it pass.
type Trust struct {
	Pins      *pins.Set
	Refuse    func(op, u string, report *pins.Report) error
	Keys      *cards.Keys
	FetchKeys bool
}

// Limits bound the requests and the memory of calls. All calls share Parsers, the number of
// documents read at a time; Reading, the memory that documents take meanwhile; and Bytes, the
// memory that calls hold until they end. Only Bytes is held while a call waits for a site.
type Limits struct {
	Sites, MaxBytes         int64 // in bytes: of the memory of Sites, of a document
	Budget, Follow, Foreign int
	Parsers, Reading        *fairshare.Quota
	Bytes                   *fairshare.Pool
}

// Lab contains settings for tests, recordings and golden files.
type Lab struct {
	Fixed       bool // the clock is fixed, and so is the canary's path
	Now         func() time.Time
	Record      func(u *url.URL, e *cache.Entry, err error, secrets secret.Veil)
	Talk        func(*Talk)
	StrictFloor bool
}

// Observer is called when a part of the work begins, and its result when the part ends.
type Observer func(ctx context.Context, begin Event) (within context.Context, end func(Event))

// Kinds of events.
const (
	kindWave     = "wave"
	kindRequest  = "request"
	kindExchange = "exchange"
	kindRead     = "read"
)

// Event is a part of the work.
type Event struct {
	Kind, Target, Method string
	Attempt              int
	RedirectedFrom       string
	Places               int
	Error                string
	Verdict              wayfind.Verdict
	Status               int
	From                 string
	Bytes                int64
	Stages               fetch.Stages
	Joined               bool
	Leader               context.Context // the observer's context for the call that began a flight
}

// Fact describes the origin of one answer.
type Fact struct {
	URL        string
	Verdict    wayfind.Verdict
	From       string
	Status     int
	Age        time.Duration
	FreshUntil time.Time
	Stale      string
	Duration   time.Duration
	Repeats    int
	Remote     netip.AddrPort
}

// usualSize is the size of documents that is assumed if it is not known.
const usualSize = 64 << 10

// PartialSteps bounds the work for a caller whose time ran out. It is the number of steps after
// which running work notices that its caller has left.
const PartialSteps = 50_000
