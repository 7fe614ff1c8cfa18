module github.com/wayfindhq/wayfind/internal/bench

go 1.26.0

toolchain go1.26.8

require (
	github.com/bartventer/httpcache v0.13.0
	github.com/gregjones/httpcache v0.0.0-20190611155906-901d90724c79
	github.com/redis/rueidis v1.0.79
	github.com/wayfindhq/wayfind v0.0.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgraph-io/ristretto/v2 v2.4.2 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/wayfindhq/wayfind => ../..
