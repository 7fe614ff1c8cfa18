// Package recorded puts sites in the place of the network: recordings, which it also writes, and files
// that are not published yet.
package recorded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/formats/links"
	"github.com/wayfindhq/wayfind/parse"
)

// Sites are the sites of a recording, or of files that are not published yet. A Client that
// uses them contacts nothing else.
type Sites struct {
	*loopback.Server
	target  string                     // the host with the most answers; empty if several have as many
	lost    map[string]*client.Failure // the failures of names that DNS did not know
	site    string                     // the reason why no other address is contacted
	connect func(context.Context, netip.AddrPort) (net.Conn, error)
	plain   map[string]bool // the hosts that were asked over http, and their ports, such as "localhost:3000"
	toPlain func(context.Context, netip.AddrPort) (net.Conn, error)
	close   func() error      // closes the directory of the files, or the server of plain; may be nil
	record  *client.Recording // nil for files
	talks   talks             // of record
	linked  bool              // a Link field names the one document, so it is read whatever formats are asked for
}

// Close stops the sites.
func (r *Sites) Close() error {
	err := r.Server.Close()
	if r.close != nil {
		err = errors.Join(err, r.close())
	}
	return err
}

// MayAsk reports whether a request can be answered. A recording answers only the requests that were
// recorded, and only without an Accept field of its own. If r is nil, the network is asked.
func (r *Sites) MayAsk(u, accept string) bool {
	return r == nil || r.record == nil || accept == "" && r.record.Lookup(u) != nil
}

// AreFiles reports whether the sites are files that are not published yet. If r is nil, the network
// is asked.
func (r *Sites) AreFiles() bool { return r != nil && r.site != recordingOpen }

// SitesOf opens the sites that a command line names in place of domains: a recording, a file,
// standard input, or a directory of files that are not published yet. The domains after a recording
// select among its sites. sites is nil if all words are domains.
func SitesOf(ctx context.Context, a *ui.App, n *session.Network, words []string) (domains []string, sites *Sites, err error) {
	chosen := make([]string, len(words))
	for i, word := range words {
		if chosen[i], err = document.Choose(a, word); err != nil {
			return nil, nil, err
		}
	}
	words = chosen
	if err := n.CheckServerURL(document.NamesSite(words[0])); err != nil {
		return nil, nil, err
	}
	first, behind := words[0], words[1:]
	if i := slices.IndexFunc(behind, document.NamesSite); i >= 0 {
		return nil, nil, ui.Usagef("%s is no domain: %s", ui.Show(behind[i]), nameOneSite)
	}
	switch {
	case document.IsRecording(first):
		if sites, err = Open(first); err == nil && len(sites.plain) > 0 {
			n.Dev = true // nothing but the recording is asked
		}
	case !document.NamesSite(first):
		return words, nil, nil
	case len(behind) > 0:
		return nil, nil, ui.Usagef("%s is no recording: %s", ui.Show(first), nameOneSite)
	default:
		sites, err = openUnserved(ctx, a, n, first)
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(behind) > 0:
		return behind, sites, nil
	case sites.target == "":
		_ = sites.Close()
		return nil, nil, ui.Usagef("%s has several sites: name the domain behind it", first)
	case sites.connect == nil:
		fmt.Fprintf(a.Err, "wayfind: %s is a recording, and %s in it is shown\n", ui.Show(first), ui.Show(sites.target))
		sites.talks.tell(a, first)
	}
	return []string{sites.target}, sites, nil
}

// nameOneSite is the error text for words that mix domains with files.
const nameOneSite = "name one file or directory alone, a recording with domains of it, or domains"

// Read reads the directory of a recording.
func Read(dir string) (*client.Recording, error) {
	root, err := os.OpenRoot(dir)
	if info, failed := os.Stat(dir); failed == nil && !info.IsDir() {
		return nil, ui.Usagef("%s is a file: name the directory of a recording, as \"wayfind resolve --save DIR\" writes it", ui.Show(dir))
	}
	if err != nil {
		return nil, ui.Usage(err)
	}
	defer root.Close()
	recording, err := client.ReadRecording(root.FS())
	if err != nil {
		return nil, ui.Usagef("%s: %w", dir, err)
	}
	return recording, nil
}

