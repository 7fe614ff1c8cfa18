package redis

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// defaultPort is the port of Redis in the registry of IANA.
const defaultPort = "6379"

// place is the address of a server, with the settings of the connection.
type place struct {
	network, addr  string
	tls            *tls.Config // nil for plain TCP or a socket
	user, password string
	db             int
	prefix         string
	budget         time.Duration
}

// parseURL reads the URL of Open. Errors do not contain the URL, which may contain a password.
func parseURL(raw string) (place, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return place{}, errors.New("redis: not a URL")
	}
	p := place{network: "tcp", user: u.User.Username()}
	p.password, _ = u.User.Password()
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Fragment != "" || u.Opaque != "" {
		return place{}, errors.New("redis: the URL has text behind the database that is not a query")
	}
	db := ""
	switch u.Scheme {
	case "redis", "rediss":
		if u.Hostname() == "" {
			return place{}, errors.New("redis: the URL names no host")
		}
		port := firstOf(u.Port(), defaultPort)
		p.addr = net.JoinHostPort(u.Hostname(), port)
		db = strings.TrimPrefix(u.Path, "/")
		if u.Scheme == "rediss" {
			p.tls = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: u.Hostname()}
		}
	case "unix":
		if u.Host != "" || u.Path == "" {
			return place{}, errors.New("redis: write unix:///path/to/socket")
		}
		p.network, p.addr = "unix", u.Path
		db = query.Get("db")
		query.Del("db")
	default:
		return place{}, fmt.Errorf("redis: the URL has the scheme %q instead of redis, rediss or unix", u.Scheme)
	}
	if db != "" {
		if p.db, err = strconv.Atoi(db); err != nil || p.db < 0 {
			return place{}, fmt.Errorf("redis: %q is not a database number", db)
		}
	}
	p.prefix = query.Get("prefix")
	query.Del("prefix")
	if text := query.Get("budget"); text != "" {
		if p.budget, err = time.ParseDuration(text); err != nil || p.budget <= 0 {
			return place{}, fmt.Errorf("redis: the budget %q is not a duration such as 200ms", text)
		}
	}
	query.Del("budget")
	for name := range query {
		return place{}, fmt.Errorf("redis: the URL has %q in its query; there are db (unix only), prefix and budget", name)
	}
	return p, nil
}
