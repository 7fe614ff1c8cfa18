// Package privatefile reads and writes files that their owner alone may read. No link is followed, and
// neither a pipe nor a device is written to.
package privatefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// errIrregular is the error of a name that no regular file has.
var errIrregular = errors.New("it is no regular file")

// check refuses the name of a link, a directory, a pipe or a device. If there is no file, it
// returns nil.
func check(name string) (there fs.FileInfo, err error) {
	there, err = os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !there.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: errIrregular}
	}
	return there, err
}

// Write puts a new file in the place of the one with the name, if there is one. A reader
// sees the old file or the whole new one, also after a crash. An error of write leaves the
// old file.
func Write(name string, write func(io.Writer) error) (err error) {
	if _, err := check(name); err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*") // mode 0600
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: failed.Op, Path: name, Err: failed.Err} // the caller knows no other name
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(next.Name())
		}
	}()
	out := bufio.NewWriter(next)
	if err = errors.Join(write(out), out.Flush()); err == nil {
		err = next.Sync()
	}
	if err = errors.Join(err, next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), name)
}

// Replaceable returns an error if a file of a size could not be put in the place of the one with the
// name: the folder cannot be written to, or the disk is full.
func Replaceable(name string, size int) error {
	if _, err := check(name); err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = next.Write(make([]byte, size))
	return errors.Join(err, next.Close(), os.Remove(next.Name()))
}

// Bytes is a function for [Write] that writes data.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(data); return err }
}

// Create makes a file whose name is new.
func Create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // which follows no link
}

// Open opens a file for reading and writing, and makes it if there is none.
func Open(name string) (*os.File, error) {
	there, err := check(name)
	if err != nil {
		return nil, err
	}
	if there == nil {
		return Create(name)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err = opened(f, name, there); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// opened refuses a file that is neither the one that was there before, nor the one that
// has the name now: a link may have had the name between. If the file was only removed or
// replaced, the error is fs.ErrNotExist.
func opened(f *os.File, name string, before fs.FileInfo) error {
	own, err := f.Stat()
	if err != nil || os.SameFile(before, own) {
		return err
	}
	now, err := check(name)
	if err == nil && (now == nil || !os.SameFile(now, own)) {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return err
}

// WriteIn puts a new file in the place of the entry with the name in a directory. No link
// leads out of the directory.
func WriteIn(root *os.Root, name string, data []byte) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// maxSecret bounds the bytes that ReadSecret reads.
const maxSecret = 64 << 10

// ReadSecret reads a file that only its owner may read or write, and refuses every other:
// another user may have read or changed it. A system without such modes lets it pass.
func ReadSecret(name string) ([]byte, error) {
	there, err := os.Lstat(name)
	if err == nil {
		_, err = check(name)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := opened(f, name, there); err != nil {
		return nil, err
	}
	own, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := own.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("its mode is %#o: others may use it; make it 0600", mode)}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err == nil && len(data) > maxSecret {
		err = &fs.PathError{Op: "read", Path: name, Err: errors.New("it is too long for a key")}
	}
	return data, err
}

// WriteNew writes a file whose name is new. If it cannot write all of it, it removes it.
func WriteNew(name string, data []byte) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}
