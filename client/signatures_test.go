package client_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security/cards"
)

// signedCards are the vectors of signed cards.
type signedCards struct {
	TrustedJWKS  keySet `json:"trusted_jwks"`
	AttackerJWKS keySet `json:"attacker_jwks"`
	Cases        []struct {
		Name, Keys, Want string
		Card             string `json:"card_text"`
		From             string `json:"served_from"`
	}
}

func readSignedCards(t *testing.T) (vectors signedCards) {
	t.Helper()
	if err := json.Unmarshal(golden.Read(t, golden.Vectors(t, "jws", "own_agentcards.json")), &vectors); err != nil {
		t.Fatal(err)
	}
	return vectors
}

// brokenSignatures give the codes of signatures, without a network.
func brokenSignatures(t *testing.T) (rows []brokenDocument) {
	vectors := readSignedCards(t)
	for _, c := range vectors.Cases {
		for _, keys := range []*cards.Keys{nil, vectors.TrustedJWKS.pinned(t, "https://shop.example.com")} {
			rows = append(rows, brokenDocument{c.Card, client.ParseOptions{URL: c.From, Keys: keys}})
		}
	}
	mine, card := newSigner(t, "mine"), canonicalCard("shop.example.com", "")
	signed := mine.sign(t, card, strings.NewReplacer(`"capabilities":{},`, "", `,"tags":[]`, "").Replace(card), "")
	return append(rows, brokenDocument{signed, client.ParseOptions{Keys: mine.public(t).pinned(t)}})
}

// keySet is a JWK Set.
type keySet struct {
	Keys []map[string]any `json:"keys"`
}

// pinned makes a key store of a set, for origins; for any without one.
func (s keySet) pinned(t *testing.T, origins ...string) *cards.Keys {
	t.Helper()
	own := keySet{}
	for _, k := range s.Keys {
		k = maps.Clone(k)
		if len(origins) > 0 {
			k["origins"] = origins
		}
		own.Keys = append(own.Keys, k)
	}
	store, err := cards.ParseKeys(own.json(t))
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func (s keySet) json(t *testing.T) []byte {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func withKeys(keys *cards.Keys) func(*client.Options) {
	return func(o *client.Options) { o.Trust.Keys = keys }
}

func fetchKeys(o *client.Options) { o.Trust.FetchKeys = true }

// signatureCodes are the codes of diagnostics about checked signatures.
func signatureCodes(diags []wayfind.Diagnostic) (codes []string) {
	for _, d := range diags {
		if strings.HasPrefix(d.Code, "signature.") {
			codes = append(codes, d.Code)
		}
	}
	return codes
}

// Every row of the vectors is tested with the key pinned for any site and for its own site. A bad
// signature is reported and removes nothing. No key of another site is requested. Only a pinned key
// makes a card verified.
func TestSignaturesOfCardsAreJudgedAsTheirVectorsSay(t *testing.T) {
	vectors := readSignedCards(t)
	count := map[string]int{}
	for _, c := range vectors.Cases {
		for _, origins := range [][]string{nil, {"https://shop.example.com"}} {
			keys := vectors.TrustedJWKS.pinned(t, origins...)
			if c.Keys != "trusted" {
				keys = nil
			}
			t.Run(fmt.Sprintf("%s %d", c.Name, len(origins)), func(t *testing.T) {
				from, err := url.Parse(c.From)
				if err != nil {
					t.Fatal(err)
				}
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					internet.Host(from.Host, clienttest.Pages{from.Path: c.Card})
					o := []func(*client.Options){readA2A, withKeys(keys)}
					if c.Keys == "jku" {
						o = append(o, fetchKeys)
					}
					site, err := newClient(t, internet, o...).Resolve(t.Context(), from.Host)
					asked := func(r clienttest.Request) bool {
						return r.Host == from.Host && (r.Path == a2a.Path || r.Path == a2a.PathOld || strings.HasPrefix(r.Path, "/.well-known/wayfind-"))
					}
					for _, r := range internet.Requests() {
						if !asked(r) {
							t.Errorf("asked for %+v", r)
						}
					}
					if c.Want == "ErrJSONDuplicate" {
						if !errors.Is(err, wayfind.ErrInvalid) || site.Probes[0].Reason != string(wayfind.CodeJSONDuplicate) {
							t.Errorf("%v, %+v", err, site.Probes)
						}
						return
					}
					if err != nil || len(site.Services) != 1 || len(site.Sources) != 1 {
						t.Fatalf("%v: %+v", err, site)
					}
					checkWant(t, c.Want, len(origins) > 0, site)
				})
				count[c.Want]++
			})
		}
	}
	if len(vectors.Cases) < golden.Least(t, golden.EnvVectors, 37) {
		t.Errorf("%d rows, there were 37", len(vectors.Cases))
	}
	t.Logf("%d rows: %v", len(vectors.Cases), count)
}

