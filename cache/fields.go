package cache

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

// class is what a request field says. Nothing that an origin does moves a field to another class:
// values that seem to mean nothing may still be the names of users.
type class uint8

const (
	// unknown fields may say anything.
	unknown class = iota
	// harmless fields describe the wanted content, the exchange or the program, never who asks. A
	// cache ignores them unless Vary names them.
	harmless
	// selects fields choose a representation, or are repeated in it. Answers to different values
	// are variants, whatever their Vary says.
	selects
	// who fields identify a caller.
	who
)

// fieldGroup are fields of one class by one source. A name that ends in "-" begins all names of a
// family.
type fieldGroup struct {
	class         class
	source, names string
}

// fieldTable returns the fields whose class is known. docs/CACHING.md contains it.
func fieldTable() []fieldGroup {
	return []fieldGroup{
		{harmless, "RFC 9110, 9111, 9112 and 9113", `Accept Accept-Charset Accept-Encoding Accept-Language
			Content-Type Content-Length Content-Encoding Content-Language Range If-Range If-Match If-None-Match
			If-Modified-Since If-Unmodified-Since Cache-Control Pragma Connection Keep-Alive Te Trailer Transfer-Encoding
			Upgrade Expect Host Date Max-Forwards Via User-Agent Referer Http2-Settings Proxy-Connection`},
		{harmless, "RFC 3229, 7089, 8470, 8586, 9218, 9530 and 9842", `A-Im Accept-Datetime Early-Data Cdn-Loop Priority
			Content-Digest Want-Content-Digest Want-Digest Want-Repr-Digest Available-Dictionary`},
		{harmless, "Fetch, Fetch Metadata, Client Hints, HTML, GPC", `Origin Access-Control-Request-Method
			Access-Control-Request-Headers Sec-Fetch-User Sec-Fetch- Sec-Ch- Dnt Sec-Gpc Save-Data Purpose Sec-Purpose
			Upgrade-Insecure-Requests Device-Memory Downlink Ect Rtt Dpr Width Viewport-Width Last-Event-Id`},
		{harmless, "W3C Trace Context, B3, and the tracing of AWS, Datadog, Elastic, Google, Jaeger, New Relic and Sentry", `Traceparent
			Tracestate B3 X-B3- Uber-Trace-Id Sentry-Trace X-Amzn-Trace-Id X-Cloud-Trace-Context Grpc-Trace-Bin Newrelic
			X-Ot-Span-Context Elastic-Apm-Traceparent X-Datadog- X-Client-Trace-Id`},
		{harmless, "numbers and times of a request: de facto, and the Idempotency-Key draft", `X-Request-Id X-Correlation-Id
			Request-Id X-Client-Request-Id X-Ms-Client-Request-Id Request-Start X-Request-Start Idempotency-Key Cf-Ray
			X-Envoy-Attempt-Count X-Envoy-Expected-Rq-Timeout-Ms`},
		{harmless, "SDKs of AWS, Azure, Google Cloud, OpenAI and Anthropic, Stripe, Kubernetes, npm and htmx", `X-Amz-User-Agent
			X-Amz-Date X-Amz-Content-Sha256 Amz-Sdk-Invocation-Id Amz-Sdk-Request X-Ms-Date X-Ms-Return-Client-Request-Id
			X-Goog-Api-Client X-Goog-Request-Params X-Goog-Gcs-Idempotency-Token X-Stainless- X-Stripe-Client-User-Agent
			X-Stripe-Client-Telemetry Kubectl-Command Kubectl-Session Npm-Command Npm-Scope Npm-Session Npm-In-Ci
			Pacote-Req-Type Pacote-Pkg-Id Hx-Current-Url`},
		{selects, "versions and features, by their own documentation; so are all other names that end in `-Version`", `Accept-Version
			Accept-Profile Accept-Crs Content-Crs Anthropic-Beta Openai-Beta Odata-Maxversion Consistencylevel
			A2a-Extensions X-Client-Version Feature-Flags Graphql-Features X-Graphql-Event-Stream X-Goog-Fieldmask`},
		{selects, "parts and forms: RFC 4918, 7240, and the documentation of htmx, Turbo, Inertia, Next.js and jQuery", `Depth Prefer
			X-Requested-With Hx-Request Hx-Target Hx-Trigger Hx-Boosted X-Pjax X-Inertia Turbo-Frame Rsc Next-Router-State-Tree
			X-Http-Method X-Http-Method-Override X-Method-Override`},
		{selects, "places and times, de facto", `Time-Zone Timezone X-Timezone X-Locale X-Language X-Region X-Country Cf-Ipcountry`},
		{selects, "the URL that a proxy got, de facto: answers repeat it", `X-Forwarded-Host X-Forwarded-Port X-Forwarded-Proto
			X-Forwarded-Scheme X-Forwarded-Prefix X-Forwarded-Server X-Original-Url X-Original-Host X-Rewrite-Url X-Host Cf-Visitor`},
		{who, "HTTP and APIs: `cache.IdentityFields`", strings.Join(IdentityFields(), " ")},
		{who, "RFC 7239, 9449, and principals and addresses that a proxy names, de facto", `Forwarded Dpop X-Forwarded-For
			X-Real-Ip True-Client-Ip Cf-Connecting-Ip X-Amzn-Oidc-Data X-Device-Id`},
		{who, "the documentation of GitLab, Honeycomb, Pivotal Tracker, Google Cloud, OpenAI, Kubernetes and x402", `Sudo
			X-Honeycomb-Team X-Trackertoken X-Goog-User-Project Openai-Project Sec-Websocket-Protocol X-Payment Agent-Id`},
	}
}

