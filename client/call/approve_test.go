package call_test

import (
	"context"

	"github.com/wayfindhq/wayfind/security"
)

// approving returns a hook that approves everything and records the requests.
func approving(list *[]string) func(context.Context, security.ApprovalRequest) error {
	return func(_ context.Context, q security.ApprovalRequest) error {
		*list = append(*list, q.Purpose+" "+q.Endpoint)
		return nil
	}
}
