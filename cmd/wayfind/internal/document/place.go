package document

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// Parse reads the document of a file. Where the content does not decide the
// format, the name of the file counts as its place.
func Parse(ctx context.Context, name string, body []byte, o client.ParseOptions) (*client.ParseResult, error) {
	result, err := read(ctx, body, &o)
	if err != nil || result.Format != "" || o.Format != "" || o.URL != "" {
		return result, err
	}
	o.Path = cmp.Or(placeOf(name, o.Formats), ownPath(name))
	if there, err := read(ctx, body, &o); err == nil && (there.Format != "" || Absence(there.Reason) != nil) {
		return there, nil
	}
	return result, nil
}

// ownPath returns the path of a file that no place ends like: its name, and for a SKILL.md its folder too,
// which has the name of the skill.
func ownPath(name string) string {
	file := "/" + filepath.Base(name)
	if !strings.EqualFold(file, "/skill.md") {
		return file
	}
	folder := filepath.Dir(name)
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	if folder = filepath.ToSlash(filepath.Base(folder)); folder == "/" {
		return file
	}
	return "/" + folder + file
}

// read is client.Parse with the names of flags instead of those of options.
func read(ctx context.Context, body []byte, o *client.ParseOptions) (*client.ParseResult, error) {
	result, err := client.Parse(ctx, body, o)
	if err != nil {
		return nil, err
	}
	for i := range result.Diagnostics {
		d := &result.Diagnostics[i]
		for option, flag := range options {
			said := "; " + option + " raises the limit"
			if flag != "" {
				d.Message = strings.ReplaceAll(d.Message, said, "; "+flag+" raises the limit")
			} else {
				d.Message = strings.ReplaceAll(d.Message, said, "")
			}
			if d.TooLarge != nil && d.TooLarge.Option == option {
				own := *d.TooLarge
				own.Option, d.TooLarge = flag, &own
			}
		}
	}
	return result, nil
}

// options has the flag for each option that raises a limit, or "" if there is none.
var options = map[string]string{"client.Limits.MaxBytes": "--max-bytes", "MaxBytes": "--max-bytes", "parse.Format.Limits.Bytes": ""}

// Absence is the kind of document with a name that no format reads, nil for any other
// name.
func Absence(name string) *formats.Absence {
	list := formats.Absences()
	if i := slices.IndexFunc(list, func(a formats.Absence) bool { return a.Name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// placeOf returns the place of a format that ends like the name of a file, for example
// /.well-known/agent-card.json for "shop/agent-card.json". If several do, it returns the one
// with the longest common end. If none does, the place is empty.
func placeOf(name string, list []*parse.Format) string {
	place, _ := PlaceAndFormat(name, list)
	return place
}

// NamedFormat returns the name of the format whose place placeOf returns.
func NamedFormat(name string, list []*parse.Format) string {
	_, format := PlaceAndFormat(name, list)
	return format
}

// PlaceAndFormat returns the place that a file name ends with, and the format of the place.
func PlaceAndFormat(name string, list []*parse.Format) (place, format string) {
	if list == nil {
		list = formats.All()
	}
	file := "/" + filepath.ToSlash(name)
	best := 0
	for _, f := range list {
		for _, l := range f.Locations {
			if l.Conventional || path.Base(l.Path) != path.Base(file) || path.Ext(l.Path) == "" && !strings.HasSuffix(file, l.Path) {
				continue
			}
			if n := commonEnd(l.Path, file); n > best {
				best, place, format = n, l.Path, f.Name
			}
		}
	}
	return place, format
}

// commonEnd counts the last segments that two paths have in common.
func commonEnd(a, b string) int {
	n := 0
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// ComparePointers puts JSON pointers in order: the whole before its parts, and
// elements of arrays by number.
func ComparePointers(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		m, notA := strconv.Atoi(a)
		n, notB := strconv.Atoi(b)
		if notA == nil && notB == nil {
			return cmp.Compare(m, n)
		}
		return strings.Compare(a, b)
	})
}
