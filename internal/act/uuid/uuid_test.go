package uuid

import (
	"regexp"
	"testing"
	"time"
)

func TestAUUIDHasItsVersionAndVariant(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_123)
	for version, id := range map[string]string{"4": V4(), "7": V7(now)} {
		if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-` + version + `[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
			t.Errorf("version %s: %s", version, id)
		}
	}
	if a, b := V4(), V4(); a == b {
		t.Error("the same twice:", a)
	}
	if a, b := V7(now), V7(now); a == b {
		t.Error("the same twice:", a)
	}
}

func TestOnlyVersion7HasATime(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_123)
	if made, ok := Made(V7(now)); !ok || !made.Equal(now) {
		t.Errorf("%v %t, want %v", made, ok, now)
	}
	for _, s := range []string{"", V4(), "x" + V7(now), V7(now)[1:], "not-a-uuid"} {
		if made, ok := Made(s); ok {
			t.Errorf("%q was made at %v", s, made)
		}
	}
}

func TestATaggedUUIDIsForOneText(t *testing.T) {
	key, now := []byte("k"), time.UnixMilli(1_700_000_000_123)
	id := V7For(now, key, []byte("a"))
	if made, ok := Made(id); !ok || !made.Equal(now) || !IsFor(id, key, []byte("a")) || IsFor(id, key, []byte("b")) || IsFor(id, []byte("l"), []byte("a")) || IsFor("x", key, []byte("a")) || IsFor(V7(now), key, []byte("a")) {
		t.Error(id, made)
	}
	if id == V7For(now, key, []byte("a")) {
		t.Error("the same twice:", id)
	}
}
