// Package mcpserver offers the tools of web domains to hosts of the Model Context
// Protocol: a server whose tools are those of package client/tools, called by package
// client/call. It is experimental.
//
// [AddTools] adds the tools of a Box to a server of yours; [New] makes a server of its
// own, which follows the offers of its domains:
//
//	caller, err := call.New(c, nil)
//	s, err := mcpserver.New(c, caller, &mcpserver.Options{Domains: []string{"shop.example"}})
//	err = s.Serve(ctx, &mcp.StdioTransport{})
//
// # The tools of a host
//
// Four tools, always the same: wayfind_search finds tools by words, wayfind_describe
// gives a definition, wayfind_call calls, and wayfind_open puts a domain behind the
// server. Where few tools are behind it they are listed besides, by their names in the
// Box.
//
// # Promises
//
// The model gives no URL that is fetched and no secret. A domain is opened when a
// person agrees, and so is a call that does more than read: where the host can ask a
// person (elicitation), that person is asked, about the request that will be sent and
// no other; where it cannot, the call is refused, and the answer says how to allow it.
// A site cannot give its tool the name of another's, or of one of the four. Texts of
// sites are data: cleaned, cut and marked with their origin. Nothing is asked of
// the host's model, and no file of the host is looked at.
package mcpserver
