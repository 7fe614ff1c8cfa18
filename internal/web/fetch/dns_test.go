package fetch

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/memconn"
	"github.com/wayfindhq/wayfind/security"
)

// nameserver is a scripted DNS server in memory, under Go's own resolver as
// the default of Options has it. It speaks over "udp" and "tcp".
type nameserver struct {
	reply func(network string, q *dnsmessage.Message) []*dnsmessage.Message // nil: silence
	down  func() bool

	mu    sync.Mutex
	asked map[string]int // by network and type
}

func (n *nameserver) resolver() Resolver {
	n.asked = map[string]int{}
	return &systemResolver{net.Resolver{PreferGo: true, Dial: n.dial}}
}

func (n *nameserver) dial(_ context.Context, network, _ string) (net.Conn, error) {
	if n.down != nil && n.down() {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	ours, theirs := memconn.Pipe(&net.UDPAddr{}, &net.UDPAddr{})
	go n.serve(network, theirs)
	if network == "udp" {
		return datagrams{ours}, nil
	}
	return ours, nil
}

// datagrams makes the resolver take a connection for UDP.
type datagrams struct{ net.Conn }

func (datagrams) ReadFrom([]byte) (int, net.Addr, error) { return 0, nil, errors.ErrUnsupported }
func (datagrams) WriteTo([]byte, net.Addr) (int, error)  { return 0, errors.ErrUnsupported }

// serve answers until the resolver hangs up. A message over TCP has its length
// in front (RFC 1035 §4.2.2).
func (n *nameserver) serve(network string, c net.Conn) {
	defer c.Close()
	for {
		b := make([]byte, 1<<16)
		size, err := c.Read(b)
		if err != nil {
			return
		}
		b = b[:size]
		if network == "tcp" {
			b = b[2:]
		}
		var q dnsmessage.Message
		if q.Unpack(b) != nil {
			return
		}
		n.mu.Lock()
		n.asked[network+" "+q.Questions[0].Type.String()]++
		n.mu.Unlock()
		for _, m := range n.reply(network, &q) {
			packed, err := m.Pack()
			if err != nil {
				panic(err)
			}
			if network == "tcp" {
				packed = append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...)
			}
			_, _ = c.Write(packed)
			if network == "udp" {
				time.Sleep(time.Millisecond) // one datagram at a time
			}
		}
	}
}

