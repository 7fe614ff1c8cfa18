package reading_test

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
)

func link(t *testing.T, ref string) *url.URL {
	t.Helper()
	u, err := url.Parse(ref)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// dishes is a format that reads any JSON object.
func dishes() *parse.Format {
	return &parse.Format{
		Name:  "dishes",
		Match: func(in *parse.Input) parse.Claim { return parse.Claim{Level: parse.Exact} },
		Parse: func(in *parse.Input) (*parse.Reading, error) {
			return &parse.Reading{Services: []wayfind.Service{{
				Name:       "Dishes\u202e",
				Interfaces: []wayfind.Interface{{Protocol: "http", URL: "https://api.example.org/v1"}, {Protocol: "http", URL: "https://shop.example.com/v1"}},
			}}}, nil
		},
	}
}

func answer(t *testing.T, body string) *reading.Response {
	return &reading.Response{
		URL: link(t, "https://shop.example.com/dishes.json"), Status: http.StatusOK, Body: []byte(body), Digest: sha256.Sum256([]byte(body)),
		Header: http.Header{"Content-Type": {"application/json"}, "Etag": {`"v1"`}},
	}
}

// A document has the authority of the place where it was found.
func TestAt(t *testing.T) {
	r := &reading.Reader{Formats: []*parse.Format{dishes()}, MaxBytes: 1 << 10}
	d := r.Read(nil, answer(t, `{}`))
	if v, reason, err := d.Verdict(); v != wayfind.VerdictFound || err != nil || d.Digest() == "" || !d.Sure() {
		t.Fatalf("%s, %s, %v", v, reason, err)
	}
	own, other := link(t, "https://shop.example.com/dishes.json"), link(t, "https://else.example.org/dishes.json")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		name      string
		at        reading.At
		authority wayfind.Authority
		trust     wayfind.Trust
		near      wayfind.Trust // of the interface on the site
	}{
		{"where it was asked for", reading.At{Requested: own, Final: own}, wayfind.AuthorityNative, wayfind.TrustSameOrigin, wayfind.TrustSameOrigin},
		{"where a link led", reading.At{Requested: own, Final: own, Linked: true}, wayfind.AuthorityLinked, wayfind.TrustSameOrigin, wayfind.TrustSameOrigin},
		{"where a link of another site led", reading.At{Requested: own, Final: own, From: other, Linked: true}, wayfind.AuthorityThirdParty, wayfind.TrustCrossSite, wayfind.TrustCrossSite},
		{"where a foreign document's link led", reading.At{Requested: own, Final: own, Foreign: true, Linked: true}, wayfind.AuthorityThirdParty, wayfind.TrustCrossSite, wayfind.TrustCrossSite},
		{"behind a redirect to another site", reading.At{Requested: own, Final: other, CrossSite: true}, wayfind.AuthorityThirdParty, wayfind.TrustCrossSite, wayfind.TrustCrossSite},
	}
	for _, tt := range tests {
		tt.at.FetchedAt, tt.at.FreshUntil, tt.at.ETag, tt.at.LastModified = now, now.Add(time.Hour), `"v2"`, "a\u202eb"
		list, diags := d.At(tt.at)
		if len(list) != 1 || len(diags) != 1 || diags[0].Code != "text.hidden" || diags[0].Source != tt.at.Requested.String() {
			t.Fatalf("%s: %d readings, %+v", tt.name, len(list), diags)
		}
		s := list[0].Source
		if s.Authority != tt.authority || s.Trust != tt.trust || s.URL != tt.at.Requested.String() || !s.FetchedAt.Equal(now) || s.FreshUntil.IsZero() {
			t.Errorf("%s: %+v", tt.name, s)
		}
		if s.ETag != `"v2"` || s.LastModified != "ab" {
			t.Errorf("%s: validators %q and %q", tt.name, s.ETag, s.LastModified)
		}
		service := list[0].Services[0]
		if service.Name != "Dishes" || service.Interfaces[0].Trust != wayfind.TrustCrossSite || service.Interfaces[1].Trust != tt.near || service.Sources[0].Source != s.URL {
			t.Errorf("%s: %+v", tt.name, service)
		}
		service.Interfaces[0].Trust = "changed" // a copy
	}
}

// A bug in a format is an error, and its stack goes to the hook alone.
func TestPanic(t *testing.T) {
	f := dishes()
	f.Parse = func(*parse.Input) (*parse.Reading, error) { panic("a bug") }
	var stack string
	r := &reading.Reader{Formats: []*parse.Format{f}, MaxBytes: 1 << 10, Panicked: func(err error, s []byte) { stack = string(s) }}
	_, reason, err := r.Read(nil, answer(t, `{}`)).Verdict()
	if !errors.Is(err, wayfind.ErrInternal) || reason != string(wayfind.CodePanic) || !strings.Contains(stack, "TestPanic") || strings.Contains(err.Error(), "goroutine") {
		t.Errorf("%s, %v, stack %q", reason, err, stack)
	}
}

// What plainly is not there occupies nothing, and its body goes.
func TestAbsent(t *testing.T) {
	r := &reading.Reader{Formats: []*parse.Format{dishes()}, MaxBytes: 1 << 10}
	res := answer(t, "not found")
	res.Status = http.StatusNotFound
	d := r.Read(nil, res)
	if v, _, _ := d.Verdict(); v != wayfind.VerdictAbsent || d.Input() != nil || d.Size() != 0 || d.WithoutBody() != d {
		t.Errorf("%s, %v, %d bytes", v, d.Input(), d.Size())
	}
	found := r.Read(nil, answer(t, `{}`))
	if bare := found.WithoutBody(); bare.Input() != nil || bare.Digest() != found.Digest() || bare.Size() >= found.Size() {
		t.Errorf("without its body: %v, %d of %d bytes", bare.Input(), bare.Size(), found.Size())
	}
}