// checkWant compares a Site with the column of that name. pinned: the key is
// pinned for an origin.
func checkWant(t *testing.T, want string, pinned bool, site *wayfind.Site) {
	t.Helper()
	source := site.Sources[0]
	code := map[string]wayfind.Code{
		"ErrSigInvalid": wayfind.CodeSigInvalid, "ErrSigAlg": wayfind.CodeSigAlg, "ErrSigHeader": wayfind.CodeSigHeader,
		"ErrSigKey": wayfind.CodeSigKey, "ErrSigJKU": wayfind.CodeSigJKU, "ErrSigDomain": wayfind.CodeSigDomain,
		"ErrSigAmbiguousNumber": wayfind.CodeSigNumber, "ErrLimit": wayfind.CodeLimit, "WarnSigUnverified": wayfind.CodeSigUnverified,
	}[want]
	var codes []string
	authority := wayfind.AuthorityNative
	switch want {
	case "verified", "verified by key-1 only":
		authority = wayfind.AuthorityVerified
		last := source.Signatures[len(source.Signatures)-1]
		if last.Status != cards.Valid || last.KeySource != cards.KeyPinned || last.KeyID != "key-1" || last.Code != "" || last.Profile == "" {
			t.Errorf("%+v", last)
		}
		if len(source.Signatures) == 2 {
			codes = []string{"signature.jku"}
		}
	case "WarnUnsigned", "WarnUnsigned or ErrSchema", "ErrSchema":
		if pinned {
			codes = []string{"signature.unsigned"}
		}
		odd := slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Pointer == "/signatures" && d.Code == "a2a.wrong_type" })
		if odd != (want == "ErrSchema") {
			t.Errorf("diagnostics %+v", site.Diagnostics)
		}
	default:
		if code == "" {
			t.Fatalf("unknown column %q", want)
		}
		for _, s := range source.Signatures {
			codes = append(codes, "signature."+strings.TrimPrefix(string(code), "sig_"))
			if s.Code != code || s.Status == cards.Valid {
				t.Errorf("%+v, want code %s", s, code)
			}
		}
		if len(codes) == 0 {
			t.Error("no signature was listed")
		}
	}
	if source.Authority != authority {
		t.Errorf("authority %s, want %s", source.Authority, authority)
	}
	if d := cmp.Diff(codes, signatureCodes(site.Diagnostics)); d != "" {
		t.Errorf("diagnostics (-want +got):\n%s", d)
	}
}

// signer signs cards as their producers do.
type signer struct {
	key *ecdsa.PrivateKey
	id  string
}

func newSigner(t *testing.T, id string) signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signer{key, id}
}

// public is the JWK Set of a signer.
func (s signer) public(t *testing.T) keySet {
	t.Helper()
	point, err := s.key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString
	return keySet{Keys: []map[string]any{{"kty": "EC", "crv": "P-256", "kid": s.id, "x": text(point[1:33]), "y": text(point[33:])}}}
}

