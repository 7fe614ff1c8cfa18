module github.com/wayfindhq/wayfind/examples/a2acard

go 1.26.0

toolchain go1.26.8

require (
	github.com/a2aproject/a2a-go/v2 v2.3.1
	github.com/wayfindhq/wayfind v0.2.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgraph-io/ristretto/v2 v2.4.2 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/wayfindhq/wayfind => ../..
