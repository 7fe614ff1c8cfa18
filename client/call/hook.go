package call

import (
	"github.com/wayfindhq/wayfind/internal/run/panics"
)

// askHook calls a hook of the program. A panic of the hook becomes its error: the call ends
// with a Result and a Record, as after any other error.
func askHook[T any](hook string, f func() (T, error)) (T, error) {
	return panics.Try(panics.NewGuard(nil, "call", "Options."+hook), f)
}

// tellHook calls a hook that returns nothing.
func tellHook(hook string, f func()) error {
	_, err := askHook(hook, func() (struct{}, error) { f(); return struct{}{}, nil })
	return err
}
