package call

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// However many parties call however many servers, a Caller keeps a bounded number of conversations, and in
// the end none.
func TestConversationsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, ended := newConversations(), 0
		begin := func(i int) *conversation {
			k := conversationKey{asker: fmt.Sprint(i)}
			have, b, err := c.join(t.Context(), k)
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
		_, old, _ := c.join(t.Context(), k)
		c.endIf(func(conversationKey) bool { return true })
		_, b, err := c.join(t.Context(), k) // does not wait
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
