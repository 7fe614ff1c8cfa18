package cache_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
)

// Over a real connection the entry has the address of the server.
func TestRemoteAddr(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "x")
	}))
	defer server.Close()
	inner := &http.Transport{}
	defer inner.CloseIdleConnections()
	resp, err := newTransport(t, inner, nil).RoundTrip(newRequest(t.Context(), server.URL))
	if err != nil {
		t.Fatal(err)
	}
	e, _, _ := cache.Of(resp)
	if want := netip.MustParseAddrPort(server.Listener.Addr().String()); e.RemoteAddr != want {
		t.Errorf("RemoteAddr = %v, want %v", e.RemoteAddr, want)
	}
}

// The gate records an attempt only if it was really written.
func TestGateOverLoopback(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		panic(http.ErrAbortHandler) // written, never answered
	}))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	defer server.Close()
	inner := &http.Transport{DisableKeepAlives: true}
	g := newGate(nil, inner, &gateOptions{Floor: hourly})
	for name, tt := range map[string]struct {
		url  string
		held bool
	}{"written": {server.URL, true}, "refused": {gone.URL, false}} {
		if err := ask(t, g, tt.url); err == nil {
			t.Fatalf("%s: the first attempt succeeded", name)
		}
		_, held := ask(t, g, tt.url).(*cache.HeldError)
		if held != tt.held {
			t.Errorf("%s: held %v after the first attempt, want %v", name, held, tt.held)
		}
	}
}

// A connection that has become a WebSocket is the caller's to read and to write, over real
// sockets too.
func TestAnUpgradedConnectionCarriesBothWaysOverSockets(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(echo))
	defer srv.Close()
	inner := &http.Transport{}
	defer inner.CloseIdleConnections()
	req := newRequest(t.Context(), srv.URL, "Connection", "Upgrade", "Upgrade", "websocket", "Sec-Websocket-Version", "13")
	resp, err := clientOver(t, inner).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("status %d, body %T", resp.StatusCode, resp.Body)
	}
	lines := bufio.NewReader(conn)
	for _, text := range []string{"one\n", "two\n"} {
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		if got, err := lines.ReadString('\n'); got != text || err != nil {
			t.Errorf("%q came back of %q, %v", got, text, err)
		}
	}
}

// echo switches to a protocol that repeats each line.
func echo(w http.ResponseWriter, _ *http.Request) {
	conn, both, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	for {
		line, err := both.ReadString('\n')
		if err != nil {
			return
		}
		if _, err := io.WriteString(conn, line); err != nil {
			return
		}
	}
}

// No transport is the default one, as for an http.Client; Close ends the cache of
// a client.
func TestAClientWithoutATransport(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = io.WriteString(w, "x")
	}))
	defer server.Close()
	store := newMemory(t)
	defer store.Close()
	c := cache.NewClient(store, nil)
	for _, from := range []string{cache.FromNetwork, cache.FromMemory} {
		want(t, from, do(t, c.Transport, newRequest(t.Context(), server.URL)), result{200, "x", from, ""})
	}
	c.CloseIdleConnections()
	if err := cache.Close(c); err != nil {
		t.Error(err)
	}
	if _, err := c.Get(server.URL + "/other"); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := cache.Close(&http.Client{}); err != nil {
		t.Errorf("another client: %v", err)
	}
}
