package clienttest

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"
)

// Answer is the answer of DNS to one look-up. Make it with [Addrs], [NXDomain], [ServFail] or
// [NoAnswer]. The zero value is the addresses of the host with that name.
type Answer struct {
	kind  answerKind
	addrs []netip.Addr
	delay time.Duration
}

type answerKind int

const (
	answerHost answerKind = iota
	answerAddrs
	answerNXDomain
	answerServFail
	answerNone
)

// Addrs returns an answer with these addresses, public or not, in this order.
func Addrs(addrs ...netip.Addr) Answer {
	return Answer{kind: answerAddrs, addrs: slices.Clone(addrs)}
}

// NXDomain returns the answer that the name does not exist (RFC 2308 §2.1).
func NXDomain() Answer { return Answer{kind: answerNXDomain} }

// ServFail returns the answer that the server failed, which may be temporary (RFC 1035 §4.1.1).
func ServFail() Answer { return Answer{kind: answerServFail} }

// NoAnswer never arrives: the look-up ends with its context, or with a time-out after the time
// given to [Answer.After].
func NoAnswer() Answer { return Answer{kind: answerNone} }

// After returns the answer delayed by d.
func (a Answer) After(d time.Duration) Answer {
	a.delay = d
	return a
}

// Lookup is one look-up in DNS.
type Lookup struct {
	Time time.Time
	// Name is the name in the look-up, with the root dot if there was one.
	Name string
	// Network is "ip", "ip4" or "ip6".
	Network string
}

// DNS scripts the answers for a name, which need not be a [Host]: the nth look-up from now on gets
// the nth answer, and all further look-ups get the last one. Two different answers make a rebinding
// attack. Without answers, the name has the addresses of its host again.
func (n *Internet) DNS(name string, answers ...Answer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.zone[canonical(name)] = &script[Answer]{items: slices.Clone(answers)}
}

// Lookups returns all look-ups so far, in order.
func (n *Internet) Lookups() []Lookup {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.lookups)
}

// LookupNetIP asks this Internet's DNS, as net.Resolver.LookupNetIP does. network is "ip", "ip4" or
// "ip6". Errors are of type *net.DNSError. Unknown names do not exist.
func (n *Internet) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	n.lookups = append(n.lookups, Lookup{Time: time.Now(), Name: host, Network: network})
	answer := n.zone[canonical(host)].take()
	if h := n.hosts[canonical(host)]; answer.kind == answerHost && h != nil {
		answer.addrs = slices.Clone(h.addrs)
	}
	n.mu.Unlock()
	if err := n.await(ctx, answer); err != nil {
		return nil, &net.DNSError{
			UnwrapErr: err, Err: err.Error(), Name: host,
			IsTimeout: err != context.Canceled, IsTemporary: err != context.Canceled,
		}
	}
	return answer.resolve(network, host)
}

// await waits for the delay of an answer. It returns an error if the time ran out before.
func (n *Internet) await(ctx context.Context, a Answer) error {
	if a.kind == answerNone && a.delay == 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.done:
			return net.ErrClosed
		}
	}
	err := n.sleep(ctx, a.delay)
	if err == nil && a.kind == answerNone {
		err = context.DeadlineExceeded
	}
	return err
}

func (a Answer) resolve(network, host string) ([]netip.Addr, error) {
	if a.kind == answerServFail {
		return nil, &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}
	}
	addrs := slices.DeleteFunc(a.addrs, func(a netip.Addr) bool {
		return network == "ip4" && !a.Unmap().Is4() || network == "ip6" && a.Unmap().Is4()
	})
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

// sleep waits for d, unless the context or the Internet ends before.
func (n *Internet) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	case <-n.done:
		return net.ErrClosed
	}
}
