package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// unanswered reports that places of a site gave no answer, so there may be more.
func (l *loader) unanswered(site *wayfind.Site) {
	counts := make(map[wayfind.Verdict]int)
	total := 0
	for i := range site.Probes {
		if v := site.Probes[i].Verdict; !v.Answered() && v != wayfind.VerdictEndpointLike && !l.answered[site.Probes[i].URL] {
			counts[v]++
			total++
		}
	}
	if total == 0 {
		return
	}
	var words []string
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d %s", counts[v], v))
	}
	l.skip(problem(urlref.Host(site.Origin), CodeIncomplete, fmt.Errorf("%d of %d places gave no answer (%s): there may be more", total, len(site.Probes), strings.Join(words, ", "))))
}

// isAnswer reports whether an error is an answer.
func isAnswer(err error) bool {
	return errors.Is(err, wayfind.ErrNotFound) || errors.Is(err, wayfind.ErrInvalid)
}

func reasonOf(err error) string { return text.Head(err.Error(), 300) }

// cut reports whether an error is caused by the end of ctx.
func cut(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// ended returns the entry for a domain or key that was cut off by the end of ctx.
func ended(ctx context.Context, domain string) Skipped {
	if errors.Is(ctx.Err(), context.Canceled) {
		return problem(domain, CodeCanceled, ctx.Err())
	}
	return problem(domain, CodeDeadline, ctx.Err())
}

// failed returns the entry for a domain that could not be asked, or that offers nothing.
func failed(ctx context.Context, domain string, err error) Skipped {
	if cut(ctx, err) {
		return ended(ctx, domain)
	}
	return Skipped{Domain: domain, Code: cmp.Or(wayfind.KindWord(err), "failed"), Reason: reasonOf(err), Asked: isAnswer(err), Err: err}
}

// closed returns the error of a domain or key that was not read because the Client was closed, or
// nil.
func (b *Box) closed() error {
	for i := range b.skipped {
		if err := b.skipped[i].Err; errors.Is(err, wayfind.ErrClosed) {
			return err
		}
	}
	return nil
}

// full returns the entry for a key for which a Box has no room.
func full(origin, key string) Skipped {
	s := problem(urlref.Host(origin), CodeLimit, fmt.Errorf("a Box has at most %d tools", maxTools))
	s.Key, s.Limit, s.Asked = key, maxTools, true
	return s
}

// problem returns an entry with an error of this package.
func problem(domain, code string, cause error) Skipped {
	return Skipped{Domain: domain, Code: code, Reason: reasonOf(cause), Err: wayfind.NewError("load", domain, wayfind.Code(code), cause)}
}
