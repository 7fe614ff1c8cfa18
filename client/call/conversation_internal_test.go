package call

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// However many parties call however many servers, a Caller keeps a bounded number of conversations, and in
// the end none.
func TestConversationsAreBounded(t *testing.T) {
	testkit.Large(t)
	synctest.Test(t, func(t *testing.T) {
		c, ended := newConversations(), 0
		begin := func(i int) *conversation {
			k := conversationKey{asker: fmt.Sprint(i)}
			have, b, err := c.join(t.Context(), k, c.epochOf(k.principal))
			if have != nil || err != nil {
				t.Fatal(have, err)
			}
			v := &conversation{key: k, fields: http.Header{"Mcp-Session-Id": {"s"}}}
			c.keep(b, v)
			return v
		}
		bye := func(context.Context) { c.mu.Lock(); ended++; c.mu.Unlock() }
		var used []*conversation
		const all = 10_000
		for i := range all {
			v := begin(i)
			if i < 10 {
				used = append(used, v)
				continue
			}
			c.leave(v, bye)
			if len(c.all) > maxConversations || len(c.parted) > maxConversations || len(c.begins) > 0 {
				t.Fatalf("%d conversations, %d parted, %d begin", len(c.all), len(c.parted), len(c.begins))
			}
			synctest.Wait()
		}
		for _, v := range used { // what is used stays
			if c.all[v.key] != v {
				t.Fatal("a conversation that is used was ended")
			}
			c.leave(v, bye)
		}
		time.Sleep(idleTime + time.Second)
		synctest.Wait()
		if len(c.all) != 0 || ended != all || c.byes != 0 {
			t.Errorf("%d left, %d ended, %d under way", len(c.all), ended, c.byes)
		}
	})
}

// A conversation that was begun before its principal was forgotten is for no other call.
func TestABeginningMayBeForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, k := newConversations(), conversationKey{principal: "alice"}
		_, old, _ := c.join(t.Context(), k, c.epochOf(k.principal))
		c.forget("alice")
		_, b, err := c.join(t.Context(), k, c.epochOf(k.principal)) // does not wait
		if b == nil || err != nil {
			t.Fatal(err)
		}
		first := &conversation{key: k, fields: http.Header{"Mcp-Session-Id": {"s1"}}}
		c.keep(old, first)
		second := &conversation{key: k, fields: http.Header{"Mcp-Session-Id": {"s2"}}}
		c.keep(b, second)
		if c.all[k] != second || !first.ended {
			t.Error("the first conversation is kept")
		}
		ended := false
		c.leave(first, func(context.Context) { ended = true })
		synctest.Wait()
		if !ended {
			t.Error("its session does not end")
		}
		c.leave(second, func(context.Context) {})
		c.close()
	})
}

// conversing begins a conversation with a session, and returns the one that its call uses.
func conversing(t *testing.T, c *conversations, k conversationKey) *conversation {
	t.Helper()
	v, b, err := c.join(t.Context(), k, c.epochOf(k.principal))
	if v != nil || err != nil {
		return v
	}
	v, _ = c.keep(b, &conversation{key: k, fields: http.Header{"Mcp-Session-Id": {"s"}}})
	return v
}

// A call that has waited for a handshake while its principal was forgotten has the credentials of before: no
// other call uses its conversation.
func TestAForgottenCallThatWaitsSharesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, k := newConversations(), conversationKey{principal: "alice"}
		before := c.epochOf("alice")
		_, first, _ := c.join(t.Context(), k, before)
		waits := make(chan *beginning)
		go func() {
			_, b, _ := c.join(t.Context(), k, before)
			waits <- b
		}()
		synctest.Wait()
		c.forget("alice")
		second := <-waits
		for _, b := range []*beginning{first, second} {
			v := &conversation{key: k}
			if c.keep(b, v); !v.ended || len(c.all) != 0 {
				t.Error("a conversation of before is kept")
			}
			c.leave(v, nil)
		}
		if v := conversing(t, c, k); c.all[k] != v {
			t.Error("the conversation of afterwards is not kept")
		}
		for i := range 2 * maxForgotten {
			c.forget(fmt.Sprint(i))
		}
		if len(c.epochs) > maxForgotten || c.epochOf("alice") == before || c.all[k] == nil {
			t.Errorf("%d epochs", len(c.epochs))
		}
	})
}

