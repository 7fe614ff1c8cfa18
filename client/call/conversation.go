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
	// maxShare is the maximum number of conversations of one principal and asker among them.
	maxShare = 64
	// maxSessionID is the maximum length of a session ID, in bytes, with which a conversation is kept.
	maxSessionID = 1 << 10
	// maxForgotten is the maximum number of principals whose epochs are known one by one.
	maxForgotten = 4096
	// maxClose is the maximum time that all farewells of close take together.
	maxClose = 3 * time.Second
	// maxFarewells is the maximum number of conversations that end at the same time.
	maxFarewells = 16
)

// conversationKey identifies a conversation. Callers that differ in one of its members share none.
type conversationKey struct {
	// principal and asker are those for whom the calls are made.
	principal, asker string
	// origin is the origin of the definition: what a site says about its own tools says nothing about a
	// tool that another site describes at the same server.
	origin string
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
	// parted are the keys of sessions that have ended, until the next call is told, with the values of
	// partings then.
	parted   map[conversationKey]uint64
	partings uint64
	// epochs are the epochs of principals that were forgotten. epoch is the last one, and floor the one of
	// all other principals.
	epochs       map[string]uint64
	epoch, floor uint64
	hurry        chan struct{} // closed to end the farewells that are under way
	closed       bool
	byes         int           // farewells that are under way
	parting      sync.Cond     // says that a farewell has ended
	room         chan struct{} // has an element for each farewell that is sent
}

func newConversations() *conversations {
	c := &conversations{
		all: make(map[conversationKey]*conversation), begins: make(map[conversationKey]*beginning),
		parted: make(map[conversationKey]uint64), epochs: make(map[string]uint64), room: make(chan struct{}, maxFarewells),
	}
	c.parting.L, c.hurry = &c.mu, make(chan struct{})
	return c
}

// beginning is a handshake that is under way.
type beginning struct {
	key   conversationKey
	epoch uint64
	over  chan struct{} // closed when it has ended
}

// use is the part of a call in a conversation: its beginning, or the conversation itself with the function
// that ends its session.
type use struct {
	leave  func() // gives the room of the call at its origin back; nil if it has none
	begins *beginning
	talk   *conversation
	bye    func(context.Context)
}

// becomes replaces the part of a call, which keeps its room.
func (u *use) becomes(part use) {
	part.leave = u.leave
	*u = part
}

// abandon ends the part of a call that has ended without leave, because a hook has panicked. The
// conversation ends with it: the call may have been half done.
func (c *conversations) abandon(u *use) {
	if u == nil {
		return
	}
	if u.begins != nil {
		c.fail(u.begins)
	}
	if u.talk != nil {
		c.drop(u.talk)
		c.leave(u.talk, u.bye)
	}
	u.becomes(use{})
}

// epochOf returns the epoch of a principal, which ends when the principal is forgotten.
func (c *conversations) epochOf(principal string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epochNow(principal)
}

func (c *conversations) epochNow(principal string) uint64 {
	if e, ok := c.epochs[principal]; ok {
		return e
	}
	return c.floor
}

// forget ends the conversations of a principal. Calls that have their credentials from before share no
// conversation any more.
func (c *conversations) forget(principal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch++; len(c.epochs) >= maxForgotten {
		clear(c.epochs)
		c.floor = c.epoch
	}
	c.epochs[principal] = c.epoch
	c.endEach(func(k conversationKey) bool { return k.principal == principal })
}

