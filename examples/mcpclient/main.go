// Command mcpclient uses package cache with the client of the MCP SDK. The metadata of the
// authorization servers for an MCP server is fetched once, and the session with its event
// stream works as without a cache.
//
//	go run .
//
// The SDK requests metadata each time it needs it (RFC 9728, RFC 8414). These requests are
// GETs, and the cache answers them. All other requests of MCP are POSTs or streams, which the
// cache passes on unchanged. The program is a separate module, as yours would be, and only asks
// a server that it starts on loopback.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

const (
	// looks is the number of times that the program needs the metadata.
	looks = 3
	// timeout is the maximum time of the program. A Timeout of the http.Client would also end
	// event streams.
	timeout = 30 * time.Second
	// metadataPath is the place of the server's metadata about authorization (RFC 9728 §3.1).
	metadataPath = "/.well-known/oauth-protected-resource/mcp"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	shop := newShop()
	defer shop.Close()

	// Your program needs these lines. The cache uses the transport that you use today.
	store, err := memory.New(0)
	if err != nil {
		return err
	}
	defer store.Close()
	client := cache.NewClient(store, &http.Transport{})
	defer client.CloseIdleConnections()

	for range looks {
		about, err := oauthex.GetProtectedResourceMetadata(ctx, shop.URL+metadataPath, shop.URL+"/mcp", client)
		if err != nil {
			return err
		}
		fmt.Printf("tokens for %s come from %s\n", about.ResourceName, about.AuthorizationServers[0])
	}
	fmt.Printf("the metadata were asked for %d time(s)\n", shop.asked.Load())
	return watch(ctx, client, shop)
}

// watch connects, and receives the news of a new tool from the event stream.
func watch(ctx context.Context, client *http.Client, shop *shop) error {
	changed := make(chan struct{}, 1)
	buyer := mcp.NewClient(&mcp.Implementation{Name: "buyer", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := buyer.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: shop.URL + "/mcp", HTTPClient: client}, nil)
	if err != nil {
		return err
	}
	if err := printTools(ctx, session); err != nil {
		return errors.Join(err, session.Close())
	}
	shop.server.AddTool(tool("buy"), nil)
	select {
	case <-changed:
		err = printTools(ctx, session)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return errors.Join(err, session.Close())
}

func printTools(ctx context.Context, session *mcp.ClientSession) error {
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Print("tools:")
	for _, t := range list.Tools {
		fmt.Print(" ", t.Name)
	}
	fmt.Println()
	return nil
}

// shop is an MCP server. Its metadata about authorization is fresh for a minute.
type shop struct {
	*httptest.Server
	server *mcp.Server
	asked  atomic.Int64
}

func newShop() *shop {
	s := &shop{server: mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)}
	s.server.AddTool(tool("find"), nil)
	mux := http.NewServeMux()
	s.Server = httptest.NewServer(mux)
	about := auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: s.URL + "/mcp", ResourceName: "the shop", AuthorizationServers: []string{"https://login.example"},
	})
	mux.HandleFunc(metadataPath, func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		w.Header().Set("Cache-Control", "max-age=60")
		about.ServeHTTP(w, r)
	})
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.server }, nil))
	return s
}

// Close also closes the connections, because an event stream does not end by itself.
func (s *shop) Close() {
	s.CloseClientConnections()
	s.Server.Close()
}

func tool(name string) *mcp.Tool {
	return &mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}
}