// sign puts a signature over payload into a card. More members of the header
// are JSON.
func (s signer) sign(t *testing.T, card, payload, header string) string {
	t.Helper()
	text := base64.RawURLEncoding.EncodeToString
	protected := text(fmt.Appendf(nil, `{"alg":"ES256","typ":"JOSE","kid":%q%s}`, s.id, header))
	digest := sha256.Sum256([]byte(protected + "." + text([]byte(payload))))
	r, v, err := ecdsa.Sign(rand.Reader, s.key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	v.FillBytes(signature[32:])
	entry := fmt.Sprintf(`"signatures":[{"protected":%q,"signature":%q}]`, protected, text(signature))
	return strings.TrimSuffix(card, "}") + "," + entry + "}"
}

// canonicalCard is a card of 1.0 for a host, in canonical form. more are
// members between "name" and "skills".
func canonicalCard(host, more string) string {
	return fmt.Sprintf(`{"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"description":"Sells","name":"Shop",%s"skills":[{"description":"d","id":"s","name":"n","tags":[]}],"supportedInterfaces":[{"protocolBinding":"HTTP+JSON","protocolVersion":"1.0","url":"https://%s/a2a"}],"version":"1"}`, more, host)
}

// A key from the card's own site proves only that the card was not changed. It is requested only if
// the caller wants that.
func TestAKeyOfTheSiteProvesNoMoreThanIntegrity(t *testing.T) {
	mine := newSigner(t, "mine")
	plain := canonicalCard("shop.example.com", "")
	card := mine.sign(t, plain, plain, `,"jku":"https://keys.example.com/set"`)
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example.com", clienttest.Pages{a2a.Path: card})
		keys := internet.Host("keys.example.com", clienttest.Pages{"/set": string(mine.public(t).json(t))})

		site, err := newClient(t, internet, readA2A).Resolve(t.Context(), "shop.example.com")
		if err != nil || keys.Dials() != 0 {
			t.Fatalf("%v, %d dials", err, keys.Dials())
		}
		if s := site.Sources[0].Signatures[0]; s.Status != cards.Unverified || s.Code != wayfind.CodeSigUnverified {
			t.Errorf("%+v", s)
		}

		c := newClient(t, internet, readA2A, fetchKeys)
		for range 2 {
			if site, err = c.Refresh(t.Context(), "shop.example.com"); err != nil {
				t.Fatal(err)
			}
			s := site.Sources[0].Signatures[0]
			want := wayfind.Signature{Status: cards.Valid, Profile: cards.ProfileRaw, KeySource: cards.KeySameSite,
				Algorithm: "ES256", KeyID: "mine", KeyURL: "https://keys.example.com/set", Sources: s.Sources}
			if d := cmp.Diff(want, s); d != "" || site.Sources[0].Authority != wayfind.AuthorityNative {
				t.Errorf("authority %s (-want +got):\n%s", site.Sources[0].Authority, d)
			}
			if codes := signatureCodes(site.Diagnostics); codes != nil {
				t.Errorf("diagnostics %v", codes)
			}
		}
		probe := site.Probes[len(site.Probes)-1]
		if probe.URL != "https://keys.example.com/set" || probe.Verdict != wayfind.VerdictFound || probe.Format != "jwks" {
			t.Errorf("%+v", probe)
		}
	})
}

// A key set that is too large, has too many keys, redirects to another site or cannot be read
// proves nothing, and costs no more than its cap.
func TestHostileKeySetsProveNothing(t *testing.T) {
	mine := newSigner(t, "mine")
	plain := canonicalCard("shop.example.com", "")
	set := string(mine.public(t).json(t))
	many := `{"keys":[` + strings.Repeat(`{},`, 9999) + strings.TrimPrefix(set, `{"keys":[`)
	rows := []struct {
		name, jku string
		page      http.Handler
		verdict   wayfind.Verdict
	}{
		{"5 MiB", "/set", clienttest.Page{Body: set + strings.Repeat(" ", 5<<20)}, wayfind.VerdictTooLarge},
		{"10,000 keys", "/set", clienttest.Page{Body: many}, wayfind.VerdictMalformed},
		{"17 keys", "/set", clienttest.Page{Body: `{"keys":[` + strings.Repeat(`{"kty":"x"},`, 16) + strings.TrimPrefix(set, `{"keys":[`)}, wayfind.VerdictMalformed},
		{"redirect away", "/set", clienttest.Redirect(302, "https://evil.example/set"), wayfind.VerdictRefused},
		{"no set", "/set", clienttest.Page{Body: `{"keys":{}}`}, wayfind.VerdictMalformed},
		{"other key", "/set", clienttest.Page{Body: strings.Replace(set, "mine", "other", 1)}, wayfind.VerdictFound},
		{"private key", "/set", clienttest.Page{Body: strings.Replace(set, `"kid"`, `"d":"AA","kid"`, 1)}, wayfind.VerdictFound},
		{"two keys of one name", "/set", clienttest.Page{Body: `{"keys":[` + strings.TrimPrefix(strings.TrimSuffix(set, "]}"), `{"keys":[`) + "," + strings.TrimPrefix(set, `{"keys":[`)}, wayfind.VerdictFound},
		{"web page", "/set", clienttest.Page{Body: "<!DOCTYPE html><html>"}, wayfind.VerdictSoft404},
		{"not there", "/set", clienttest.Page{Status: 404}, wayfind.VerdictAbsent},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			card := mine.sign(t, plain, plain, `,"jku":"https://shop.example.com`+r.jku+`"`)
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example.com", clienttest.Pages{a2a.Path: card}).Handle("/set", r.page)
				evil := internet.Host("evil.example", clienttest.Pages{"/set": set})
				site, err := newClient(t, internet, readA2A, fetchKeys).Resolve(t.Context(), "shop.example.com")
				if err != nil || evil.Dials() != 0 {
					t.Fatalf("%v, %d dials", err, evil.Dials())
				}
				s := site.Sources[0].Signatures[0]
				if s.Status == cards.Valid || s.Code != wayfind.CodeSigJKU || site.Sources[0].Authority != wayfind.AuthorityNative {
					t.Errorf("%+v", s)
				}
				probe := site.Probes[len(site.Probes)-1]
				if probe.URL != "https://shop.example.com/set" || probe.Verdict != r.verdict {
					t.Errorf("%+v, want %s", probe, r.verdict)
				}
				if large := probe.Reason == string(wayfind.CodeTooLarge); large != (r.name == "5 MiB") {
					t.Errorf("reason %q", probe.Reason)
				}
				if d := cmp.Diff([]string{"signature.jku"}, signatureCodes(site.Diagnostics)); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

// Requests for key sets use the budget like all others.
func TestKeySetsUseTheBudget(t *testing.T) {
	mine := newSigner(t, "mine")
	plain := canonicalCard("shop.example.com", "")
	card := mine.sign(t, plain, plain, `,"jku":"https://shop.example.com/set"`)
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example.com", clienttest.Pages{a2a.Path: card, "/set": string(mine.public(t).json(t))})
		c := newClient(t, internet, readA2A, fetchKeys, func(o *client.Options) { o.Limits.Budget = 2 })
		site, err := c.Resolve(t.Context(), "shop.example.com")
		if err != nil || slices.Contains(host.Paths(), "/set") {
			t.Fatalf("%v, asked %v", err, host.Paths())
		}
		if s := site.Sources[0].Signatures[0]; s.Code != wayfind.CodeSigUnverified {
			t.Errorf("%+v", s)
		}
		if probe := site.Probes[len(site.Probes)-1]; probe.Verdict != wayfind.VerdictSkipped {
			t.Errorf("%+v", probe)
		}
	})
}

