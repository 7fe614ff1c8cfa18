package client

import "context"

// Limits are those of one call, for [Options].
type Limits struct {
	// Foreign is the number of requests to hosts of other sites in one call,
	// redirects included; default DefaultForeign, -1 none. A place that needs
	// more is skipped, with the reason "foreign". A site can lead requests to
	// others, and must not become a way to flood them.
	Foreign int
}

// Network is how the network is reached, for [Options].
type Network struct {
	// BeforeHost is called for each host that a caller, a document or a redirect
	// brings, before its name is looked up, and again for each new connection to
	// it. An error refuses the host: kind wayfind.ErrRefused, code
	// wayfind.CodeHostRefused. It runs inside work that several callers share, so
	// ctx has no values of theirs; it must return soon after ctx ends.
	// security.HostDetector has a ready one. Nil lets all pass.
	BeforeHost func(ctx context.Context, host string) error
}
