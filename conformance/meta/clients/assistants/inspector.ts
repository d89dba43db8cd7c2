// The command line of the MCP Inspector: a process for each call, with the tokens of the one before.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { tell } from "./story.ts";

const { API_URL } = process.env;
const env = { ...process.env, MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "file" };

async function inspect(...words) {
  const args = ["node_modules/.bin/mcp-inspector", "--cli", `${API_URL}/mcp`, "--quiet", "--format", "json", ...words];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (part) => (text += part));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`exit code ${code} ${text}`);
  return JSON.parse(text).result ?? JSON.parse(text);
}

await tell(async () => {
  const { tools } = await inspect("--method", "tools/list");
  return {
    tools: async () => tools,
    call: (name, values) => inspect("--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(values)),
  };
});
