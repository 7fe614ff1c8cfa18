// Package sitecheck judges a site as agents see it. Each line of its table is a [Rule]:
// the places that are asked, the condition that passes, the gain of an agent and the mend.
//
//	report := sitecheck.Check(&sitecheck.Input{Site: site, Answers: answers})
//	fmt.Println(report.Level, report.Next)
//
// The package sends no request: its input is a Site with the answers that it was made
// of, and the answers to [Requests] if the caller sends them. Equal input gives an equal
// [Report], without times.
//
// Rules are about standards, about the behaviour of the server, and about the result for
// an agent. A level is a list of rules that pass; [Report].Levels states it. Nothing here
// counts points.
package sitecheck
