package client_test

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/wayfindhq/wayfind/client"
)

// records is a slog.Handler that counts.
type records struct{ warned atomic.Int64 }

// logTo makes a Client log here.
func (r *records) logTo(o *client.Options) { o.Logger = slog.New(r) }

// warnings is the number of records that warn.
func (r *records) warnings() int { return int(r.warned.Load()) }

func (r *records) Enabled(context.Context, slog.Level) bool { return true }

func (r *records) Handle(_ context.Context, rec slog.Record) error {
	if rec.Level >= slog.LevelWarn {
		r.warned.Add(1)
	}
	return nil
}

func (r *records) WithAttrs([]slog.Attr) slog.Handler { return r }
func (r *records) WithGroup(string) slog.Handler      { return r }
