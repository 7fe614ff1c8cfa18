package websign

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
)

// vectorFile is the private key of both public vectors.
const vectorFile = `{"kty":"OKP","crv":"Ed25519","kid":"test-key-ed25519","d":"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","agent":"https://bot.example.com"}`

func vectorKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	f, err := ParseKeyFile([]byte(vectorFile))
	if err != nil {
		t.Fatal(err)
	}
	return f.Key()
}

func urlOf(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// vector is a vector of web_bot_auth_architecture_v2.json in cloudflare/web-bot-auth. Neither
// is a whole request of the profile: the first has no Signature-Agent, and in the second the
// name of its member differs from the name of its signature.
type vector struct {
	in                                     input
	base, signature, signatureInput, agent string
}

func vectors() []vector {
	at, until := time.Unix(1735689600, 0), time.Unix(4889289600, 0)
	first := "zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A=="
	second := "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA=="
	params := func(covered, nonce string) string {
		return covered + `;created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="` + nonce + `";tag="web-bot-auth"`
	}
	one, two := params(`("@authority")`, first), params(`("@authority" "signature-agent";key="agent2")`, second)
	return []vector{{
		in:             input{label: "sig1", covered: []string{"@authority"}, created: at, expires: until, nonce: first},
		base:           "\"@authority\": example.com\n\"@signature-params\": " + one,
		signature:      "sig1=:QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==:",
		signatureInput: "sig1=" + one,
	}, {
		in:             input{label: "sig2", agentKey: "agent2", covered: []string{"@authority"}, created: at, expires: until, nonce: second},
		base:           "\"@authority\": example.com\n\"signature-agent\";key=\"agent2\": \"https://signature-agent.test\"\n\"@signature-params\": " + two,
		signature:      "sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:",
		signatureInput: "sig2=" + two,
		agent:          `agent2="https://signature-agent.test"`,
	}}
}

func TestTheSignatureBaseAndTheSignatureOfThePublicVectorsAreReproduced(t *testing.T) {
	s := newSigner(vectorKey(t), httpsfv.NewItem("https://signature-agent.test"))
	for _, v := range vectors() {
		u, h := urlOf(t, "https://example.com/path/to/resource"), http.Header{}
		if base, _ := s.base("GET", u, &v.in); base != v.base {
			t.Errorf("the base is\n%s\nwant\n%s", base, v.base)
		}
		s.signed(h, "GET", u, &v.in)
		if h.Get("Signature") != v.signature || h.Get("Signature-Input") != v.signatureInput || h.Get("Signature-Agent") != v.agent {
			t.Errorf("the fields are %q", h)
		}
	}
}

func TestASignedRequestHasThreeFieldsUnderOneLabelAndEndsSoon(t *testing.T) {
	for agent, want := range map[string]string{
		"https://bot.example.com":      `sig1="https://bot.example.com"`,
		"https://bot.example.com/":     `sig1="https://bot.example.com"`,
		"https://bot.example.com/card": `sig1="https://bot.example.com/card";type=cimd`,
	} {
		s, err := New(vectorKey(t), agent)
		if err != nil {
			t.Fatal(err)
		}
		h, again := http.Header{}, http.Header{}
		u := urlOf(t, "https://shop.example.com:443/a%20b?c=d")
		s.Sign(h, "GET", u, nil)
		s.Sign(again, "GET", u, nil)
		if got := h.Get("Signature-Agent"); got != want {
			t.Errorf("Signature-Agent is %s, want %s", got, want)
		}
		if h.Get("Signature") == again.Get("Signature") {
			t.Error("two requests have one signature")
		}
		verify(t, s, h, want[len("sig1="):])
	}
}

// verify reads the fields of a GET of https://shop.example.com/a%20b like a site.
func verify(t *testing.T, s *Signer, h http.Header, agent string) {
	t.Helper()
	input, ok := strings.CutPrefix(h.Get("Signature-Input"), "sig1=")
	value, is := strings.CutPrefix(h.Get("Signature"), "sig1=:")
	if !ok || !is {
		t.Fatalf("another label: %q", h)
	}
	base := "\"@authority\": shop.example.com\n\"@method\": GET\n\"@path\": /a%20b\n\"signature-agent\";key=\"sig1\": " + agent + "\n\"@signature-params\": " + input
	signature, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(value, ":"))
	if err != nil || !ed25519.Verify(vectorKey(t).Public().(ed25519.PublicKey), []byte(base), signature) {
		t.Errorf("the signature is not one of\n%s\n%v", base, err)
	}
	list, err := httpsfv.UnmarshalList([]string{input})
	if err != nil {
		t.Fatal(err)
	}
	p := list[0].(httpsfv.InnerList).Params
	created, _ := p.Get("created")
	expires, _ := p.Get("expires")
	if made := time.Unix(created.(int64), 0); time.Since(made).Abs() > time.Minute || expires.(int64)-created.(int64) != int64(Lifetime/time.Second) {
		t.Errorf("created %v, expires %v", created, expires)
	}
	if id, _ := p.Get("keyid"); id != s.id {
		t.Errorf("keyid %v", id)
	}
}

