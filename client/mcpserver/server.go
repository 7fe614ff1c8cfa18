package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Server is an MCP server that offers the tools of web domains. Make one with [New] and
// close it after use. Any number of hosts may connect to it.
type Server struct {
	client  *client.Client
	surface *surface
	mcp     *mcp.Server

	ctx            context.Context // the context of the readings; ends with Close
	stop           context.CancelFunc
	work           sync.WaitGroup
	news           chan struct{} // has an element if a domain was read
	turns          chan struct{} // has an element for each domain that is being read
	box            atomic.Pointer[tools.Box]
	saved          atomic.Pointer[saved]
	heard          atomic.Int64 // servers that are listened to
	credentialUsed atomic.Bool  // a credential was used
	pended         atomic.Bool  // a host has got a handle for work that goes on
	private        atomic.Bool  // the Box may be shown only to this user
	until          atomic.Int64 // the time when the first of the sources is stale, in Unix milliseconds
	closed         sync.Once
	allowed        sync.Once     // Allow was judged
	failed         chan struct{} // closed if no host can be served
	err            error         // why; set before failed is closed

	mu      sync.Mutex
	domains []*domain
	changed chan struct{} // closed when a Box is made
	names   []byte        // the table of names of all Boxes so far

	list listing
}

// New returns a server, and begins to read its domains in the background. The Client and the Caller
// must outlive it. If the Caller has no Options.Confirm, the host asks a person.
func New(c *client.Client, caller *call.Caller, opts *Options) (*Server, error) {
	o, err := opts.withDefaults(c)
	if err != nil {
		return nil, err
	}
	if caller == nil || reflect.ValueOf(caller).Elem().IsZero() {
		return nil, errors.New("mcpserver: the Caller is nil or zero: call.New makes one")
	}
	given, err := newGrants(&o)
	if err != nil {
		return nil, err
	}
	s := &Server{client: c, news: make(chan struct{}, 1), turns: make(chan struct{}, client.DefaultInFlight), changed: make(chan struct{}), failed: make(chan struct{})}
	s.surface = &surface{
		caller: caller.With(shownForm()).Trusting(given.trusts), opts: o, box: s.boxFor, apart: true, levels: &levels{all: make(map[*mcp.ServerSession]string)}, seals: newSeals(), grants: given,
		credentialUsed: func() { s.credentialUsed.Store(true) }, pends: s.pends, late: s.missing, names: s.saved.Load, askers: newAskers(caller), while: s.while,
	}
	s.saved.Store(&saved{})
	s.ctx, s.stop = context.WithCancel(caller.WithCredentials(context.Background()))
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: o.Name, Version: o.Version}, &mcp.ServerOptions{
		Instructions: ownInstructions,
		Capabilities: &mcp.ServerCapabilities{
			Logging: &mcp.LoggingCapabilities{}, //lint:ignore SA1019 hosts of the earlier era ask for it
			Tools:   &mcp.ToolCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{ListChanged: true}, Prompts: &mcp.PromptCapabilities{ListChanged: true},
		},
		CompletionHandler: s.surface.complete, PageSize: pageSize, SetCacheable: s.cacheable, Logger: o.Logger,
	})
	s.mcp.AddReceivingMiddleware(s.waiting)
	s.mcp.AddSendingMiddleware(greeted)
	box, err := tools.Load(s.ctx, c, nil, s.choosing())
	if err != nil {
		return nil, err
	}
	s.take(box, nil)
	s.work.Go(s.publish)
	for _, name := range o.Domains {
		s.add(name, true)
	}
	return s, nil
}

// MCP returns the server of the SDK, for its transports. Do not change its tools.
func (s *Server) MCP() *mcp.Server { return s.mcp }

// Serve serves one host until it disconnects or ctx ends. Calls that are under way end
// with ctx. It ends with an error if [Options.Allow] turns out to allow nothing.
func (s *Server) Serve(ctx context.Context, t mcp.Transport) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.failed:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := s.mcp.Run(context.WithValue(ctx, servedKey{}, ctx), t)
	return cmp.Or(s.Err(), err)
}

// Failed returns a channel that is closed when no host can be served, because [Options.Allow] turned
// out to allow nothing. Err then returns the reason. [Server.Serve] ends by itself, and
// [Server.Handler] answers with 503.
func (s *Server) Failed() <-chan struct{} { return s.failed }

// Err returns the reason why no host can be served, or nil.
func (s *Server) Err() error {
	select {
	case <-s.failed:
		return s.err
	default:
		return nil
	}
}

// servedKey is the key of the context of Serve. The SDK passes the values of a context on to
// requests, but not its end, so it would wait for a call, and for a person, when it is told to
// stop.
type servedKey struct{}

// while returns a context for a request that ends with the server, and with Serve.
func (s *Server) while(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	ends := []func() bool{context.AfterFunc(s.ctx, cancel)}
	if served, ok := ctx.Value(servedKey{}).(context.Context); ok {
		ends = append(ends, context.AfterFunc(served, cancel))
	}
	return ctx, func() {
		for _, end := range ends {
			end()
		}
		cancel()
	}
}

// Close ends the readings and the calls that are under way, and waits for the readings.
// Hosts get no further notices of changes.
func (s *Server) Close() error {
	s.closed.Do(func() {
		s.stop()
		s.list.stop()
		s.work.Wait()
	})
	return nil
}

// Box returns the current tools of the server.
func (s *Server) Box() *tools.Box { return s.box.Load() }

