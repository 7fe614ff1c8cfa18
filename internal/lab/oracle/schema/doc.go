// Package schema compares our validation of JSON Schema with that of
// santhosh-tekuri/jsonschema. It is a module of its own, so that importers of
// wayfind do not inherit the modules of this test.
package schema
