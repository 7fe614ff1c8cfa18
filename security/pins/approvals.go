package pins

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
)

// DefaultApproval is how long an approval counts by default.
const DefaultApproval = 30 * 24 * time.Hour

// Approval is what one user has allowed: that one endpoint is contacted because
// one document names it, as long as the document is what it was.
type Approval struct {
	// User who approved; "" in programs with one user.
	User string `json:"user,omitempty"`
	// DocumentOrigin, Endpoint and Digest are those of the request, exactly.
	DocumentOrigin string `json:"documentOrigin"`
	Endpoint       string `json:"endpoint"`
	Digest         string `json:"digest"`
	// Expires is when it ends.
	Expires time.Time `json:"expires"`
}

// about reports whether two approvals answer the same question.
func (a Approval) about(o Approval) bool {
	return a.User == o.User && a.DocumentOrigin == o.DocumentOrigin && a.Endpoint == o.Endpoint && a.Digest == o.Digest
}

// Approvals remembers what users have allowed, for client.Options.Approve:
//
//	opts.Approve = approvals.For("alice")
//
// A Client that asks for many users takes the user from the context of the call:
//
//	opts.Approve = func(ctx context.Context, r security.ApprovalRequest) error {
//		return approvals.For(userOf(ctx))(ctx, r)
//	}
//
// What one user approved is invisible to all others. The zero Approvals has
// none and refuses everything; it may be used concurrently and must not be
// copied.
type Approvals struct {
	mu   sync.Mutex
	list []Approval
}

// For returns the answers of one user: it allows a request that the user has
// approved, and refuses any other with an error of kind wayfind.ErrRefused and
// code wayfind.CodeNotApproved. The context is not used.
func (a *Approvals) For(user string) func(context.Context, security.ApprovalRequest) error {
	return func(_ context.Context, r security.ApprovalRequest) error {
		why := a.refusal(user, r)
		if why == "" {
			return nil
		}
		return wayfind.NewError("approve", r.Endpoint, wayfind.CodeNotApproved, errors.New(why))
	}
}

// refusal says why a user has not approved a request, "" for one that is.
func (a *Approvals) refusal(user string, r security.ApprovalRequest) string {
	wanted := Approval{User: user, DocumentOrigin: r.DocumentOrigin, Endpoint: r.Endpoint, Digest: r.Digest}
	why := "nobody has approved it"
	for _, have := range a.All() {
		switch {
		case have.about(wanted) && time.Now().Before(have.Expires):
			return ""
		case have.about(wanted):
			why = "the approval has expired"
		case have.User == user && have.DocumentOrigin == r.DocumentOrigin && have.Endpoint == r.Endpoint:
			why = "it was approved for another version of the document"
		}
	}
	return why
}

// Grant lets a user's requests like this one pass for a time; 0 is
// DefaultApproval. It replaces an earlier answer to the same request, and
// forgets what has expired.
func (a *Approvals) Grant(user string, r security.ApprovalRequest, lifetime time.Duration) {
	now := time.Now()
	given := Approval{User: user, DocumentOrigin: r.DocumentOrigin, Endpoint: r.Endpoint, Digest: r.Digest,
		Expires: now.Add(cmp.Or(lifetime, DefaultApproval)).UTC().Truncate(time.Second)}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = slices.DeleteFunc(a.list, func(o Approval) bool { return o.about(given) || !now.Before(o.Expires) })
	a.list = append(a.list, given)
}

// Revoke takes back all approvals of a user for an endpoint, and reports
// whether there were any.
func (a *Approvals) Revoke(user, endpoint string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := len(a.list)
	a.list = slices.DeleteFunc(a.list, func(o Approval) bool { return o.User == user && o.Endpoint == endpoint })
	return len(a.list) < before
}

// All lists the approvals of all users, expired ones too, in order of user,
// origin and endpoint.
func (a *Approvals) All() []Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := slices.Clone(a.list)
	slices.SortFunc(list, func(a, b Approval) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.DocumentOrigin, b.DocumentOrigin),
			cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Digest, b.Digest))
	})
	return list
}

// approvalFile is the file that [Approvals] are kept in.
func approvalFile() file[Approval] {
	return file[Approval]{op: "approvals", schema: "wayfind-approvals/1", member: "approvals", check: checkApproval}
}

// checkApproval says why an entry is no approval.
func checkApproval(a Approval, before []Approval) error {
	origin, err := security.CanonicalOrigin(a.DocumentOrigin)
	switch {
	case a.DocumentOrigin != "" && (err != nil || origin != a.DocumentOrigin):
		return errors.New("its documentOrigin is none such as https://example.com")
	case a.Expires.IsZero():
		return errors.New("it does not say when it expires")
	case slices.ContainsFunc(before, a.about):
		return errors.New("it stands there a second time")
	}
	if u, err := security.ParseURL(a.Endpoint, nil); err != nil || u.String() != a.Endpoint {
		return errors.New("its endpoint is no URL in canonical form")
	}
	return nil
}

// LoadApprovals reads approvals from a file; one that is not there has none. The
// error is of kind wayfind.ErrInvalid with code wayfind.CodeStored, and names the
// file and the line.
func LoadApprovals(name string) (*Approvals, error) {
	list, err := approvalFile().load(name)
	if err != nil {
		return nil, err
	}
	return &Approvals{list: list}, nil
}

// Save writes approvals to a file that only its owner may read, whole or not at
// all. A file that is there and cannot be read is left as it is, and the error
// is that of LoadApprovals. Of two programs that save to one file the last one
// wins.
func (a *Approvals) Save(name string) error { return approvalFile().save(name, a.All()) }
