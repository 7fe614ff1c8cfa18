// Builds the requests of operations with libraries for OpenAPI:
//
//   npm ci --ignore-scripts && node build.mjs <cases.jsonl
//
// A line with the member `file` names a document and the URL that it was served at. Each
// line below it is a case of that document: its path, method, media type of the body, and
// values by their place. One line is printed for each case: a request or an error for each
// library. Nothing is sent.

import fs from 'node:fs'
import readline from 'node:readline'
import yaml from 'js-yaml'
import Swagger from 'swagger-client'
import Oas from 'oas'
import oasToHar from '@readme/oas-to-har'
import { OpenAPIClientAxios } from 'openapi-client-axios'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const steps = (pointer) => pointer.slice(2).split('/').map((s) => decodeURIComponent(s).replaceAll('~1', '/').replaceAll('~0', '~'))
const at = (doc, pointer) => steps(pointer).reduce((value, step) => value?.[step], doc)

// The part of a document that one operation needs: libraries resolve all references, and
// a document may have a thousand operations.
function partOf(doc, path, method) {
  const { paths, components, definitions, parameters, responses, ...part } = doc
  const whole = (value) => value?.$ref ? whole(at(doc, value.$ref)) : value
  const item = Object.fromEntries(Object.entries(whole(paths[path])).filter(([name]) => !methods.includes(name)))
  item[method] = { ...whole(paths[path])[method], operationId: 'operation', responses: { 200: { description: 'ok' } } }
  delete item[method].callbacks
  const shallow = (p) => {
    const param = whole(p)
    return param?.schema?.$ref ? { ...param, schema: whole(param.schema) } : param
  }
  for (const holder of [item, item[method]]) {
    if (holder.parameters) holder.parameters = holder.parameters.map(shallow)
  }
  if (item[method].requestBody) item[method].requestBody = whole(item[method].requestBody)
  part.paths = { [path]: item }
  if (components?.securitySchemes) part.components = { securitySchemes: components.securitySchemes }
  const seen = new Set()
  const follow = (value) => {
    if (Array.isArray(value)) return value.forEach(follow)
    if (!value || typeof value !== 'object') return
    if (typeof value.$ref === 'string' && value.$ref.startsWith('#/') && !seen.has(value.$ref)) {
      seen.add(value.$ref)
      const target = at(doc, value.$ref)
      const names = steps(value.$ref)
      let holder = part
      for (const name of names.slice(0, -1)) holder = holder[name] ??= {}
      holder[names.at(-1)] ??= target
      follow(target)
    }
    Object.values(value).forEach(follow)
  }
  follow(item)
  return structuredClone(part)
}

const lower = (headers) => Object.fromEntries(Object.entries(headers ?? {}).filter(([, v]) => v !== undefined && v !== null).map(([k, v]) => [k.toLowerCase(), String(v)]))
const text = (v) => typeof v === 'string' ? v : JSON.stringify(v)
const pairsOf = (form) => [...form.entries()].map(([name, value]) => [name, typeof value === 'string' ? value : '(file)'])

// A body that must be there is an object, if no value was given for any of its members.
function bodyOf(part, c) {
  const { requestBody, parameters } = part.paths[c.path][c.method]
  const required = requestBody?.required || parameters?.find((p) => p.in === 'body')?.required
  return c.values.body ?? (required ? {} : undefined)
}

