package tools

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

const (
	// maxFirst is the maximum number of prerequisites of a tool that are followed.
	maxFirst = 100
	// maxNamedFirst is the maximum number of tools, and maxAbsent the maximum number of other
	// prerequisites, that a sentence names.
	maxNamedFirst = 8
	maxAbsent     = 3
	// maxKeyShown is the maximum length of the key of a prerequisite in a sentence, in bytes.
	maxKeyShown = 64
)

// First returns the tools that must be called before this one, according to the site, in the form
// of [Box.Tools] and at most 100. A prerequisite that has no tool in the Box is left out, and so is
// one that needs this tool first. [Tool.Stated] has sentences about all.
func (t *Tool) First() (list []Tool) {
	for _, first := range t.first.tools {
		list = append(list, *first)
	}
	return list
}

// first are the prerequisites of a tool in its Box.
type first struct {
	tools  []*Tool  // that must be called first
	around []string // the names of tools that in turn need this one first
	absent []string // keys that no tool of the Box has
	more   int      // prerequisites that were not followed
}

// sentences tells a model the prerequisites.
func (f *first) sentences(inert func(string) string) (list []string) {
	var names []string
	for _, t := range f.tools {
		names = append(names, t.Name)
	}
	if names != nil {
		list = append(list, "First call "+text.And(names, maxNamedFirst)+".")
	}
	if len(f.around) > 0 {
		list = append(list, "The site wants "+text.And(f.around, maxNamedFirst)+" to run before this, and this before that, so the order is not known.")
	}
	absent := slices.Clone(f.absent)
	for i := range absent[:min(len(absent), maxAbsent)] {
		key, _ := text.Shorten(inert(absent[i]), maxKeyShown)
		absent[i] = strconv.Quote(key)
	}
	if len(absent) > 0 {
		list = append(list, "The site wants "+text.And(absent, maxAbsent)+" to run first, which is no tool here.")
	}
	if f.more > 0 {
		list = append(list, fmt.Sprintf("The site wants %d others to run first.", f.more))
	}
	return list
}

// relate finds the tools that other tools need first, and reads the services of all tools once.
// Its work grows with the number of tools and prerequisites only.
func (b *Box) relate(count *fuel.Counter) {
	o := &orderOf{box: b, count: count, places: b.places(count), needs: make([][]int, len(b.tools))}
	known := make(map[*wayfind.Service]facts.Subject)
	for i := range b.tools {
		b.tools[i].subjects = subjectsOf(&b.tools[i], known)
		o.read(i)
	}
	group := o.groups()
	for i := range b.tools {
		for _, place := range o.needs[i] {
			f, t := &b.tools[i].first, &b.tools[place]
			if count.Add(1); group[place] == group[i] {
				f.around = append(f.around, t.Name)
			} else {
				f.tools = append(f.tools, t)
			}
		}
	}
}

// places returns the indexes of the tools by their keys.
func (b *Box) places(count *fuel.Counter) map[string]int {
	places := make(map[string]int, len(b.tools))
	for i := range b.tools {
		t := &b.tools[i]
		keys := append([]string{t.Key}, t.Aliases...)
		if t.Capability != nil {
			keys = append(keys, t.Capability.Aliases...)
		}
		for _, key := range keys {
			count.Text(len(key))
			places[NameKey(t.Origin, key)] = i
		}
	}
	return places
}

// orderOf is the order in which a Box's tools must be called, as their sites state it.
type orderOf struct {
	box    *Box
	count  *fuel.Counter
	places map[string]int
	needs  [][]int // the tools that a tool needs first

	// The state of groups.
	number, low []int // in the order of the first visit, from 1
	path        []int
	group       []int // from 1
	found       int
}

// read finds the tools that a tool needs first.
func (o *orderOf) read(i int) {
	t := &o.box.tools[i]
	t.first = first{}
	if t.Capability == nil {
		return
	}
	keys := t.Capability.DependsOn
	t.first.more = max(len(keys)-maxFirst, 0)
	seen := make(map[int]bool)
	for _, key := range keys[:len(keys)-t.first.more] {
		o.count.Text(len(key))
		if place, ok := o.places[NameKey(t.Origin, key)]; !ok {
			t.first.absent = append(t.first.absent, key)
		} else if !seen[place] {
			seen[place], o.needs[i] = true, append(o.needs[i], place)
		}
	}
}

// groups returns a number for each tool. Tools that need each other, directly or by way of
// others, have the same one: they are a strongly connected component (Tarjan 1972), and each
// tool and each prerequisite is visited once.
func (o *orderOf) groups() []int {
	n := len(o.box.tools)
	o.number, o.low, o.group = make([]int, n), make([]int, n), make([]int, n)
	visited := 0
	for i := range n {
		if o.number[i] == 0 {
			visited = o.visit(i, visited)
		}
	}
	return o.group
}

// visited is a tool whose prerequisites are visited.
type visited struct{ tool, next int }

// visit visits a tool and all that it needs, without recursion: a site decides about the depth.
func (o *orderOf) visit(start, count int) int {
	open := []visited{{start, 0}}
	for len(open) > 0 {
		o.count.Add(1)
		v := &open[len(open)-1]
		if v.next == 0 {
			count++
			o.number[v.tool], o.low[v.tool], o.path = count, count, append(o.path, v.tool)
		}
		if next, ok := o.follow(v); ok {
			open = append(open, visited{next, 0})
			continue
		}
		o.leave(v.tool)
		if open = open[:len(open)-1]; len(open) > 0 {
			before := open[len(open)-1].tool
			o.low[before] = min(o.low[before], o.low[v.tool])
		}
	}
	return count
}

// follow returns the next prerequisite of a tool that was not visited.
func (o *orderOf) follow(v *visited) (int, bool) {
	for needs := o.needs[v.tool]; v.next < len(needs); {
		place := needs[v.next]
		v.next++
		o.count.Add(1)
		if o.number[place] == 0 {
			return place, true
		}
		if o.group[place] == 0 {
			o.low[v.tool] = min(o.low[v.tool], o.number[place])
		}
	}
	return 0, false
}

// leave ends a group if the tool is the first of it that was visited.
func (o *orderOf) leave(tool int) {
	if o.low[tool] != o.number[tool] {
		return
	}
	o.found++
	for {
		last := o.path[len(o.path)-1]
		o.path, o.group[last] = o.path[:len(o.path)-1], o.found
		if last == tool {
			return
		}
	}
}
