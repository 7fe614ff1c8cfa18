package disk

import (
	"context"
	"strings"
)

// OtherVersions reports whether the directory has entries of another
// [cache.Schema], which this version neither reads nor forgets. They are removed
// two days after their end.
func (s *Store) OtherVersions() (others bool) {
	_ = s.guarded(context.Background(), func() {
		dirs, err := s.files.list(layoutDir)
		if err != nil {
			return
		}
		for _, dir := range dirs {
			if name := layoutDir + "/" + dir.Name(); strings.HasPrefix(name, entriesDir) && name != s.entries {
				held, err := s.files.list(name)
				others = others || err == nil && len(held) > 0
			}
		}
	})
	return others
}
