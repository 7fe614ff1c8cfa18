package client_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/security"
)

// risky are types by which a caller could take the guard, the verification of
// certificates or the absence of credentials away.
func risky() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[http.CookieJar](), reflect.TypeFor[http.RoundTripper](), reflect.TypeFor[http.Client](),
		reflect.TypeFor[http.Transport](), reflect.TypeFor[tls.Config](), reflect.TypeFor[url.URL](), reflect.TypeFor[security.Proxy](),
	}
}

// findRisky yields the paths of the fields of a struct, and of the structs in
// it, that have such a type, alone or as a part of another type, and that no
// name on the way warns of.
func findRisky(typ reflect.Type, path string, seen map[reflect.Type]bool, found *[]string) {
	switch {
	case strings.Contains(path, "Unsafe"):
		return
	case slices.ContainsFunc(risky(), func(r reflect.Type) bool {
		return typ == r || r.Kind() == reflect.Interface && typ.Kind() == reflect.Interface && typ.Implements(r)
	}):
		*found = append(*found, path)
		return
	case seen[typ]:
		return
	}
	seen[typ] = true
	defer delete(seen, typ)
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Chan:
		findRisky(typ.Elem(), path, seen, found)
	case reflect.Func: // the results of a function are a choice of the caller
		for out := range typ.Outs() {
			findRisky(out, path, seen, found)
		}
	case reflect.Struct:
		for f := range typ.Fields() {
			if f.IsExported() {
				findRisky(f.Type, path+"."+f.Name, seen, found)
			}
		}
	}
}

// TestOnlyUnsafeNamesAreUnsafe: no option has a type that could undo the promises of the package,
// unless its name begins with Unsafe. There is no cookie jar under any name.
func TestOnlyUnsafeNamesAreUnsafe(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[client.Options](), reflect.TypeFor[security.Guard]()} {
		var found []string
		findRisky(typ, typ.String(), map[reflect.Type]bool{}, &found)
		if len(found) > 0 {
			t.Errorf("dangerous under a harmless name: %v", found)
		}
	}
	var unsafe []string
	for _, typ := range []reflect.Type{
		reflect.TypeFor[client.Options](), reflect.TypeFor[client.Robots](), reflect.TypeFor[client.Trust](), reflect.TypeFor[client.Network](),
		reflect.TypeFor[client.Limits](), reflect.TypeFor[client.Lab](), reflect.TypeFor[security.Guard](),
	} {
		for f := range typ.Fields() {
			if f.Type.Implements(reflect.TypeFor[http.CookieJar]()) {
				t.Errorf("%s is a cookie jar", f.Name)
			}
			if strings.HasPrefix(f.Name, "Unsafe") {
				unsafe = append(unsafe, f.Name)
			}
		}
	}
	if diff := cmp.Diff([]string{"UnsafeDial", "UnsafeTLS", "UnsafeProxy"}, unsafe); diff != "" {
		t.Errorf("the list of dangerous options (-want +got):\n%s", diff)
	}
}

// TestRiskyTypesAreFound: the search above finds risky types.
func TestRiskyTypesAreFound(t *testing.T) {
	type inner struct{ Dialers map[string][]*http.Transport }
	type options struct {
		Client     *http.Client
		Jar        http.CookieJar
		Next       http.RoundTripper
		Proxy      func(*http.Request) (*url.URL, error)
		TLS        *tls.Config
		Inner      *inner
		UnsafeTLS  *tls.Config
		UnsafeMore inner
		Fine       func(*http.Request) error
	}
	var found []string
	findRisky(reflect.TypeFor[options](), "o", map[reflect.Type]bool{}, &found)
	if diff := cmp.Diff([]string{"o.Client", "o.Jar", "o.Next", "o.Proxy", "o.TLS", "o.Inner.Dialers"}, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestANilResolverOfTheSystemIsOne: its methods accept nil, unlike the methods of other resolvers.
func TestANilResolverOfTheSystemIsOne(t *testing.T) {
	c, err := client.New(&client.Options{Network: client.Network{Resolver: (*net.Resolver)(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
}