// dnsReply answers q with addresses of its family.
func dnsReply(q *dnsmessage.Message, addrs ...string) *dnsmessage.Message {
	m := &dnsmessage.Message{
		Header:    dnsmessage.Header{ID: q.ID, Response: true, RecursionDesired: true, RecursionAvailable: true},
		Questions: q.Questions,
	}
	for _, text := range addrs {
		a := netip.MustParseAddr(text)
		h := dnsmessage.ResourceHeader{Name: q.Questions[0].Name, Class: dnsmessage.ClassINET, TTL: 60}
		switch {
		case a.Is4() && q.Questions[0].Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Questions[0].Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return m
}

func one(m *dnsmessage.Message) []*dnsmessage.Message { return []*dnsmessage.Message{m} }

// TestAMisbehavingNameServerCostsNoMoreThanItsTime drives Go's resolver, as it is used by
// default, with a server that misbehaves: within the time for look-ups, with both families
// asked.
func TestAMisbehavingNameServerCostsNoMoreThanItsTime(t *testing.T) {
	_, _ = (&nameserver{down: func() bool { return true }}).resolver().LookupNetIP(t.Context(), "ip", "example.com.") // package net makes channels once
	// Addresses of the loopback, because package net connects sockets, without sending, to sort the
	// addresses of an answer.
	const ip1, six = "127.0.0.1", "::1"
	policy := &security.Guard{AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}
	timeout := failed("dns", wayfind.CodeTimeout)
	var many []string
	for i := range 4090 { // as many as a message has room for; 4,096 in TestOfManyAddressesFourAreDialled
		many = append(many, netip.AddrFrom4([4]byte{127, 1, byte(i >> 8), byte(i)}).String())
	}
	type reply = func(network string, q *dnsmessage.Message) []*dnsmessage.Message
	truncated := func(tcp reply) reply {
		return func(network string, q *dnsmessage.Message) []*dnsmessage.Message {
			if network == "tcp" {
				return tcp(network, q)
			}
			m := dnsReply(q)
			m.Truncated = true
			return one(m)
		}
	}
	coded := func(code dnsmessage.RCode) reply {
		return func(_ string, q *dnsmessage.Message) []*dnsmessage.Message {
			m := dnsReply(q)
			m.RCode = code
			return one(m)
		}
	}
	silence := func(string, *dnsmessage.Message) []*dnsmessage.Message { return nil }
	for _, tt := range []struct {
		name  string
		reply reply
		down  int // dials that fail at first
		want  answer
		dials int
		took  time.Duration // 0: any within the limit
	}{
		{"sound", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message { return one(dnsReply(q, ip1)) }, 0, ok("hello"), 1, 0},
		{"slow", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message {
			time.Sleep(lookupTimeout - 100*time.Millisecond)
			return one(dnsReply(q, ip1))
		}, 0, ok("hello"), 1, 0},
		{"too slow", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message {
			time.Sleep(lookupTimeout + 100*time.Millisecond)
			return one(dnsReply(q, ip1))
		}, 0, timeout, 0, lookupTimeout},
		{"silent", silence, 0, timeout, 0, lookupTimeout},
		{"one family silent", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message {
			if q.Questions[0].Type == dnsmessage.TypeAAAA {
				return nil
			}
			return one(dnsReply(q, ip1))
		}, 0, timeout, 0, lookupTimeout},
		{"truncated, then silence over TCP", truncated(silence), 0, timeout, 0, lookupTimeout},
		{"truncated, 4,090 over TCP", truncated(func(_ string, q *dnsmessage.Message) []*dnsmessage.Message {
			return one(dnsReply(q, append([]string{ip1}, many...)...))
		}), 0, ok("hello"), 1, 0},
		{"wrong id, then the right one", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message {
			var list []*dnsmessage.Message
			for range 100 {
				wrong := dnsReply(q, "10.0.0.1")
				wrong.ID++
				list = append(list, wrong)
			}
			return append(list, dnsReply(q, ip1))
		}, 0, ok("hello"), 1, 0},
		{"wrong id alone", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message {
			wrong := dnsReply(q, ip1)
			wrong.ID++
			return one(wrong)
		}, 0, timeout, 0, lookupTimeout},
		{"another question", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message {
			m := dnsReply(q, ip1)
			m.Questions = []dnsmessage.Question{{Name: dnsmessage.MustNewName("evil.example.net."), Type: q.Questions[0].Type, Class: dnsmessage.ClassINET}}
			return one(m)
		}, 0, timeout, 0, lookupTimeout},
		{"IPv6 only", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message { return one(dnsReply(q, six)) }, 0, ok("hello"), 1, 0},
		{"down, then up", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message { return one(dnsReply(q, ip1)) }, 1 << 10, ok("hello"), 1, 0},
		{"EDNS refused", coded(dnsmessage.RCodeFormatError), 0, failed("dns", wayfind.CodeDNS), 0, 0},
		{"refused", coded(dnsmessage.RCodeRefused), 0, failed("dns", wayfind.CodeDNS), 0, 0},
		{"server failure", coded(dnsmessage.RCodeServerFailure), 0, failed("dns", wayfind.CodeDNS), 0, 0},
		{"no such name", coded(dnsmessage.RCodeNameError), 0, failed("dns", wayfind.CodeDNSNotFound), 0, 0},
		{"no address", func(_ string, q *dnsmessage.Message) []*dnsmessage.Message { return one(dnsReply(q)) }, 0, failed("dns", wayfind.CodeDNSNotFound), 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.site("shop.example.com", ip1, hello)
				w.serve(w.listen(six), "shop.example.com", hello)
				n := &nameserver{reply: tt.reply}
				start := time.Now()
				if tt.down > 0 { // for the first attempt, not for the retry
					n.down = func() bool { return time.Since(start) == 0 }
				}
				got, took, err := w.attempt(t, t.Context(), func(o *Options) { o.Resolver, o.Policy = n.resolver(), policy })
				sameAnswer(t, tt.want, got)
				if tt.took > 0 && took != tt.took || took > 2*lookupTimeout || w.dialCount() != tt.dials {
					t.Errorf("took %v, %d dials: %v", took, w.dialCount(), err)
				}
				n.mu.Lock()
				if n.asked["udp TypeA"] == 0 || n.asked["udp TypeAAAA"] == 0 {
					t.Errorf("asked %v", n.asked)
				}
				n.mu.Unlock()
				time.Sleep(time.Minute) // work that the resolver has begun goes on for a while
			})
		})
	}
}
