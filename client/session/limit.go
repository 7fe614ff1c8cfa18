package session

import "github.com/wayfindhq/wayfind/internal/syntax/text"

// Limit is the limit of a [Budget] that ended a call, or another reason of this package for which a call
// was not made. The zero Limit is none.
type Limit struct{ row *limitRow }

// limitRow holds all facts about a Limit.
type limitRow struct{ name, text string }

// The limits.
var (
	// Calls: Budget.Calls is used.
	Calls = Limit{&limitRow{"calls", "The number of calls of this run is used. Make no more calls; answer from the results that you have."}}
	// Bytes: Budget.Bytes is used.
	Bytes = Limit{&limitRow{"bytes", "The room for results of this run is used. Make no more calls; answer from the results that you have."}}
	// Time: Budget.Time has passed.
	Time = Limit{&limitRow{"time", "The time of this run has passed. Make no more calls; answer from the results that you have."}}
	// Money: the price of the call does not fit into Budget.Money, or is not known.
	Money = Limit{&limitRow{"money", "The call was not made: its price does not fit into the budget of this run, or is not known before the call. Use a tool that costs nothing, or answer from the results that you have."}}
	// Unfinished: the arguments end in the middle, because the answer of the model was cut.
	Unfinished = Limit{&limitRow{"unfinished", "The call was not made: its arguments end in the middle, because your answer reached its limit of tokens. Write the call again, with shorter arguments or alone."}}
)

// Limits returns all limits.
func Limits() []Limit { return []Limit{Calls, Bytes, Time, Money, Unfinished} }

// IsZero reports whether l is no limit.
func (l Limit) IsZero() bool { return l.row == nil }

// String returns the name, or "" for the zero value.
func (l Limit) String() string { return text.Row(l.row).name }

// MarshalText returns the name.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Sentence returns the words for a model.
func (l Limit) Sentence() string { return text.Row(l.row).text }
