package awp

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// readDependencies reads the dependencies, which list the actions that must run before
// an action (§11). Unknown IDs and circles are reported and kept: such dependencies
// cannot be satisfied, which the reader should know.
func (r *reader) readDependencies(root parse.Node, service *wayfind.Service) {
	obj := r.Object(root, "dependencies", parse.Optional, "§11")
	r.needs = make(map[string][]string)
	lost := false
	for id, entry := range obj.Members() {
		if !r.ids[id] {
			r.Report(ruleUnknownAction, entry, "no action has the id %q", id)
			lost = true
		}
		r.needs[id] = r.prerequisites(entry)
	}
	if lost {
		parse.SetExtension(&service.Extensions, "dependencies", obj)
	}
	r.reportCircles(obj)
}

// prerequisites reads a list of IDs without repetitions.
func (r *reader) prerequisites(entry parse.Node) []string {
	items := []parse.Node{entry}
	switch entry.Kind() {
	case parse.Array:
		items = nil
		for _, item := range entry.Items() {
			items = append(items, item)
		}
	case parse.String:
		r.Report(ruleDependencyText, entry, "the value is a string where an array belongs; it was read as its only element")
	}
	var list []string
	seen := make(map[string]bool)
	for _, item := range items {
		id, ok := item.Str()
		switch {
		case !ok:
			r.wrongType(item, "§11", parse.String)
			continue
		case seen[id]:
			continue
		case !r.ids[id]:
			r.Report(ruleUnknownAction, item, "no action has the id %q", id)
		}
		seen[id], list = true, append(list, id)
	}
	return list
}

// reportCircles reports actions that wait for each other. Each circle is reported
// once, at the first of its actions in the document.
func (r *reader) reportCircles(obj parse.Node) {
	s := circles{needs: r.needs, state: make(map[string]*visit)}
	for id := range obj.Members() {
		if s.state[id] == nil {
			s.visit(id)
		}
	}
	told := make(map[int]bool)
	for id, entry := range obj.Members() {
		circle := s.state[id].circle
		if circle == 0 || told[circle] {
			continue
		}
		told[circle] = true
		r.Report(ruleDependencyCycle, entry, "the actions %q need each other: none of them can run first", s.found[circle-1])
	}
}

// circles finds the strongly connected components of the dependencies, by
// Tarjan's algorithm.
type circles struct {
	needs map[string][]string
	state map[string]*visit
	stack []string
	found [][]string
}

// visit is the state of an action that was reached.
type visit struct {
	index, low int
	open       bool // still on the stack
	circle     int  // the number of its circle, from 1; 0 if it is in none
}

func (s *circles) visit(id string) *visit {
	v := &visit{index: len(s.state), low: len(s.state), open: true}
	s.state[id] = v
	s.stack = append(s.stack, id)
	for _, need := range s.needs[id] {
		switch next := s.state[need]; {
		case next == nil:
			v.low = min(v.low, s.visit(need).low)
		case next.open:
			v.low = min(v.low, next.index)
		}
	}
	if v.low == v.index {
		s.close(id)
	}
	return v
}

// close takes a component from the stack. The component is a circle if it has more
// than one action, or an action that needs itself.
func (s *circles) close(id string) {
	at := len(s.stack) - 1
	for s.stack[at] != id {
		at--
	}
	component := slices.Clone(s.stack[at:])
	s.stack = s.stack[:at]
	circle := 0
	if len(component) > 1 || slices.Contains(s.needs[id], id) {
		s.found = append(s.found, component)
		circle = len(s.found)
	}
	for _, member := range component {
		s.state[member].open, s.state[member].circle = false, circle
	}
}
