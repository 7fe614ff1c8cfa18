package client_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
)

// signKey is a key for tests.
func signKey() ed25519.PrivateKey { return ed25519.NewKeyFromSeed([]byte(drawn(41, 32))) }

// signsRequests makes a client sign its requests.
func signsRequests(o *client.Options) {
	o.Network.Sign = &client.Sign{Key: signKey(), Agent: "https://bot.example.com"}
}

// signaturesAt are the values of Signature of the requests to a host.
func signaturesAt(h *clienttest.Host) (list []string) {
	for _, r := range h.Requests() {
		list = append(list, r.Header.Get("Signature"))
	}
	return list
}

func TestEveryRequestOfAClientWithAKeyIsSignedAndNothingKeepsASignature(t *testing.T) {
	internet := clienttest.New(t)
	shop := internet.Host("shop.example.com", nil).
		Handle(wellKnown, clienttest.Page{Status: 302, Header: http.Header{"Location": {"/moved.json"}, "Cache-Control": {"max-age=600"}}}).
		Handle("/moved.json", clienttest.Page{Body: manifest("shop.example.com", "/details/buy")})

	dir := t.TempDir()
	store, err := disk.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var recording client.Recording
	var log strings.Builder
	c := newClient(t, internet, signsRequests, func(o *client.Options) {
		o.Store, o.Lab.Record, o.Network.View = store, recording.Add, "test"
		o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Logger.Info("options", "network", o.Network, "sign", o.Network.Sign)
	})
	if _, err := c.Resolve(t.Context(), "shop.example.com"); err != nil {
		t.Fatal(err)
	}
	requests := signaturesAt(shop)
	seen := map[string]bool{}
	for _, s := range requests {
		seen[s] = true
	}
	if len(requests) < 2 || len(seen) != len(requests) || seen[""] {
		t.Errorf("the signatures are %q", requests)
	}

	v := &vault{made: append(requests, "Signature-Input", "Signature-Agent", "bot-auth", base64.RawURLEncoding.EncodeToString(signKey().Seed()), base64.StdEncoding.EncodeToString(signKey()))}
	v.shown(t, "the log", log.String())
	for name, content := range recording.Files() {
		v.shown(t, "the recording", name+string(content))
	}
	if v.stored(t, dir) == 0 {
		t.Error("nothing was stored")
	}
}

func TestARequestOfHTTPWithAKeyOfTheCallerIsNotSignedUnlessThatIsAskedFor(t *testing.T) {
	for _, also := range []bool{false, true} {
		internet := clienttest.New(t)
		shop := internet.Host("shop.example.com", nil).Handle("/call", clienttest.Page{Body: `{}`})
		c := newClient(t, internet, signsRequests, func(o *client.Options) { o.Network.Sign.Credentials = also })
		get := func(field string) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://shop.example.com/call", nil)
			if err != nil {
				t.Fatal(err)
			}
			switch field {
			case "":
			case "Authorization":
				req = req.WithContext(client.WithCredential(t.Context(), security.Bearer("https://shop.example.com", "t")))
			default:
				req.Header.Set(field, "x")
			}
			resp, err := c.HTTP("https://shop.example.com").Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		for _, field := range []string{"", "X-Api-Key", "Authorization"} {
			get(field)
		}
		for i, s := range signaturesAt(shop) {
			if want := i == 0 || also; (s != "") != want {
				t.Errorf("credentials too %v: request %d has the signature %q", also, i, s)
			}
		}
	}
}

func TestAKeyThatCannotSignIsRefused(t *testing.T) {
	for _, s := range []*client.Sign{{Agent: "https://bot.example.com"}, {Key: signKey()}, {Key: signKey(), Agent: "http://bot.example.com"}} {
		o := &client.Options{}
		o.Network.Sign = s
		_, err := client.New(o)
		if wayfindErr, ok := err.(*wayfind.Error); !ok || wayfindErr.Kind != wayfind.ErrInvalid {
			t.Errorf("%v: %v", s, err)
		}
	}
}

func TestASignHidesItsKey(t *testing.T) {
	s := client.Sign{Key: signKey(), Agent: "https://bot.example.com"}
	text, err := json.Marshal(struct{ S client.Sign }{s})
	if err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprintf("%v %+v %#v %s", s, &s, s, text)
	for _, secret := range []string{fmt.Sprint([]byte(s.Key))[1:20], fmt.Sprintf("%#v", []byte(s.Key))[7:30], base64.StdEncoding.EncodeToString(s.Key)} {
		if strings.Contains(shown, secret) {
			t.Errorf("the key is in %s", shown)
		}
	}
}
