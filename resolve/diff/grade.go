package diff

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// Risk is the result of a comparison of the new state with the old one, for a user who has
// agreed to the old one.
type Risk string

// The risks.
const (
	// Equal: the thing may do and require the same.
	Equal Risk = "equal"
	// Safer: the thing may do or require less, and nothing more.
	Safer Risk = "safer"
	// Riskier: the thing may do or require more, and nothing less.
	Riskier Risk = "riskier"
	// Incomparable: it is a different thing, or it may do or require more in one way and less
	// in another.
	Incomparable Risk = "incomparable"
)

// Reason is one cause of a grade.
type Reason struct {
	Risk Risk `json:"risk"`
	// Key and Field are the Key and Field of the Change.
	Key   string `json:"key,omitempty"`
	Field string `json:"field,omitempty"`
	// Text is the reason in our own words, without foreign text.
	Text string `json:"text"`
}

// Grade is the summary of several changes.
type Grade struct {
	Risk Risk `json:"risk"`
	// Reasons are the differences in risk, in order of the changes.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Passes reports whether the new state is equal or safer.
func (g Grade) Passes() bool { return g.Risk == Equal || g.Risk == Safer }

// Grade compares two Sites by risk: effects, origins that are contacted, authentication and
// scopes, required inputs, outputs, and texts that address a model. An addition is riskier, and
// a removal is safer.
//
// A change of a text that does not address a model, according to [prompt.Injections], is equal.
// That is a heuristic: a policy that allows such changes trusts the words of the publisher to
// some extent.
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

// Of returns the grade of some changes.
func Of(changes ...Change) Grade {
	g, _ := OfContext(context.Background(), changes...) // never cancelled
	return g
}

// OfContext is like [Of] with a context: if ctx ends before the work is done, the error is the
// error of ctx.
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

// together returns the grade for a list of reasons.
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

// reasons returns everything that one change makes riskier, safer or incomparable.
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

// serviceReasons returns the reasons for the fields of services, and for members that the model
// has no field for.
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

// addresses returns reasons for texts that address the model that reads them.
func (x *values) addresses(old, now json.RawMessage) []Reason {
	before, after := x.classesIn(old), x.classesIn(now)
	return setReasons(before, after, "a text addresses the model that reads it", "a text does not address the model any more")
}

// maxSeen is the maximum number of different texts in a value that are remembered. Most of them
// are names of members.
const maxSeen = 64

// classesIn returns the ways in which the texts of a value address a model, in order.
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

// of decodes a value that Sites wrote. It returns nil if there is none.
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

// lacks reports whether b has elements that a does not have.
func lacks(a, b []string) bool {
	have := make(map[string]bool, len(a))
	for _, s := range a {
		have[s] = true
	}
	return slices.ContainsFunc(b, func(s string) bool { return !have[s] })
}

// setReasons compares sets in which an additional element is riskier.
func setReasons(old, now []string, gained, lost string) (reasons []Reason) {
	if lacks(old, now) {
		reasons = append(reasons, more(gained))
	}
	if lacks(now, old) {
		reasons = append(reasons, less(lost))
	}
	return reasons
}

// placeReasons compares URLs. A new origin is riskier, even if another origin was removed.
func placeReasons(old, now []string, elsewhere, another string) []Reason {
	switch before, after := origins(old), origins(now); {
	case lacks(before, after):
		return []Reason{more(elsewhere)}
	case lacks(old, now) || lacks(now, old):
		return []Reason{unlike(another)}
	}
	return nil
}

// origins returns the origins of URLs and templates.
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

// trustReasons compares how distant a thing is from the site.
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

// effectReasons compares the effects of a call. An effect that is not stated may be anything.
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

// danger orders the values of an effect: stated to be safe, not stated, stated to be unsafe.
func danger(word *bool, safe bool) int {
	switch {
	case word == nil:
		return 1
	case *word == safe:
		return 0
	}
	return 2
}

// sensitivity returns the rank of a sensitivity of wayfind.Effects. An unknown value has a
// higher rank than "standard".
func sensitivity(word string) int {
	known := []string{"", "standard", "?", "destructive", "irreversible"}
	if at := slices.Index(known, word); at >= 0 {
		return at
	}
	return 2
}
