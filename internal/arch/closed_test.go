package arch

import "go/types"

// closed are the types of words from closed lists, each with the file of its table. The
// file alone may ask which word a value is; others ask the value for a fact.
func closed() map[string]string {
	return map[string]string{
		"client/tools.Vendor":    "client/tools/vendors.go",
		"security/schema.Target": "security/schema/profile.go",
	}
}

// closedType is the closed type of a package variable or constant, "" if it has none.
func closedType(p *pkg, object types.Object) string {
	switch object.(type) {
	case *types.Var, *types.Const:
	default:
		return ""
	}
	named, ok := object.Type().(*types.Named)
	if !ok || object.Parent() != object.Pkg().Scope() || named.Obj().Pkg() != object.Pkg() {
		return ""
	}
	typ := p.dir + "." + named.Obj().Name()
	if closed()[typ] == "" {
		return ""
	}
	return typ
}
