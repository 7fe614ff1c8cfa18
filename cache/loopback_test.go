package cache_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
)

// Over a real connection the entry knows who answered.
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

// The gate counts an attempt that really was written, and not one that wasn't.
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
