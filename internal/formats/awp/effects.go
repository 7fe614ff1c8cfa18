package awp

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/parse"
)

// effects reads the effects of an action (§9), starting from the definition of its
// method. If members contradict each other, the more cautious one applies.
func (r *reader) effects(entry parse.Node, c *wayfind.Capability, method string) *wayfind.Effects {
	e := paramspec.EffectsOf(method)
	if e == nil {
		e = &wayfind.Effects{}
	}
	r.sensitivity(entry, e)
	r.confirmation(entry, e)
	r.reversible(entry, e)
	r.idempotency(entry, e, c)
	e.Async = r.async(entry, c)
	r.defaultSensitivity(entry, e)
	return e
}

// setEffect sets a field to the publisher's value.
func setEffect(e *wayfind.Effects, field **bool, name string, value bool) {
	*field = &value
	e.Defaulted = slices.DeleteFunc(e.Defaulted, func(d string) bool { return d == name })
	if len(e.Defaulted) == 0 {
		e.Defaulted = nil
	}
}

// sensitivity reads the level (§9). A person must confirm irreversible actions, and
// should confirm destructive ones. An undefined level is treated like these.
func (r *reader) sensitivity(entry parse.Node, e *wayfind.Effects) {
	e.Sensitivity = r.String(entry, "sensitivity", parse.Optional, "§9")
	n := entry.Get("sensitivity")
	switch e.Sensitivity {
	case "", "standard":
		return
	case "destructive":
		setEffect(e, &e.Destructive, "destructive", true)
	case "irreversible":
		setEffect(e, &e.Reversible, "reversible", false)
	default:
		r.Report(ruleSensitivity, n, "the sensitivity %q is none of standard, destructive and irreversible; a person is to confirm", e.Sensitivity)
		setEffect(e, &e.NeedsConfirmation, "needsConfirmation", true)
		return
	}
	setEffect(e, &e.NeedsConfirmation, "needsConfirmation", true)
	if e.ReadOnly != nil && *e.ReadOnly {
		r.Report(ruleSensitivity, n, "the sensitivity is %q, and by its method the action only reads; it was taken at its word", e.Sensitivity)
		// The definition of the method does not apply any more.
		e.ReadOnly, e.Idempotent, e.Defaulted = new(false), nil, nil
		if e.Sensitivity == "irreversible" {
			e.Destructive = nil
		}
	}
}

// reversible reads whether the action can be undone. An action that cannot be undone
// is irreversible in terms of §9, so a person must confirm it unless the document
// states otherwise.
func (r *reader) reversible(entry parse.Node, e *wayfind.Effects) {
	value := r.Bool(entry, "reversible", parse.Optional, "§9")
	switch {
	case value == nil:
	case e.Sensitivity == "irreversible" && *value:
		r.Report(ruleReversible, entry.Get("reversible"), "the action is said to be reversible, and its sensitivity is irreversible")
	default:
		setEffect(e, &e.Reversible, "reversible", *value)
		if !*value && e.NeedsConfirmation == nil {
			setEffect(e, &e.NeedsConfirmation, "needsConfirmation", true)
		}
	}
}

// confirmation reads requires_human_confirmation. It does not revoke the confirmation
// that the sensitivity requires, and any value other than a boolean means true.
func (r *reader) confirmation(entry parse.Node, e *wayfind.Effects) {
	value := r.Bool(entry, "requires_human_confirmation", parse.Optional, "§9")
	switch {
	case value == nil && !isOther(entry.Get("requires_human_confirmation"), parse.Bool):
	case value == nil:
		setEffect(e, &e.NeedsConfirmation, "needsConfirmation", true)
	case !*value && e.NeedsConfirmation != nil:
		r.Report(ruleConfirmation, entry.Get("requires_human_confirmation"),
			"no confirmation is asked for, and the sensitivity is %q, which wants one", e.Sensitivity)
	default:
		setEffect(e, &e.NeedsConfirmation, "needsConfirmation", *value)
	}
}

// idempotency reads the rules for idempotency keys (§9). A call may be repeated if it
// sends a key in the named field. If keys are not supported, the idempotency of the
// method remains as it is.
func (r *reader) idempotency(entry parse.Node, e *wayfind.Effects, c *wayfind.Capability) {
	obj := r.Object(entry, "idempotency", parse.Optional, "§9")
	if !obj.Exists() {
		return
	}
	supported := r.Bool(obj, "supported", parse.Should, "§9")
	field := r.String(obj, "key_field", parse.Optional, "§9")
	window := r.String(obj, "window", parse.Optional, "§9")
	r.keepRest(&c.Extensions, "idempotency", obj, "supported", "key_field", "window")
	switch {
	case supported == nil || !*supported:
		if field != "" {
			r.Report(ruleIdempotency, obj, "a field for the key is named, and keys are not said to be supported; it is ignored")
		}
	case field == "":
		r.Report(ruleIdempotency, obj, "keys are supported, and no field for them is named")
	default:
		e.IdempotencyKey, e.IdempotencyWindow = field, window
		setEffect(e, &e.Idempotent, "idempotent", true)
	}
}

// async reads the execution model (§9). It returns nil for actions that return their
// result at once.
func (r *reader) async(entry parse.Node, c *wayfind.Capability) *wayfind.Async {
	model := r.String(entry, "execution_model", parse.Optional, "§9")
	poll, kept := r.reference(entry, "poll_endpoint", "§9")
	n := entry.Get("poll_endpoint")
	if kept && !poll.Resolved() {
		parse.SetExtension(&c.Extensions, "poll_endpoint", n)
	}
	switch model {
	case "async":
		if n.Kind() != parse.String {
			r.Report(rulePollEndpoint, entry, "the action ends later, and no poll_endpoint says where to ask")
		}
	case "", "sync":
		if n.Kind() != parse.String {
			return nil
		}
		r.Report(rulePollEndpoint, n, "a poll_endpoint is given, and the execution model is sync; it was read as async")
	default:
		r.Report(ruleExecutionModel, entry.Get("execution_model"), "the execution model %q is neither sync nor async", model)
		parse.SetExtension(&c.Extensions, "execution_model", entry.Get("execution_model"))
		if n.Kind() != parse.String {
			return nil
		}
	}
	return &wayfind.Async{PollURL: poll.URL + poll.Template}
}

// defaultSensitivity sets the default of §9, unless other members contradict it. It
// reports the missing level if they make the action destructive or irreversible (§15).
func (r *reader) defaultSensitivity(entry parse.Node, e *wayfind.Effects) {
	is := func(field *bool, value bool) bool { return field != nil && *field == value }
	switch {
	case entry.Get("sensitivity").Exists():
	case is(e.Destructive, true) || is(e.Reversible, false):
		r.Report(ruleSensitivityMissing, entry, "the action is destructive or irreversible, and declares no sensitivity")
	case is(e.NeedsConfirmation, true):
	default:
		e.Sensitivity = "standard"
		e.Defaulted = append(e.Defaulted, "sensitivity")
	}
}
