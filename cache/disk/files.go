package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// Layout below the directory. Several versions of the program can share a directory: entries of
// another cache.Schema are in another directory, and obligations and generations are common to all.
// In each schema, the modification time of an entry's file is the end of the entry.
const (
	layoutDir      = "v1"
	entriesDir     = "v1/e"   // followed by the schema; contains <2 hex>/<hash> and <hash>.v/<part>
	obligationsDir = "v1/o"   // <hash>/<generation>: see directoryOf
	generationsDir = "v1/g"   // <hash>; the first Purge makes it
	temporaryDir   = "v1/tmp" // files that are being written
)

// entriesOf returns the directory of the entries of a schema.
func entriesOf(schema int) string { return entriesDir + strconv.Itoa(schema) }

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Error is a failed operation on a file.
type Error struct {
	// Op is the operation that failed, such as "open", "write", "sync" or "rename".
	Op string
	// Path is the path below the directory of the store.
	Path string
	// Err is the cause, such as syscall.ENOSPC or an error that wraps cache.ErrCorrupt.
	Err error
}

// Error returns a text with operation, path and cause.
func (e *Error) Error() string { return fmt.Sprintf("disk: %s %s: %v", e.Op, e.Path, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// MarshalJSON returns the error as an object: op, path, and message, which is the text of Error.
func (e *Error) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"op": e.Op, "path": e.Path, "message": e.Error()})
}

// files has the operations on files. All of them use one os.Root, so no name and no link in the
// directory leads out of it.
type files struct {
	root *os.Root
	// fault is called before each operation, and may make it fail. It is nil except in tests.
	fault func(op, path string) error
	sign  func() // notes that an operation has ended
}

// do runs one operation.
func (f *files) do(op, path string, call func() error) error {
	var err error
	if f.fault != nil {
		err = f.fault(op, path)
	}
	if err == nil {
		err = call()
	}
	if f.sign != nil {
		f.sign()
	}
	return failed(op, path, err)
}

// failed returns an *Error for an error of package os, or nil for nil.
func failed(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err
	} else if linkError, ok := errors.AsType[*os.LinkError](err); ok {
		err = linkError.Err
	}
	return &Error{Op: op, Path: path, Err: err}
}

func (f *files) lstat(path string) (fi fs.FileInfo, err error) {
	err = f.do("lstat", path, func() (err error) { fi, err = f.root.Lstat(path); return err })
	return fi, err
}

func (f *files) open(path string) (file *os.File, err error) {
	err = f.do("open", path, func() (err error) { file, err = f.root.OpenFile(path, readFlags, 0); return err })
	return file, err
}

// create creates a file that must not exist.
func (f *files) create(path string) (file *os.File, err error) {
	err = f.do("create", path, func() (err error) {
		file, err = f.root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
		return err
	})
	return file, err
}

// maxPiece is the largest number of bytes that one operation reads or writes, so that a large file
// on a slow disk is not taken for a disk that hangs.
const maxPiece = 1 << 20

func (f *files) read(path string, file io.Reader, b []byte) error {
	return inPieces(b, func(b []byte) error {
		return f.do("read", path, func() error { _, err := io.ReadFull(file, b); return err })
	})
}

func (f *files) write(path string, file *os.File, b []byte) error {
	return inPieces(b, func(b []byte) error {
		return f.do("write", path, func() error { _, err := file.Write(b); return err })
	})
}

// inPieces calls f for the pieces of b, at least once.
func inPieces(b []byte, f func([]byte) error) error {
	for len(b) > maxPiece {
		if err := f(b[:maxPiece]); err != nil {
			return err
		}
		b = b[maxPiece:]
	}
	return f(b)
}

func (f *files) sync(path string, file *os.File) error {
	return f.do("sync", path, file.Sync)
}

func (f *files) close(path string, file *os.File) error {
	return f.do("close", path, file.Close)
}

func (f *files) rename(from, to string) error {
	return f.do("rename", to, func() error { return f.root.Rename(from, to) })
}

func (f *files) chtimes(path string, at time.Time) error {
	return f.do("chtimes", path, func() error { return f.root.Chtimes(path, at, at) })
}

// mkdir makes a directory and its parents. An existing directory is no error.
func (f *files) mkdir(path string) error {
	return f.do("mkdir", path, func() error { return f.root.MkdirAll(path, dirMode) })
}

// remove removes a file or a link. A missing file is no error.
func (f *files) remove(path string) error {
	return f.do("remove", path, func() error { return known(f.root.Remove(path)) })
}

// removeAll removes a file or a directory with its content. It does not follow links.
func (f *files) removeAll(path string) error {
	return f.do("remove", path, func() error { return known(f.root.RemoveAll(path)) })
}

func known(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// list returns the entries of a directory, in no order. A missing directory has no entries.
func (f *files) list(path string) (infos []fs.FileInfo, err error) {
	err = f.do("list", path, func() error {
		dir, err := f.root.OpenFile(path, readFlags, 0)
		if err != nil {
			return known(err)
		}
		defer dir.Close()
		infos, err = dir.Readdir(-1)
		return known(err) // removed after it was opened
	})
	return infos, err
}

// syncDir makes names durable. Its error is ignored, because not every system can do it, and at
// worst a loss of power brings back the old file.
func (f *files) syncDir(path string) {
	_ = f.do("syncdir", path, func() error {
		dir, err := f.root.Open(path)
		if err != nil {
			return err
		}
		defer dir.Close()
		return dir.Sync()
	})
}

// mend prepares the place of a file: it makes its directory, and removes a directory in the file's
// place. If this fails, the next rename returns the error.
func (f *files) mend(dir, path string) {
	if fi, err := f.lstat(dir); err == nil && !fi.IsDir() {
		_ = f.remove(dir)
	}
	_ = f.mkdir(dir)
	if f.isDir(path) {
		_ = f.removeAll(path)
	}
}

func (f *files) isDir(path string) bool {
	fi, err := f.lstat(path)
	return err == nil && fi.IsDir()
}