// join returns the conversation of a key, for one call. If there is none, it returns a beginning, and the
// caller makes the conversation: it calls keep, refuse or fail. Other callers wait for that. A call whose
// epoch is over gets a beginning of its own.
func (c *conversations) join(ctx context.Context, k conversationKey, epoch uint64) (*conversation, *beginning, error) {
	for {
		c.mu.Lock()
		if c.epochNow(k.principal) != epoch {
			c.mu.Unlock()
			return nil, &beginning{k, epoch, make(chan struct{})}, nil
		}
		if v := c.all[k]; v != nil {
			c.use(v)
			c.mu.Unlock()
			return v, nil, nil
		}
		other := c.begins[k]
		if other == nil {
			b := &beginning{k, epoch, make(chan struct{})}
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

// keep lets other calls use a conversation that one call has begun, and returns the conversation that the
// call uses: another one if two handshakes with different credentials have led to the same ones. The call
// then leaves v. The key of v may be another one than that of the beginning, because a challenge changes
// the credentials. told is true if an earlier session has ended and this call is to be told so.
func (c *conversations) keep(b *beginning, v *conversation) (used *conversation, told bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wanted := c.begun(b) && !c.closed && c.epochNow(v.key.principal) == b.epoch
	v.users, v.last = 1, 1
	if !wanted {
		v.ended = true
		return v, false
	}
	if old := c.all[v.key]; old != nil {
		v.ended = true
		c.use(old)
		return old, false
	}
	_, told = c.parted[v.key]
	delete(c.parted, v.key)
	if len(v.fields.Get("Mcp-Session-Id")) > maxSessionID {
		v.ended = true // its call is told
		return v, told
	}
	if !c.makeRoom(v.key) {
		if v.ended = true; v.session() {
			c.part(v.key)
		}
		return v, told
	}
	c.all[v.key] = v
	return v, told
}

// refuse ends a beginning with a conversation that ends with its call.
func (c *conversations) refuse(b *beginning, v *conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun(b)
	v.users, v.last, v.ended = 1, 1, true
}

// makeRoom makes room for a conversation, and reports whether there is room. If there is too little, the
// conversation that is idle longest ends, and one of the same principal and asker before all others.
func (c *conversations) makeRoom(k conversationKey) bool {
	var own, other *conversation
	share := 0
	for _, v := range c.all {
		oldest := &other
		if v.key.principal == k.principal && v.key.asker == k.asker {
			oldest = &own
			share++
		}
		if v.users == 0 && (*oldest == nil || v.since.Before((*oldest).since)) {
			*oldest = v
		}
	}
	switch {
	case share < maxShare && len(c.all) < maxConversations:
		return true
	case own != nil:
		c.end(own)
	case share < maxShare && other != nil:
		c.end(other)
	default:
		return false
	}
	return true
}

// part remembers that a session has ended, or ends with its call, for the next call with a key. If there
// are too many, it forgets the oldest.
func (c *conversations) part(own conversationKey) {
	if _, ok := c.parted[own]; !ok && len(c.parted) >= maxConversations {
		oldest, at := own, c.partings+1
		for k, n := range c.parted {
			if n < at {
				oldest, at = k, n
			}
		}
		delete(c.parted, oldest)
	}
	c.partings++
	c.parted[own] = c.partings
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
		c.part(v.key)
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
	hurry, bye := c.hurry, v.bye
	go func() {
		select {
		case c.room <- struct{}{}:
			ctx, cancel := context.WithTimeout(context.Background(), maxLeave)
			go func() {
				select {
				case <-hurry:
					cancel()
				case <-ctx.Done():
				}
			}()
			bye(ctx)
			cancel()
			<-c.room
		case <-hurry: // it ends there by itself
		}
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
// that does not understand it.
func (c *conversations) drop(v *conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(v)
}

// change ends a conversation whose call has got other credentials, with another key. The next call with them
// is told.
func (c *conversations) change(v *conversation, to conversationKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.session() && !v.ended && c.all[to] == nil {
		c.part(to)
	}
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

// close ends all conversations and waits for that, at most maxClose. A conversation that is used ends with
// its last call.
func (c *conversations) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.endEach(func(conversationKey) bool { return true })
	late := false
	defer time.AfterFunc(maxClose, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		close(c.hurry)
		late, c.hurry = true, make(chan struct{}) // the new one is for calls that end later
		c.parting.Broadcast()
	}).Stop()
	for c.byes > 0 && !late {
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
	return conversationKey{principal: s.principal, asker: s.caller.asker, origin: s.tool.Origin, url: s.subject.url.String(), who: whoOf(s), asks: asks}
}

// whoOf identifies the credentials of a call. A token that is renewed is of the same login; another login,
// or more scopes, are other credentials.
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
			if t := s.equipment.token; t != nil {
				fmt.Fprintf(&b, "%q\n", t.Login())
			}
		}
		if cert := h.cert; cert != nil {
			fmt.Fprintf(&b, "%q\n", cert.Certificate)
		}
	}
	return s.caller.keyed([]byte(b.String()))
}

// errSessionEnded is the cause of a call that a server has answered by ending its session.
var errSessionEnded = errors.New("the server has ended the session")
