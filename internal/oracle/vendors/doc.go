// Package vendors reads the output of client/tools with the SDKs of its
// vendors. It is a module of its own, so that importers of wayfind do not
// inherit them.
//
//	go -C internal/oracle/vendors test ./...
package vendors