// Members that have the default of their field are not signed, and mean
// what their absence means: the model of both cards is the same.
func TestMembersWithDefaultsAreNotSigned(t *testing.T) {
	mine := newSigner(t, "mine")
	const scheme = `"securitySchemes":{"o":{"oauth2SecurityScheme":{%s"flows":{"authorizationCode":{"authorizationUrl":"https://shop.example.com/a",%s"scopes":{},"tokenUrl":"https://shop.example.com/t"}}}}},`
	plain := canonicalCard("shop.example.com", fmt.Sprintf(scheme, "", ""))
	signed := mine.sign(t, plain, plain, "")
	defaults := strings.NewReplacer(
		`"capabilities":{}`, `"capabilities":{"extensions":[]}`,
		`"url":"https://shop.example.com/a2a"`, `"tenant":"","url":"https://shop.example.com/a2a"`,
		`"tags":[]`, `"tags":[],"examples":[],"inputModes":[],"securityRequirements":[]`,
		`"flows"`, `"description":"","oauth2MetadataUrl":"","flows"`,
		`"scopes"`, `"pkceRequired":false,"refreshUrl":"","scopes"`,
		`"version":"1"`, `"securityRequirements":[],"version":"1"`,
	)
	resolved := func(card string) (site *wayfind.Site) {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example.com", clienttest.Pages{a2a.Path: card})
			var err error
			if site, err = newClient(t, internet, readA2A, withKeys(mine.public(t).pinned(t, "https://shop.example.com"))).Resolve(t.Context(), "shop.example.com"); err != nil {
				t.Fatal(err)
			}
		})
		return site
	}
	want, got := resolved(signed), resolved(defaults.Replace(signed))
	if s := want.Sources[0].Signatures[0]; s.Status != cards.Valid || s.Profile != cards.ProfileRaw {
		t.Errorf("%+v", s)
	}
	if s := got.Sources[0].Signatures[0]; s.Status != cards.Valid || s.Profile != cards.ProfileProto {
		t.Errorf("%+v", s)
	}
	if d := cmp.Diff(want.Services, got.Services); d != "" {
		t.Errorf("unsigned members mean something (-without +with):\n%s", d)
	}
	for _, change := range [][2]string{{`"tags":[]`, `"tags":[],"examples":[""]`}, {`"capabilities":{}`, `"capabilities":{"streaming":false}`}, {`"name":"n"`, `"name":""`}, {`,"tags":[]`, ``}} {
		site := resolved(strings.Replace(signed, change[0], change[1], 1))
		if s := site.Sources[0].Signatures[0]; s.Status == cards.Valid {
			t.Errorf("%s: %+v", change[1], s)
		}
	}
}