async function swaggerClient({ part, url, body }, c) {
  const parameters = {}
  for (const place of ['path', 'query', 'header', 'cookie']) {
    for (const [name, value] of Object.entries(c.values[place] ?? {})) parameters[`${place}.${name}`] = value
  }
  if (part.swagger && body !== undefined) {
    const declared = [...(part.paths[c.path].parameters ?? []), ...(part.paths[c.path][c.method].parameters ?? [])]
    const whole = declared.find((p) => p.in === 'body')
    if (whole) parameters[whole.name] = body
    else for (const [name, value] of Object.entries(body)) parameters[`formData.${name}`] = value
  }
  const r = Swagger.buildRequest({ spec: part, operationId: 'operation', parameters, requestBody: part.swagger ? undefined : body,
    requestContentType: c.media || undefined, contextUrl: url, securities: {} })
  const form = r.form ?? (typeof r.body?.entries === 'function' && !Array.isArray(r.body) ? r.body : undefined)
  const pairs = form && (typeof form.entries === 'function' ? pairsOf(form) : Object.entries(form))
  return { method: r.method, url: r.url, headers: lower(r.headers), pairs, body: form || r.body === undefined ? undefined : text(r.body) }
}

async function oasToHAR({ part, url, body }, c) {
  const oas = new Oas(structuredClone(part))
  const { body: _, ...places } = c.values
  const where = /urlencoded/.test(c.media) ? 'formData' : 'body'
  const har = oasToHar(oas, oas.operation(c.path, c.method), { ...places, ...(body === undefined ? {} : { [where]: body }) }, {})
  const r = har.log.entries[0].request
  const query = r.queryString.map((q) => `${q.name}=${q.value}`).join('&')
  const headers = lower(Object.fromEntries(r.headers.map((h) => [h.name, h.value])))
  if (r.cookies?.length) headers.cookie = r.cookies.map((k) => `${k.name}=${k.value}`).join('; ')
  return { method: r.method, url: new URL(r.url + (query && (r.url.includes('?') ? '&' : '?') + query), url).href, headers,
    pairs: r.postData?.params?.map((p) => [p.name, p.value]), body: r.postData?.text }
}

async function openapiClientAxios({ part, url, body }, c) {
  if (body !== undefined && !/json/.test(c.media)) throw new Error('it leaves other bodies than JSON to its caller')
  const api = new OpenAPIClientAxios({ definition: structuredClone(part), quick: true })
  const client = await api.init()
  const list = []
  for (const place of ['path', 'query', 'header', 'cookie']) {
    for (const [name, value] of Object.entries(c.values[place] ?? {})) list.push({ name, value, in: place })
  }
  let sent
  await client.operation(list, body, {
    headers: c.media ? { 'content-type': c.media } : {},
    adapter: async (config) => {
      sent = config
      return { data: {}, status: 200, statusText: 'OK', headers: {}, config }
    },
  })
  return { method: sent.method, url: new URL(api.getRequestConfigForOperation(api.getOperation('operation'), [list]).url, url).href, headers: lower(sent.headers?.toJSON?.() ?? sent.headers), body: sent.data && text(sent.data) }
}

const builders = { 'swagger-client': swaggerClient, 'oas-to-har': oasToHAR, 'openapi-client-axios': openapiClientAxios }
const only3 = new Set(['oas-to-har', 'openapi-client-axios']) // they read OpenAPI 3
let doc, url
let key, part
console.debug = console.log = console.warn = console.error // what libraries say is no result
for await (const line of readline.createInterface({ input: process.stdin })) {
  const c = JSON.parse(line)
  if (c.file) {
    const written = fs.readFileSync(c.file, 'utf8').replace(/^\uFEFF/, '')
    doc = written.trimStart().startsWith('{') ? JSON.parse(written) : yaml.load(written, { schema: yaml.JSON_SCHEMA })
    url = c.url
    key = undefined
    continue
  }
  const built = {}
  for (const [name, build] of Object.entries(builders)) {
    if (doc.swagger && only3.has(name)) continue
    try {
      if (key !== `${c.method} ${c.path}`) {
        part = partOf(doc, c.path, c.method)
        key = `${c.method} ${c.path}`
      }
      built[name] = await build({ part, url, body: bodyOf(part, c) }, c)
    } catch (e) {
      built[name] = { error: `${e?.stack ?? e}`.slice(0, 300) }
    }
  }
  process.stdout.write(`${JSON.stringify(built)}\n`)
}