// boxFor returns the Box for a call, and the name in the Box for the name that a host uses. It
// waits for the domain of the tool, or for all domains if the name is empty, as for a search.
func (s *Server) boxFor(ctx context.Context, name string) (*tools.Box, string) {
	if name == "" {
		s.awaitAll(ctx)
		s.await(ctx, func() bool { return s.Box().Len() > 0 || len(s.unread()) == 0 })
		return s.Box(), ""
	}
	s.awaitTool(ctx, name)
	return s.Box(), s.saved.Load().plain(name)
}

// waiting makes a list wait briefly for the first reading of the domains, and a call wait for the
// domain of its tool, which a host may know from an earlier run. Both wait until all tools of the
// reading are shown.
func (s *Server) waiting(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		serve := next
		switch method {
		case "tools/call", "resources/read", "prompts/get":
			var end func()
			ctx, end = s.while(ctx)
			defer end()
			switch asked := req.(type) {
			case *mcp.CallToolRequest:
				if asked.Params.Name == metaWait { // a host may know it from before a restart
					s.pends()
				}
				if !isOwn(asked.Params.Name) {
					_, asked.Params.Name = s.boxFor(ctx, asked.Params.Name)
				}
			case *mcp.GetPromptRequest:
				_, asked.Params.Name = s.boxFor(ctx, asked.Params.Name)
			case *mcp.ReadResourceRequest:
				s.awaitAll(ctx)
				serve = s.readsOwn(asked, next)
			}
			s.list.settle(s)
		case "initialize":
			s.endOldSessions()
			s.awaitAll(ctx) // the capabilities depend on the servers behind this one
		case "server/discover":
			s.awaitAll(ctx)
		case "logging/setLevel":
			if err := s.setLevel(req); err != nil {
				return nil, err
			}
		case "completion/complete":
			if s.awaitAll(ctx); s.completes() {
				break
			}
			fallthrough
		case "resources/subscribe", "resources/unsubscribe":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this server does not have " + method}
		case "tools/list", "resources/list", "resources/templates/list", "prompts/list":
			s.awaitAll(ctx)
			s.list.settle(s)
		}
		res, err := serve(ctx, method, req)
		if err == nil {
			s.declared(res)
			s.instructed(res)
		}
		return res, coded(method, err)
	}
}

// readsOwn returns next for a resource whose URI the host writes as it is at the server.
func (s *Server) readsOwn(asked *mcp.ReadResourceRequest, next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		own := asked.Params.URI
		asked.Params.URI = hostsURI(s.Box(), own)
		res, err := next(ctx, method, req)
		if read, ok := res.(*mcp.ReadResourceResult); ok && read != nil && asked.Params.URI != own {
			for _, c := range read.Contents {
				if c.URI == asked.Params.URI {
					c.URI = own
				}
			}
		}
		return res, err
	}
}

// coded returns an error with a code of the protocol.
func coded(method string, err error) error {
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok || err == nil {
		return err
	}
	code := int64(jsonrpc.CodeInternalError)
	if method == "initialize" { // initialize was called a second time
		code = jsonrpc.CodeInvalidRequest
	}
	return &jsonrpc.Error{Code: code, Message: err.Error()}
}

// setLevel answers logging/setLevel, which the later era does not have.
func (s *Server) setLevel(req mcp.Request) error {
	session, _ := req.GetSession().(*mcp.ServerSession)
	params, _ := req.GetParams().(*mcp.SetLoggingLevelParams) //lint:ignore SA1019 hosts of the earlier era ask for it
	if session == nil || params == nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no level"}
	}
	return s.surface.levels.set(session, string(params.Level))
}

// pends lists wayfind_wait from now on, if it is not listed yet.
func (s *Server) pends() {
	if !s.pended.Swap(true) {
		s.list.show(s)
	}
}

// isOwn reports whether a name is one of the server's own tools.
func isOwn(name string) bool {
	return slices.Contains([]string{tools.MetaSearch, tools.MetaDescribe, tools.MetaCall, metaOpen, metaWait}, name)
}

// greeted drops notices to a host that has not sent a request yet. The host may be of the era in
// which hosts ask for notices, and in the earlier era nothing precedes its first request.
func greeted(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		session, ok := req.GetSession().(*mcp.ServerSession)
		if ok && strings.HasSuffix(method, "/list_changed") && session.InitializeParams() == nil {
			return nil, nil
		}
		return next(ctx, method, req)
	}
}

// endOldSessions ends the oldest sessions over HTTP if there are more than maxSessions. Hosts that have
// left without closing theirs would keep them for a while. Other hosts begin a new session.
func (s *Server) endOldSessions() {
	var held []*mcp.ServerSession
	for session := range s.mcp.Sessions() {
		if session.ID() != "" {
			held = append(held, session)
		}
	}
	for _, old := range held[:max(0, len(held)-maxSessions)] {
		go func() { _ = old.Close() }() // Close waits for its calls
	}
}

// cacheable sets the lifetime of a list, which is the shortest lifetime of its sources. After a
// credential was used for a call or for a list, lists are private to this host.
func (s *Server) cacheable(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
	c.TTLMs = int(max(0, s.until.Load()-time.Now().UnixMilli()))
	c.CacheScope = "public"
	if s.credentialUsed.Load() || s.private.Load() {
		c.CacheScope = "private"
	}
}

// take makes a Box the current Box of the server.
func (s *Server) take(box *tools.Box, old saved) {
	kept, err := box.Names()
	if err == nil && len(kept) > maxNames { // a site that has new tools each time would make the table grow without limit
		kept, err = box.OwnNames()
	}
	s.mu.Lock()
	if err == nil {
		s.names = kept
	}
	s.mu.Unlock()
	until := box.FreshUntil()
	if until.IsZero() {
		until = time.Now().Add(mostPause)
	}
	s.until.Store(max(0, until.UnixMilli()))
	s.private.Store(box.Private())
	s.saved.Store(&old)
	s.list.take(s, box)
}