// Open serves a recording.
func Open(dir string) (*Sites, error) {
	recording, err := Read(dir)
	if err != nil {
		return nil, err
	}
	hosts, odd, err := loopback.RecordedHosts(recording)
	if err != nil {
		return nil, ui.Usagef("%s: %w", dir, err)
	}
	r := &Sites{lost: map[string]*client.Failure{}, plain: map[string]bool{}, site: recordingOpen, record: recording, talks: talksOf(recording)}
	host := r.study(recording)
	if r.target = r.talks.target(host, recording); r.target == host && r.plain[host] {
		r.target = "http://" + host
	}
	hosts = slices.DeleteFunc(hosts, func(host string) bool { return r.lost[loopback.Hostname(host)] != nil })
	if r.Server, err = loopback.Start(loopback.AnyPort(), hosts, loopback.Replay{Recording: recording}, odd); err != nil {
		return nil, fmt.Errorf("cannot serve on the loopback interface: %w", err)
	}
	if len(r.plain) > 0 {
		return r, r.servePlain(loopback.Replay{Recording: recording, Plain: true})
	}
	return r, nil
}

// servePlain answers for the servers under development that were asked over http. They may be running
// now, so no connection to their ports leaves this process.
func (r *Sites) servePlain(replay http.Handler) error {
	pipes := loopback.NewPipes()
	server, err := loopback.StartPlain(pipes, replay)
	if err != nil {
		return errors.Join(err, r.Server.Close())
	}
	r.close = server.Close
	r.toPlain = pipes.Connect
	return nil
}

// recordingOpen is the reason why no other address is contacted while a recording is read.
const recordingOpen = "a recording is open"

// study records the names that DNS did not know, and returns the host with the most requests, or ""
// if several have as many.
func (r *Sites) study(recording *client.Recording) (most string) {
	asked, found := map[string]int{}, map[string]bool{}
	for _, x := range recording.Exchanges() {
		u, err := url.Parse(x.URL)
		if err != nil {
			continue
		}
		asked[u.Host]++
		if u.Scheme == "http" {
			r.plain[u.Host] = true
		}
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

// lead sets options so that a Client asks the sites and nothing else. Of the live endpoints, it asks
// only those whose conversations are recorded.
func (r *Sites) lead(o *client.Options) {
	served := r.Options(nil)
	o.Live, o.Offline = r.talks.probers(), false
	if byLink := links.Format(); r.linked && o.Formats != nil && !slices.ContainsFunc(o.Formats, func(f *parse.Format) bool { return f.Name == byLink.Name }) {
		o.Formats = append(slices.Clone(o.Formats), byLink)
	}
	o.Network.RootCAs, o.Network.View = served.Network.RootCAs, "recording"
	o.Network.Resolver, o.Network.Dial = r, r.dial
	o.Policy.AllowCIDR = append(slices.Clone(o.Policy.AllowCIDR), served.Policy.AllowCIDR...)
	o.Policy.ConnectTo, o.Policy.UnsafeProxy = served.Policy.ConnectTo, nil
	if r.AreFiles() && strings.Contains(r.target, "://") { // a server under development needs none
		o.Policy.ConnectTo = nil
	}
}

// isPlain reports whether a port is that of a host of plain.
func (r *Sites) isPlain(port uint16) bool {
	for host := range r.plain {
		u := url.URL{Host: host}
		if cmp.Or(u.Port(), "80") == strconv.Itoa(int(port)) {
			return true
		}
	}
	return false
}

// LookupNetIP fails, because the recorded sites are found without DNS. Only the host of files that are
// read as a site without TLS has an address.
func (r *Sites) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if u, err := url.Parse(r.target); err == nil && u.Scheme == "http" && u.Hostname() == strings.TrimSuffix(host, ".") {
		return []netip.Addr{r.Addr.Addr()}, nil
	}
	failed := &net.DNSError{Err: r.site + ": it has no answer of this host", Name: host, IsNotFound: true}
	if f := r.lost[strings.TrimSuffix(host, ".")]; f != nil && f.Code != wayfind.CodeDNSNotFound {
		failed.IsNotFound, failed.IsTemporary, failed.IsTimeout = false, true, f.Code == wayfind.CodeTimeout
	}
	return nil, failed
}

// dial connects to the sites only. Files need no connection outside of this process, whatever the
// address is.
func (r *Sites) dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	switch {
	case r.connect != nil:
		return r.connect(ctx, addr)
	case addr.Addr().IsLoopback() && r.isPlain(addr.Port()):
		return r.toPlain(ctx, addr)
	case addr != r.Addr:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(addr), Err: errors.New(r.site + ": no other address is contacted")}
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr.String())
}

// OpenAt opens the Client of a verb for the network, or for sites in place of the network.
func OpenAt(n *session.Network, a *ui.App, sites *Sites) (*session.Session, error) {
	if sites == nil {
		return n.Open(a)
	}
	return OpenClient(n, a, sites)
}

// OpenClient returns a Client for recorded sites. It stores nothing.
func OpenClient(n *session.Network, a *ui.App, r *Sites) (*session.Session, error) {
	o, err := n.Options(a)
	if err != nil {
		return nil, err
	}
	r.lead(o)
	c, err := client.New(o)
	return session.Of(a, c), err
}
