package cache

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// seen ends the entry that the request of a call selects if an answer that is not kept shows that it
// is old. Other variants stay.
func (t *Engine) seen(ctx context.Context, c *call, shows func(stored *Entry) bool) {
	if !t.local { // the answer has come, even if the caller leaves now
		ctx = context.WithoutCancel(ctx)
	}
	g := c.guard
	g.lock()
	defer g.unlock()
	if !g.current(c) {
		return
	}
	old := t.replaced(ctx, c)
	if old != nil && slices.ContainsFunc(old.Entries, func(e *Entry) bool { return e.matches(&c.header) && shows(e) }) {
		t.save(ctx, c, old, old.without(&c.header))
	}
}

// seenAs is seen for an answer whose body was cut off, or that must not be stored because the caller
// says so.
func (t *Engine) seenAs(ctx context.Context, c *call, e *Entry) {
	if shows(e.Status) {
		t.seen(ctx, c, func(stored *Entry) bool { return stored.isOldBy(e.Status, e.Header) })
	}
}

// replacedBy is seen for an answer that is too large to be kept.
func (t *Engine) replacedBy(ctx context.Context, c *call, e *Entry) {
	if replaces(e.Status) {
		t.seen(ctx, c, func(stored *Entry) bool { return !e.olderThan(stored) })
	}
}

// passed is seen for a response to a request that has no part in caching.
func (t *Engine) passed(ctx context.Context, a *Ask, status int, answer http.Header) {
	if !shows(status) {
		return
	}
	c := &call{}
	c.set(a, t.identity)
	c.key, c.url = t.keyOf(a)
	c.guard = t.guards.enter(ResourceOf(c.key))
	defer t.guards.leave(c.guard)
	c.guard.begins(c)
	if t.find(ctx, c) != nil {
		t.seen(ctx, c, func(stored *Entry) bool { return stored.isOldBy(status, answer) })
	}
}

// shows reports whether an answer with a status can show that an entry is old.
func shows(status int) bool {
	switch status {
	case http.StatusOK, http.StatusPartialContent, http.StatusNotModified, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// isOldBy reports whether a response for the same resource shows that an entry is no longer the
// present representation (RFC 9111 §4.3.5 for HEAD, §3.4 and §4.3.4 for the others). A response with
// an earlier Date shows nothing, because it may come from a server that is behind. Tags are compared
// without W/, as in validates. The tag and the length of content that net/http has decompressed are
// those of another coding.
func (e *Entry) isOldBy(status int, h http.Header) bool {
	own, err := http.ParseTime(h.Get("Date"))
	stored, failed := http.ParseTime(e.Header.Get("Date"))
	recoded := e.outer != nil && e.outer.uncompressed
	tag, changed, length := h.Get("Etag"), h.Get("Last-Modified"), h.Get("Content-Length")
	switch {
	case !shows(status), err == nil && failed == nil && own.Before(stored):
		return false
	case status == http.StatusNotFound, status == http.StatusGone:
		return e.Status != status
	case status != http.StatusNotModified && e.Status != http.StatusOK:
		return true
	case tag != "" && e.ETag() != "" && !recoded:
		return strings.TrimPrefix(tag, "W/") != strings.TrimPrefix(e.ETag(), "W/")
	case changed != "" && e.LastModified() != "":
		return changed != e.LastModified()
	}
	return status == http.StatusOK && !recoded && length != "" && length != strconv.Itoa(len(e.Body)) &&
		h["Content-Encoding"] == nil && e.Header["Content-Encoding"] == nil
}