// Names of fields that identify a caller contain one of the parts, or have one of the words between
// hyphens.
const (
	whoParts = `token key secret auth session passw cred cookie account tenant cert jwt sign login email identi principal bearer member customer organi`
	whoWords = `user org client pin uid sid pass`
)

// listedFields are the fields of the table by their names, and its families.
var listedFields = sync.OnceValues(func() (of map[string]class, families []string) {
	of = make(map[string]class, 256)
	for _, group := range fieldTable() {
		for name := range strings.FieldsSeq(group.names) {
			if strings.HasSuffix(name, "-") {
				families = append(families, name)
				continue
			}
			of[http.CanonicalHeaderKey(name)] = group.class
		}
	}
	return of, families
})

// classOf returns the class of a field by its canonical name. The shape of a credential has
// precedence over a family, so that a family has no credentials.
func classOf(name string) class {
	listed, families := listedFields()
	if c, ok := listed[name]; ok {
		return c
	}
	lower := strings.ToLower(name)
	if namesCaller(lower) {
		return who
	}
	if slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(name, family) }) {
		return harmless
	}
	if strings.HasSuffix(lower, "-version") {
		return selects
	}
	return unknown
}

// namesCaller reports whether a name in lower case has the shape of a field that identifies a
// caller.
func namesCaller(lower string) bool {
	for part := range strings.FieldsSeq(whoParts) {
		if strings.Contains(lower, part) {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(lower, func(r rune) bool { return r == '-' || r == '_' }) {
		if strings.Contains(" "+whoWords+" ", " "+word+" ") {
			return true
		}
	}
	return false
}

// maxRemembered is the largest number of fields in no list whose classes are remembered. A program
// uses few; a proxy passes on the names of strangers.
const maxRemembered = 256

// maxRememberedName is the length of the longest name that is remembered, in bytes.
const maxRememberedName = 64

// remembered are classes by the canonical names of fields that are in no list.
type remembered struct {
	mu sync.RWMutex
	of map[string]class
}

// class is classOf.
func (r *remembered) class(name string) class {
	r.mu.RLock()
	c, ok := r.of[name]
	full := len(r.of) >= maxRemembered
	r.mu.RUnlock()
	if ok {
		return c
	}
	if c = classOf(name); full || len(name) > maxRememberedName {
		return c
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[string]class{}
	}
	if len(r.of) < maxRemembered {
		r.of[strings.Clone(name)] = c
	}
	return c
}
