package tools

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// OperationName is the name of a tool that a user chooses. It is data, which can be stored as
// JSON. The operation is identified by ID, or by Method and Path.
type OperationName struct {
	// Name is the name of the tool. It consists of ASCII letters, digits, "_" and "-".
	Name string `json:"name"`
	// Domain is the domain of the operation, or the host of its Origin. It may be empty, unless
	// [Options.Sites] is set.
	Domain string `json:"domain,omitempty"`
	// ID is the ID as the document writes it, or the key of the capability.
	ID string `json:"id,omitempty"`
	// Method and Path are of the HTTP request; see [Filter.Paths]. A Path is not a pattern.
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
}

// goodName matches the names that every vendor accepts.
var goodName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// operation returns the operation for people.
func (n *OperationName) operation() string {
	text := n.ID
	if text == "" {
		text = strings.ToUpper(n.Method) + " " + n.Path
	}
	return strings.TrimSpace(n.Domain + " " + text)
}

// checkNames returns the reason why the chosen names cannot be used, or nil if they can.
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

// is reports whether the operation is the operation of a tool.
func (n *OperationName) is(t *Tool) bool {
	c := t.Capability
	switch {
	case n.Domain != "" && !strings.EqualFold(n.Domain, t.Domain) && !strings.EqualFold(n.Domain, urlref.Host(t.Origin)):
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

// choose gives tools the names that the user has chosen, instead of earlier ones. A name whose
// tool does not exist is reported.
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

// subject returns the only tool of an operation.
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

// unmet reports the entries of filters that no capability has matched.
func (l *loader) unmet() {
	for _, f := range l.sieve.all() {
		for _, key := range f.unmet() {
			l.unmatched(key, errNoMatch)
		}
	}
}

var errNoMatch = errors.New("no capability matches this part of a filter")

// unmatched reports a part of Options that matches nothing. If a domain could not be asked, it
// may have a match, and Asked is false.
func (l *loader) unmatched(key string, err error) {
	s := problem("", CodeUnmatched, err)
	s.Key, s.Asked = key, true
	for i := range l.box.skipped {
		s.Asked = s.Asked && (l.box.skipped[i].Asked || !l.box.skipped[i].Whole())
	}
	l.skip(s)
}
