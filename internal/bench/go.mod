module github.com/wayfindhq/wayfind/internal/bench

go 1.26.0

toolchain go1.26.8

require (
	github.com/bartventer/httpcache v0.13.0
	github.com/gregjones/httpcache v0.0.0-20190611155906-901d90724c79
	github.com/redis/rueidis v1.0.79
	github.com/wayfindhq/wayfind v0.0.0
	golang.org/x/net v0.62.0
)

require (
	github.com/go-jose/go-jose/v4 v4.1.8 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/go-openapi/jsonpointer v0.22.5 // indirect
	github.com/go-openapi/swag/jsonname v0.25.5 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	github.com/jimsmart/grobotstxt v1.0.3 // indirect
	github.com/kr/pretty v0.3.1 // indirect
	github.com/oasdiff/yaml v0.1.1 // indirect
	github.com/oasdiff/yaml3 v0.0.14 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/text v0.43.0 // indirect
)

require (
	github.com/a2aproject/a2a-go/v2 v2.3.1
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgraph-io/ristretto/v2 v2.4.2
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/getkin/kin-openapi v0.152.0
	github.com/yuin/goldmark v1.8.7
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0 // indirect
	gopkg.in/yaml.v3 v3.0.1
)

replace github.com/wayfindhq/wayfind => ../..
