// Package vendors reads what client/tools writes with the SDKs of the vendors that
// it is for. It is a module of its own, so that importers of wayfind do not inherit
// them. What is written also goes through the converters that vendors publish for
// JavaScript, where npm has installed them:
//
//	npm ci --ignore-scripts --prefix internal/oracle/vendors/npm
//	go -C internal/oracle/vendors test ./...
package vendors
