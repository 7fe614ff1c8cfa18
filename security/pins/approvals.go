package pins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security"
)

// defaultApproval is the default lifetime of an approval.
const defaultApproval = 30 * 24 * time.Hour

// Approval is one user's permission to contact one endpoint, in one way, because one document
// names it. It is valid as long as the document does not change.
type Approval struct {
	// User is the approving user; empty in programs with one user.
	User string `json:"user,omitempty"`
	// DocumentOrigin to Purpose are copied exactly from the request. An approval from a file of
	// version 1 has no Purpose: it allows documents to be read, but no contact with a server.
	DocumentOrigin string   `json:"documentOrigin"`
	Document       string   `json:"document,omitempty"`
	Endpoint       string   `json:"endpoint"`
	Domain         string   `json:"domain,omitempty"`
	Protocol       string   `json:"protocol,omitempty"`
	Methods        []string `json:"methods,omitempty"`
	Digest         string   `json:"digest"`
	Purpose        string   `json:"purpose,omitempty"`
	// Definition is the Definition of the request.
	Definition *wayfind.Site `json:"definition,omitempty"`
	// Expires is the time at which the approval expires.
	Expires time.Time `json:"expires"`
}

// approvalOf returns the approval of a request, without an expiry time.
func approvalOf(user string, r security.ApprovalRequest) Approval {
	return Approval{User: user, DocumentOrigin: r.DocumentOrigin, Document: r.Document, Endpoint: r.Endpoint, Domain: r.Domain,
		Protocol: r.Protocol, Methods: slices.Clone(r.Methods), Digest: r.Digest, Purpose: r.Purpose, Definition: r.Definition}
}

// name identifies the approved contact.
func (a Approval) name() string {
	return fmt.Sprintf("%q %s %q", a.User, a.way(), a.Digest)
}

// way identifies the approved contact without the version of the document.
func (a Approval) way() string {
	return fmt.Sprintf("%q %q %q %q %q %q %q", a.DocumentOrigin, a.Document, a.Endpoint, a.Domain, a.Protocol, a.Methods, a.Purpose)
}

// first reports whether the approval is from a file of version 1.
func (a Approval) first() bool { return a.Purpose == "" && a.Protocol == "" && a.Document == "" }

// covers reports whether the approval answers the request o.
func (a Approval) covers(o Approval) bool {
	switch {
	case a.User != o.User || a.Endpoint != o.Endpoint || a.DocumentOrigin != o.DocumentOrigin || a.Digest != o.Digest:
		return false
	case a.first():
		return o.reads()
	}
	return a.way() == o.way()
}

// reads reports whether the approved contact only reads a document.
func (a Approval) reads() bool {
	return (a.Purpose == "" || a.Purpose == "describe") &&
		!slices.ContainsFunc(a.Methods, func(m string) bool { return m != http.MethodGet && m != http.MethodHead })
}

// Approvals stores the permissions of users, for client.Options.Approve:
//
//	opts.Approve = approvals.For("alice")
//
// A Client that sends requests for many users takes the user from the context of the call:
//
//	opts.Approve = func(ctx context.Context, r security.ApprovalRequest) error {
//		return approvals.For(userOf(ctx))(ctx, r)
//	}
//
// The approvals of one user are invisible to all others. The zero Approvals is empty and
// refuses every request. Approvals may be used concurrently and must not be copied.
type Approvals struct {
	// AllowSafer makes an approval valid for another version of the document too, if its
	// definition of the subject is equal or safer according to diff.Result.Grade. Set it before
	// the first use.
	AllowSafer bool

	mu      sync.Mutex
	list    []Approval
	version int  // of the file
	rewrite bool // a file of an older version
}

// lock locks the list. Nil Approvals have none, and could keep no approval.
func (a *Approvals) lock() {
	if a == nil {
		panic("pins: these Approvals are nil: pins.LoadApprovals returns some, and zero Approvals are empty")
	}
	a.mu.Lock()
}

// For returns the function that answers requests for one user. It allows a request that the
// user has approved, and refuses any other with an error of kind wayfind.ErrRefused and code
// wayfind.CodeNotApproved. The context is not used.
func (a *Approvals) For(user string) func(context.Context, security.ApprovalRequest) error {
	return func(_ context.Context, r security.ApprovalRequest) error {
		err := a.refusal(user, r)
		if err == nil {
			return nil
		}
		return wayfind.NewError("approve", r.Endpoint, wayfind.CodeNotApproved, err)
	}
}

// refusal returns the reason why a user has not approved a request, or nil if the user has.
func (a *Approvals) refusal(user string, r security.ApprovalRequest) error {
	wanted := approvalOf(user, r)
	why := "it has not been approved"
	a.lock()
	defer a.mu.Unlock()
	for _, have := range a.list {
		other := have.User != user || have.DocumentOrigin != r.DocumentOrigin || have.Endpoint != r.Endpoint
		switch {
		case a.answers(have, wanted) && time.Now().Before(have.Expires):
			return nil
		case a.answers(have, wanted):
			why = "the approval has expired"
		case other:
		case have.first() && !wanted.reads():
			why = "the approval is of version 1, which covers less: it lets documents be read"
		case !have.first() && have.way() != wanted.way():
			why = "it was approved for another purpose, document or protocol"
		default:
			why = "it was approved for another version of the document"
		}
	}
	return errors.New(why)
}

