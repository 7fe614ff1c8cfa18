package call

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of conversations.
const (
	// idleTime is the time after its last call at which a conversation ends. Nothing that a server sends
	// makes it longer.
	idleTime = 5 * time.Minute
	// maxConversations is the maximum number of conversations that a Caller keeps. Beyond it, the one that
	// is idle longest ends, or the new one ends with its call.
	maxConversations = 1024
	// maxFarewells is the maximum number of conversations that end at the same time.
	maxFarewells = 16
)

// conversationKey identifies a conversation. Callers that differ in one of its members share none.
type conversationKey struct {
	// principal and asker are those for whom the calls are made.
	principal, asker string
	// url is the endpoint of the server, and who identifies the credentials: see whoOf.
	url, who string
	// asks is true if the server was told that it may ask questions.
	asks bool
}

// conversation is what an MCP server and a Caller keep between calls, in the versions with a handshake:
// the version, the session and the level of log messages. The members that are not guarded do not change
// once other calls may use it.
type conversation struct {
	key    conversationKey
	fields http.Header // of each request: the version and the session
	logs   bool        // the server supports logging

	// The following members are guarded by conversations.mu.
	users int
	ended bool                  // no call may begin in it
	last  int                   // the number of the last request
	level string                // of log messages that the server was asked for
	idle  *time.Timer           // nil while it is used
	since time.Time             // it is idle since
	lost  bool                  // the server has ended the session
	bye   func(context.Context) // ends the session at the server
}

// session reports whether the server has begun a session.
func (v *conversation) session() bool { return v.fields["Mcp-Session-Id"] != nil }

// conversations are the conversations of a Caller.
type conversations struct {
	mu     sync.Mutex
	all    map[conversationKey]*conversation
	begins map[conversationKey]*beginning
	// parted are the keys of sessions that have ended, until the next call is told.
	parted  map[conversationKey]bool
	closed  bool
	byes    int           // farewells that are under way
	parting sync.Cond     // says that a farewell has ended
	room    chan struct{} // has an element for each farewell that is sent
}

func newConversations() *conversations {
	c := &conversations{
		all: make(map[conversationKey]*conversation), begins: make(map[conversationKey]*beginning),
		parted: make(map[conversationKey]bool), room: make(chan struct{}, maxFarewells),
	}
	c.parting.L = &c.mu
	return c
}

// beginning is a handshake that is under way.
type beginning struct {
	key  conversationKey
	over chan struct{} // closed when it has ended
}

