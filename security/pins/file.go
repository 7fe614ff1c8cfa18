package pins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// maxFileBytes is the largest file of approvals or pins that is read.
const maxFileBytes = 32 << 20

// file is a kind of file of ours: an object with the name of its schema and a
// list. Each entry stands on a line of its own.
type file[T any] struct {
	op     string // of errors: "pins"
	schema string // "wayfind-pins/1"
	member string // that has the list
	// check says what is wrong with an entry, given those before it.
	check func(entry T, before []T) error
}

// parse reads a file strictly: an unknown schema, a member that nobody knows, a
// name twice and an entry that makes no sense are errors that name the line. The
// name of the file is for errors.
func (f file[T]) parse(name string, data []byte) ([]T, error) {
	doc, err := jsonscan.Scan(data)
	if err != nil {
		return nil, f.fail(name, err)
	}
	root := doc.Root()
	if schema, _ := root.Get("schema").Str(); schema != f.schema {
		return nil, f.fail(name, fmt.Errorf("line %d: the schema is %+.40q; this version reads %q", max(root.Get("schema").Line(), 1), schema, f.schema))
	}
	for member, n := range root.Members() {
		if member != "schema" && member != f.member {
			return nil, f.fail(name, fmt.Errorf("line %d: nothing is known of a member %+.40q", n.Line(), member))
		}
	}
	list := root.Get(f.member)
	if list.Kind() != jsonscan.Array {
		return nil, f.fail(name, fmt.Errorf("line %d: there is no list %q", max(list.Line(), 1), f.member))
	}
	entries := make([]T, 0, list.Len())
	for i := range list.Len() {
		entry, err := f.entry(list.Child(i), entries)
		if err != nil {
			return nil, f.fail(name, fmt.Errorf("line %d: %s[%d]: %w", list.Child(i).Line(), f.member, i, err))
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// entry reads one entry.
func (f file[T]) entry(n jsonscan.Node, before []T) (entry T, err error) {
	d := json.NewDecoder(bytes.NewReader(n.Raw()))
	d.DisallowUnknownFields()
	if err := d.Decode(&entry); err != nil {
		return entry, err
	}
	return entry, f.check(entry, before)
}

// encode writes a file.
func (f file[T]) encode(entries []T) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"schema\": %q, %q: [", f.schema, f.member)
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

// load reads a file by name. One that is not there has no entries.
func (f file[T]) load(name string) ([]T, error) {
	data, err := readFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, f.fail(name, err)
	}
	return f.parse(name, data)
}

// save replaces a file, or leaves it as it is. A file that cannot be read is
// never replaced: its owner may still be able to mend it.
func (f file[T]) save(name string, entries []T) error {
	if _, err := f.load(name); err != nil {
		return err
	}
	data, err := f.encode(entries)
	if err != nil {
		return err
	}
	if err := writeFile(name, data); err != nil {
		return f.fail(name, err)
	}
	return nil
}

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

// writeFile writes beside the file and renames: a reader sees the old
// file or the new one, also after a crash. Only the owner may read it.
func writeFile(name string, data []byte) (err error) {
	dir := filepath.Dir(name)
	w, err := os.CreateTemp(dir, "."+filepath.Base(name)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(w.Name())
		}
	}()
	_, err = w.Write(data)
	err = errors.Join(err, w.Sync(), w.Close())
	if err != nil {
		return err
	}
	return os.Rename(w.Name(), name)
}
