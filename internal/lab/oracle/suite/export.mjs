// Prints the tests of http-cache-tests as JSON, one test per line:
//
//   npm install --ignore-scripts && npm run --silent export
//
// The tests are data already: a date is a number of seconds from when the
// origin answers, and what the suite calls magic is a flag of the request.
// Only what says nothing about behaviour (anchors in the specification) is
// left out.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const version = '0.4.5' // the only one on npm
const integrity = 'sha512-DjuwN9nUZXLTW+wav1LRESCZNVxl8SshwOy4z1pxuWbWt5/ay6sM9QQ1lebBaDO6P1IMBoK6mdf+PuVP/QNL8A=='
const here = path.dirname(fileURLToPath(import.meta.url))
const modules = path.join(here, 'node_modules')
const folder = path.join(modules, 'http-cache-tests')

const read = (...names) => JSON.parse(fs.readFileSync(path.join(...names), 'utf8'))
const installed = read(modules, '.package-lock.json').packages['node_modules/http-cache-tests']
if (installed.version !== version || installed.integrity !== integrity) {
  throw new Error(`http-cache-tests ${installed.version} ${installed.integrity}, want ${version} ${integrity}`)
}

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
