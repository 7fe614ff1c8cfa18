// Reads OpenAPI documents independently of wayfind, and arguments as servers do:
//
//   npm ci --ignore-scripts && node operations.mjs <lines.jsonl
//
// For a line with the member `file` it prints the operations of that document: the shapes of
// their requests, the names of their arguments, and where swagger-client puts their keys. For a
// line with the member `query` it prints what qs, the parser of Express, reads from it.

import fs from 'node:fs'
import readline from 'node:readline'
import yaml from 'js-yaml'
import qs from 'qs'
import Swagger from 'swagger-client'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const ignored = ['accept', 'content-type', 'authorization'] // OpenAPI, Parameter Object, name
const steps = (pointer) => pointer.slice(2).split('/').map((s) => decodeURIComponent(s).replaceAll('~1', '/').replaceAll('~0', '~'))

function operations(doc) {
  const whole = (value) => {
    for (let n = 0; value?.$ref && n < 50; n++) value = steps(value.$ref).reduce((v, step) => v?.[step], doc)
    return value
  }
  // The members of an object, of all its parts and alternatives. A member that is only read is none.
  function members(schema, seen = new Set()) {
    const s = whole(schema)
    if (!s || seen.has(s)) return []
    seen.add(s)
    const own = Object.entries(s.properties ?? {}).filter(([, p]) => whole(p)?.readOnly !== true && p?.readOnly !== true).map(([name]) => name)
    return [...new Set([...own, ...['allOf', 'oneOf', 'anyOf'].flatMap((word) => (s[word] ?? []).flatMap((part) => members(part, seen)))])]
  }
  const typeOf = (s) => [s?.type].flat().find((t) => t && t !== 'null') ?? (s?.properties ? 'object' : undefined)
  function nests(schema) {
    const s = whole(schema)
    const inner = [s, ...(s?.oneOf ?? []), ...(s?.anyOf ?? []), ...(s?.allOf ?? [])].map(whole)
    return inner.some((one) => typeOf(one) === 'object' || typeOf(one) === 'array' && ['object', 'array'].includes(typeOf(whole(one.items))))
  }
  const schemes = doc.components?.securitySchemes ?? doc.securityDefinitions ?? {}
  const list = []
  for (const [path, found] of Object.entries(doc.paths ?? {})) {
    const item = whole(found)
    for (const method of methods.filter((m) => item[m])) {
      const op = item[method]
      const named = new Map([...(item.parameters ?? []), ...(op.parameters ?? [])].map(whole).map((p) => [`${p.in} ${p.name}`, p]))
      const parameters = [...named.values()].filter((p) => !(p.in === 'header' && ignored.includes(p.name.toLowerCase())))
      const shapes = new Set()
      for (const p of parameters) {
        if (p.style === 'deepObject') shapes.add('deepObject')
        if (p.in === 'query' && !p.content && p.schema && nests(p.schema)) shapes.add('nested in the query')
        if (p.in === 'cookie') shapes.add('cookie')
      }
      const bodies = {}
      for (const [media, content] of Object.entries(whole(op.requestBody)?.content ?? {})) bodies[media] = members(content.schema)
      const declared = parameters.filter((p) => p.in === 'body' || p.in === 'formData')
      for (const media of doc.swagger && declared.length ? op.consumes ?? doc.consumes ?? ['application/json'] : []) {
        bodies[media] = declared.flatMap((p) => p.in === 'body' ? members(p.schema) : [p.name])
      }
      for (const media of Object.keys(bodies)) {
        shapes.add(/urlencoded/.test(media) ? 'form' : /multipart/.test(media) ? 'multipart' : /xml/.test(media) ? 'xml' : /json|\*/.test(media) ? 'json' : 'other body')
      }
      const keys = placed(doc, path, method, op, schemes)
      for (const k of keys) if (k.in !== 'query') shapes.add(`key in a ${k.in}`)
      list.push({ path, method, shapes: [...shapes], keys, parameters: parameters.filter((p) => !declared.includes(p)).map((p) => ({ in: p.in, name: p.name })), bodies })
    }
  }
  return list
}

// placed returns where swagger-client puts the keys of an operation, by the first alternative that it can.
function placed(doc, path, method, op, schemes) {
  const alternatives = op.security ?? doc.security ?? []
  const wanted = !alternatives.some((one) => !Object.keys(one).length) && alternatives.find((one) => Object.keys(one).every((name) => schemes[name]?.type === 'apiKey'))
  if (!wanted) return []
  const { paths, components, definitions, parameters, responses, ...part } = doc
  const spec = { ...part, security: [wanted], paths: { [path]: { [method]: { operationId: 'operation', security: [wanted], responses: { 200: { description: 'ok' } } } } } }
  if (doc.swagger) spec.securityDefinitions = schemes
  else spec.components = { securitySchemes: schemes }
  const authorized = Object.fromEntries(Object.keys(wanted).map((name) => [name, { value: 'k-e-y' }]))
  const r = Swagger.buildRequest({ spec, operationId: 'operation', parameters: {}, contextUrl: 'https://shop.example/openapi', securities: { authorized } })
  const found = Object.entries(r.headers).filter(([, v]) => v === 'k-e-y').map(([name]) => ({ in: 'header', name: name.toLowerCase() }))
  for (const [name, v] of new URL(r.url, 'https://shop.example').searchParams) if (v === 'k-e-y') found.push({ in: 'query', name })
  for (const pair of (r.headers.Cookie ?? '').split('; ').filter((c) => c.endsWith('=k-e-y'))) found.push({ in: 'cookie', name: pair.split('=')[0] })
  return found
}

console.debug = console.log = console.warn = console.error // what libraries say is no result
for await (const line of readline.createInterface({ input: process.stdin })) {
  const c = JSON.parse(line)
  if (c.file) {
    const written = fs.readFileSync(c.file, 'utf8').replace(/^\uFEFF/, '')
    const doc = written.trimStart().startsWith('{') ? JSON.parse(written) : yaml.load(written, { schema: yaml.JSON_SCHEMA })
    process.stdout.write(`${JSON.stringify(operations(doc))}\n`)
  } else {
    process.stdout.write(`${JSON.stringify(qs.parse(c.query, { depth: 20, arrayLimit: 1000, parameterLimit: 10000 }))}\n`)
  }
}
