package diff

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fuel"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// Risk compares the new state with the old one, for a user who has agreed to
// the old one.
type Risk string

// The risks.
const (
	// Equal: it may do and ask for the same.
	Equal Risk = "equal"
	// Safer: it may do or ask for less, and for nothing more.
	Safer Risk = "safer"
	// Riskier: it may do or ask for more, and for nothing less.
	Riskier Risk = "riskier"
	// Incomparable: it is another thing, or more in one way and less in
	// another.
	Incomparable Risk = "incomparable"
)

// Reason is one cause of a grade.
type Reason struct {
	Risk Risk `json:"risk"`
	// Key and Field are those of the Change.
	Key   string `json:"key,omitempty"`
	Field string `json:"field,omitempty"`
	// Text says it in words of ours, without foreign text.
	Text string `json:"text"`
}

// Grade sums up several changes.
type Grade struct {
	Risk Risk `json:"risk"`
	// Reasons are the inequalities, in order of the changes.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Passes reports whether it is equal or safer.
func (g Grade) Passes() bool { return g.Risk == Equal || g.Risk == Safer }

// Grade orders two Sites by risk: effects, origins that are contacted,
// authentication and scopes, inputs that are required, outputs, and texts that
// address a model. An addition is more, and a removal is less.
//
// A text that does not address a model, by [prompt.Injections], is equal. That
// is a heuristic: a policy that lets such changes pass trusts the publisher's
// words a little.
func (d *Result) Grade() Grade {
	g := Of(d.Changed...)
	for _, c := range d.Added {
		g.Reasons = append(g.Reasons, Reason{Risk: Riskier, Key: c.Key, Text: "it is new"})
	}
	for _, c := range d.Removed {
		g.Reasons = append(g.Reasons, Reason{Risk: Safer, Key: c.Key, Text: "it is gone"})
	}
	return together(g.Reasons)
}

// Of grades some changes.
func Of(changes ...Change) Grade {
	g, _ := OfContext(context.Background(), changes...) // nothing ends it
	return g
}

// OfContext is [Of] with an end: when ctx ends before the work is done, the error
// is that of ctx.
func OfContext(ctx context.Context, changes ...Change) (g Grade, err error) {
	w := fuel.Of(ctx)
	err = w.Do(func() {
		x := newValues(w)
		var reasons []Reason
		for _, c := range changes {
			for _, r := range x.reasons(c) {
				r.Key, r.Field = c.Key, c.Field
				reasons = append(reasons, r)
			}
		}
		g = together(reasons)
	})
	return g, err
}

// together sums up reasons.
func together(reasons []Reason) Grade {
	has := func(risk Risk) bool {
		return slices.ContainsFunc(reasons, func(r Reason) bool { return r.Risk == risk })
	}
	g := Grade{Risk: Equal, Reasons: reasons}
	switch more, less := has(Riskier), has(Safer); {
	case has(Incomparable) && !more || more && less:
		g.Risk = Incomparable
	case more:
		g.Risk = Riskier
	case less:
		g.Risk = Safer
	}
	return g
}

func more(text string) Reason   { return Reason{Risk: Riskier, Text: text} }
func less(text string) Reason   { return Reason{Risk: Safer, Text: text} }
func unlike(text string) Reason { return Reason{Risk: Incomparable, Text: text} }

// reasons list everything that one change makes more, less or different.
func (x *values) reasons(c Change) []Reason {
	x.text(len(c.Old) + len(c.New))
	return append(x.fieldReasons(c), x.addresses(c.Old, c.New)...)
}

func (x *values) fieldReasons(c Change) []Reason {
	if c.Class == ClassText {
		return nil
	}
	switch c.Field {
	case "invocation":
		return invocationReasons(c)
	case "detailUrls":
		return placeReasons(strs(c.Old), strs(c.New), "its detail document is read from another origin", "its detail document is another one")
	case "artifact":
		return artifactReasons(of[wayfind.Artifact](c.Old), of[wayfind.Artifact](c.New))
	case "params":
		return x.paramReasons(c)
	case "input":
		return x.schemaReasons(x.decode(c.Old), x.decode(c.New), true)
	case "output":
		return x.schemaReasons(x.decode(c.Old), x.decode(c.New), false)
	case "dependsOn":
		return setReasons(strs(c.Old), strs(c.New), "another call must run before", "fewer calls must run before")
	case "auth":
		return x.authReasons(of[wayfind.Auth](c.Old), of[wayfind.Auth](c.New))
	case "interfaces.auth":
		return x.interfaceAuthReasons(c)
	case "interfaces":
		return interfaceReasons(c)
	case "effects":
		return x.effectReasons(of[wayfind.Effects](c.Old), of[wayfind.Effects](c.New))
	case "trust":
		return trustReasons(wayfind.Trust(str(c.Old)), wayfind.Trust(str(c.New)))
	case "limits", "status", "deprecated", "restrictions":
		return nil
	case "price", "pricing":
		return []Reason{unlike("its price is another one")}
	}
	return serviceReasons(c)
}

// serviceReasons list the reasons of fields that services have, and of members
// without a place in the model.
func serviceReasons(c Change) []Reason {
	switch c.Field {
	case "version":
		return versionReasons(str(c.Old), str(c.New))
	case "localInstall":
		return installReasons(listOf[wayfind.LocalInstall](c.Old), listOf[wayfind.LocalInstall](c.New))
	case "features":
		return featureReasons(of[wayfind.Features](c.Old), of[wayfind.Features](c.New))
	case "extensions":
		return []Reason{unlike("a member that the model has no place for is another one")}
	case "provider":
		return []Reason{unlike("another organisation runs it, by its own word")}
	case "inputModes", "outputModes", "tokenHints":
		return []Reason{unlike("its inputs and outputs have another form")}
	}
	return []Reason{unlike("it is known by another name, or is another kind of thing")}
}

// addresses notes texts that address the model that reads them.
func (x *values) addresses(old, now json.RawMessage) []Reason {
	before, after := x.classesIn(old), x.classesIn(now)
	return setReasons(before, after, "a text addresses the model that reads it", "a text does not address the model any more")
}

// maxSeen is how many texts of a value are known again: names of members, above
// all.
const maxSeen = 64

// classesIn are the ways in which the texts of a value address a model, in order.
func (x *values) classesIn(raw json.RawMessage) []string {
	classes, seen := map[string]bool{}, map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		x.work.Add(1)
		switch v := v.(type) {
		case string:
			if seen[v] {
				return
			}
			if len(seen) < maxSeen {
				seen[v] = true
			}
			x.work.Text(len(v))
			for _, found := range prompt.Injections(v) {
				classes[string(found.Class)] = true
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		case map[string]any:
			for name, member := range v {
				walk(name)
				walk(member)
			}
		}
	}
	walk(x.decode(raw))
	return slices.Sorted(maps.Keys(classes))
}

// of reads a value that Sites wrote, nil for none.
func of[T any](raw json.RawMessage) *T {
	if len(raw) == 0 {
		return nil
	}
	v := new(T)
	if json.Unmarshal(raw, v) != nil {
		return nil
	}
	return v
}

func strs(raw json.RawMessage) []string {
	if list := of[[]string](raw); list != nil {
		return *list
	}
	return nil
}

func str(raw json.RawMessage) string {
	if s := of[string](raw); s != nil {
		return *s
	}
	return ""
}

// lacks are the elements of b that a does not have.
func lacks(a, b []string) bool {
	have := make(map[string]bool, len(a))
	for _, s := range a {
		have[s] = true
	}
	return slices.ContainsFunc(b, func(s string) bool { return !have[s] })
}

// setReasons compares sets of which more is riskier.
func setReasons(old, now []string, gained, lost string) (reasons []Reason) {
	if lacks(old, now) {
		reasons = append(reasons, more(gained))
	}
	if lacks(now, old) {
		reasons = append(reasons, less(lost))
	}
	return reasons
}

// placeReasons compares URLs: an origin that was not among them is riskier, and
// does not make up for one that is gone.
func placeReasons(old, now []string, elsewhere, another string) []Reason {
	switch before, after := origins(old), origins(now); {
	case lacks(before, after):
		return []Reason{more(elsewhere)}
	case lacks(old, now) || lacks(now, old):
		return []Reason{unlike(another)}
	}
	return nil
}

// origins are those of URLs and templates.
func origins(list []string) (found []string) {
	for _, s := range list {
		if s == "" {
			continue
		}
		u, err := url.Parse(s)
		if err != nil {
			found = append(found, s)
			continue
		}
		found = append(found, u.Scheme+"://"+u.Host)
	}
	return found
}

// trustReasons compares how far away something is.
func trustReasons(old, now wayfind.Trust) []Reason {
	far := []wayfind.Trust{wayfind.TrustSameOrigin, wayfind.TrustSameSite, wayfind.TrustNeedsApproval, wayfind.TrustCrossSite}
	a, b := slices.Index(far, old), slices.Index(far, now)
	switch {
	case a < 0 || b < 0:
		return []Reason{unlike("nothing is known of how near it is")}
	case b > a:
		return []Reason{more("it is farther from the site")}
	case b < a:
		return []Reason{less("it is nearer to the site")}
	}
	return nil
}

// invocationReasons compares how something is called.
func invocationReasons(c Change) []Reason {
	old, now := of[wayfind.Invocation](c.Old), of[wayfind.Invocation](c.New)
	switch {
	case old == nil && now == nil:
		return nil
	case old == nil:
		return []Reason{more("it can be called now")}
	case now == nil:
		return []Reason{less("it cannot be called any more")}
	}
	reasons := placeReasons([]string{cmp.Or(old.URL, old.Template)}, []string{cmp.Or(now.URL, now.Template)},
		"a call goes to another origin", "a call goes to another place")
	reads := func(method string) bool { return method == "GET" || method == "HEAD" }
	switch {
	case reads(old.Method) && !reads(now.Method):
		reasons = append(reasons, more("a call may change something"))
	case !reads(old.Method) && reads(now.Method):
		reasons = append(reasons, less("a call only reads"))
	case old.Method != now.Method:
		reasons = append(reasons, unlike("a call has another method"))
	}
	if old.Protocol != now.Protocol || old.Via != now.Via || old.Operation != now.Operation {
		reasons = append(reasons, unlike("another operation is called"))
	}
	return reasons
}

// effectReasons compares the effects of a call. An unstated effect may be anything.
func (x *values) effectReasons(old, now *wayfind.Effects) (reasons []Reason) {
	a, b := cmp.Or(old, &wayfind.Effects{}), cmp.Or(now, &wayfind.Effects{})
	for _, f := range []struct {
		a, b *bool
		safe bool
		text string
	}{
		{a.ReadOnly, b.ReadOnly, true, "a call may change something"},
		{a.Destructive, b.Destructive, false, "a call may destroy something"},
		{a.Idempotent, b.Idempotent, true, "to repeat a call may do something twice"},
		{a.Reversible, b.Reversible, true, "a call may not be undone"},
		{a.NeedsConfirmation, b.NeedsConfirmation, true, "no person is asked"},
	} {
		switch is, was := danger(f.b, f.safe), danger(f.a, f.safe); {
		case is > was:
			reasons = append(reasons, more(f.text))
		case is < was:
			reasons = append(reasons, less("not any more: "+f.text))
		}
	}
	switch is, was := sensitivity(b.Sensitivity), sensitivity(a.Sensitivity); {
	case is > was:
		reasons = append(reasons, more("a call is more sensitive"))
	case is < was:
		reasons = append(reasons, less("a call is less sensitive"))
	case a.Sensitivity != b.Sensitivity:
		reasons = append(reasons, unlike("a call is sensitive in another way"))
	}
	if x.meaning(a.Async) != x.meaning(b.Async) {
		reasons = append(reasons, unlike("its result comes in another way"))
	}
	return reasons
}

// danger orders the words on an effect: said to be safe, not said, said not to be.
func danger(word *bool, safe bool) int {
	switch {
	case word == nil:
		return 1
	case *word == safe:
		return 0
	}
	return 2
}

// sensitivity ranks the words of wayfind.Effects; one that is not known ranks
// above "standard".
func sensitivity(word string) int {
	known := []string{"", "standard", "?", "destructive", "irreversible"}
	if at := slices.Index(known, word); at >= 0 {
		return at
	}
	return 2
}
