// Package mcpserver offers the tools of web domains to hosts of the Model Context
// Protocol. Its server has the tools of package client/tools, called by package
// client/call. The package is experimental.
//
// [AddTools] adds the tools of a Box to an existing server. [New] makes a new server,
// which follows the offers of its domains:
//
//	caller, err := call.New(c, nil)
//	s, err := mcpserver.New(c, caller, &mcpserver.Options{Domains: []string{"shop.example"}})
//	err = s.Serve(ctx, &mcp.StdioTransport{})
//
// # Tools that a host sees
//
// The server always lists the same four tools: wayfind_search finds tools by words,
// wayfind_describe returns a definition, wayfind_call makes a call, and wayfind_open adds a domain
// to the server. If the Box has few tools, they are listed too, by their names in the Box. A tool
// of [Options.Domains] has a plain name if no other of these domains has a tool with that name, and all
// of them have answered. Names that begin with the domain refer to the same tools at any time.
//
// If the work of a call goes on at a service, the call waits for it, for [Options.Patience]. The model then
// gets a handle for wayfind_wait, which is listed if a tool declares such work or has had it. The handle
// outlives the server if the Caller has a TicketKey.
//
// An MCP server behind this one keeps its session for one host, until the host leaves or 5 minutes after the
// last call. A host over HTTP without a session has one for each call.
//
// Resources, templates and prompts of MCP servers are listed as such. The URI of a resource is the
// URI at its server after "wayfind://" and the domain. Reading it asks no person. Arguments of
// prompts and variables of templates are completed by their server. Completion is declared if a
// server supports it. Subscriptions and tasks are not supported: they are not declared, and
// requests for them are refused.
//
// A host that asks for them gets the notices of an MCP server during a call: its progress, at most
// ten times a second, and up to 100 log messages. They begin with the domain. A call that a host
// cancels is cancelled at its server, and gets no answer. The description of a tool contains the
// instructions of its server, marked as data.
//
// A server that declares notices of changed lists is listened to, on one stream. Its domain is read
// again when the server says so, at most once in ten seconds. Hosts get a notice if their own
// lists have changed.
//
// Each domain is read by itself. A call waits for the domain of its tool alone. A list and
// a search wait two seconds for slow domains, and a search names the domains that are
// missing.
//
// # Guarantees
//
// The model supplies neither a URL that is fetched nor a secret. Opening a domain needs the
// agreement of a person, and so does a call that does more than read. If the host can ask a person
// (elicitation), it asks about exactly the request that will be sent. The answer may be valid for
// the tool until the session of this host ends, unless a person must be asked about each call. A host
// over HTTP without a session is asked each time. If the host
// cannot ask, the call is refused, and the answer describes how to allow it. Some [Options] allow
// calls without a question: Allow, Open, TrustAnnotations, and HostConfirms for a host that asks by
// itself. A question that a server asks during a call reaches the person too, unless it asks for a
// secret, if the host has elicitation and begins a session. A site cannot give its tool the name of
// another site's tool, or of one of the four. Texts of sites are data. They are cleaned, cut and
// marked with their origin, as are the instructions of a server, which a host gets with the
// handshake if a person has named the server and its tools are listed by their own names. The
// server sends no requests to the host's model and reads no file of the host.
package mcpserver