// Two handshakes that lead to the same credentials do not end each other's conversation.
func TestTheFirstConversationIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, ended := newConversations(), 0
		bye := func(context.Context) { ended++ }
		a, b := conversationKey{url: "a"}, conversationKey{url: "b"}
		_, one, _ := c.join(t.Context(), a, 0)
		_, two, _ := c.join(t.Context(), b, 0)
		first := &conversation{key: a, fields: http.Header{"Mcp-Session-Id": {"s1"}}}
		second := &conversation{key: a, fields: http.Header{"Mcp-Session-Id": {"s2"}}}
		c.keep(one, first)
		if used, told := c.keep(two, second); used != first || told || first.ended || !second.ended || first.users != 2 {
			t.Errorf("%+v %v", used, told)
		}
		c.leave(second, bye)
		synctest.Wait()
		if ended != 1 || c.all[a] != first || len(c.parted) != 0 {
			t.Errorf("%d ended", ended)
		}
		c.leave(first, bye)
		c.leave(first, bye)
		c.close()
	})
}

// However many servers do not answer a farewell, close ends in time, and later farewells are sent.
func TestCloseEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConversations()
		for i := range maxConversations {
			c.leave(conversing(t, c, conversationKey{asker: fmt.Sprint(i)}), func(ctx context.Context) { <-ctx.Done() })
		}
		started := time.Now()
		if c.close(); time.Since(started) > maxClose {
			t.Errorf("it takes %v", time.Since(started))
		}
		if synctest.Wait(); c.byes != 0 || time.Since(started) > maxClose {
			t.Errorf("%d farewells are under way", c.byes)
		}
		sent := false
		c.leave(conversing(t, c, conversationKey{}), func(ctx context.Context) { sent = ctx.Err() == nil })
		if synctest.Wait(); !sent {
			t.Error("a later session does not end")
		}
	})
}

// A party that calls many servers takes no conversation from another, and whoever finds no room is told.
func TestAPartyHasAShareOfConversations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, bye := newConversations(), func(context.Context) {}
		other := conversationKey{asker: "other"}
		c.leave(conversing(t, c, other), bye)
		busy := conversationKey{asker: "greedy", url: "busy"}
		for i := range 2 * maxConversations {
			time.Sleep(time.Millisecond)
			if k := (conversationKey{asker: "greedy", url: fmt.Sprint(i)}); i < maxShare {
				conversing(t, c, k)
			} else {
				c.leave(conversing(t, c, k), bye)
			}
		}
		if len(c.all) != maxShare+1 || c.all[other] == nil {
			t.Errorf("%d conversations", len(c.all))
		}
		for range 2 {
			_, b, _ := c.join(t.Context(), busy, 0)
			v := &conversation{key: busy, fields: http.Header{"Mcp-Session-Id": {"s"}}}
			_, told := c.keep(b, v)
			if c.leave(v, bye); !v.ended || c.parted[busy] == 0 {
				t.Error("a conversation without room is kept, or the next call is not told")
			}
			if told {
				return
			}
		}
		t.Error("the next call is not told")
	})
}

// A session that has ended is remembered until many later ones have.
func TestTheOldestPartingIsForgotten(t *testing.T) {
	c := newConversations()
	for i := range maxConversations + 10 {
		c.part(conversationKey{url: fmt.Sprint(i)})
	}
	for i, want := range map[int]bool{0: false, 9: false, 10: true, maxConversations + 9: true} {
		if _, have := c.parted[conversationKey{url: fmt.Sprint(i)}]; have != want || len(c.parted) != maxConversations {
			t.Errorf("%d: %v", i, have)
		}
	}
}

// A conversation keeps nothing of its calls but what ends it: no arguments, no secrets.
func TestAConversationDoesNotKeepItsCall(t *testing.T) {
	u := &url.URL{Scheme: "https", Host: "shop.example"}
	call := &subject{message: message{url: u, body: make([]byte, 1<<20)}}
	s := &sent{agreed: &agreed{prepared: &prepared{target: &target{caller: &Caller{shared: &shared{}}, tool: &tools.Tool{}}, subject: call}}}
	kept, bye := weak.Make(call), farewellOf(s, &conversation{})
	s, call = nil, nil
	for range 3 {
		runtime.GC()
	}
	if kept.Value() != nil {
		t.Error("the farewell keeps the call")
	}
	runtime.KeepAlive(bye)
}
