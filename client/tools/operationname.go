package tools

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/text"
)

// OperationName is the name of a tool that a user chooses. It is data, which can be kept
// as JSON. Either ID, or Method and Path say which operation it is.
type OperationName struct {
	// Name of the tool. It has letters, digits, "_" and "-" of ASCII.
	Name string `json:"name"`
	// Domain of the operation, or the host of its Origin. It may be empty, unless
	// [Options.Sites] is set.
	Domain string `json:"domain,omitempty"`
	// ID as the document writes it, or the key of the capability.
	ID string `json:"id,omitempty"`
	// Method and Path of the HTTP request; see [Filter.Paths]. A Path is no pattern.
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
}

// goodName is a name that every vendor takes.
var goodName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// operation names the operation for people.
func (n *OperationName) operation() string {
	text := n.ID
	if text == "" {
		text = strings.ToUpper(n.Method) + " " + n.Path
	}
	return strings.TrimSpace(n.Domain + " " + text)
}

// checkNames is why names cannot be given.
func checkNames(opts *Options) error {
	taken := make(map[string]bool)
	most := cmp.Or(opts.MaxName, MaxName)
	for i := range opts.OperationNames {
		n := &opts.OperationNames[i]
		fold, wrong := strings.ToLower(n.Name), ""
		switch {
		case !goodName.MatchString(n.Name) || len(n.Name) > most:
			wrong = fmt.Sprintf("no vendor takes it, or it has more than %d characters", most)
		case reserved(n.Name):
			wrong = "hosts and vendors use it themselves"
		case taken[fold]:
			wrong = "it is there twice"
		case (n.ID == "") == (n.Method == "" || n.Path == ""):
			wrong = "it needs either an ID, or a method and a path"
		case opts.Sites && n.Domain == "":
			wrong = "with Sites it needs a domain"
		}
		if wrong != "" {
			return fmt.Errorf("tools: Options.OperationNames[%d]: the name %+q: %s", i, text.Head(n.Name, MaxName), wrong)
		}
		taken[fold] = true
	}
	return nil
}

// is reports whether an operation has a tool.
func (n *OperationName) is(t *Tool) bool {
	c := t.Capability
	switch {
	case n.Domain != "" && !strings.EqualFold(n.Domain, t.Domain) && !strings.EqualFold(n.Domain, hostOf(t.Origin)):
		return false
	case n.ID != "":
		return n.ID == t.Key || slices.Contains(t.Aliases, n.ID) || c != nil && (n.ID == c.ID || c.HasKey(n.ID))
	case c == nil || c.Invocation == nil || !strings.EqualFold(n.Method, c.Invocation.Method):
		return false
	}
	return slices.Contains(pathsOf(t.Service, c.Invocation), shapeOf(n.Path))
}

var (
	errNoOperation   = errors.New("there is no tool for this operation")
	errTwoOperations = errors.New("more than one operation is meant: add the domain, or give the ID")
	errTwoNames      = errors.New("the operation has another name already")
)

// choose gives tools the names that the user has chosen, in the place of earlier ones. A
// name without its tool is reported.
func (l *loader) choose() {
	if len(l.opts.OperationNames) == 0 {
		return
	}
	given := maps.Clone(l.box.given)
	if given == nil {
		given = make(map[string]string)
	}
	chosen := make(map[string]bool) // subjects
	for i := range l.opts.OperationNames {
		n := &l.opts.OperationNames[i]
		id, err := l.subject(n)
		if err == nil && chosen[id] {
			err = errTwoNames
		}
		if err != nil {
			l.unmatched(n.operation(), err)
			continue
		}
		chosen[id] = true
		maps.DeleteFunc(given, func(name, of string) bool { return of == id || strings.EqualFold(name, n.Name) })
		given[n.Name] = id
	}
	l.box.given = given
}

// subject is the one tool of an operation.
func (l *loader) subject(n *OperationName) (id string, err error) {
	for i := range l.box.tools {
		switch t := &l.box.tools[i]; {
		case !n.is(t):
		case id != "":
			return "", errTwoOperations
		default:
			id = NameKey(t.Origin, t.Key)
		}
	}
	if id == "" {
		return "", errNoOperation
	}
	return id, nil
}

// unmet reports what the filters name and no capability has.
func (l *loader) unmet() {
	for _, f := range l.sieve.all() {
		for _, key := range f.unmet() {
			l.unmatched(key, errNoMatch)
		}
	}
}

var errNoMatch = errors.New("no capability matches this part of a filter")

// unmatched reports a part of Options that nothing matches. A domain that could not be
// asked may have a match: Asked is false then.
func (l *loader) unmatched(key string, err error) {
	s := problem("", CodeUnmatched, err)
	s.Key, s.Asked = key, true
	for i := range l.box.skipped {
		s.Asked = s.Asked && (l.box.skipped[i].Asked || !l.box.skipped[i].Whole())
	}
	l.skip(s)
}
