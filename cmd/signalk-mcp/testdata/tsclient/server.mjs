// The least that a server on the TypeScript SDK can be: one tool, and a REST request
// for each answer, without the arithmetic. make compare measures it.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

const server = new McpServer({ name: 'rest', version: '0' })
server.registerTool('depth_state', { description: 'Depth below the transducer.' }, async () => {
  const reply = await fetch(process.env.SIGNALK_URL + '/signalk/v1/api/vessels/self/environment/depth/belowTransducer')
  return { content: [{ type: 'text', text: await reply.text() }] }
})
await server.connect(new StdioServerTransport())
