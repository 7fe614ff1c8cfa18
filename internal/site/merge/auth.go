package merge

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/uniqname"
)

// authPair contains the authentication of two readings. adds is true if the second one adds to the
// first.
type authPair struct {
	a, b *wayfind.Auth
	adds bool
}

// authWord is the result for a pair.
type authWord struct {
	merged   *wayfind.Auth
	conflict string
}

// auths merges the authentication of readings. All operations of two documents share the
// authentication of the whole documents, so each pair is merged once. Only further uses of a result
// are bounded.
type auths struct {
	work *fuel.Counter
	done map[authPair]authWord
	size map[*wayfind.Auth]int
	// left is the number of elements that may still be repeated.
	left int
	// lost replaces authentication that is too long to be repeated: a credential is needed, and its
	// kind is unknown. It stays in every result that it is merged into.
	lost *wayfind.Auth
}

// maxRepeated bounds the schemes, alternatives and scopes that are repeated in a Site, in addition
// to those that its documents contain. The authentication that one document states for all its
// operations may have to be repeated at each operation of another.
const maxRepeated = 250_000

func newAuths(w *fuel.Counter) *auths {
	return &auths{
		work: w, done: map[authPair]authWord{}, size: map[*wayfind.Auth]int{},
		left: maxRepeated, lost: &wayfind.Auth{Unknown: true},
	}
}

// repeat reports whether a result may be repeated once more.
func (m *auths) repeat(word *wayfind.Auth) bool {
	if word == nil {
		return true
	}
	size, known := m.size[word]
	if !known {
		m.size[word] = sizeOf(m.work, word)
		return true
	}
	m.left -= size
	return m.left >= 0
}

// merge merges the authentication of two readings at one place. A required credential takes
// precedence over no credential, unknown authentication never loosens, and two schemes are
// alternatives. If adds is false, b can only tighten. conflict describes their disagreement; "" if
// there is none. If the result equals a, a itself is returned.
func (m *auths) merge(a, b *wayfind.Auth, adds bool) (merged *wayfind.Auth, conflict string) {
	m.work.Add(1)
	switch {
	case a == m.lost || b == m.lost:
		return m.lost, ""
	case b == nil:
		return a, ""
	}
	pair := authPair{a, b, adds}
	if word, ok := m.done[pair]; ok {
		return word.merged, word.conflict
	}
	if !m.repeat(a) || !m.repeat(b) {
		return m.lost, ""
	}
	merged, conflict = m.join(a, b, adds)
	m.done[pair] = authWord{merged, conflict}
	return merged, conflict
}

// give puts the result of a merge in its place. It reports whether the result is too long and was
// replaced.
func (m *auths) give(place **wayfind.Auth, word *wayfind.Auth) (lost bool) {
	if !m.repeat(word) {
		word = m.lost
	}
	*place = word
	return word == m.lost
}

// give is auths.give, and reports a result that is too long.
func (m *merger) give(place **wayfind.Auth, word *wayfind.Auth) {
	if m.auths.give(place, word) {
		m.cutAuth()
	}
}

func (m *merger) cutAuth() {
	m.cut("auth", "ways to authenticate are too long to be repeated with each capability; where they are missing, authentication is unknown")
}

func (m *auths) join(a, b *wayfind.Auth, adds bool) (merged *wayfind.Auth, conflict string) {
	switch {
	case !adds && open(b):
		return a, ""
	case a == nil:
		return b, ""
	case silent(a) && silent(b), sameAuth(m.work, a, b):
		return a, ""
	case silent(a):
		return b, ""
	case silent(b):
		return a, ""
	case open(a) && open(b):
		return a, ""
	case open(a):
		return b, "one source says that nothing is needed, another that something is; the latter is kept"
	case open(b):
		return a, "one source says that nothing is needed, another that something is; the latter is kept"
	case !adds:
		return a, "a source of lower rank names other ways to authenticate; they are left out"
	}
	j := newAuthJoin(m.work, a, b)
	for _, requirement := range b.Requirements {
		if j.require(requirement, b.Schemes) {
			conflict = "the sources name different ways to authenticate; they are alternatives"
		}
	}
	merged = j.finish()
	if sameAuth(m.work, a, merged) {
		return a, conflict
	}
	return merged, conflict
}

// authJoin adds the alternatives of a second Auth to the alternatives of a first one.
type authJoin struct {
	work   *fuel.Counter
	merged *wayfind.Auth
	taken  uniqname.Taken    // of schemes
	alias  map[string]string // of the second Auth's schemes
	bearer string            // the scheme of a bearer token; "" if there is none
	at     map[string]int    // requirements, by their schemes in order
	key    []byte            // of the current requirement
	// scopes contains the scopes of the requirements that both have, part by part.
	scopes map[int][]*stringSet
}

func newAuthJoin(w *fuel.Counter, a, b *wayfind.Auth) *authJoin {
	j := &authJoin{
		work:   w,
		merged: &wayfind.Auth{Schemes: maps.Clone(a.Schemes), Requirements: slices.Clone(a.Requirements), Unknown: a.Unknown || b.Unknown, Registration: cmp.Or(a.Registration, b.Registration)},
		taken:  uniqname.Taken{}, alias: map[string]string{}, at: map[string]int{}, scopes: map[int][]*stringSet{},
	}
	if j.merged.Schemes == nil {
		j.merged.Schemes = map[string]wayfind.Scheme{}
	}
	for _, name := range slices.Sorted(maps.Keys(j.merged.Schemes)) {
		j.taken[name] = 1
		if j.bearer == "" && isBearer(j.merged.Schemes[name]) {
			j.bearer = name
		}
	}
	for i, requirement := range a.Requirements {
		w.Add(1 + len(requirement))
		j.key = j.key[:0]
		for _, r := range requirement {
			j.key = strconv.AppendQuote(j.key, r.Scheme)
		}
		if _, have := j.at[string(j.key)]; !have {
			j.at[string(j.key)] = i
		}
	}
	return j
}