// Some implementations sign too little of a card. Such a signature has a different reason from a
// wrong one, and proves as little.
func TestSignaturesThatCoverTooLittleAreReported(t *testing.T) {
	mine := newSigner(t, "mine")
	card := canonicalCard("shop.example.com", `"provider":{"organization":"Müller 😀","url":""},`)
	bare := strings.NewReplacer(`"capabilities":{},`, "", `,"tags":[]`, "", `,"url":""`, "")
	flags := strings.Replace(card, `"capabilities":{}`, `"capabilities":{"streaming":false}`, 1)
	ascii := strings.NewReplacer("ü", `\u00fc`, "😀", `\ud83d\ude00`)
	for _, r := range []struct{ name, card, payload, profile string }{
		{"all of it", card, card, cards.ProfileRaw},
		{"a2a-js", card, bare.Replace(card), "drop-empty-jcs"},
		{"by the letter", flags, strings.Replace(bare.Replace(flags), `"capabilities":{"streaming":false},`, "", 1), "drop-defaults-jcs"},
		{"a2a-python", card, ascii.Replace(bare.Replace(card)), "python"},
	} {
		res, err := client.Parse(t.Context(), []byte(mine.sign(t, r.card, r.payload, "")), &client.ParseOptions{
			URL: "https://shop.example.com/.well-known/agent-card.json", Keys: mine.public(t).pinned(t, "https://shop.example.com")})
		if err != nil || len(res.Site.Sources) != 1 {
			t.Fatal(err, res)
		}
		source := res.Site.Sources[0]
		want, authority := wayfind.Signature{Status: cards.Valid}, wayfind.AuthorityVerified
		if r.profile != cards.ProfileRaw {
			want = wayfind.Signature{Status: cards.Unverifiable, Code: wayfind.CodeSigProfile}
			authority = wayfind.AuthorityNative
		}
		want.Profile, want.KeySource, want.Algorithm, want.KeyID = r.profile, cards.KeyPinned, "ES256", "mine"
		want.Sources = source.Signatures[0].Sources
		if d := cmp.Diff([]wayfind.Signature{want}, source.Signatures); d != "" || source.Authority != authority {
			t.Errorf("%s: authority %s (-want +got):\n%s", r.name, source.Authority, d)
		}
	}
}

// A key answers for the origins that it is pinned for. A card that only comes
// from elsewhere in the end is that site's claim, however genuine.
func TestAKeyAnswersForTheOriginsItIsPinnedFor(t *testing.T) {
	mine := newSigner(t, "mine")
	plain := canonicalCard("shop.example.com", "")
	card := mine.sign(t, plain, plain, "")
	for _, r := range []struct {
		name   string
		at     string // the final place of the card
		pinned []string
		code   wayfind.Code
		rank   wayfind.Authority
	}{
		{"its own", "shop.example.com", []string{"https://shop.example.com"}, "", wayfind.AuthorityVerified},
		{"anybody's", "shop.example.com", nil, "", wayfind.AuthorityVerified},
		{"somebody else's", "shop.example.com", []string{"https://www.example.com"}, wayfind.CodeSigDomain, wayfind.AuthorityNative},
		{"own, moved within the site", "www.example.com", []string{"https://shop.example.com"}, "", wayfind.AuthorityVerified},
		{"of the host that answers", "www.example.com", []string{"https://www.example.com"}, "", wayfind.AuthorityVerified},
		{"own, moved away", "far.example.net", []string{"https://shop.example.com"}, "", wayfind.AuthorityThirdParty},
		{"of another site that answers", "far.example.net", []string{"https://far.example.net"}, wayfind.CodeSigDomain, wayfind.AuthorityThirdParty},
	} {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				if r.at != "shop.example.com" {
					internet.Host("shop.example.com", nil).Handle(a2a.Path, clienttest.Redirect(302, "https://"+r.at+a2a.Path))
				}
				internet.Host(r.at, nil).Handle(a2a.Path, clienttest.Page{Body: card})
				site, err := newClient(t, internet, readA2A, withKeys(mine.public(t).pinned(t, r.pinned...))).Resolve(t.Context(), "shop.example.com")
				if err != nil {
					t.Fatal(err)
				}
				if s := site.Sources[0]; s.Signatures[0].Code != r.code || s.Authority != r.rank {
					t.Errorf("authority %s, %+v", s.Authority, s.Signatures[0])
				}
			})
		})
	}
}
