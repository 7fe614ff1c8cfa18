package client

// Limits are those of one call, for [Options].
type Limits struct {
	// Foreign is the number of requests to hosts of other sites in one call,
	// redirects included; default DefaultForeign, -1 none. A place that needs
	// more is skipped, with the reason "foreign". A site can lead requests to
	// others, and must not become a way to flood them.
	Foreign int
}
