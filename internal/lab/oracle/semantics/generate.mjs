// Prints random exchanges, one per line, each with what http-cache-semantics
// makes of it as a private cache:
//
//   npm install --ignore-scripts && npm run --silent generate
//
// An exchange is a request and its response at `base`; the same request again
// after some seconds, with fields of its own; what the origin would say to a
// request for validation, or that it fails; and a third request later. The
// same seed gives the same file. HTTP_CACHE_SEMANTICS names an unpacked package
// to use instead of node_modules.

import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const version = '4.3.0'
const seed = 20260101
const count = 1850
const base = '2026-01-01T00:00:00Z'

const here = path.dirname(fileURLToPath(import.meta.url))
const folder = path.resolve(process.env.HTTP_CACHE_SEMANTICS ?? path.join(here, 'node_modules', 'http-cache-semantics'))
const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
if (manifest.version !== version) throw new Error(`http-cache-semantics ${manifest.version}, want ${version}`)
const CachePolicy = createRequire(import.meta.url)(folder)

// ---- chance ----

let state = seed
function random () { // mulberry32
  state = (state + 0x6D2B79F5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}
const pick = list => list[Math.floor(random() * list.length)]
const sometimes = (chance, make) => random() < chance ? make() : []

// ---- the grammar ----

const start = Date.parse(base)
const date = delta => new Date(start + delta * 1000).toUTCString()
const long = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
function rfc850 (delta) {
  const [, day, month, year, time] = date(delta).split(' ')
  return `${long[new Date(start + delta * 1000).getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`
}
function asctime (delta) {
  const [name, day, month, year, time] = date(delta).split(' ')
  return `${name.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`
}

const seconds = () => pick(['0', '1', '10', '60', '60', '60', '300', '300', '3600'])
const plain = () => pick([`max-age=${seconds()}`, `max-age=${seconds()}`, `max-age=${seconds()}`,
  'no-cache', 'no-store', 'public', 'private', 'must-revalidate', 's-maxage=60', 'proxy-revalidate', 'no-transform'])
const odd = () => pick([`Max-Age=${seconds()}`, 'MAX-AGE=60', `max-age="${seconds()}"`, 'max-age=60.5', 'max-age=60abc', 'max-age=-5',
  'max-age=', 'max-age', 'max-age= 60', 'max-age=99999999999', 'max-age=0060', 'max-age=60, max-age=60', 'max-age=60, max-age=300',
  'max-age=300, max-age=60', 'No-Cache', 'No-Store', 'NO-STORE, max-age=60', 'no-cache="set-cookie"', 'private="a, no-store", max-age=60',
  'ext="max-age=5", max-age=60', 'must-understand, no-store, max-age=60', 'must-understand, no-store', 'immutable', 'immutable, max-age=60',
  'no-store=x, max-age=60', ',, max-age=60,', 'max-age=60,no-cache', 'post-check=0, pre-check=0', '"no-store", max-age=60'])
const extended = () => pick(['stale-if-error=60', 'stale-if-error=3600', 'stale-while-revalidate=30', 'stale-while-revalidate=300', 'stale-while-revalidate=3600', 'stale-if-error=0', 'stale-while-revalidate=0',
  'stale-if-error=60, must-revalidate', 'stale-while-revalidate=30, must-revalidate', 'Stale-If-Error=60', 'no-cache, stale-if-error=60'])

function cacheControl () {
  const r = random()
  if (r < 0.22) return []
  if (r < 0.45) return [['Cache-Control', plain()]]
  if (r < 0.58) return [['Cache-Control', plain() + ', ' + plain()]]
  if (r < 0.63) return [['Cache-Control', plain()], ['Cache-Control', plain()]]
  if (r < 0.84) return [['Cache-Control', `max-age=${seconds()}, ${extended()}`]]
  return [['Cache-Control', odd()]]
}
const expires = () => [['Expires', pick([date(60), date(60), date(300), date(-60), date(0), rfc850(60), asctime(60), '0', '-1', 'never', '',
  date(60).replace('GMT', 'UTC'), date(60).replace('GMT', 'EST'), date(60).toLowerCase(), date(3600).replace(/ 0(\d):/, ' $1:'),
  date(60).replace(', ', ' '), new Date(start + 60000).toISOString()])],
...sometimes(0.05, () => [['Expires', date(600)]])]
const lastModified = () => [['Last-Modified', pick([date(-100), date(-1000), date(-600000), date(-9000000), date(60), rfc850(-1000)])]]
const etag = () => [['ETag', pick(['"a"', '"a"', 'W/"a"', 'a', '""'])]]
const vary = () => [['Vary', pick(random() < 0.05 ? ['*', 'Accept, *'] : ['Accept', 'Accept', 'accept', 'Accept, Accept-Language', 'Accept,Accept-Language', 'X-Kind'])]]

function responseFields () {
  return [
    ...cacheControl(),
    ...sometimes(0.3, expires),
    ...sometimes(0.75, () => [['Date', pick([date(0), date(0), date(0), date(0), date(0), date(0), date(0), date(-10), date(-3600), date(5), date(3600), 'today'])]]),
    ...sometimes(0.15, () => [['Age', pick(['0', '5', '5', '59', '60', '3600', '-5', 'abc', '5.5', '5, 90', '90, 5', '99999999999'])]]),
    ...sometimes(0.4, lastModified),
    ...sometimes(0.5, etag),
    ...sometimes(0.25, vary),
    ...sometimes(0.08, () => [['Pragma', pick(['no-cache', 'x'])]])
  ]
}
const status = () => random() < 0.72 ? 200 : pick([200, 201, 203, 204, 206, 300, 301, 302, 303, 307, 308, 400, 403, 404, 405, 410, 414, 418, 429, 451, 500, 501, 502, 503, 504])

function requestFields () {
  return [
    ...sometimes(0.5, () => [['Accept', pick(['a', 'b', 'A', 'a, b', 'a,b'])]]),
    ...sometimes(0.1, () => [['Accept-Language', pick(['en', 'de'])]]),
    ...sometimes(0.05, () => [['X-Kind', pick(['1', '2'])]])
  ]
}
const authorization = () => sometimes(0.08, () => [['Authorization', pick(['one', 'one', 'two'])]])
const demands = () => random() < 0.6 ? [] : [[...pick([['Cache-Control', 'no-cache'], ['Cache-Control', 'No-Cache'], ['Cache-Control', 'no-store'],
  ['Cache-Control', 'max-age=0'], ['Cache-Control', 'max-age=30'], ['Cache-Control', 'max-age=3600'], ['Cache-Control', 'min-fresh=20'],
  ['Cache-Control', 'min-fresh=0'], ['Cache-Control', 'max-stale'], ['Cache-Control', 'max-stale=10'], ['Cache-Control', 'max-stale=10, max-age=30'],
  ['Cache-Control', 'Max-Stale=10'], ['Cache-Control', 'only-if-cached'], ['Pragma', 'no-cache'], ['Pragma', 'x']])],
...sometimes(0.05, () => [['Pragma', 'no-cache']])]

const elapsed = () => pick([0, 0, 1, 5, 5, 9, 10, 11, 30, 30, 30, 50, 55, 59, 60, 61, 70, 71, 89, 90, 91, 119, 120, 121, 300, 301, 3600])

function validation (response) {
  const r = random()
  if (r < 0.25) return { status: pick([500, 502, 503, 504, 501, 505]), fields: [] }
  if (r < 0.4) return { status: 0, fields: [] } // the connection breaks
  const stored = response.filter(([name]) => name === 'ETag' || name === 'Last-Modified')
  return {
    status: 304,
    fields: [
      ...pick([stored, stored, stored, [], [['ETag', '"b"']], [['ETag', 'W/"a"']], [['ETag', '"a"']], [['Last-Modified', date(-50)]]]),
      ...sometimes(0.6, () => [['Cache-Control', pick(['max-age=60', 'max-age=0', 'no-cache', 'max-age=300', 'no-store', 'Max-Age=60'])]]),
      ...sometimes(0.15, () => [['Expires', date(9000)]]),
      ...sometimes(0.1, () => [['Age', pick(['30', '100'])]])
    ]
  }
}

function exchange () {
  const shared = requestFields()
  const who = authorization()
  const fields = responseFields()
  const varied = random() < 0.3 ? requestFields() : shared
  return {
    first: [...shared, ...who, ...sometimes(0.05, () => [['Cache-Control', pick(['no-store', 'No-Store', 'no-cache', 'max-age=0'])]])],
    status: status(),
    fields,
    after: elapsed(),
    second: [...varied, ...(random() < 0.1 ? authorization() : who), ...demands()],
    then: validation(fields),
    later: elapsed()
  }
}

// What chance does not meet in every run: ends of windows, and values that are
// spelled anew.
const corner = (response, after, second, more = {}) => ({
  first: [], status: 200, fields: [...response, ['Date', date(0)]], after, second, then: { status: 0, fields: [] }, later: 0, ...more
})
const cc = value => [['Cache-Control', value]]
const answer = (...fields) => ({ status: 304, fields })
const corners = [
  corner(cc('max-age=60'), 0, cc('max-age=0')),
  corner(cc('max-age=60'), 59, []),
  corner(cc('max-age=60'), 60, []),
  corner(cc('max-age=60, stale-while-revalidate=30'), 89, []),
  corner(cc('max-age=60, stale-while-revalidate=30'), 90, []),
  corner(cc('max-age=60, stale-while-revalidate=30'), 91, []),
  corner(cc('max-age=60, stale-while-revalidate=30'), 70, cc('max-age=3600')),
  corner(cc('max-age=60, stale-while-revalidate=30'), 75, cc('max-stale=10')),
  corner(cc('max-age=60'), 70, cc('max-stale=10')),
  corner(cc('max-age=60'), 71, cc('max-stale=10')),
  corner(cc('max-age=60'), 40, cc('min-fresh=20')),
  corner(cc('max-age=60'), 41, cc('min-fresh=20')),
  corner(cc('max-age=60'), 30, cc('max-age=30')),
  corner(cc('max-age=60'), 31, cc('max-age=30')),
  corner(cc('max-age=60, stale-if-error=60'), 119, []),
  corner(cc('max-age=60, stale-if-error=60'), 120, []),
  corner(cc('max-age=60, stale-if-error=60'), 121, []),
  corner(cc('max-age=60, Stale-If-Error=60'), 100, []),
  corner(cc('no-cache'), 0, [], { status: 302 }),
  corner(cc('must-revalidate'), 0, [], { status: 302 }),
  corner(cc('max-age'), 0, [], { status: 302 }),
  corner([...cc('max-age=60'), ['Vary', 'Accept']], 1, [['Accept', 'a,b']], { first: [['Accept', 'a, b']] }),
  corner([...cc('max-age=60'), ['Vary', 'Accept']], 1, [['Accept', 'A']], { first: [['Accept', 'a']] }),
  corner([...cc('max-age=60'), ['Vary', 'Accept'], ['ETag', '"a"']], 61, [['Accept', 'A']], { first: [['Accept', 'a']], then: answer(['ETag', '"a"']) }),
  corner([...cc('max-age=60, must-revalidate'), ['ETag', '"a"']], 60, [], { then: answer(['ETag', '"a"']), later: 1 }),
  corner([...cc('max-age=60'), ['ETag', '"a"'], ['Age', '50']], 60, [], { then: answer(['ETag', '"a"']), later: 20 }),
  corner([...cc('max-age=60'), ['ETag', '"a"']], 60, [], { then: answer(['ETag', '"a"'], ['Age', '50']), later: 20 }),
  corner([...cc('max-age=60'), ['ETag', '"a"']], 60, [], { then: answer(['ETag', 'W/"a"']), later: 59 })
]

// ---- the oracle ----

// Fields as Node hands them over: some keep their first line only.
const single = new Set(['age', 'authorization', 'etag', 'expires', 'last-modified'])
function headers (fields) {
  const out = { host: 'example.com' }
  for (const [name, value] of fields) {
    const key = name.toLowerCase()
    if (!(key in out)) out[key] = value
    else if (!single.has(key)) out[key] += ', ' + value
  }
  return out
}

let now = start
class Policy extends CachePolicy {
  now () { return now }
}

const rounded = seconds => Math.round(seconds * 1000) / 1000

function use (policy, request) {
  const { response, revalidation } = policy.evaluateRequest(request)
  if (!response) return 'miss'
  return revalidation ? 'renew' : 'hit'
}

function ask (x) {
  now = start
  const url = '/'
  const request = { method: 'GET', url, headers: headers(x.first) }
  const policy = new Policy(request, { status: x.status, headers: headers(x.fields) }, { shared: false })
  const theirs = { stored: policy.storable(), lifetime: rounded(policy.maxAge()) }
  now = start + x.after * 1000
  const again = { method: 'GET', url, headers: headers(x.second) }
  theirs.age = policy.age()
  theirs.use = use(policy, again)
  if (theirs.use !== 'miss') return theirs
  const conditional = policy.revalidationHeaders(again)
  theirs.etag = conditional['if-none-match']
  theirs.modified = conditional['if-modified-since']
  if (x.then.status !== 304) {
    const response = x.then.status ? { status: x.then.status, headers: headers(x.then.fields) } : undefined
    let kept = false
    try { kept = policy.revalidatedPolicy(again, response).policy === policy } catch {}
    theirs.standsIn = theirs.stored && kept
    return theirs
  }
  if (!theirs.etag && !theirs.modified) return theirs
  const fresh = policy.revalidatedPolicy(again, { status: 304, headers: headers(x.then.fields) })
  theirs.matches = !!fresh.matches
  if (!fresh.matches) return theirs
  theirs.renewed = fresh.policy.storable() ? rounded(fresh.policy.maxAge()) : 0
  now += x.later * 1000
  theirs.later = use(fresh.policy, request)
  return theirs
}

const lines = fields => fields.length ? fields.map(([name, value]) => `${name}: ${value}`) : undefined

console.log(JSON.stringify({ oracle: 'http-cache-semantics', version, seed, base }))
for (let n = 0; n < count; n++) {
  const x = corners[n] ?? exchange()
  const theirs = ask(x)
  const line = {
    first: lines(x.first), status: x.status, fields: lines(x.fields), after: x.after, second: lines(x.second),
    then: theirs.use === 'miss' ? { status: x.then.status || undefined, fields: lines(x.then.fields) } : undefined,
    later: theirs.later && x.later,
    theirs
  }
  console.log(JSON.stringify(line))
}
