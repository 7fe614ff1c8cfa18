// Prints the tests of http-cache-tests as JSON, one test per line:
//
//   npm install --ignore-scripts && npm run --silent export
//
// The tests are data already: a date is a number of seconds from when the
// origin answers, and what the suite calls magic is a flag of the request.
// Only what says nothing about behaviour (anchors in the specification) is
// left out. HTTP_CACHE_TESTS names an unpacked package to use instead of
// node_modules.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const version = '0.4.5'
const here = path.dirname(fileURLToPath(import.meta.url))
const folder = path.resolve(process.env.HTTP_CACHE_TESTS ?? path.join(here, 'node_modules', 'http-cache-tests'))

const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
if (manifest.version !== version) throw new Error(`http-cache-tests ${manifest.version}, want ${version}`)

const load = async name => (await import(pathToFileURL(path.join(folder, 'tests', name)))).default
const suites = [...await load('index.mjs'), await load('surrogate-control.mjs')]

// A function would vanish from the JSON without a word.
function plain (value, where) {
  if (typeof value === 'function' || value === undefined) throw new Error(`${where} is no data`)
  if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value)) plain(member, `${where}.${key}`)
  }
}

const lines = []
for (const suite of suites) {
  for (const { spec_anchors: _, ...test } of suite.tests) {
    plain(test, test.id)
    lines.push(JSON.stringify({ suite: suite.id, ...test }))
  }
}

console.log(`{"package": "http-cache-tests", "version": ${JSON.stringify(version)},
"source": "https://github.com/http-tests/cache-tests", "license": "BSD-3-Clause, see http-cache-tests.LICENSE",
"tests": [
${lines.join(',\n')}
]}`)
