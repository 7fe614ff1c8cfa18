package disk

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// put writes a file under another name and renames it by within, which may check a condition. At
// each moment there is the old file or the new one.
func (s *Store) put(path string, head, data []byte, until time.Time, within func(rename func() error) error) error {
	f := &s.files
	tmp := s.temporary()
	file, err := f.create(tmp)
	if errors.Is(err, fs.ErrNotExist) && f.mkdir(temporaryDir) == nil {
		file, err = f.create(tmp)
	}
	if err != nil {
		return err
	}
	lockFile(file) // locked while it is written: see sweepTemporary
	if err := s.fill(tmp, file, head, data, until); err != nil {
		_ = f.remove(tmp)
		return err
	}
	var old int64
	if fi, err := f.lstat(path); err == nil && fi.Mode().IsRegular() {
		old = fi.Size()
	}
	err = within(func() error {
		err := f.rename(tmp, path)
		if err != nil { // try again even if there is nothing to mend, because another process may have mended it
			f.mend(dirOf(path), path)
			err = f.rename(tmp, path)
		}
		return err
	})
	if err != nil {
		_ = f.remove(tmp)
		return err
	}
	size := int64(len(head) + len(data))
	s.bytes.Add(size - old)
	s.unseen.Add(size)
	f.syncDir(dirOf(path))
	return nil
}

// fill writes and closes a new file. Its modification time is the end of the entry, so that a sweep
// can remove ended entries without reading them.
func (s *Store) fill(path string, file *os.File, head, data []byte, until time.Time) error {
	f := &s.files
	err := f.write(path, file, head)
	if err == nil {
		err = f.write(path, file, data)
	}
	if err == nil {
		err = f.chtimes(path, until)
	}
	if err == nil {
		err = f.sync(path, file)
	}
	if cerr := f.close(path, file); err == nil {
		err = cerr
	}
	return err
}

// temporary returns a new name of a temporary file. It begins with the present time, because the
// modification time is the end of the entry.
func (s *Store) temporary() string {
	return temporaryDir + "/" + strconv.FormatInt(s.clock.Now().Unix(), 10) + "-" + rand.Text()
}

// drop removes the file of any type at path, and then its parts.
func (s *Store) drop(path string) error {
	defer s.clear(path, nil)
	fi, err := s.files.lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && fi.IsDir():
		return s.files.removeAll(path)
	}
	if err := s.files.remove(path); err != nil {
		return err
	}
	if err == nil && fi.Mode().IsRegular() {
		s.bytes.Add(-fi.Size())
	}
	return nil
}

// erase drops the entry at path and syncs the directory, so that a loss of power does not bring it
// back.
func (s *Store) erase(path string) error {
	_, missing := s.files.lstat(path)
	err := s.drop(path)
	if err == nil && missing == nil {
		s.files.syncDir(dirOf(path))
	}
	return err
}
