package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// unanswered reports the places that are missing in a Site, except for the servers that were asked
// since.
func (l *loader) unanswered(site *wayfind.Site) {
	if site.Incomplete == nil {
		return
	}
	left := wayfind.Incomplete{NotBefore: site.Incomplete.NotBefore}
	for _, m := range site.Incomplete.Missing {
		if m.URLs = slices.DeleteFunc(slices.Clone(m.URLs), func(u string) bool { return l.answered[u] }); len(m.URLs) > 0 {
			left.Missing = append(left.Missing, m)
		}
	}
	if len(left.Missing) == 0 {
		return
	}
	s := problem(urlref.Host(site.Origin), CodeIncomplete, errors.New(left.String()))
	e := wayfind.NewError("load", s.Domain, wayfind.Code(CodeIncomplete), errors.New(left.String()))
	e.NotBefore = left.NotBefore
	s.Err = e
	l.skip(s)
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
	code := cmp.Or(wayfind.KindWord(err), "failed")
	if e, ok := errors.AsType[*wayfind.Error](err); ok && e.Code == wayfind.CodeServer {
		code = string(e.Code)
	}
	return Skipped{Domain: domain, Code: code, Reason: reasonOf(err), Asked: isAnswer(err), Err: err}
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
