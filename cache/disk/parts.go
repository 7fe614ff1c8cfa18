package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/cache"
)

// Large variants of one key are in separate files, in a directory next to the file of the key,
// which names them. So a change of one variant writes only that variant, and not the bodies of all.
// A part never changes, because its name is a hash of its content. It begins with partMagic. The
// entry follows in the form of Variants.MarshalBinary.
const (
	partMagic = "wfp\x01"
	partsEnd  = ".v" // suffix of the name of the directory
	// apartFrom is the smallest size of variants, in bytes, for which each variant has its own
	// file.
	apartFrom = 64 << 10
	// partName is the length of a name: half a hash.
	partName = sha256.Size
)

// errPartGone reports that a part is missing: a later Save has replaced it.
var errPartGone = errors.New("a part is missing")

// apart reports whether each of the variants has its own file.
func apart(v *cache.Variants) bool { return len(v.Entries) > 1 && v.Size() >= apartFrom }

// nameOf returns the name of the part of an entry. The body need not be read, because the entry
// contains its digest.
func nameOf(e *cache.Entry) (string, error) {
	bare := *e
	bare.Body = nil
	fields, err := (&cache.Variants{Entries: []*cache.Entry{&bare}}).MarshalBinary()
	sum := sha256.Sum256(fields)
	return hex.EncodeToString(sum[:])[:partName], err
}

// saveApart writes the variants that have no file yet, and then the file that names all of them.
func (s *Store) saveApart(path string, h *head, v *cache.Variants) error {
	var names []string
	for _, e := range v.Entries {
		name, err := s.part(path+partsEnd, h, e)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	h.parts = len(names)
	list := []byte(strings.Join(names, ""))
	return s.publish(path, h, h.before(list), list, names)
}

// part writes an entry into a directory, unless its file exists.
func (s *Store) part(dir string, h *head, e *cache.Entry) (name string, err error) {
	if name, err = nameOf(e); err != nil {
		return "", failed("save", dir, err)
	}
	path := dir + "/" + name
	if fi, err := s.files.lstat(path); err == nil && fi.Mode().IsRegular() {
		return name, nil
	}
	data, err := (&cache.Variants{Entries: []*cache.Entry{e}}).MarshalBinary()
	if err != nil {
		return "", failed("save", path, err)
	}
	return name, s.put(path, []byte(partMagic), data, h.retain, func(rename func() error) error { return rename() })
}

// clear removes the parts of a file except those with the given names.
func (s *Store) clear(path string, but []string) {
	dir := path + partsEnd
	if !s.files.isDir(dir) {
		return
	}
	infos, _ := s.files.list(dir)
	for _, fi := range infos {
		if !slices.Contains(but, fi.Name()) && s.files.removeAll(dir+"/"+fi.Name()) == nil {
			s.bytes.Add(-fi.Size())
		}
	}
	if len(but) == 0 {
		_ = s.files.remove(dir)
	}
}

// join reads the parts of a file.
func (s *Store) join(r *record, names string) error {
	if len(names) != r.parts*partName || r.parts > cache.MaxVariants || strings.Trim(names, hexDigits) != "" {
		return s.reject(r.path, r.file, "names of parts that are none")
	}
	r.variants = &cache.Variants{From: From}
	for name := range slices.Chunk([]byte(names), partName) {
		e, size, err := s.readPart(r.path+partsEnd+"/"+string(name), string(name))
		if err != nil {
			return err
		}
		r.variants.Entries = append(r.variants.Entries, e)
		r.size += size
	}
	return nil
}

// readPart reads the entry in a part, and returns it with the size of the file.
func (s *Store) readPart(path, name string) (*cache.Entry, int64, error) {
	file, fi, err := s.opened(path)
	switch {
	case err != nil:
		return nil, 0, err
	case file == nil:
		return nil, 0, errPartGone
	}
	defer file.Close()
	if fi.Size() < int64(len(partMagic)) || fi.Size() > maxFile {
		return nil, 0, s.reject(path, fi, "not a part")
	}
	data := make([]byte, fi.Size())
	if err := s.fully(path, file, fi, data); err != nil {
		return nil, 0, err
	}
	rest, ok := strings.CutPrefix(string(data[:len(partMagic)]), partMagic)
	if !ok || rest != "" {
		return nil, 0, s.reject(path, fi, "not a part of this version")
	}
	v, err := cache.UnmarshalVariants(data[len(partMagic):])
	if err != nil {
		return nil, 0, s.reject(path, fi, reasonOf(err))
	}
	if len(v.Entries) != 1 {
		return nil, 0, s.reject(path, fi, "not one entry")
	}
	if is, err := nameOf(v.Entries[0]); err != nil || is != name {
		return nil, 0, s.reject(path, fi, "another part")
	}
	return v.Entries[0], fi.Size(), nil
}

// sizeOfParts returns the total size of the files in a directory of parts.
func (s *Store) sizeOfParts(dir string) (n int64) {
	infos, _ := s.files.list(dir)
	for _, fi := range infos {
		n += fi.Size()
	}
	return n
}

// sweepParts removes the parts of files that do not exist any more. It keeps recent ones, because
// their file may not be written yet.
func (s *Store) sweepParts() {
	limit := s.clock.Now().Add(-staleTemporary)
	for _, shard := range s.shards(s.entries) {
		infos, _ := s.files.list(shard)
		for _, fi := range infos {
			hash, is := strings.CutSuffix(fi.Name(), partsEnd)
			if !is || !isHash(hash) || !fi.IsDir() || !fi.ModTime().Before(limit) {
				continue
			}
			if _, err := s.files.lstat(shard + "/" + hash); errors.Is(err, fs.ErrNotExist) {
				_ = s.files.removeAll(shard + "/" + fi.Name())
			}
		}
	}
}
