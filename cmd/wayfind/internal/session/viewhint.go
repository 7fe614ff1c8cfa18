package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/resolve"
)

// viewFlags lists the flags that select the view of the network. Answers of one view are not shown
// in another.
const viewFlags = "--connect-to, --cacert, --allow-cidr, --allow-name, --allow-nat64 and --unsafe-proxy"

// HintOtherView adds a hint to the error of a run that found no stored answers, if another view of
// the network has answers of the domain.
func (s *Session) HintOtherView(ctx context.Context, domain string, err error) error {
	store, ok := s.Store.(*disk.Store)
	e, is := errors.AsType[*wayfind.Error](err)
	if !ok || !is || e.Code != wayfind.CodeOffline {
		return err
	}
	target, _, parsed := resolve.ParseTarget(domain)
	if parsed != nil {
		return err
	}
	public, other := 0, 0
	for info, failed := range store.Entries(ctx) {
		if failed != nil {
			return err
		}
		switch view, _, _ := strings.Cut(info.Key, "\n"); {
		case ui.HostOf(info.URL) != target.Host():
		case view == "":
			public++
		default:
			other++
		}
	}
	switch {
	case other > 0:
		return ui.Hint(err, fmt.Sprintf("; %s of %s are stored for another view of the network: name the same %s as the run that stored them", humanize.Count(other, "answer"), target.Host(), viewFlags))
	case public == 0 && store.OtherVersions():
		return fmt.Errorf("%w; the cache directory has answers of another version of wayfind, which this one does not read", err)
	case public > 0:
		return ui.Hint(err, fmt.Sprintf("; %s of %s are stored as the public Internet gave them: leave out %s", humanize.Count(public, "answer"), target.Host(), viewFlags))
	}
	return err
}
