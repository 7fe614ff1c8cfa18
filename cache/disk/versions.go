package disk

import (
	"context"
	"io/fs"
	"iter"
	"strings"
)

// OtherVersions reports whether the directory has entries of another [cache.Schema]. This version
// does not read them, and removes them only two days after their end.
func (s *Store) OtherVersions() (others bool) {
	_ = s.guarded(context.Background(), func() { others = s.hasOthers() })
	return others
}

// hasOthers reports whether there is an entry of another schema.
func (s *Store) hasOthers() bool {
	for dir := range s.others() {
		for range s.walk(dir) {
			return true
		}
	}
	return false
}

// others yields the directories of the entries of other schemas.
func (s *Store) others() iter.Seq2[string, fs.FileInfo] {
	return func(yield func(dir string, fi fs.FileInfo) bool) {
		infos, _ := s.files.list(layoutDir)
		for _, fi := range infos {
			dir := layoutDir + "/" + fi.Name()
			schema, is := strings.CutPrefix(dir, entriesDir)
			if !is || !fi.IsDir() || dir == s.entries || strings.Trim(schema, "0123456789") != "" {
				continue
			}
			if !yield(dir, fi) {
				return
			}
		}
	}
}
