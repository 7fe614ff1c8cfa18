// A host of MCP made with the SDK of npm. It speaks with a server over standard input
// and output, or over HTTP, and prints one line of JSON for each answer:
//
//   node host.mjs stdio COMMAND ARGUMENTS…
//   node host.mjs http URL TOKEN
//
// It agrees to everything that it is asked.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [kind, first, ...rest] = process.argv.slice(2)
const transport = kind === 'stdio'
  ? new StdioClientTransport({ command: first, args: rest, stderr: 'inherit' })
  : new StreamableHTTPClientTransport(new URL(first), { requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } } })
const say = (what, value) => console.log(JSON.stringify({ what, value }))

const client = new Client({ name: 'host', version: '1' }, { capabilities: { elicitation: { form: {} } } })
client.setRequestHandler(ElicitRequestSchema, async request => {
  say('asked', request.params.message)
  return { action: 'accept', content: { agree: true } }
})
await client.connect(transport)
const { tools } = await client.listTools()
say('tools', tools.map(tool => tool.name))
const found = await client.callTool({ name: 'wayfind_search', arguments: { query: 'add two numbers, sum' } })
say('found', found.content[0].text)
const sum = JSON.parse(found.content[0].text).tools.find(tool => tool.name.endsWith('get-sum')).name
say('described', (await client.callTool({ name: 'wayfind_describe', arguments: { name: sum } })).content[0].text)
say('called', (await client.callTool({ name: 'wayfind_call', arguments: { name: sum, arguments: { a: 2, b: 3 } } })).content.map(c => c.text))
if (tools.some(tool => tool.name === sum)) {
  say('direct', (await client.callTool({ name: sum, arguments: { a: 20, b: 30 } })).content.map(c => c.text))
}
const changing = { name: 'toggle-simulated-logging', arguments: {} } // the others say that they only read
say('changed', (await client.callTool({ name: 'wayfind_call', arguments: changing })).content.map(c => c.text))
const { resources } = await client.listResources()
const { resourceTemplates } = await client.listResourceTemplates()
say('listed', [...resources.map(r => r.uri), ...resourceTemplates.map(r => r.uriTemplate), ...(await client.listPrompts()).prompts.map(p => p.name)])
const text = resourceTemplates.find(r => r.uriTemplate.includes('/text/')).uriTemplate
say('read', (await client.readResource({ uri: text.replace(/\{\w+\}/, '7') })).contents)
say('prompt', (await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Oslo' } })).messages)
say('image', (await client.callTool({ name: 'get-tiny-image', arguments: {} })).content.map(c => c.type + ' ' + c.mimeType))
say('link', (await client.callTool({ name: 'get-resource-links', arguments: {} })).content.map(c => c.type + ' ' + c.uri))
say('unknown', await client.callTool({ name: 'nothing', arguments: {} }).catch(e => e.message))
await client.close()