// join returns the conversation of a key, for one call. If there is none, it returns a beginning, and the
// caller makes the conversation: it calls keep or fail. Other callers wait for that.
func (c *conversations) join(ctx context.Context, k conversationKey) (*conversation, *beginning, error) {
	for {
		c.mu.Lock()
		if v := c.all[k]; v != nil {
			c.use(v)
			c.mu.Unlock()
			return v, nil, nil
		}
		other := c.begins[k]
		if other == nil {
			b := &beginning{k, make(chan struct{})}
			c.begins[k] = b
			c.mu.Unlock()
			return nil, b, nil
		}
		c.mu.Unlock()
		select {
		case <-other.over:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (c *conversations) use(v *conversation) {
	if v.users++; v.idle != nil {
		v.idle.Stop()
		v.idle = nil
	}
}

// fail ends a beginning without a conversation.
func (c *conversations) fail(b *beginning) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun(b)
}

// begun lets the callers go on that wait for a beginning, and reports whether it is still the one of its
// key: it is not if the principal was forgotten in the meantime.
func (c *conversations) begun(b *beginning) bool {
	if c.begins[b.key] != b {
		return false
	}
	close(b.over)
	delete(c.begins, b.key)
	return true
}

// keep lets other calls use a conversation that one call has begun. Its key may be another one than that of
// the beginning, because a challenge changes the credentials. told is true if an earlier session has ended
// and this call is to be told so.
func (c *conversations) keep(b *beginning, v *conversation) (told bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wanted := c.begun(b) && !c.closed
	told = c.parted[v.key]
	delete(c.parted, v.key)
	v.users, v.last = 1, 1
	old := c.all[v.key]
	if !wanted || old == nil && len(c.all) >= maxConversations && !c.makeRoom() {
		v.ended = true
		return told
	}
	if old != nil { // two handshakes with different credentials have led to the same ones
		c.end(old)
	}
	c.all[v.key] = v
	return told
}

// makeRoom ends the conversation that is idle longest, and reports whether there was one.
func (c *conversations) makeRoom() bool {
	var oldest *conversation
	for _, v := range c.all {
		if v.users == 0 && (oldest == nil || v.since.Before(oldest.since)) {
			oldest = v
		}
	}
	if oldest != nil {
		c.end(oldest)
	}
	return oldest != nil
}

// leave ends the use of a conversation by a call. bye ends its session with the credentials of the call.
func (c *conversations) leave(v *conversation, bye func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v.users--
	v.bye = bye
	switch {
	case v.users > 0:
	case v.ended:
		c.farewell(v)
	default:
		v.since = time.Now()
		v.idle = time.AfterFunc(idleTime, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if v.users == 0 && !v.ended {
				c.end(v)
			}
		})
	}
}

// end ends a conversation. Its session ends at the server when no call uses it any more.
func (c *conversations) end(v *conversation) {
	if v.ended {
		return
	}
	v.ended = true
	if c.all[v.key] == v {
		delete(c.all, v.key)
	}
	if v.idle != nil {
		v.idle.Stop()
		v.idle = nil
	}
	if v.session() {
		if len(c.parted) >= maxConversations {
			clear(c.parted)
		}
		c.parted[v.key] = true
	}
	if v.users == 0 {
		c.farewell(v)
	}
}

// farewell ends the session of a conversation at the server. A session that a server is not told of ends
// there by itself.
func (c *conversations) farewell(v *conversation) {
	if v.bye == nil || v.lost || !v.session() || c.byes >= maxConversations {
		return
	}
	c.byes++
	go func() {
		c.room <- struct{}{}
		ctx, cancel := context.WithTimeout(context.Background(), maxLeave)
		v.bye(ctx)
		cancel()
		<-c.room
		c.mu.Lock()
		defer c.mu.Unlock()
		c.byes--
		c.parting.Broadcast()
	}()
}

// lose ends a conversation whose session the server has ended.
func (c *conversations) lose(v *conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v.lost = true
	c.end(v)
	delete(c.parted, v.key) // the call that has lost it is told
}

// drop ends a conversation that no further call is to use. It is not lost: this is for the calls of a server
// that does not understand it, or of another account.
func (c *conversations) drop(v *conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(v)
}

// endIf ends the conversations whose key satisfies is, for good: the next call with that key is not told
// of them.
func (c *conversations) endIf(is func(conversationKey) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endEach(is)
}

func (c *conversations) endEach(is func(conversationKey) bool) {
	for _, v := range c.all {
		if is(v.key) {
			c.end(v)
		}
	}
	for k, b := range c.begins {
		if is(k) {
			c.begun(b)
		}
	}
	for k := range c.parted {
		if is(k) {
			delete(c.parted, k)
		}
	}
}

// close ends all conversations and waits for that. A conversation that is used ends with its last call.
func (c *conversations) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.endEach(func(conversationKey) bool { return true })
	for c.byes > 0 {
		c.parting.Wait()
	}
}

// number returns the number of the next request in a conversation.
func (c *conversations) number(v *conversation) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	v.last++
	return strconv.Itoa(v.last)
}

// wants reports whether the server must be asked for log messages of a level, and remembers the level.
func (c *conversations) wants(v *conversation, level string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !v.logs || level == "" || v.level == level {
		return false
	}
	v.level = level
	return true
}

// conversationOf returns the key of the conversation with the server of a call, which may ask questions or
// not.
func conversationOf(s *sent, asks bool) conversationKey {
	return conversationKey{principal: s.principal, asker: s.caller.asker, url: s.subject.url.String(), who: whoOf(s), asks: asks}
}

// whoOf identifies the credentials of a call, without its tokens: a token that is renewed is one of the
// same account.
func whoOf(s *sent) string {
	if len(s.parts) == 0 {
		return ""
	}
	var b strings.Builder
	for i := range s.parts {
		p := &s.parts[i]
		h := p.grant.hidden
		fmt.Fprintf(&b, "%q %q %q %q %q %q\n", p.grant.kind, p.placed.Scheme, p.placed.In, p.placed.Name, h.user, h.value)
		if c := h.config; c != nil {
			fmt.Fprintf(&b, "%q %q %q\n", c.Grant, c.Issuer, c.ClientID)
		}
		if cert := h.cert; cert != nil {
			fmt.Fprintf(&b, "%q\n", cert.Certificate)
		}
	}
	return s.caller.keyed([]byte(b.String()))
}

// errSessionEnded is the cause of a call that a server has answered by ending its session.
var errSessionEnded = errors.New("the server has ended the session")
