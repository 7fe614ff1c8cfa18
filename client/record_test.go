package client_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// recordedAt is what was recorded of one URL of shop.example.
func recordedAt(t *testing.T, r *client.Recording, path string) *client.Exchange {
	t.Helper()
	x := r.Lookup("https://shop.example" + path)
	if x == nil {
		t.Fatalf("%s is not recorded:\n%s", path, r.Files()[client.RecordingIndex])
	}
	return x
}

// What is recorded of an answer is known fields without secrets, and nothing
// of the caller.
func TestRecord_Redacted(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		host.Handle(wellKnown, clienttest.Page{Status: http.StatusFound, Body: "session-1", Header: http.Header{
			"Location": {"/a?x=1&access_token=s3cret"}, "Set-Cookie": {"id=s3cret"}, "X-Request-Id": {"s3cret"},
			"X-Iinfo": {"s3cret"}, "Link": {`<https://user:s3cret@shop.example/b?sig=s3cret>; rel="next"`},
		}})
		host.Handle("/a", page(manifest("shop.example", "/d"), "Etag", `"1"`))
		var recording client.Recording
		c := newClient(t, internet, func(o *client.Options) { o.Lab.Record, o.Network.UserAgent = recording.Add, "s3cret" })
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		want := &client.Exchange{URL: "https://shop.example/.well-known/agent", Status: 302, Header: http.Header{
			"Location": {"/a?x=1&access_token=REDACTED"}, "X-Iinfo": {"REDACTED"},
			"Link":         {`<https://REDACTED@shop.example/b?sig=REDACTED>; rel="next"`},
			"Content-Type": {"text/plain; charset=utf-8"},
		}}
		got := *recordedAt(t, &recording, wellKnown)
		delete(want.Header, "Content-Type")
		delete(got.Header, "Content-Type")
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Errorf("the redirect (-want +recorded):\n%s", diff)
		}
		if x := recordedAt(t, &recording, "/a?x=1&access_token=another"); x.URL != "https://shop.example/a?x=1&access_token=REDACTED" || len(x.Body) == 0 {
			t.Errorf("the document is recorded as %+v", x)
		}
		for name, content := range recording.Files() {
			if strings.Contains(name+string(content), "s3cret") || strings.Contains(string(content), "93.184.") {
				t.Errorf("%s:\n%s", name, content)
			}
		}
	})
}

// The path that cannot exist is random; in a recording it is always the same.
func TestRecord_Canary(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Page{Body: "hello"})
		var recording client.Recording
		c := newClient(t, internet, func(o *client.Options) { o.Lab.Record = recording.Add })
		_, _ = c.Resolve(t.Context(), "shop.example")
		random := regexp.MustCompile(`wayfind-[0-9a-f]{8}`)
		found := random.FindAllString(string(recording.Files()[client.RecordingIndex]), -1)
		slices.Sort(found)
		if diff := cmp.Diff([]string{"wayfind-00000000"}, slices.Compact(found)); diff != "" {
			t.Errorf("in the index (-want +got):\n%s", diff)
		}
		recordedAt(t, &recording, "/.well-known/wayfind-89abcdef")
	})
}

// What is held because of an earlier answer is recorded as that.
func TestRecord_Failures(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Page{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"60"}}})
		recording := &client.Recording{}
		c := newClient(t, internet, func(o *client.Options) { o.Lab.Record = func(x *client.Exchange) { recording.Add(x) } })
		_, _ = c.Resolve(t.Context(), "shop.example")
		if got := recordedAt(t, recording, wellKnown); got.Status != http.StatusTooManyRequests {
			t.Errorf("recorded is %+v", got)
		}
		recording = &client.Recording{}
		time.Sleep(20 * time.Second)
		_, _ = c.Refresh(t.Context(), "shop.example")
		want := &client.Failure{Stage: client.StageHeld, Code: wayfind.CodeNotBefore, Wait: 40 * time.Second}
		if diff := cmp.Diff(want, recordedAt(t, recording, wellKnown).Failure); diff != "" {
			t.Errorf("what is held (-want +recorded):\n%s", diff)
		}
	})
}

// What the caller gave up before it was sent is no fact about the site.
func TestRecord_GivenUp(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil).Protocols("http/1.1").Fail("", clienttest.AtHeaders(clienttest.Stall))
		var recording client.Recording
		c := newClient(t, internet, func(o *client.Options) { o.Formats, o.Limits.Concurrency, o.Lab.Record = nil, 1, recording.Add })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		site, _ := c.Resolve(ctx, "shop.example")
		time.Sleep(time.Minute)
		if n := len(host.Requests()); n == 0 || n >= len(site.Probes) {
			t.Fatalf("%d of %d requests were sent: this test is void", n, len(site.Probes))
		}
		if got := len(recording.Exchanges()); got > len(host.Requests()) {
			t.Errorf("%d requests were sent, recorded are\n%s", len(host.Requests()), recording.Files()[client.RecordingIndex])
		}
	})
}

// What somebody's credential was answered is told to nobody.
func TestRecord_Credentialed(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false) // a credential is sent
		host := internet.Host("shop.example", clienttest.Pages{"/.well-known/agent-card.json": agentCard("shop.example", "find")})
		host.Handle(extendedCard, members{"s3cret": page(agentCard("shop.example", "find", "hidden"))})
		var recording client.Recording
		c := newClient(t, internet, withToken("me", "s3cret"), func(o *client.Options) { o.Lab.Record = recording.Add })
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Describe(t.Context(), site, "a2a:agent-card"); err != nil {
			t.Fatal(err)
		}
		recordedAt(t, &recording, "/.well-known/agent-card.json")
		if x := recording.Lookup("https://shop.example" + extendedCard); x != nil {
			t.Errorf("recorded: %+v", x)
		}
	})
}

// A user of Options.Lab.Record without a Recording.
func ExampleOptions_record() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n\n> Things.\n"})
	opts := internet.Options()
	var recording client.Recording
	opts.Lab.Record = recording.Add
	c, err := client.New(opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = c.Resolve(context.Background(), "shop.example")
	_ = c.Close()
	fmt.Printf("%s", recording.Files()["shop.example/llms.txt.http"])
	// Output:
	// HTTP/1.1 200 OK
	// Content-Type: text/plain; charset=utf-8
	//
	// # Shop
	//
	// > Things.
}

// A parameter counts as a secret by its name; of the others nothing is lost.
func TestRecord_SecretNames(t *testing.T) {
	lookup := func(recorded, asked string) bool {
		var r client.Recording
		r.Add(&client.Exchange{URL: "https://shop.example/" + recorded, Status: 200})
		return r.Lookup("https://shop.example/"+asked) != nil
	}
	for _, name := range []string{"token", "access_token", "X-Amz-Signature", "api_key", "apikey", "Key", "to%6ben", "sig", "password", "client_secret", "PHPSESSID_session", "code", "sid"} {
		if !lookup("a?q=1&"+name+"=REDACTED&r=2#", "a?q=1&"+name+"=x/y;z,%26&r=2#") {
			t.Errorf("the value of %s is recorded", name)
		}
	}
	for _, name := range []string{"q", "page", "lang", "keyword", "encode", "design", "author"} {
		if lookup("a?"+name+"=REDACTED", "a?"+name+"=x") || !lookup("a?"+name+"=x", "a?"+name+"=x") {
			t.Errorf("the value of %s is not recorded", name)
		}
	}
}
