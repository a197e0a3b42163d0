// Talks to an MCP server over stdio with both TypeScript SDKs, in each era of
// the protocol, as desktop hosts do, and prints what it saw as one line of JSON.
//
//   node client.mjs COMMAND [ARGUMENT ...]
//
// It ends with 1 if a check failed; "problems" in the line says which.
import { isDeepStrictEqual } from 'node:util'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const [command, ...args] = process.argv.slice(2)
if (!command) {
  console.error('usage: node client.mjs COMMAND [ARGUMENT ...]')
  process.exit(2)
}

const me = { name: 'tsclient', version: '0' }
const hosts = [
  { name: 'sdk 1, legacy', client: (o) => new OldClient(me, o), transport: OldTransport },
  { name: 'client 2, legacy', client: (o) => new Client(me, o), transport: StdioClientTransport, mode: 'legacy' },
  { name: 'client 2, auto', client: (o) => new Client(me, o), transport: StdioClientTransport, mode: 'auto' },
  { name: 'client 2, modern', client: (o) => new Client(me, o), transport: StdioClientTransport, mode: { pin: '2026-07-28' } }
]

// How a call of each tool is made that the boat answers.
const examples = {
  battery_state: { bank: 'house' },
  depth_state: {},
  get_active_alarms: {},
  get_local_time: {},
  get_route: {},
  list_paths: { prefix: 'navigation' },
  read_sensor: { path: 'navigation.position' }
}

async function talk(host) {
  const seen = { host: host.name, tools: [], calls: {}, problems: [] }
  const check = (ok, what) => ok || seen.problems.push(what)
  const transport = new host.transport({ command, args, stderr: 'pipe' })
  let log = ''
  transport.stderr.on('data', (text) => (log += text))
  if (!host.mode) {
    // The old client does not keep the version: it hands it to its transport.
    transport.setProtocolVersion = (version) => (seen.protocolVersion = version)
  }
  const client = host.client(host.mode ? { versionNegotiation: { mode: host.mode } } : {})
  // Whatever on stdout is no message, or breaks the client's schema of one.
  client.onerror = (error) => seen.problems.push(`the client complains: ${error.message}`)
  try {
    await client.connect(transport)
    if (host.mode) {
      seen.protocolVersion = client.getNegotiatedProtocolVersion()
      seen.era = client.getProtocolEra()
    }
    seen.server = client.getServerVersion()
    seen.instructions = client.getInstructions()
    seen.capabilities = client.getServerCapabilities()
    check(seen.server?.name === 'signalk-mcp', `the server is ${JSON.stringify(seen.server)}`)
    check(seen.instructions, 'it gives no instructions')

    const { tools } = await client.listTools()
    seen.tools = tools.map((tool) => tool.name)
    for (const tool of tools) {
      check(tool.description, `${tool.name}: no description`)
      check(tool.inputSchema?.type === 'object' && tool.inputSchema.properties, `${tool.name}: its schema is ${JSON.stringify(tool.inputSchema)}`)
      check(tool.annotations?.readOnlyHint === true, `${tool.name}: not marked as one that only reads`)
      check(examples[tool.name], `${tool.name}: no example of a call`)
    }
    for (const [name, example] of Object.entries(examples)) {
      const result = await client.callTool({ name, arguments: example })
      seen.calls[name] = shape(result, (ok, what) => check(ok, `${name}: ${what}`))
      check(!result.isError, `${name}: an error: ${JSON.stringify(result)}`)
    }
    const wrong = await client.callTool({ name: 'battery_state', arguments: { bank: 'no such bank' } })
    seen.wrong = shape(wrong, (ok, what) => check(ok, `a wrong bank: ${what}`))
    check(wrong.isError === true, `a wrong bank: no error: ${JSON.stringify(wrong)}`)
    const refusal = await client.callTool({ name: 'no_such_tool', arguments: {} }).catch((error) => error)
    check(refusal.code === -32602, `an unknown tool: ${refusal.code} ${refusal.message}`)
  } catch (error) {
    seen.problems.push(`${error.name}: ${error.message}`)
  } finally {
    await client.close()
  }
  if (seen.problems.length > 0) seen.log = log
  return seen
}

// shape checks the form of a result, and gives what a person hears.
function shape(result, check) {
  const block = result.content?.[0]
  check(result.content?.length === 1 && block.type === 'text', `its content is ${JSON.stringify(result.content)}`)
  let told = {}
  try {
    told = JSON.parse(block.text)
  } catch (error) {
    check(false, `its text is no JSON: ${error.message}`)
  }
  check(isDeepStrictEqual(told, result.structuredContent), `text and structuredContent differ: ${block?.text} ${JSON.stringify(result.structuredContent)}`)
  check(Object.keys(told)[0] === 'display' && told.display, `display is not first: ${block?.text}`)
  check(JSON.stringify(Object.keys(told)) === JSON.stringify(Object.keys(result.structuredContent ?? {})), 'the keys are in another order')
  return told.display
}

const runs = []
for (const host of hosts) runs.push(await talk(host))
const problems = runs.flatMap((run) => run.problems.map((problem) => `${run.host}: ${problem}`))
console.log(JSON.stringify({ node: process.version, runs, problems }))
process.exitCode = problems.length > 0 ? 1 : 0