// require adds a requirement. It reports whether the requirement is a new alternative.
func (j *authJoin) require(requirement []wayfind.Requirement, schemes map[string]wayfind.Scheme) (added bool) {
	j.work.Add(1 + len(requirement))
	j.key = j.key[:0]
	for _, r := range requirement {
		j.key = strconv.AppendQuote(j.key, j.adopt(r.Scheme, schemes[r.Scheme]))
	}
	at, have := j.at[string(j.key)]
	if !have {
		renamed := make([]wayfind.Requirement, len(requirement))
		for i, r := range requirement {
			renamed[i] = wayfind.Requirement{Scheme: j.alias[r.Scheme], Scopes: r.Scopes}
		}
		j.at[string(j.key)] = len(j.merged.Requirements)
		j.merged.Requirements = append(j.merged.Requirements, renamed)
		return true
	}
	// The scopes of both, because fewer scopes would loosen one of them.
	sets := j.scopes[at]
	if sets == nil {
		for _, r := range j.merged.Requirements[at] {
			sets = append(sets, newStringSet(j.work, r.Scopes))
		}
		j.scopes[at] = sets
	}
	for i, r := range requirement {
		sets[i].add(j.work, r.Scopes)
	}
	return false
}

// finish returns the merged Auth, with the scopes for the requirements that both have.
func (j *authJoin) finish() *wayfind.Auth {
	for at, sets := range j.scopes {
		both := slices.Clone(j.merged.Requirements[at])
		for i, set := range sets {
			both[i].Scopes = set.list
		}
		j.merged.Requirements[at] = both
	}
	return j.merged
}

// adopt adds a scheme of the second Auth under its name, or under "name~2" if another scheme has
// that name, and returns the name.
func (j *authJoin) adopt(name string, scheme wayfind.Scheme) string {
	if known, ok := j.alias[name]; ok {
		return known
	}
	own := j.place(name, scheme)
	j.alias[name] = own
	return own
}

// maxNamesakes bounds the schemes with one name that are compared with another scheme of that name:
// at most one of each document.
const maxNamesakes = 64

func (j *authJoin) place(name string, scheme wayfind.Scheme) string {
	bearer := isBearer(scheme)
	if bearer && j.bearer != "" {
		return j.bearer
	}
	same := name
	for n := 2; n < maxNamesakes; n++ {
		have, taken := j.merged.Schemes[same]
		if !taken {
			break
		}
		if reflect.DeepEqual(have, scheme) {
			return same
		}
		same = fmt.Sprintf("%s~%d", name, n)
	}
	free := j.taken.Free(name)
	j.merged.Schemes[free] = scheme
	if bearer {
		j.bearer = free
	}
	return free
}

// silent reports whether an Auth does not state whether a credential is needed.
func silent(a *wayfind.Auth) bool { return a.Unknown && len(a.Requirements) == 0 }

// open reports whether one of the alternatives needs no credential.
func open(a *wayfind.Auth) bool {
	for _, requirement := range a.Requirements {
		needs := slices.ContainsFunc(requirement, func(r wayfind.Requirement) bool { return a.Schemes[r.Scheme].Kind != wayfind.SchemeNone })
		if !needs {
			return true
		}
	}
	return false
}

// isBearer reports whether a scheme is a token after "Bearer" in Authorization, in either of its
// two forms (RFC 6750 §2.1).
func isBearer(s wayfind.Scheme) bool {
	kind := authkind.Of(s)
	return kind.HTTP == "bearer" || kind.Members == authkind.PlaceOfKey && s.In == "header" && strings.EqualFold(s.Name, "Authorization") &&
		s.Prefix != nil && strings.EqualFold(*s.Prefix, "Bearer")
}

// sizeOf returns the number of elements of an Auth.
func sizeOf(w *fuel.Counter, a *wayfind.Auth) int {
	n := 1
	count := func(more int) {
		w.Add(more)
		n += more
	}
	if r := a.Registration; r != nil {
		count(1 + len(r.Types) + len(r.Assertions) + len(r.Credentials))
	}
	for _, s := range a.Schemes {
		count(1)
		for _, f := range s.Flows {
			count(1 + len(f.Scopes))
		}
	}
	for _, requirement := range a.Requirements {
		count(1)
		for _, r := range requirement {
			count(1 + len(r.Scopes)/scopesPerStep)
			n += len(r.Scopes)
		}
	}
	return n
}

// scopesPerStep is the number of scopes per step of work, because scopes are counted without
// reading them.
const scopesPerStep = 128

// sameAuth reports whether two Auths are the same.
func sameAuth(w *fuel.Counter, a, b *wayfind.Auth) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Unknown != b.Unknown || len(a.Requirements) != len(b.Requirements) || !reflect.DeepEqual(a.Schemes, b.Schemes) ||
		!reflect.DeepEqual(a.Registration, b.Registration) {
		return false
	}
	for i, requirement := range a.Requirements {
		w.Add(1)
		same := slices.EqualFunc(requirement, b.Requirements[i], func(x, y wayfind.Requirement) bool {
			w.Add(1)
			return x.Scheme == y.Scheme && slices.EqualFunc(x.Scopes, y.Scopes, func(s, t string) bool {
				w.Add(1)
				return s == t
			})
		})
		if !same {
			return false
		}
	}
	return true
}
