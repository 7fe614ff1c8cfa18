package redis_test

import (
	"crypto/tls"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// What Open refuses, it refuses without the password.
func TestOpenRefuses(t *testing.T) {
	good := func() *redis.Options { return &redis.Options{Key: key('a')} }
	for name, row := range map[string]struct {
		url  string
		opts *redis.Options
		is   error
	}{
		"no URL":                 {"redis://u:secret@h\x7f", good(), nil},
		"bad escape":             {"redis://u:secret%zz@h", good(), nil},
		"bad port":               {"redis://u:secret@h:port", good(), nil},
		"another scheme":         {"http://u:secret@h", good(), nil},
		"no scheme":              {"u:secret@h:1", good(), nil},
		"no host":                {"redis://u:secret@/0", good(), nil},
		"a database name":        {"redis://u:secret@h/main", good(), nil},
		"a database below zero":  {"redis://u:secret@h/-1", good(), nil},
		"two databases":          {"redis://u:secret@h/0/1", good(), nil},
		"db beside the path":     {"redis://u:secret@h/0?db=1", good(), nil},
		"an option of nobody":    {"redis://u:secret@h?skip_verify=1", good(), nil},
		"a fragment":             {"redis://u:secret@h#x", good(), nil},
		"budget of nothing":      {"redis://u:secret@h?budget=0s", good(), nil},
		"budget of words":        {"redis://u:secret@h?budget=soon", good(), nil},
		"bad query":              {"redis://u:secret@h?prefix=%zz", good(), nil},
		"a socket on a host":     {"unix://u:secret@h/s", good(), nil},
		"a socket without path":  {"unix://u:secret@", good(), nil},
		"no options":             {"redis://u:secret@h", nil, redis.ErrNoKey},
		"no key":                 {"redis://u:secret@h", &redis.Options{}, redis.ErrNoKey},
		"an empty key":           {"redis://u:secret@h", &redis.Options{Key: []byte{}}, redis.ErrShortKey},
		"an empty key, insecure": {"redis://u:secret@h", &redis.Options{Key: []byte{}, InsecureUnauthenticated: true}, nil},
		"a short key":            {"redis://u:secret@h", &redis.Options{Key: key('a')[1:]}, redis.ErrShortKey},
		"a short old key":        {"redis://u:secret@h", &redis.Options{Key: key('a'), OldKeys: [][]byte{key('b')[1:]}}, redis.ErrShortKey},
		"old keys alone":         {"redis://u:secret@h", &redis.Options{OldKeys: [][]byte{key('b')}, InsecureUnauthenticated: true}, nil},
		"both":                   {"redis://u:secret@h", &redis.Options{Key: key('a'), InsecureUnauthenticated: true}, nil},
		"too many keys":          {"redis://u:secret@h", &redis.Options{Key: key('a'), OldKeys: make([][]byte, 100)}, nil},
		"negative":               {"redis://u:secret@h", &redis.Options{Key: key('a'), MaxBytes: -1}, nil},
		"TLS without TLS":        {"redis://u:secret@h", &redis.Options{Key: key('a'), TLS: &tls.Config{MinVersion: tls.VersionTLS12}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := redis.Open(row.url, row.opts)
			if err == nil {
				_ = s.Close()
				t.Fatal("no error")
			}
			if row.is != nil && !errors.Is(err, row.is) {
				t.Errorf("%v, want %v", err, row.is)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the password is in %q", err)
			}
		})
	}
}

// Where a URL leads: user, database, prefix.
func TestURL(t *testing.T) {
	server := testkit.StartRedis(t)
	server.Do("ACL", "SETUSER", "u", "on", ">p@ss/word", "~*", "+@all")
	addr, socket := server.Addr(), server.Socket()
	for url, want := range map[string]struct{ db, prefix string }{
		"redis://" + addr:                                       {"0", "wayfind:"},
		"redis://" + addr + "/":                                 {"0", "wayfind:"},
		"redis://u:p%40ss%2Fword@" + addr + "/7":                {"7", "wayfind:"},
		"redis://" + addr + "/2?prefix=fleet%3A":                {"2", "fleet:"},
		"unix://" + socket:                                      {"0", "wayfind:"},
		"unix://u:p%40ss%2Fword@" + socket + "?db=5&prefix=x/y": {"5", "x/y"},
	} {
		t.Run(url, func(t *testing.T) {
			server.Do("FLUSHALL")
			save(t, open(t, url), "k", "text")
			server.Do("SELECT", want.db)
			defer server.Do("SELECT", "0")
			names := server.Keys("*:a")
			if all := server.Keys(want.prefix + "*"); len(all) != len(server.Keys("*")) {
				t.Errorf("database %s has %q, want the prefix %q", want.db, server.Keys("*"), want.prefix)
			}
			if len(names) != 1 || !strings.HasPrefix(names[0], want.prefix+strconv.Itoa(cache.Schema)+":{") || strings.Contains(names[0], "k}") {
				t.Errorf("database %s has %q, want one key with %q", want.db, names, want.prefix)
			}
			if name := server.Do("TTL", names[0]); name < "3500" || name > "3600" {
				t.Errorf("it is kept for %s s", name)
			}
		})
	}
	// The prefix in Options overrides the one in the URL.
	server.Do("FLUSHALL")
	save(t, open(t, "redis://"+addr+"?prefix=url:", func(o *redis.Options) { o.Prefix = "option:" }), "k", "text")
	if names := server.Keys("option:*:a"); len(names) != 1 {
		t.Errorf("there is %q", server.Keys("*"))
	}
}

// Open sends no request, and no error contains a password.
func TestWrongPassword(t *testing.T) {
	server := testkit.StartRedis(t)
	s := open(t, strings.Replace(server.URL(), "//", "//someone:secret@", 1))
	if n := s.Stats().Connections; n != 0 {
		t.Errorf("%d connections before the first call", n)
	}
	for op, err := range eachCall(t, s, time.Second) {
		if !errors.Is(err, redis.ErrUnavailable) || !strings.Contains(err.Error(), "WRONGPASS") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", op, err)
		}
	}
}
