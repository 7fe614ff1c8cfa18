package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sentence is one thing that readers of the formats of the field must do, or must never
// do, and the test that shows it.
type sentence struct {
	section, says string
	// test is the folder of a package and the name of a test function; row is a text in
	// that function, the name of a subtest for example.
	test, row string
}

const (
	catalogTests = "parse/formats/aicatalog."
	skillTests   = "parse/formats/agentskills."
	apiTests     = "parse/formats/apicatalog."
	linkTests    = "parse/formats/links."
	robotsTests  = "parse/formats/robots."
	tdmTests     = "parse/formats/tdmrep."
	ucpTests     = "parse/formats/ucp."
	acpTests     = "parse/formats/acp."
	clientTests  = "client."
)

// sentences are those about all formats, and about each: catalogues (1), skills (2), API
// catalogs (3), links (4), UCP (5), preferences (6), ACP (7) and Markdown (8).
func sentences() []sentence {
	return []sentence{
		{"0.3", "must: read 4 MiB and 1,000 entries, and count the rest", catalogTests + "TestS0_3_Sizes", "4 MiB"},
		{"0.3", "must never: turn a catalogue into malformed by a cap that cuts", catalogTests + "TestS0_3_Sizes", "1,000,000 tiny entries"},
		{"0.5", "must: follow within the budget, places first, in document order", clientTests + "TestS0_5_2_PlacesBeforeLinks", ""},
		{"0.5", "must: keep a budget for places that are asked later", clientTests + "TestS0_5_2_FirstMatch", ""},
		{"0.5", "must: follow the index's own origin first", "internal/places.TestS0_5_2_OwnOriginFirst", ""},
		{"0.5", "must never: fetch from another site in Resolve", clientTests + "TestS0_5_3_OtherSites", ""},
		{"0.5", "must never: fetch from another site in Resolve, by a redirect of a link", clientTests + "TestS0_5_3_Detours", ""},
		{"0.5", "must: stop at three indexes within each other, with a count", clientTests + "TestS0_5_4_IndexesNest", ""},
		{"0.5", "must: ask each URL once, whatever its spelling or redirects", clientTests + "TestS0_5_4_EachURLOnce", ""},
		{"0.5", "must: know the URLs that redirects led to", clientTests + "TestS0_5_4_RedirectedCatalog", ""},
		{"0.5", "must: count an inline catalogue as a level", catalogTests + "TestS0_5_4_InlineLevels", ""},
		{"0.5", "must never: trust type, the bytes decide", clientTests + "TestS0_5_5_BytesDecide", ""},
		{"0.5", "must never: let a followed document that fails fail the index", catalogTests + "TestS0_5_7_Failures", ""},

		{"1.8", "must: read an empty list as found and empty", catalogTests + "TestS1_8_Must", "read an empty list as found and empty"},
		{"1.8", "must: accept application/json", catalogTests + "TestS1_8_Must", "accept application/json"},
		{"1.8", "must: read type and mediaType", catalogTests + "TestS1_8_Must", `"type", "mediaType"`},
		{"1.8", "must: read data and inline", catalogTests + "TestS1_8_Must", `"data", "inline"`},
		{"1.8", "must: keep unknown identifiers opaque", catalogTests + "TestS1_8_Must", "keep unknown identifiers opaque"},
		{"1.8", "must: report both url and data, and keep the entry without following it", catalogTests + "TestS1_8_Must", "both url and data"},
		{"1.8", "must: report neither, and keep the entry without following it", catalogTests + "TestS1_8_Must", "neither url nor data"},
		{"1.8", "must: refuse major 2", catalogTests + "TestS1_8_Must", "refuse major 2"},
		{"1.8", "must: resolve a relative url against the final URL", catalogTests + "TestS1_8_Must", "resolve a relative url against the final URL"},
		{"1.8", "must: take the same bytes at both paths for one source", catalogTests + "TestS1_8_BothPaths", ""},
		{"1.8", "must: detect A to B to A, and self reference", catalogTests + "TestS1_8_Loops", ""},
		{"1.8", "must: stop at the depth and at the entry cap with a count", catalogTests + "TestS0_3_Sizes", "1,001 entries"},
		{"1.8", "must: report a publisher that is not the serving site, and list the entry", catalogTests + "TestS1_8_PublisherMismatch", ""},
		{"1.8", "must never: fetch an attestation", catalogTests + "TestS1_8_MustNever", "an attestation"},
		{"1.8", "must never: fetch a DID", catalogTests + "TestS1_8_MustNever", "a DID"},
		{"1.8", "must never: fetch a logo", catalogTests + "TestS1_8_MustNever", "a logo"},
		{"1.8", "must never: treat trustManifest as trust", catalogTests + "TestS1_8_MustNever", "treat a trust manifest as trust"},
		{"1.8", "must never: treat a score as trust", catalogTests + "TestS1_8_MustNever", "treat a trust manifest or a score as trust"},
		{"1.8", "must never: follow another site without approval", catalogTests + "TestS1_8_MustNever", "follow another site without approval"},
		{"1.8", "must never: let an entry rename a native service", catalogTests + "TestS1_8_MustNever", "let an entry rename a native service"},
		{"1.8", "must never: turn representativeQueries into something callable", catalogTests + "TestS1_8_MustNever", "turn representativeQueries into something callable"},
		{"1.8", "must never: turn metadata.invocation into something callable", catalogTests + "TestS1_8_MustNever", "turn metadata.invocation into something callable"},
		{"1.3", "must: refuse a digest shorter than SHA-256; a mismatch fails the document", catalogTests + "TestS1_3_Digests", ""},
		{"1.3", "must: hold a document to the digest of each link to it, in any order", clientTests + "TestS1_3_DigestsOfOneURL", ""},
		{"1.9", "must: follow hosts of the same site, with approval for speaking", catalogTests + "TestS1_9_SiblingHost", ""},

		{"2", "must: resolve url against the final URL of the index", skillTests + "TestS2_Must", "resolve url against the final URL of the index"},
		{"2", "must: verify before returning", skillTests + "TestS2_Must", "verify before returning"},
		{"2", "must: refuse a digest that is not SHA-256", skillTests + "TestS2_Must", "refuse a digest that is not SHA-256"},
		{"2", "must: treat a missing digest as unverified", skillTests + "TestS2_Must", "treat a missing digest as unverified"},
		{"2", "must: keep an entry whose type is unknown, unloaded", skillTests + "TestS2_Must", "keep an entry whose type is unknown, unloaded"},
		{"2", "must: handle redirects", skillTests + "TestS2_Must", "handle redirects"},
		{"2", "must: respect cache headers", skillTests + "TestS2_Must", "respect cache headers"},
		{"2", "must never: run, unpack or interpret a script", skillTests + "TestS2_MustNever", "run, unpack or interpret a script"},
		{"2", "must never: fetch a skill during Resolve", skillTests + "TestS2_MustNever", "fetch a skill during Resolve"},
		{"2", "must never: use a cached body whose digest no longer matches the index", skillTests + "TestS2_MustNever", "use a cached body whose digest no longer matches the index"},
		{"2", "must never: put the body into a Description", skillTests + "TestS2_MustNever", "put the body into a Description"},
		{"2", "must never: put the body into a prompt", "security/prompt.TestS2_SkillIsNoPrompt", ""},

		{"3", "must: read a bare string target", apiTests + "TestS3_Must", "read a bare string target"},
		{"3", "must: keep the order of contexts", apiTests + "TestS3_Must", "keep the order of contexts"},
		{"3", "must: not treat the catalogue as an API", apiTests + "TestS3_Must", "not treat the catalogue as an API"},
		{"3", "must: merge two contexts with one anchor", apiTests + "TestS3_Must", "merge two contexts with one anchor"},
		{"3", "must: accept application/octet-stream", apiTests + "TestS3_Must", "accept application/octet-stream"},
		{"3", "must: follow service-desc of the same site at most once per URL", apiTests + "TestS3_Must", "follow service-desc of the same site at most once per URL"},
		{"3", "must never: call an anchor or an item", apiTests + "TestS3_MustNever", "call an anchor or an item"},
		{"3", "must never: follow alternate, payment", apiTests + "TestS3_MustNever", `"alternate", "payment"`},
		{"3", "must never: resolve hrefs against the anchor", apiTests + "TestS3_MustNever", "resolve hrefs against the anchor"},

		{"4", "must: follow at most 16 links from all relations together", clientTests + "TestSection4_SixteenLinks", ""},
		{"4", "must: treat an unknown rel as a Document, nothing more", linkTests + "TestSection4_UnknownRelation", ""},
		{"4", "must: take no links from a page on another site after redirects", clientTests + "TestSection4_ThePage", "a page of another site"},
		{"4", "must never: execute or render", linkTests + "TestSection4", "never executed"},
		{"4", "must never: follow preload", linkTests + "TestSection4", "never preload"},
		{"4", "must never: follow dns-prefetch", linkTests + "TestSection4", "never dns-prefetch"},
		{"4", "must never: follow stylesheet", linkTests + "TestSection4", "never stylesheet"},
		{"4", "must never: follow canonical", linkTests + "TestSection4", "never canonical"},
		{"4", "must never: take a link from the body of a 4xx", clientTests + "TestSection4_ThePage", "a body of a 404"},
		{"4", "must never: take a link from the body of a 5xx", clientTests + "TestSection4_ThePage", "a body of a 500"},
		{"4", "must never: let a Link on a 304 replace the stored one without RFC 9111 §3.2", clientTests + "TestSection4_Link304", ""},

		{"5", "must: no redirects at this place", clientTests + "TestP2S5_1_RedirectRefused", ""},
		{"5", "must: both generations", ucpTests + "TestP2S5_3_BothGenerations", ""},
		{"5", "must: the authority table of the text", ucpTests + "TestP2S5_1_AuthorityTable", ""},
		{"5", "must: exact equality of version after following supported_versions, one hop", clientTests + "TestP2S5_3_SupportedVersionsOneHop", ""},
		{"5", "must: skip unknown keys and refuse nothing for them", ucpTests + "TestP2S5_1_PrivateKeyMembers", ""},
		{"5", "must: a size bound of 128 KiB or more", clientTests + "TestP2S5_1_Sizes", ""},
		{"5", "must never: fetch a schema whose binding fails", ucpTests + "TestP2S5_3_SchemasThatAreNotFetched", ""},
		{"5", "must never: call an endpoint", clientTests + "TestP2S5_3_OnlyCardsAreAsked", ""},
		{"5", "must never: offer a payment", clientTests + "TestP2S5_3_NeverOffersAPayment", ""},
		{"5", "must never: echo a private member of a key", clientTests + "TestP2S5_3_PrivateKeysStayInMemory", ""},

		{"6", "must: never merge the three into one word", robotsTests + "TestSection6", "never merged"},
		{"6", "must: the most restrictive when a key repeats in one scope", robotsTests + "TestSection6", "the cautious word counts"},
		{"6", "must: parse by bytes, not by Unicode", robotsTests + "TestSection6", "Content-Usage, another script"},
		{"6", "must: ignore parameters and unknown labels", robotsTests + "TestSection6", "Content-Usage, parameters and other names"},
		{"6", "must: a tdmrep.json in its three shapes", tdmTests + "TestSection6_Files", ""},
		{"6", "must never: read a signal as permission to crawl what Disallow forbids", robotsTests + "TestSection6_NoPermission", ""},

		{"7", "must: accept objects in services", acpTests + "TestP2S7_ServicesAsObjects", ""},
		{"7", "must: not call api_base_url and what is below it", clientTests + "TestP2S7_NothingBelowTheBaseIsAsked", ""},
		{"7", "must never: treat a foreign acp.json as a shop", acpTests + "TestP2S7_Foreign", ""},
		{"7", "must never: treat one that says the protocol does not apply as a shop", clientTests + "TestP2S5_3_P2S7_NoShops", "not_applicable"},
		{"7", "must never: trust the order of supported_versions", acpTests + "TestP2S7_LatestVersion", ""},

		{"8", "must: ask for / as HTML first", clientTests + "TestS8_PageAsHTML", ""},
		{"8", "must: ask for the canary with the same Accept, and compare Markdown with it", clientTests + "TestS8_Converters", "an error page for any path"},
		{"8", "must: know the title of an error page in Markdown", clientTests + "TestS8_Converters", "a title that says it"},
		{"8", "must never: fetch llms-full.txt", clientTests + "TestS8_FullTextsAreNotFetched", ""},
	}
}

// Every sentence has its test.
func TestSentencesHaveTests(t *testing.T) {
	packages := map[string]map[string]string{}
	for _, s := range sentences() {
		dir, name, _ := strings.Cut(s.test, ".")
		if packages[dir] == nil {
			packages[dir] = testsOf(t, dir)
		}
		switch body, ok := packages[dir][name]; {
		case !ok:
			t.Errorf("§%s, %s: there is no %s in %s", s.section, s.says, name, dir)
		case !strings.Contains(body, s.row):
			t.Errorf("§%s, %s: %s has no row %q", s.section, s.says, name, s.row)
		}
	}
}

// testsOf are the sources of the test functions in a folder, by their names.
func testsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	tests := map[string]string{}
	paths, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				tests[f.Name.Name] = string(source[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset])
			}
		}
	}
	return tests
}
