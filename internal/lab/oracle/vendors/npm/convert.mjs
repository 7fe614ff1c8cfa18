// Gives definitions to the converters of the vendors' own libraries, and prints one
// line of JSON for each that they refuse or change, then how many they saw:
//
//   npm ci --ignore-scripts && node convert.mjs <definitions.json
//
// The input has an array of definitions under each name of `converters`. Nothing is
// sent: what a library would send is caught before.

import fs from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import Ajv from 'ajv/dist/2020.js'
import { toStrictJsonSchema } from 'openai/lib/transform'
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema'
import { GoogleGenAI } from '@google/genai'
import { createGoogleGenerativeAI } from '@ai-sdk/google'

const answer = { candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }] }
let sent
async function caught(url, init) {
  sent = JSON.parse(init.body)
  return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } })
}
globalThis.fetch = caught
const genai = new GoogleGenAI({ apiKey: 'none' })
const google = createGoogleGenerativeAI({ apiKey: 'none', fetch: caught })('gemini-2.5-flash')

const same = (before, after) => isDeepStrictEqual(before, after) ? undefined : JSON.stringify(after)

// What transform-json-schema does to each schema that it takes: the type beside an
// enum goes, and keywords that it does not list go into the description, and so does a
// format beside another type than "string", such as a list with null.
function anthropic(schema) {
  const out = { ...schema }
  if (Array.isArray(schema.enum)) delete out.type
  if (schema.type === 'object') {
    out.properties = Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, s]) => [name, anthropic(s)]))
  }
  if (schema.items) out.items = anthropic(schema.items)
  if (schema.anyOf) out.anyOf = schema.anyOf.map(anthropic)
  if (schema.$defs) out.$defs = Object.fromEntries(Object.entries(schema.$defs).map(([name, s]) => [name, anthropic(s)]))
  const moved = Object.entries(schema).filter(([keyword]) => keyword === 'pattern' || keyword === 'format' && out.type !== 'string')
  if (moved.length > 0) {
    for (const [keyword] of moved) delete out[keyword]
    out.description = (schema.description ? schema.description + '\n\n' : '') + '{' + moved.map(([k, v]) => `${k}: ${JSON.stringify(v)}`).join(', ') + '}'
  }
  return out
}

// ajv takes a schema: it is one, and each reference in it leads somewhere.
const ajv = new Ajv({ strict: false, validateFormats: false, addUsedSchema: false, logger: false })
const compiled = (schema) => {
  if (!ajv.validateSchema(schema)) return JSON.stringify(ajv.errors)
  ajv.compile(schema)
}

// Each returns what is wrong with a definition, if anything is.
const converters = {
  'openai-strict': (d) => compiled(d.parameters) ?? same(d.parameters, toStrictJsonSchema(d.parameters)),
  'openai': (d) => compiled(d.parameters),
  'openai-chat-strict': (d) => compiled(d.function.parameters) ?? same(d.function.parameters, toStrictJsonSchema(d.function.parameters)),
  'openai-chat': (d) => compiled(d.function.parameters),
  'mistral': (d) => compiled(d.function.parameters),
  'anthropic-strict': (d) => compiled(d.input_schema) ?? same(anthropic(d.input_schema), transformJSONSchema(d.input_schema)),
  'anthropic': (d) => compiled(d.input_schema),
  'bedrock': (d) => compiled(d.toolSpec.inputSchema.json),
  'mcp': (d) => compiled(d.inputSchema),
  'gemini': async (d) => {
    await genai.models.generateContent({ model: 'gemini-2.5-flash', contents: 'x', config: { tools: [{ functionDeclarations: [structuredClone(d)] }] } })
    return same([{ functionDeclarations: [d] }], sent.tools)
  },
  'gemini-json': async (d) => {
    const wrong = compiled(d.parametersJsonSchema)
    if (wrong) return wrong
    await genai.models.generateContent({ model: 'gemini-2.5-flash', contents: 'x', config: { tools: [{ functionDeclarations: [structuredClone(d)] }] } })
    const changed = same([{ functionDeclarations: [d] }], sent.tools)
    if (changed) return changed
    // The other library writes `parameters`, in which less can be said.
    const tool = { type: 'function', name: d.name, description: d.description, inputSchema: d.parametersJsonSchema }
    await google.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], tools: [tool] })
    const there = Object.keys(sent.tools[0].functionDeclarations[0].parameters?.properties ?? {})
    return same(Object.keys(d.parametersJsonSchema.properties ?? {}), there)
  },
}

const input = JSON.parse(fs.readFileSync(0, 'utf8'))
for (const vendor of Object.keys(input)) {
  if (!converters[vendor]) throw new Error(`no converter for ${vendor}`)
  for (const definition of input[vendor]) {
    let wrong
    try {
      wrong = await converters[vendor](definition)
    } catch (e) {
      wrong = `${e}`
    }
    if (wrong !== undefined) console.log(JSON.stringify({ vendor, wrong, definition }))
  }
}
console.log(JSON.stringify({ seen: Object.fromEntries(Object.entries(input).map(([vendor, list]) => [vendor, list.length])) }))
