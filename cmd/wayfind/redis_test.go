package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// TestRedisScripts runs testdata/redis with a server at $REDIS.
func TestRedisScripts(t *testing.T) {
	server := testkit.StartRedis(t)
	server.Do("ACL", "SETUSER", "alice", "on", ">s3cret", "~*", "+@all")
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "redis"),
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"demo-env": demoEnv},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("REDIS", server.Addr())
			return plainScript(env)
		},
	})
}
