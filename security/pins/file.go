package pins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// maxFileBytes is the maximum size of a file of approvals or pins, in bytes.
const maxFileBytes = 32 << 20

// file describes a type of our own files: an object with the name of its schema and a list.
// Each entry is on a line of its own.
type file[T any] struct {
	op      string // the Op of errors: "pins"
	schema  string // the schema before "/" and the version: "wayfind-pins"
	version int    // the version that is written; it and all earlier versions are read
	member  string // the member that contains the list
	// check returns an error for an invalid entry of a version.
	check func(entry T, version int) error
	// name identifies an entry. Two entries must not have the same name; twice is the error for
	// the second one.
	name  func(entry T) string
	twice string
}

// header returns the schema of a version.
func (f file[T]) header(version int) string { return f.schema + "/" + strconv.Itoa(version) }

// parse reads a file strictly: an unknown schema, an unknown member, a name that occurs twice
// and an invalid entry are errors that contain the line. The name of the file is used in errors
// only.
func (f file[T]) parse(name string, data []byte) (list []T, version int, err error) {
	doc, err := jsonscan.Scan(data)
	if err != nil {
		return nil, 0, f.fail(name, err)
	}
	root := doc.Root()
	if version, err = f.versionOf(root.Get("schema")); err != nil {
		return nil, 0, f.fail(name, err)
	}
	for member, n := range root.Members() {
		if member != "schema" && member != f.member {
			return nil, 0, f.fail(name, fmt.Errorf("line %d: nothing is known of a member %+.40q", n.Line(), member))
		}
	}
	nodes := root.Get(f.member)
	if nodes.Kind() != jsonscan.Array {
		return nil, 0, f.fail(name, fmt.Errorf("line %d: there is no list %q", max(nodes.Line(), 1), f.member))
	}
	list = make([]T, 0, nodes.Len())
	seen := make(map[string]bool, nodes.Len())
	for i := range nodes.Len() {
		n := nodes.Child(i)
		entry, err := f.entry(n, version)
		if err == nil && seen[f.name(entry)] {
			err = errors.New(f.twice)
		}
		if err != nil {
			return nil, 0, f.fail(name, fmt.Errorf("line %d: %s[%d]: %w", n.Line(), f.member, i, err))
		}
		seen[f.name(entry)] = true
		list = append(list, entry)
	}
	return list, version, nil
}

// versionOf reads the version from the schema.
func (f file[T]) versionOf(n jsonscan.Node) (int, error) {
	schema, _ := n.Str()
	for v := 1; v <= f.version; v++ {
		if schema == f.header(v) {
			return v, nil
		}
	}
	return 0, fmt.Errorf("line %d: the schema is %+.40q; this version reads %q and older ones, so use the program that wrote the file", max(n.Line(), 1), schema, f.header(f.version))
}

// entry reads one entry.
func (f file[T]) entry(n jsonscan.Node, version int) (entry T, err error) {
	d := json.NewDecoder(bytes.NewReader(n.Raw()))
	d.DisallowUnknownFields()
	if err := d.Decode(&entry); err != nil {
		return entry, err
	}
	return entry, f.check(entry, version)
}

// encode encodes a file.
func (f file[T]) encode(entries []T) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"schema\": %q, %q: [", f.header(f.version), f.member)
	for i, entry := range entries {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(entry)
		if err != nil {
			return nil, f.fail("", err)
		}
		b.WriteByte('\n')
		b.Write(text)
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

// load reads a file by name. A file that does not exist has no entries and the current version.
func (f file[T]) load(name string) (list []T, version int, err error) {
	data, err := readFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, f.version, nil
	case err != nil:
		return nil, 0, f.fail(name, err)
	}
	return f.parse(name, data)
}

// save replaces a file, or leaves it unchanged. A file that cannot be read is never replaced,
// because its owner may still be able to repair it. A file of an older version is replaced only
// if its owner allows it, because older programs cannot read the new one.
func (f file[T]) save(name string, entries []T, rewrite bool) error {
	_, version, err := f.load(name)
	switch {
	case err != nil:
		return err
	case version < f.version && !rewrite:
		return f.fail(name, fmt.Errorf("it is of version %d, which covers less than version %d, and a rewrite was not allowed", version, f.version))
	}
	data, err := f.encode(entries)
	if err != nil {
		return err
	}
	if err := privatefile.Write(name, privatefile.Bytes(data)); err != nil {
		return f.fail(name, err)
	}
	return nil
}

// fail returns an error of kind wayfind.ErrInvalid with the name of the file.
func (f file[T]) fail(name string, err error) error {
	return wayfind.NewError(f.op, name, wayfind.CodeStored, err)
}

func readFile(name string) ([]byte, error) {
	r, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxFileBytes)
	}
	return data, err
}
