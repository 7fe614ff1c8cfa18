package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// documents is the protocol of --approve HOST if none is given. It permits reading documents.
const documents = "http"

// sameSite is the value of --approve that permits contact with all hosts of the site.
const sameSite = "same-site"

// consent implements Options.Approve. The decision comes from earlier approvals,
// from --approve, or from the person at the terminal.
type consent struct {
	approvals *pins.Approvals
	file      string // --approvals, empty: approvals are not saved
	given     []string
	sameSite  bool // other hosts of the same site are approved
	out       io.Writer

	mu       sync.Mutex
	in       *bufio.Reader // standard input if it is a terminal, otherwise nil
	answered map[string]error
}

// setApprovals reads --approve and --approvals.
func (n *Network) setApprovals(a *ui.App, o *client.Options) error {
	c := &consent{approvals: new(pins.Approvals), file: n.approvals, out: a.Err, answered: map[string]error{}}
	for _, s := range n.approve {
		if s == sameSite {
			c.sameSite = true
			continue
		}
		host, protocol, _ := strings.Cut(s, ":")
		canon, err := namedHost(host, "443", n.DevGuard())
		known := []string{"", documents, "call", "oauth"}
		for _, p := range o.Live {
			known = append(known, p.Protocol())
		}
		if err != nil || !slices.Contains(known, protocol) {
			return ui.Usagef("--approve %q: write HOST to read documents there, with --live HOST:mcp or HOST:jsonrpc to speak with a server, HOST:call to make calls or HOST:oauth to log in, or %s", s, sameSite)
		}
		c.given = append(c.given, flagFor(canon, protocol))
	}
	if n.approvals != "" {
		var err error
		if c.approvals, err = pins.LoadApprovals(n.approvals); err != nil {
			return ui.Usagef("--approvals: %w", err)
		}
		if n.Upgrade {
			c.approvals.Upgrade()
		}
	}
	c.approvals.AllowSafer = n.allowSafer
	if ui.IsTerminal(a.In) && ui.IsTerminal(a.Err) {
		c.in = bufio.NewReader(a.In)
	}
	o.Approve, n.consent = c.approve, c
	return nil
}

// Approver returns the function that decides about approvals.
func (n *Network) Approver() func(context.Context, security.ApprovalRequest) error {
	return n.consent.approve
}

// NeverAsk makes the flags and the file decide alone, without a person at the terminal.
func (n *Network) NeverAsk() { n.consent.in = nil }

// flagFor is the value of --approve that lets a host be contacted.
func flagFor(host, protocol string) string {
	if protocol == "" || protocol == documents {
		return host
	}
	return host + ":" + protocol
}

// approve answers one request. A person is asked once for each request.
func (c *consent) approve(ctx context.Context, r security.ApprovalRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.approvals.For("")(ctx, r)
	if err == nil {
		return nil
	}
	isSameSite := security.ApproveSameSite(ctx, r) == nil
	if c.sameSite && isSameSite {
		return nil
	}
	u, parseErr := security.ReadURL(r.Endpoint)
	if parseErr != nil {
		return parseErr
	}
	protocol := r.Protocol
	if r.Purpose == "call" || r.Purpose == "oauth" { // permission to read a host does not include calls to it
		protocol = r.Purpose
	}
	flag := flagFor(u.Hostname(), protocol)
	asked := fmt.Sprintf("%q %q %q %q %q", r.Endpoint, r.Protocol, r.Purpose, r.Document, r.Digest)
	before, isAnswered := c.answered[asked]
	switch {
	case slices.Contains(c.given, flag):
	case isAnswered:
		return before
	case c.in != nil && c.ask(r):
	default:
		more := ""
		if isSameSite {
			more = ", or --approve " + sameSite + " for all hosts of this site"
		}
		c.answered[asked] = fmt.Errorf("%s; to allow it, add --approve %s%s", reason(err), flag, more)
		return c.answered[asked]
	}
	c.approvals.Grant("", r, 0)
	if c.file == "" {
		return nil
	}
	if err := c.approvals.Save(c.file); err != nil {
		fmt.Fprintf(c.out, "wayfind: the approval counts this time and is not kept: %s\n", ui.Show(Unsaved(c.approvals.Version(), err).Error()))
	}
	return nil
}

// reason returns why something was not approved, without the operation and the URL of the error.
func reason(err error) string {
	if e, ok := errors.AsType[*wayfind.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// ask shows a person what would be approved. Any answer except yes means no.
func (c *consent) ask(r security.ApprovalRequest) bool {
	digest := ""
	if r.Digest != "" {
		digest = " (SHA-256 " + ShortDigest(r.Digest) + "…)"
	}
	fmt.Fprintln(c.out, "A document names an endpoint elsewhere:")
	for _, row := range [][2]string{
		{"endpoint", r.Endpoint}, {"domain", r.Domain}, {"protocol", r.Protocol}, {"methods", strings.Join(r.Methods, ", ")},
		{"purpose", strings.TrimSpace(r.Purpose + " " + r.Subject)}, {"document", r.Document + digest},
	} {
		fmt.Fprintf(c.out, "  %-9s %s\n", row[0], ui.Show(row[1]))
	}
	fmt.Fprint(c.out, "Contact it? [y/N] ")
	answer, _ := c.in.ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
