// Package callresult reads the answer of a call for a model: its meaning, and the parts that
// the model may see. It does no I/O and keeps no state, except the counts of a [Pace].
//
//	out := callresult.Judge(a)   // ok, throttled, gone …, in our words, with the problem that the service reports
//	shown := callresult.Show(a)  // JSON, text or facts, within a number of bytes
//	args := shown.Next.Arguments(params, sent) // the arguments to change for the next page
//
// The model gets data of a stranger. Invisible characters are removed from it, and it is cut
// by its structure: lists keep their first items, texts their beginning and end, and each cut
// states which part is missing ([wayfind.Cut]). The caller keeps the whole answer and shows
// more of it with [Answer.At] and [Answer.From]. [Shown.Suspicious] lists the ways in which
// the text addresses models; nothing depends on it.
//
// A page that a service names is never fetched. It becomes arguments for another call of the
// same tool, to which all rules of calls apply.
package callresult
