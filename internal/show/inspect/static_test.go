package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// fill puts texts into every string of a value, to a depth at which the model repeats
// itself.
func fill(v reflect.Value, text func() string, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), text, depth-1)
		}
	case reflect.Struct:
		for n := range v.NumField() {
			if v.Type().Field(n).IsExported() {
				fill(v.Field(n), text, depth)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			raw, _ := json.Marshal(text())
			v.SetBytes(raw)
		} else if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), text, depth-1)
			fill(v.Index(1), text, depth-1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, text, depth)
		fill(value, text, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}

// markupOf is the static page of a Site in which every string is a text, with a document
// and a part of the work of such texts.
func markupOf(t *testing.T, text func() string) (page string, list []string) {
	t.Helper()
	site := &wayfind.Site{}
	fill(reflect.ValueOf(site).Elem(), text, 4)
	for n := range site.Documents {
		site.Documents[n].URL = text() + fmt.Sprint(n) // not asked
	}
	site.Sources[0].URL, site.Diagnostics[0].Source = manifest, manifest
	i := &Inspector{Options: Options{Target: text(), Documents: new(Documents), Watch: NewWatch()}, site: site, state: State{Error: text(), Answer: 1}}
	i.Documents.Add(&client.Exchange{URL: manifest, Status: 200, Body: []byte("a" + strings.ReplaceAll(text(), "\n", "") + "\n")})
	_, end := i.Watch.Observe(t.Context(), client.Event{Kind: text(), Target: text()})
	end(client.Event{Error: text(), From: text(), Outcome: text()})
	var b bytes.Buffer
	if err := i.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	values := regexp.MustCompile(`"[^"]*"`)                    // of attributes: a text in one may have "="
	folded := regexp.MustCompile(`(?s)<details>.*?</details>`) // left out if it is long
	for _, tag := range regexp.MustCompile(`(?s)<[a-zA-Z/!][^>]*>`).FindAllString(folded.ReplaceAllString(b.String(), ""), -1) {
		list = append(list, strings.Join(regexp.MustCompile(`^<[^ >]+|[^ "]+=`).FindAllString(values.ReplaceAllString(tag, `""`), -1), " "))
	}
	return b.String(), list
}

// The markup of the static page is the same with any texts, and no character of them is hidden.
func TestWriteHTML_Hostile(t *testing.T) {
	testkit.Large(t)
	words := 0
	_, plain := markupOf(t, func() string { words++; return fmt.Sprint("plain words ", words) })
	h := golden.NewHostile(t)
	markup := []string{`<img src=x onerror=alert(1)>`, `"><script>alert(1)</script>`, `</title></style><b>`, `javascript:alert(1)`, `' onclick='x`, `<!-- `, `{{.}}`, "שלום 100"}
	for range 5 {
		n := 0
		page, tags := markupOf(t, func() string { n++; return h.Text() + markup[n%len(markup)] })
		if at := firstDifference(plain, tags); at >= 0 {
			t.Errorf("the markup is another one at tag %d:\n%q, and was\n%q", at, tags[max(0, at-5):min(len(tags), at+5)], plain[max(0, at-5):min(len(plain), at+5)])
		}
		if why := h.Hidden(page); why != "" {
			t.Errorf("the page has %s", why)
		}
	}
}

// The host of a URL is marked at its place, even if other parts of the URL contain the same text.
func TestSplitAddress(t *testing.T) {
	for url, want := range map[string]parted{
		"https://a.example/x?y#z":             {"https://", "a.example", "/x?y#z"},
		"https://A.Example:8443":              {"https://", "A.Example:8443", ""},
		"http://t/t":                          {"http://", "t", "/t"},
		"https://b.example@a.example?c":       {"https://b.example@", "a.example", "?c"},
		"https://e:@e/":                       {"https://e:@", "e", "/"},
		"https://%C3%BC.example/":             {"https://", "%C3%BC.example", "/"},
		"mailto:a@example.com":                {"mailto:a@example.com", "", ""},
		"https://a.example\\@b.example/":      {"https://a.example\\@b.example/", "", ""},
		"not an address":                      {"not an address", "", ""},
		"https://a.example/https://b.example": {"https://", "a.example", "/https://b.example"},
	} {
		if got := splitAddress(url); got != want {
			t.Errorf("%s is %q, want %q", url, got, want)
		}
	}
}

// firstDifference returns the index at which two lists begin to differ, or -1 if they are the same.
func firstDifference(a, b []string) int {
	for n := range max(len(a), len(b)) {
		if n >= len(a) || n >= len(b) || a[n] != b[n] {
			return n
		}
	}
	return -1
}

// The page of a name that leads to another host of its site says so, and shortens the places of that host.
func TestThePageOfASiteAtItsOwnHost(t *testing.T) {
	site := &wayfind.Site{Origin: "https://example.com", Host: "www.example.com"}
	i := &Inspector{Options: Options{Target: "example.com", Documents: new(Documents), Watch: NewWatch()}, site: site, state: State{Answer: 1}}
	for _, target := range []string{"https://example.com/.well-known/a", "https://www.example.com/.well-known/b"} {
		_, end := i.Watch.Observe(t.Context(), client.Event{Kind: client.EventRequest, Target: target})
		end(client.Event{})
	}
	parts, _, _ := i.Watch.Since(0)
	var short []string
	for _, p := range staticParts(parts, site.Asked()) {
		short = append(short, p.Short)
	}
	if got := strings.Join(short, " "); got != "https://example.com/.well-known/a /.well-known/b" {
		t.Error(got)
	}
	var b bytes.Buffer
	if err := i.WriteHTML(&b); err != nil || !strings.Contains(b.String(), "It leads to <bdi>www.example.com</bdi>") {
		t.Errorf("%v: the page does not name the host", err)
	}
	if v := viewSite(site); v.Host != site.Host {
		t.Errorf("the view is at %q", v.Host)
	}
}
