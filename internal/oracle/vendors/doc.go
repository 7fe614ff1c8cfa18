// Package vendors reads what client/tools writes with the SDKs of the vendors that
// it is for. It is a module of its own, so that importers of wayfind do not inherit
// them.
//
//	go -C internal/oracle/vendors test ./...
package vendors
