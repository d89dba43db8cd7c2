// mcp-remote, through which an assistant that can only start programs reaches a server.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { tell } from "./story.ts";

const { API_URL, PATH, HOME, BROWSER } = process.env;

await tell(async () => {
  const client = new Client({ name: "assistant", version: "1" });
  const env = { PATH, HOME, BROWSER };
  const transport = new StdioClientTransport({ command: process.execPath, args: ["node_modules/.bin/mcp-remote", `${API_URL}/mcp`], env });
  await client.connect(transport);
  return {
    tools: async () => (await client.listTools()).tools,
    call: (name, values) => client.callTool({ name, arguments: values }),
  };
});
