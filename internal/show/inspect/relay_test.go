package inspect

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/memconn"
	"github.com/wayfindhq/wayfind/internal/web/capture"
)

func TestARelayRecordsWhileAProgramIsAttached(t *testing.T) {
	listener := memconn.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1})
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	var r Relay
	go func() { served <- r.Serve(ctx, listener) }()

	old, end := r.Observe(t.Context(), client.Event{Kind: client.EventResolve})
	if end != nil || old != t.Context() {
		t.Error("a part is recorded, and no program is attached")
	}
	conn, err := listener.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, ended, err := Attach(conn)
	if err != nil {
		t.Fatal(err)
	}
	within, endCall := r.Observe(old, client.Event{Kind: client.EventCall, Target: "https://shop.example"})
	inner, endExchange := r.Observe(within, client.Event{Kind: client.EventExchange, Target: "https://shop.example", Attempt: 1})
	capture.Of(inner)(&capture.Message{Method: "GET", URL: "https://shop.example/a", Status: 200})
	endExchange(client.Event{Status: 200})
	endCall(client.Event{Outcome: client.OutcomeDone})
	var all []Part
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if all, _, _ = w.Since(0); len(all) == 2 && all[0].EndMs != nil && all[1].EndMs != nil {
			break
		}
	}
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	i, err := New(Options{Target: "a process", Log: true, Live: true, Watch: w})
	if err != nil {
		t.Fatal(err)
	}
	if m := i.Message(2, ""); m.Request == nil || m.Request.URL != "https://shop.example/a" || all[0].Outcome+all[1].Outcome != client.OutcomeDone {
		t.Errorf("%+v %+v", m, all)
	}

	_ = conn.Close()
	<-ended
	for deadline := time.Now().Add(10 * time.Second); r.watch.Load() != nil && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
	}
	if _, end := r.Observe(t.Context(), client.Event{Kind: client.EventResolve}); end != nil {
		t.Error("a part is recorded after the last reader has left")
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	i.Ended()
	if state, _ := i.State(); state.Error == "" {
		t.Error("the page does not say that the process has ended")
	}
}
