package inspect_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
)

const (
	place    = "/.well-known/agent"
	manifest = `{"spec_version":"1.0","name":"Shop","description":"A shop for tests.","base_url":"https://shop.example","auth":{"type":"none"},"capabilities":[{"name":"buy","description":"Buys a thing.","detail_url":"/buy"}]}`
)

// inspector makes an Inspector of shop.example, whose Client keeps answers in a store.
func inspector(t *testing.T, internet *clienttest.Internet, store cache.Store) *inspect.Inspector {
	t.Helper()
	watch := inspect.NewWatch()
	c := internet.Client(func(o *client.Options) { o.Observe, o.Store = watch.Observe, store })
	i, err := inspect.New(inspect.Options{Target: "shop.example", Client: c, Watch: watch, Documents: new(inspect.Documents)})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// note is the note about a place in the newest answer.
func note(t *testing.T, i *inspect.Inspector, url string) inspect.Note {
	t.Helper()
	all := i.Asked()
	if len(all) == 0 {
		t.Fatal("no answer")
	}
	for _, n := range all[len(all)-1].Notes {
		if n.URL == url {
			return n
		}
	}
	t.Fatalf("no note about %s", url)
	return inspect.Note{}
}

// parts are all parts of a kind.
func parts(i *inspect.Inspector, kind string) []inspect.Part {
	all, _, _ := i.Watch.Since(0)
	return slices.DeleteFunc(all, func(p inspect.Part) bool { return p.Kind != kind })
}

// part is the newest part of a kind that is about a URL.
func part(t *testing.T, i *inspect.Inspector, kind, url string) inspect.Part {
	t.Helper()
	for _, p := range slices.Backward(parts(i, kind)) {
		if p.Target == url {
			return p
		}
	}
	t.Fatalf("no %s of %s", kind, url)
	return inspect.Part{}
}

// Each probe has its status, its verdict and its source, in words. A stored answer has no exchange,
// and shows its age.
func TestWaterfall(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{place: manifest})
	dir := t.TempDir()
	at := "https://shop.example" + place

	i := inspector(t, internet, openStore(t, dir))
	i.Ask(t.Context(), false)
	n := note(t, i, at)
	if n.Verdict != "found" || n.Document != "yes" || n.Status != "200 OK" || n.From != "network" || !n.Since.IsZero() || n.Until.IsZero() {
		t.Errorf("the note of a document: %+v", n)
	}
	n = note(t, i, "https://shop.example/agents.md")
	if n.Verdict != "absent" || n.Document != "no" || n.Status != "404 Not Found" || n.When == "" {
		t.Errorf("the note of an absence: %+v", n)
	}
	if p := part(t, i, client.EventRequest, at); p.Status != "200 OK" || p.From != "network" || p.EndMs == nil || p.Bytes != int64(len(manifest)) {
		t.Errorf("the request: %+v", p)
	}
	p := part(t, i, client.EventExchange, at)
	if p.Attempt != 1 || len(p.Stages) == 0 || p.Within == 0 || p.Stages[len(p.Stages)-1].Ms < 0 {
		t.Errorf("the exchange: %+v", p)
	}
	if p := part(t, i, client.EventRead, at); p.Verdict != "found" {
		t.Errorf("the reading: %+v", p)
	}
	if a := i.Asked()[0]; a.Part != part(t, i, client.EventResolve, "https://shop.example").ID {
		t.Errorf("the answer is that of part %d", a.Part)
	}

	if n.Why != "no usable answer was stored" {
		t.Errorf("the first request was sent because %s", n.Why)
	}

	i.Ask(t.Context(), false) // the Client remembers the Site
	if n := note(t, i, at); n.From != "memory" || n.Since.IsZero() || n.Why != "" {
		t.Errorf("the note of a Site that is remembered: %+v", n)
	}

	i.Ask(t.Context(), true)
	if n := note(t, i, at); n.Why != "you chose \u201cAsk again\u201d" {
		t.Errorf("the second request was sent because %s", n.Why)
	}

	i = inspector(t, internet, openStore(t, dir))
	i.Ask(t.Context(), false)
	if n := note(t, i, at); n.From != "disk" || n.Since.IsZero() {
		t.Errorf("the note of a document on disk: %+v", n)
	}
	if p := part(t, i, client.EventRequest, at); p.From != "disk" || len(parts(i, client.EventExchange)) != 0 {
		t.Errorf("the request that the disk answered: %+v", p)
	}
}

func openStore(t *testing.T, dir string) *disk.Store {
	t.Helper()
	store, err := disk.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// A redirect and its target are a request each.
func TestWaterfallOfRedirect(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/elsewhere": manifest}).Handle(place, clienttest.Redirect(http.StatusFound, "/elsewhere"))
	i := inspector(t, internet, nil)
	i.Ask(t.Context(), false)
	first := part(t, i, client.EventRequest, "https://shop.example"+place)
	second := part(t, i, client.EventRequest, "https://shop.example/elsewhere")
	if first.Status == "" || first.Status[:2] != "30" || second.RedirectedFrom != first.Target || second.Within != first.Within {
		t.Errorf("%+v\nand then\n%+v", first, second)
	}
}
