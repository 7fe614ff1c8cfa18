package call

import (
	"mime"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/schema"
)

// maxAccept is the maximum number of media types that a request names.
const maxAccept = 8

// acceptOf returns the Accept field of requests over plain HTTP: the media types that the
// publisher declares, JSON first. The last element lets a server answer with any other media
// type, which may be its only way to describe an error.
func acceptOf(declared []string) string {
	var list []string
	for _, kind := range declared {
		media, params, err := mime.ParseMediaType(kind)
		if err == nil && !strings.Contains(media, "*") {
			list = append(list, mime.FormatMediaType(media, params))
		}
	}
	if len(list) == 0 || len(list) == 1 && list[0] == "application/json" {
		return "application/json, text/*;q=0.8, */*;q=0.5"
	}
	slices.SortStableFunc(list, func(a, b string) int { return rankOfMedia(a) - rankOfMedia(b) })
	list = slices.Compact(list)
	for i := range list[1:] {
		list[i+1] += ";q=0.8"
	}
	return strings.Join(append(list[:min(len(list), maxAccept)], "*/*;q=0.5"), ", ")
}

// rankOfMedia returns the rank of a media type: JSON first, then types with JSON syntax, then
// other types.
func rankOfMedia(kind string) int {
	media, _, _ := strings.Cut(kind, ";")
	switch {
	case media == "application/json":
		return 0
	case strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "/json"):
		return 1
	}
	return 2
}

// outputsOf returns a function that returns the schema of an answer by its Content-Type; nil
// if there is no schema, or if the schema is not safe to validate with.
func outputsOf(c *wayfind.Capability) func(contentType string) *schema.Schema {
	if c == nil {
		return func(string) *schema.Schema { return nil }
	}
	output := sync.OnceValue(func() *schema.Schema { return checked(c, c.Output) })
	others := sync.OnceValue(func() map[string]*schema.Schema {
		list := make(map[string]*schema.Schema)
		root, err := (&parse.Input{Body: c.Extensions["outputs"]}).JSON()
		if err != nil {
			return nil
		}
		for kind, n := range root.Members() {
			if media, _, err := mime.ParseMediaType(kind); err == nil {
				list[media] = checked(c, n.Raw())
			}
		}
		return list
	})
	if len(c.Extensions["outputs"]) == 0 {
		return func(string) *schema.Schema { return output() }
	}
	return func(contentType string) *schema.Schema {
		media, _, err := mime.ParseMediaType(contentType)
		if err != nil {
			return output()
		}
		group, _, _ := strings.Cut(media, "/")
		for _, kind := range [...]string{media, group + "/*", "*/*"} {
			if s, ok := others()[kind]; ok {
				return s
			}
			if slices.ContainsFunc(c.OutputModes, func(mode string) bool { return isMedia(mode, kind) }) {
				return output()
			}
		}
		return output()
	}
}

// isMedia reports whether a declared media type has the given name.
func isMedia(declared, name string) bool {
	media, _, err := mime.ParseMediaType(declared)
	return err == nil && media == name
}

// checked returns a schema of answers if it can be used, otherwise nil.
func checked(c *wayfind.Capability, raw []byte) *schema.Schema {
	if len(raw) == 0 {
		return nil
	}
	dialect := schema.Unknown
	if strings.HasPrefix(c.Key, "openapi:") {
		dialect = schema.Draft202012 // written by us
	}
	s, err := schema.Check(raw, dialect, nil)
	if err != nil {
		return nil
	}
	return s
}
