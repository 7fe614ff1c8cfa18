// Package callresult reads the answer of a call for a model: its meaning, and the parts
// that the model may see. It does no I/O and keeps nothing but what a [Pace] counts.
//
//	out := callresult.Judge(a)   // ok, throttled, gone …, in our words, with the problem that the service tells
//	shown := callresult.Show(a)  // JSON, text or facts, within a number of bytes
//	args := shown.Next.Arguments(params, sent) // what a call for the next page has in other words
//
// What a model gets is data of a stranger. It is cleaned of what does not show, and
// cut by its structure: lists keep their first items, texts their beginning and end,
// and each cut says which part is missing ([wayfind.Cut]). The whole stays with the
// caller, who shows more of it with [Answer.At] and [Answer.From]. [Shown.Suspicious]
// says how the text addresses models; nothing depends on it.
//
// A page that a service names is never followed: it becomes arguments for another call
// of the same tool, which all rules of calls hold for.
package callresult
