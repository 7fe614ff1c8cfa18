module github.com/wayfindhq/wayfind/internal/lab/oracle/schema

go 1.26.0

toolchain go1.26.8

replace github.com/wayfindhq/wayfind => ../../../..

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/wayfindhq/wayfind v0.0.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
