package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// recordedSites are the sites of a recording, served on this machine for one Client.
type recordedSites struct {
	*siteServer
	target string                     // the site that has most of the answers; "" where several have
	lost   map[string]*client.Failure // names that DNS did not know
}

// isRecording reports whether a word names the directory of a recording: it has the form
// of a path, or it is there.
func isRecording(word string) bool {
	if strings.HasPrefix(word, ".") || strings.HasPrefix(word, "/") {
		info, err := os.Stat(word)
		return err != nil || info.IsDir()
	}
	info, err := os.Stat(word)
	if err != nil || !info.IsDir() {
		return false
	}
	root, err := os.OpenRoot(word)
	if err != nil {
		return false
	}
	defer root.Close()
	return exists(root, recordingIndex)
}

// readRecording reads the directory of a recording.
func readRecording(dir string) (*client.Recording, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, usage{err}
	}
	defer root.Close()
	recording, err := client.ReadRecording(root.FS())
	if err != nil {
		return nil, usagef("%s: %w", dir, err)
	}
	return recording, nil
}

// openRecorded serves a recording.
func openRecorded(dir string) (*recordedSites, error) {
	recording, err := readRecording(dir)
	if err != nil {
		return nil, err
	}
	hosts, odd, err := recordedHosts(recording)
	if err != nil {
		return nil, usagef("%s: %w", dir, err)
	}
	r := &recordedSites{lost: map[string]*client.Failure{}}
	r.target = r.study(recording)
	hosts = slices.DeleteFunc(hosts, func(host string) bool { return r.lost[hostname(host)] != nil })
	if r.siteServer, err = startSites(hosts, replay{recording}, odd); err != nil {
		return nil, fmt.Errorf("cannot serve on the loopback interface: %w", err)
	}
	return r, nil
}

// study finds the names that DNS did not know, and the host that was asked most.
func (r *recordedSites) study(recording *client.Recording) (most string) {
	asked, found := map[string]int{}, map[string]bool{}
	for _, x := range recording.Exchanges() {
		u, err := url.Parse(x.URL)
		if err != nil {
			continue
		}
		asked[u.Host]++
		switch f := x.Failure; {
		case f == nil || f.Stage != "dns" && f.Stage != client.StageHeld:
			found[u.Hostname()] = true
		case f.Stage == "dns":
			r.lost[u.Hostname()] = f
		}
	}
	maps.DeleteFunc(r.lost, func(name string, _ *client.Failure) bool { return found[name] })
	second := ""
	for host, n := range asked {
		switch {
		case n > asked[most]:
			most, second = host, most
		case n > asked[second]:
			second = host
		}
	}
	if asked[second] == asked[most] {
		return ""
	}
	return most
}

// lead makes a Client ask the recording, and nothing else. Live endpoints are not
// recorded.
func (r *recordedSites) lead(o *client.Options) {
	served := r.options(nil)
	o.Live, o.Offline = nil, false
	o.Network.RootCAs, o.Network.View = served.Network.RootCAs, "recording"
	o.Network.Resolver, o.Network.Dial = r, r.dial
	o.Policy.AllowCIDR, o.Policy.ConnectTo, o.Policy.UnsafeProxy = served.Policy.AllowCIDR, served.Policy.ConnectTo, nil
}

// LookupNetIP fails: the recorded sites are found without it.
func (r *recordedSites) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	failed := &net.DNSError{Err: "the recording has no answer of it", Name: host, IsNotFound: true}
	if f := r.lost[strings.TrimSuffix(host, ".")]; f != nil && f.Code != wayfind.CodeDNSNotFound {
		failed.IsNotFound, failed.IsTemporary, failed.IsTimeout = false, true, f.Code == wayfind.CodeTimeout
	}
	return nil, failed
}

var errOutside = errors.New("a recording is open: no other address is contacted")

// dial connects to the recorded sites only.
func (r *recordedSites) dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	if addr != r.addr {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(addr), Err: errOutside}
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr.String())
}

// openRecorded makes a Client for a recording. It keeps nothing.
func (n *network) openRecorded(a *app, r *recordedSites) (*session, error) {
	o, err := n.options(a)
	if err != nil {
		return nil, err
	}
	r.lead(o)
	c, err := client.New(o)
	return &session{Client: c}, err
}