// answers reports whether an approval answers a request: it is an approval of the same request
// or, with AllowSafer, of a definition that is no less risky.
func (a *Approvals) answers(have, wanted Approval) bool {
	if have.covers(wanted) {
		return true
	}
	return a.AllowSafer && !have.first() && have.User == wanted.User && have.way() == wanted.way() &&
		have.Definition != nil && wanted.Definition != nil && diff.Sites(have.Definition, wanted.Definition).Grade().Passes()
}

// Grant approves a user's requests that are equal to r for the lifetime; 0 is 30 days.
// It replaces an earlier approval of the same request, and removes expired approvals.
func (a *Approvals) Grant(user string, r security.ApprovalRequest, lifetime time.Duration) {
	now := time.Now()
	given := approvalOf(user, r)
	given.Expires = now.Add(cmp.Or(lifetime, defaultApproval)).UTC().Truncate(time.Second)
	a.lock()
	defer a.mu.Unlock()
	name := given.name()
	a.list = slices.DeleteFunc(a.list, func(o Approval) bool {
		return o.Endpoint == given.Endpoint && o.name() == name || !now.Before(o.Expires)
	})
	a.list = append(a.list, given)
}

// Revoke removes all approvals of a user for an endpoint, and reports whether there were any.
func (a *Approvals) Revoke(user, endpoint string) bool {
	a.lock()
	defer a.mu.Unlock()
	before := len(a.list)
	a.list = slices.DeleteFunc(a.list, func(o Approval) bool { return o.User == user && o.Endpoint == endpoint })
	return len(a.list) < before
}

// All returns the approvals of all users, including expired ones, in order of user, origin and
// endpoint.
func (a *Approvals) All() []Approval {
	a.lock()
	defer a.mu.Unlock()
	list := slices.Clone(a.list)
	slices.SortFunc(list, func(a, b Approval) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.DocumentOrigin, b.DocumentOrigin),
			cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Digest, b.Digest), cmp.Compare(a.Purpose, b.Purpose), cmp.Compare(a.Protocol, b.Protocol))
	})
	return list
}

// approvalVersion is the version of files of approvals. Since version 2 they contain everything
// that was approved, and not only the endpoint.
const approvalVersion = 2

// approvalFile describes the file in which [Approvals] are stored.
func approvalFile() file[Approval] {
	return file[Approval]{op: "approvals", schema: "wayfind-approvals", version: approvalVersion, member: "approvals",
		check: checkApproval, name: Approval.name, twice: "it stands there a second time"}
}

// checkApproval returns the reason why an entry is not a valid approval, or nil if it is one.
func checkApproval(a Approval, version int) error {
	origin, err := security.ReadOrigin(a.DocumentOrigin)
	switch {
	case a.DocumentOrigin != "" && (err != nil || origin != a.DocumentOrigin):
		return errors.New("its documentOrigin is none such as https://example.com")
	case a.Expires.IsZero():
		return errors.New("it does not say when it expires")
	case version < 2 && (!a.first() || a.Domain != "" || a.Methods != nil || a.Definition != nil):
		return errors.New("it has members that version 1 does not have")
	}
	if u, err := security.ReadURL(a.Endpoint); err != nil || u.String() != a.Endpoint {
		return errors.New("its endpoint is no URL in canonical form")
	}
	return nil
}

// LoadApprovals reads approvals from a file. If the file does not exist, there are none. The
// error is of kind wayfind.ErrInvalid with code wayfind.CodeStored, and contains the file and
// the line.
func LoadApprovals(name string) (*Approvals, error) {
	list, version, err := approvalFile().load(name)
	if err != nil {
		return nil, err
	}
	return &Approvals{list: list, version: version}, nil
}

// Save writes approvals to a file that only its owner may read. It writes the whole file or
// nothing. If an existing file cannot be read, it is not changed, and the error is the error of
// LoadApprovals. A file of an older version is not changed either, unless Upgrade was called.
// If two programs save to one file, the last one wins.
func (a *Approvals) Save(name string) error {
	a.lock()
	rewrite := a.rewrite
	a.mu.Unlock()
	return approvalFile().save(name, a.All(), rewrite)
}

// Version returns the version of the file from which the approvals were read, or 0 if they were
// not read from a file.
func (a *Approvals) Version() int {
	a.lock()
	defer a.mu.Unlock()
	return a.version
}

// Upgrade allows Save to replace a file of an older version. Older programs cannot read the new
// file, and no approval covers more than before.
func (a *Approvals) Upgrade() {
	a.lock()
	defer a.mu.Unlock()
	a.rewrite = true
}
