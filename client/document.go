package client

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/security"
)

// Document is a document that the caller has, such as the file of an API description.
type Document struct {
	// Name is the name of its file, for example "openapi.yaml".
	Name string
	Body []byte
	// URL is the URL at which it is published. By default it is at the root of the first host that the
	// document names as a server, or of "unpublished.example".
	URL string
	// Server is the URL of the server to call in place of those that the document names. The default of
	// URL is then at its host.
	Server string
	// Files contains the documents that Body refers to, by their paths relative to Body. If it is nil,
	// they are requested at the host of the URL.
	Files fs.FS
}

// AddDocument makes a document known to the Client, and returns its target. With this target, Resolve,
// Describe, tools.Load, package call and mcpserver use the document as if it were published at its URL.
// For the document itself no request is sent, and no store gets it. Its servers are called as those of a
// published document: the server at its own host without an approval, all others with one.
//
// A document of the same URL is replaced from the next Refresh on. The error is of kind ErrInvalid if no
// format reads the document, or if its URL is no target.
func (c *Client) AddDocument(ctx context.Context, d *Document) (target string, err error) {
	leave, err := c.enter("parse")
	if err != nil {
		return "", err
	}
	defer leave()
	read, err := Parse(ctx, d.Body, &ParseOptions{URL: d.URL, Path: "/" + d.Name, Formats: c.engine.Opts.Formats, MaxBytes: c.opts.Limits.MaxBytes, SuffixList: c.opts.Policy.SuffixList, Now: c.opts.Lab.Now})
	if err != nil {
		return "", err
	}
	if read.Format == "" {
		return "", wayfind.NewError("parse", d.Name, wayfind.CodeNoFormat, errors.New(cmp.Or(read.Reason, string(read.Verdict))))
	}
	u, err := c.homeOf(d, read.Site)
	if err != nil {
		return "", err
	}
	c.engine.Give(&discover.Given{URL: u, Body: slices.Clone(d.Body), Files: d.Files, Server: d.Server, Published: d.URL != "" && d.Server == ""})
	return u.String(), nil
}

// homeOf returns the URL of a document.
func (c *Client) homeOf(d *Document, site *wayfind.Site) (*url.URL, error) {
	if d.URL != "" {
		return c.targetURL(d.URL)
	}
	name := (&url.URL{Path: "/" + strings.TrimLeft(path.Clean("/"+d.Name), "/")}).EscapedPath()
	if name == "/" {
		name = "/document"
	}
	addresses := provenance.Addresses(site)
	if d.Server != "" {
		if _, err := c.targetURL(d.Server); err != nil {
			return nil, err
		}
		addresses = slices.Values([]string{d.Server})
	}
	for text := range addresses {
		u, err := c.engine.Opts.Policy.ParseURL(text, nil)
		if err == nil && (provenance.DomainOf(text) != "" || c.engine.Opts.Policy.IsDev(security.Origin(u))) {
			return c.targetURL(security.Origin(u) + name)
		}
	}
	return c.targetURL("https://" + unpublished + name)
}

// unpublished is the host of documents that do not name their own host.
const unpublished = "unpublished.example"
