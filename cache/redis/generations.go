package redis

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
)

// Each origin has a hash in Redis, with the text of its epoch, and with a text for each of its URLs that
// was purged. Everything together has such a hash, too. A generation consists of these texts. A value
// has the generation that the Load before the request has seen. A Load compares it with the present
// one, and a Save compares nothing. So a Purge only changes a text, and an answer that was asked for
// before it is not loaded, whenever it is saved.
//
// A text that is missing is a generation that no value has: the server may have evicted a hash, always
// as a whole, and with it the texts of purged URLs.

const (
	// textSize is the length of a text.
	textSize = 16
	// epochField is the field of the epoch. The other fields are hashes of URLs.
	epochField = "e"
	// originTime is the time for which an origin has its epoch, and its values are found. A URL that is
	// purged prolongs it.
	originTime = 30 * 24 * time.Hour
	// maxPurged is the largest number of purged URLs of an origin. With more, the origin begins an
	// epoch.
	maxPurged = 1024
)

func newText() string { return rand.Text()[:textSize] }

// numbers are the texts of a key: those of everything, of its origin and of its URL. A text that is
// missing is empty.
type numbers struct {
	all, origin, url          string
	foreignAll, foreignOrigin bool // a value of another type is in the place of the hash
}

// epoch returns the part of a generation that is common to an origin. It is empty if there is none.
func (n *numbers) epoch() string {
	if n.all == "" || n.origin == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(n.all + "\n" + n.origin))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:textSize]
}

// generation returns the generation of the key's answers. It is empty if there is none.
func (n *numbers) generation() string {
	epoch := n.epoch()
	switch {
	case epoch == "":
		return ""
	case n.url == "":
		return epoch + strings.Repeat("-", textSize)
	}
	return epoch + n.url
}

// hashes returns the names of the hashes of a key, and the field of its URL.
func (s *Store) hashes(key string) (all, origin, field string) {
	scopes := cache.ScopesOf(key)
	resource, _ := scopes[0].Resource()
	sum := sha256.Sum256([]byte(resource))
	return s.hashOf(scopes[2]), s.hashOf(scopes[1]), base64.RawURLEncoding.EncodeToString(sum[:textSize])
}

// hashOf returns the name of the hash of an origin or of everything.
func (s *Store) hashOf(scope cache.Scope) string { return s.name(scope.String(), kindCount) }

// asks returns the commands that read the numbers of a key.
func (s *Store) asks(c rueidis.Client, key string) []rueidis.Completed {
	all, origin, field := s.hashes(key)
	return []rueidis.Completed{
		c.B().Hmget().Key(origin).Field(epochField, field).Build(), c.B().Hget().Key(all).Field(epochField).Build(),
	}
}

// look returns a value, up to one byte more than a value may have, and the numbers of its key, in one
// round trip. It returns no bytes for a miss. If the value is of another type, it returns that error
// with the numbers.
func (s *Store) look(ctx context.Context, name, key string) (value []byte, n numbers, err error) {
	results, err := s.link.all(ctx, func(ctx context.Context, c rueidis.Client) []rueidis.RedisResult {
		get := c.B().Getrange().Key(name).Start(0).End(s.max).Build()
		return c.DoMulti(ctx, append([]rueidis.Completed{get}, s.asks(c, key)...)...)
	})
	if err != nil {
		return nil, n, err
	}
	if n, err = readNumbers(results[1:]); err != nil {
		return nil, n, err
	}
	value, err = results[0].AsBytes()
	return value, n, err
}

// count returns the numbers of a key.
func (s *Store) count(ctx context.Context, key string) (numbers, error) {
	results, err := s.link.all(ctx, func(ctx context.Context, c rueidis.Client) []rueidis.RedisResult {
		return c.DoMulti(ctx, s.asks(c, key)...)
	})
	if err != nil {
		return numbers{}, err
	}
	return readNumbers(results)
}

// readNumbers reads the replies to the commands of asks.
func readNumbers(replies []rueidis.RedisResult) (n numbers, err error) {
	texts, err := replies[0].AsStrSlice()
	switch n.foreignOrigin = isWrongType(err); {
	case n.foreignOrigin:
	case err != nil:
		return n, err
	case len(texts) != 2:
		return n, errReply
	default:
		n.origin, n.url = texts[0], texts[1]
	}
	n.all, err = replies[1].ToString()
	if n.foreignAll = isWrongType(err); err != nil && !n.foreignAll && !rueidis.IsRedisNil(err) {
		return n, err
	}
	for _, text := range [...]string{n.all, n.origin, n.url} {
		if text != "" && (len(text) != textSize || strings.Trim(text, textLetters) != "") {
			return n, errReply
		}
	}
	return n, nil
}

// textLetters are the letters of rand.Text (RFC 4648 §6).
const textLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// begin begins the epochs that are missing in n, in one round trip, or in two if another caller was
// faster. also, if it is not nil, returns further commands for the epoch. Their replies are returned,
// or nil if another caller has begun another epoch.
func (s *Store) begin(ctx context.Context, key string, n *numbers, also func(c rueidis.Client, epoch string) []rueidis.Completed) (replies []rueidis.RedisResult, err error) {
	if n.epoch() != "" && also == nil {
		return nil, nil
	}
	all, origin, _ := s.hashes(key)
	next := *n
	var set, foreign []string // names and texts; names
	var ends []time.Duration
	if n.all == "" {
		next.all = newText()
		set, ends = append(set, all, next.all), append(ends, maxRetain)
	}
	if n.origin == "" {
		next.origin = newText()
		set, ends = append(set, origin, next.origin), append(ends, originTime)
	}
	if n.foreignAll {
		foreign = append(foreign, all)
	}
	if n.foreignOrigin {
		foreign = append(foreign, origin)
	}
	results, err := s.link.all(ctx, func(ctx context.Context, c rueidis.Client) []rueidis.RedisResult {
		var todo []rueidis.Completed
		for i, end := range ends {
			todo = append(todo, c.B().Hsetnx().Key(set[2*i]).Field(epochField).Value(set[2*i+1]).Build(),
				c.B().Pexpire().Key(set[2*i]).Milliseconds(milliseconds(end)).Build())
		}
		if also != nil {
			todo = append(todo, also(c, next.epoch())...)
		}
		if len(foreign) > 0 {
			todo = append([]rueidis.Completed{c.B().Unlink().Key(foreign...).Build()}, todo...)
		}
		return c.DoMulti(ctx, todo...)
	})
	if err != nil {
		return nil, err
	}
	results = results[min(len(foreign), 1):]
	for i := range ends {
		if begun, err := results[2*i].AsInt64(); err != nil {
			return nil, err
		} else if begun == 0 {
			*n, err = s.count(ctx, key)
			return nil, err
		}
	}
	*n = next
	return results[2*len(ends):], nil
}

// present returns the present generation of a key.
func (s *Store) present(ctx context.Context, key string) (string, error) {
	n, err := s.count(ctx, key)
	if err == nil {
		_, err = s.begin(ctx, key, &n, nil)
	}
	return n.generation(), err
}

// Generation implements cache.GenerationStore. It takes one round trip, or two if the origin of the key
// has no epoch.
func (s *Store) Generation(ctx context.Context, key string) (string, error) {
	generation, err := s.present(ctx, key)
	return generation, failed("load", s.hashOf(cache.ScopesOf(key)[1]), err)
}
