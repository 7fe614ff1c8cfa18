package call

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/security"
)

// The types of the agreement and of the request, by their names in this package.
type (
	agreedPrint  = print
	agreedTicket = ticket
	outgoing     = subject
)

// fill sets every field of a struct. It fails for a type that it does not know, so that no
// field is forgotten.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(1e9, 0).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(t, field)
		}
	default:
		t.Fatalf("a field of the type %v", v.Type())
	}
}

// Each field of a print distinguishes two requests.
func TestEveryFieldOfAPrintCounts(t *testing.T) {
	var one agreedPrint
	fill(t, reflect.ValueOf(&one).Elem())
	if !one.equal(one) {
		t.Error("a print is not its own")
	}
	for i := range reflect.TypeFor[agreedPrint]().NumField() {
		other := one
		reflect.ValueOf(&other).Elem().Field(i).SetZero()
		if one.equal(other) || other.equal(one) {
			t.Errorf("%s does not count", reflect.TypeFor[agreedPrint]().Field(i).Name)
		}
	}
}

// A sealed ticket contains all fields of the ticket.
func TestASealedTicketKeepsEveryField(t *testing.T) {
	var made agreedTicket
	fill(t, reflect.ValueOf(&made).Elem())
	made.Schema = ticketSchema
	c := &Caller{shared: &shared{key: []byte("key")}}
	got, err := c.open(c.seal(&made))
	if err != nil || !reflect.DeepEqual(*got, made) {
		t.Errorf("%+v, %v, want %+v", got, err, made)
	}
}

// Each part of a request is in its print, or is listed here.
func TestAPrintCoversEveryPartOfARequest(t *testing.T) {
	fresh := func() *outgoing {
		m, err := newMessage(http.MethodPost, "https://shop.example/api/x?q=1", http.Header{"X-A": {"1"}})
		if err != nil {
			t.Fatal(err)
		}
		w := &outgoing{message: m}
		w.body = []byte("1")
		w.cookies = []security.Credential{{Origin: w.origin, In: "cookie", Field: "c", Value: "1"}}
		w.placed = []Placed{{Scheme: "s", Origin: w.origin, Proof: ProofPin, In: "header", Name: "X-Key"}}
		return w
	}
	parts := map[string][]func(w *outgoing){
		"method": {func(w *outgoing) { w.method = http.MethodPut }},
		"url": {
			func(w *outgoing) {
				w.url = &url.URL{Scheme: "http", Host: w.url.Host, Path: w.url.Path, RawQuery: w.url.RawQuery}
			},
			func(w *outgoing) { w.url.Host = "shop.example:8443" }, func(w *outgoing) { w.url.Path = "/api/y" },
			func(w *outgoing) { w.url.Path, w.url.RawPath = "/api/x", "/api/%78" }, func(w *outgoing) { w.url.RawQuery = "q=2" },
		},
		"header": {
			func(w *outgoing) { w.header["X-A"] = []string{"2"} }, func(w *outgoing) { w.header["X-B"] = []string{"1"} },
			func(w *outgoing) { delete(w.header, "X-A") }, func(w *outgoing) { w.header["X-A"] = []string{"1", "1"} },
		},
		"body": {func(w *outgoing) { w.body = []byte("2") }, func(w *outgoing) { w.body = nil }},
		"cookies": {
			func(w *outgoing) { w.cookies[0].Field = "d" }, func(w *outgoing) { w.cookies[0].Value = "2" },
			func(w *outgoing) { w.cookies = nil }, func(w *outgoing) { w.cookies = append(w.cookies, w.cookies[0]) },
		},
		"placed": {
			func(w *outgoing) { w.placed = nil }, func(w *outgoing) { w.placed = append(w.placed, w.placed[0]) },
		},
		// Part of the URL.
		"origin": nil,
		// Created again for each attempt.
		"key": nil,
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[outgoing]()) {
		if !field.Anonymous && !slices.Contains(sortedKeys(parts), field.Name) {
			t.Errorf("%s: is it agreed to?", field.Name)
		}
	}
	for i := range reflect.TypeFor[Placed]().NumField() {
		if reflect.TypeFor[Placed]().Field(i).Name != "Proof" { // why it goes to its place
			parts["placed"] = append(parts["placed"], func(w *outgoing) { fill(t, reflect.ValueOf(&w.placed[0]).Elem().Field(i)) })
		}
	}
	base := fresh().print()
	for name, changes := range parts {
		for i, change := range changes {
			w := fresh()
			change(w)
			if p := w.print(); p.equal(base) {
				t.Errorf("%s, change %d: the print stays the same", name, i)
			}
		}
	}
}
