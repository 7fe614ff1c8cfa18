// Package openapi holds the reader of OpenAPI against kin-openapi: a module of
// its own, so that nobody who imports the library inherits that one.
//
//	go -C internal/oracle/openapi test ./...
package openapi
