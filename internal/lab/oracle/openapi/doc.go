// Package openapi compares our reader of OpenAPI with kin-openapi. It is a
// module of its own, so that importers of wayfind do not inherit that library.
//
//	go -C internal/lab/oracle/openapi test ./...
package openapi
