package mcp

import (
	"cmp"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// packages reads the packages of server.json, and other members that describe the installation
// of software. None of them is ever run.
func (r *reader) packages(obj parse.Node, s *wayfind.Service) {
	entries := r.Objects(obj.IfSet("packages"), "packages", parse.Optional, secRegistry)
	for _, entry := range r.bounded(obj.Get("packages"), entries) {
		r.pack(entry, s)
	}
	switch n := obj.Get("package"); n.Kind() {
	case parse.Object:
		r.pack(n, s)
	case parse.String:
		if !r.describes(obj) {
			kind, _ := obj.Get("transport").Str()
			name, _ := n.Str()
			s.LocalInstall = append(s.LocalInstall, wayfind.LocalInstall{Kind: kindOf(kind), Name: name, Sources: parse.SourcesAt(n)})
		}
	}
}

// describes reports whether local has read the package of an object already.
func (r *reader) describes(obj parse.Node) bool {
	text, _ := obj.Get("transport").Str()
	word, _ := transportWord(text)
	return word == transportLocal || hasAny(obj, "command", "installCommand", "install_command")
}

// kindOf returns the kind of an installation: the kind of package, or a command.
func kindOf(text string) string {
	switch text = strings.ToLower(strings.TrimSpace(text)); text {
	case "", transportLocal, "local":
		return "command"
	case "npx":
		return "npm"
	case "uvx", "pip":
		return "pypi"
	case "docker":
		return "oci"
	}
	return text
}

// pack reads one package, in the words of all versions of server.json.
func (r *reader) pack(n parse.Node, s *wayfind.Service) {
	kind := n.Pick("registryType", "registry_type", "registry_name", "type")
	id := n.Pick("identifier", "name")
	if kind != "registryType" && has(n, kind) {
		r.Report(ruleFormerMember, n.Get(kind), "%s is of an early server.json; it is registryType now", kind)
	}
	p := wayfind.LocalInstall{
		Kind:    kindOf(r.String(n, kind, parse.Must, secRegistry)),
		Name:    r.String(n, id, parse.Must, secRegistry),
		Version: r.Text(n.IfSet("version"), "version", parse.Optional, secRegistry),
		Sources: parse.SourcesAt(n),
	}
	hint := n.Pick("runtimeHint", "runtime_hint")
	p.Command = r.String(n.IfSet(hint), hint, parse.Optional, secRegistry)
	p.Args = append(r.arguments(n, &p, "runtimeArguments", "runtime_arguments"), r.arguments(n, &p, "packageArguments", "package_arguments")...)
	env := n.Pick("environmentVariables", "environment_variables")
	for _, v := range r.bounded(n.Get(env), r.Objects(n.IfSet(env), env, parse.Optional, secRegistry)) {
		if name := r.String(v, "name", parse.Must, secRegistry); name != "" {
			p.Env = append(p.Env, name)
			if in := r.input(v, name, secRegistry); !isNameOnly(&in) {
				p.Inputs = append(p.Inputs, in)
			}
		}
	}
	r.Missing(n, "transport", parse.Optional, secRegistry) // an installation implies it
	known := []string{kind, id, "version", hint, env, "runtimeArguments", "runtime_arguments", "packageArguments", "package_arguments"}
	if transport := n.Get("transport"); transport.Len() == 1 && isString(transport.Get("type")) {
		if word, _ := transportWord(textOf(transport.Get("type"))); word == transportLocal {
			known = append(known, "transport") // nothing is lost
		}
	}
	r.rest(n, &p.Extensions, known...)
	s.LocalInstall = append(s.LocalInstall, p)
}

// arguments reads the arguments that a package is run with. Values that the caller fills in
// are in angle brackets, and so are secrets.
func (r *reader) arguments(n parse.Node, p *wayfind.LocalInstall, names ...string) []string {
	member := n.Pick(names...)
	var args []string
	for _, a := range r.bounded(n.Get(member), r.Objects(n.IfSet(member), member, parse.Optional, secRegistry)) {
		kind, _ := a.Get("type").Str()
		name, _ := a.Get("name").Str()
		hintAt := a.Pick("valueHint", "value_hint")
		hint, hinted := a.Get(hintAt).Str()
		value, ok := a.Get(a.Pick("value", "default")).Str()
		if kind == "positional" && !ok && !hinted {
			r.Report(ruleArgument, a, "a positional argument needs a value or a valueHint")
		}
		if kind != "positional" && name != "" {
			args = append(args, name)
		}
		if in := r.input(a, cmp.Or(name, hint), secRegistry, "type", "value", hintAt); !isNameOnly(&in) {
			p.Inputs = append(p.Inputs, in)
		}
		switch {
		case r.flag(a, "isSecret", "is_secret") || isSecretName(name):
			args = append(args, "<"+strings.TrimLeft(name+hint, "-")+">")
		case ok:
			args = append(args, value)
		case hinted:
			args = append(args, "<"+hint+">")
		}
	}
	return args
}

// isNameOnly reports whether only the name of an input is known.
func isNameOnly(v *wayfind.Variable) bool {
	return v.Description == "" && v.Default == "" && v.Required == nil && v.Secret == nil && len(v.Enum)+len(v.Extensions) == 0
}

// local reads a server that is run on the caller's machine by a command.
func (r *reader) local(n parse.Node, s *wayfind.Service) {
	kind, _ := n.Get(n.Pick("transport", "type")).Str()
	p := wayfind.LocalInstall{Kind: kindOf(kind), Sources: parse.SourcesAt(n)}
	if word, known := transportWord(kind); !known || word != transportLocal {
		p.Kind = "command"
	}
	p.Name, _ = n.Get("package").Str()
	if p.Name != "" {
		p.Version, _ = n.Get("version").Str()
	}
	command := n.Pick("command", "installCommand", "install_command")
	p.Command = r.String(n.IfSet(command), command, parse.Optional, r.shape.section())
	p.Args = r.args(n)
	env := n.Get("env")
	for name, value := range env.Members() {
		if len(p.Env) == parse.DefaultItems {
			r.Report(ruleTruncated.At(r.shape.section()), env, "of %d variables the first %d were read", env.Len(), len(p.Env))
			break
		}
		p.Env = append(p.Env, name)
		if text, ok := value.Str(); ok && isSecretName(name) && isLiteral(text) {
			r.secret(value)
		}
	}
	s.LocalInstall = append(s.LocalInstall, p)
}

// args reads the arguments of a command as written, without the values of
// options that are secrets.
func (r *reader) args(n parse.Node) []string {
	var args []string
	secret := false
	for i, item := range r.Array(n.IfSet("args"), "args", parse.Optional, r.shape.section()).Items() {
		if i == parse.DefaultItems {
			r.Report(ruleTruncated.At(r.shape.section()), n.Get("args"), "of %d arguments the first %d were read", n.Get("args").Len(), i)
			break
		}
		text, ok := item.Str()
		if !ok {
			r.Report(ruleWrongType.At(r.shape.section()).AsWarning(), item, "element of \"args\" is %v where string belongs; it is ignored", item.Kind())
			continue
		}
		name, value, assigned := strings.Cut(text, "=")
		option := strings.HasPrefix(text, "-") && isSecretName(name)
		switch {
		case secret && isLiteral(text), option && assigned && isLiteral(value):
			r.secret(item)
			if text = "<secret>"; option {
				text = name + "=<secret>"
			}
		}
		secret = option && !assigned
		args = append(args, text)
	}
	return args
}