func TestAComponentIsAsTheSiteReceivesIt(t *testing.T) {
	u := urlOf(t, "https://Shop.example.com:8443/a%2Fb?x=%20")
	for name, want := range map[string]string{
		"@method": "GET", "@scheme": "https", "@authority": "shop.example.com:8443", "@path": "/a%2Fb", "@query": "?x=%20",
		"@target-uri": "https://shop.example.com:8443/a%2Fb?x=%20",
	} {
		if got := component(name, "GET", u); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	bare := urlOf(t, "https://shop.example.com")
	if got := component("@query", "GET", bare) + component("@path", "GET", bare) + component("@target-uri", "GET", bare); got != "?/https://shop.example.com/" {
		t.Errorf("a URL without a path has %q", got)
	}
}

func TestAWishIsFollowedIfItCanBe(t *testing.T) {
	s, err := New(vectorKey(t), "https://bot.example.com")
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{
		`sig7=("@authority" "signature-agent";key="sig7");created;expires;keyid;nonce="n1";tag="web-bot-auth"`: `sig7=("@authority" "signature-agent";key="sig7")`,
		`sig7=("@target-uri" "signature-agent";key="sig7");created;expires;nonce="n1";tag="web-bot-auth"`:      `sig7=("@target-uri" "signature-agent";key="sig7")`,
		`a=("content-digest"), b=("@method" "signature-agent");nonce="n1"`:                                     `b=("@method" "@authority" "signature-agent";key="b")`,
		`a=("@authority");nonce="n1";alg="rsa-pss-sha512"`:                                                     ``,
		`a=("@authority");nonce="n1";keyid="other"`:                                                            ``,
		`a=("@authority");nonce="n1";tag="payment"`:                                                            ``,
		`a=("@authority";req);nonce="n1"`:                                                                      ``,
		`a=("signature-agent";key="other");nonce="n1"`:                                                         ``,
		`a=("@authority");nonce="` + strings.Repeat("n", maxNonce+1) + `"`:                                     ``,
		`a=("@authority");nonce="n1";size=3`:                                                                   ``,
		`a=("@authority";`:                                                                                     ``,
		`a="@authority"`:                                                                                       ``,
		``:                                                                                                     ``,
	} {
		h := http.Header{}
		if w := s.Wish(http.Header{"Accept-Signature": {field}}); w != nil {
			s.Sign(h, "GET", urlOf(t, "https://shop.example.com/"), w)
		}
		got := h.Get("Signature-Input")
		if want == "" && got != "" || want != "" && (!strings.HasPrefix(got, want+";created=") || !strings.Contains(got, `;nonce="n1";`)) {
			t.Errorf("%s:\n%s", field, got)
		}
	}
}

func TestAnAgentIsAPublicHTTPSURLWithoutAQuery(t *testing.T) {
	for _, agent := range []string{"", "bot.example.com", "http://bot.example.com", "https://127.0.0.1", "https://localhost", "https://u:p@bot.example.com", "https://bot.example.com/?a"} {
		if _, err := New(vectorKey(t), agent); err == nil {
			t.Errorf("%q is an agent", agent)
		}
		if _, err := NewKeyFile(agent); err == nil {
			t.Errorf("%q gets a key", agent)
		}
	}
	if _, err := New(ed25519.PrivateKey("short"), "https://bot.example.com"); err == nil {
		t.Error("a short key is a key")
	}
}

func TestAKeyFileIsReadAsItWasWritten(t *testing.T) {
	f, err := NewKeyFile("https://bot.example.com/")
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseKeyFile(data)
	if err != nil || !read.Key().Equal(f.Key()) || read.Agent() != "https://bot.example.com" || read.Public() != f.Public() {
		t.Errorf("read %v: %v", read, err)
	}
	public, err := json.Marshal(f.Public())
	if err != nil || strings.Contains(string(public), encode(f.Key().Seed())) {
		t.Errorf("the public key is %s, %v", public, err)
	}
}

func TestAnUnusableKeyFileIsRefusedWithoutItsContent(t *testing.T) {
	const seed = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"
	for _, change := range [][2]string{
		{`{`, `[`}, {`"OKP"`, `"EC"`}, {`Ed25519`, `X25519`}, {`"d":"`, `"d":"AAAA`}, {`"x":"J`, `"x":"K`}, {`"agent"`, `"other"`}, {`https://bot`, `http://bot`}, {`"agent":"https://bot.example.com"`, `"agent":{"d":"` + seed + `"}`},
	} {
		_, err := ParseKeyFile([]byte(strings.Replace(vectorFile, change[0], change[1], 1)))
		if err == nil || strings.Contains(err.Error(), seed[:8]) {
			t.Errorf("with %s: %v", change[1], err)
		}
	}
}

func TestASignerAndAKeyFileHideTheKey(t *testing.T) {
	f, err := ParseKeyFile([]byte(vectorFile))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(f.Key(), f.Agent())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{*f, f, *s, s} {
		var log strings.Builder
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
		shown := fmt.Sprintf("%v %+v %#v ", v, v, v) + log.String()
		key := f.Key()
		for _, secret := range []string{encode(key.Seed()), fmt.Sprint([]byte(key.Seed()))[1:20], fmt.Sprintf("%#v", []byte(key.Seed()))[7:30], base64.StdEncoding.EncodeToString(key)} {
			if strings.Contains(shown, secret) {
				t.Errorf("%T shows its key: %s", v, shown)
			}
		}
	}
}
