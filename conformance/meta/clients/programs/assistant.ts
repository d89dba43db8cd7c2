// An assistant, by its name: it reaches the MCP server of API_URL, and prints what became of each step once a streamer has approved it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

type Assistant = {
  tools: () => Promise<{ name: string }[]>;
  call: (name: string, values: object) => Promise<{ structuredContent?: { data: { amount: number } } }>;
  /** Of one whose tokens can be reached. */
  expire?: () => void;
};

const { API_URL, PATH, HOME, BROWSER } = process.env;
const newClient = () => new Client({ name: "assistant", version: "1" });
const assistantOf = (client): Assistant => ({
  tools: async () => (await client.listTools()).tools,
  call: (name, values) => client.callTool({ name, arguments: values }),
});

const assistants: Record<string, () => Promise<Assistant>> = { sdk: connectSdk, "mcp-remote": connectRemote, inspector: openInspector };

let assistant: Assistant;
const steps = {
  "register and be approved": async () => void (assistant = await assistants[process.argv[2]]()),
  "list tools": async () => {
    const tools = await assistant.tools();
    if (!tools.some(({ name }) => name === "create_donation")) throw new Error(`${tools.length} tools`);
  },
  "record a donation": async () => {
    const donation = { donatorName: "สมชาย", amount: 123.45, idempotencyKey: crypto.randomUUID() };
    const { structuredContent } = await assistant.call("create_donation", donation);
    if (structuredContent?.data.amount !== 123.45) throw new Error(JSON.stringify(structuredContent));
  },
  refresh: async () => {
    if (!assistant.expire) return "– its tokens are its own";
    assistant.expire();
    await assistant.call("list_donations", { limit: 1 });
  },
};
const outcomes: Record<string, string> = {};
for (const [step, take] of Object.entries(steps))
  outcomes[step] = await take().then(
    (outcome) => outcome ?? "ok",
    (error) => error.message || String(error),
  );
console.log(JSON.stringify(outcomes));
process.exit();

/** The official SDK with its OAuth provider, as an assistant on the streamer's machine that knows the address of the server alone. */
async function connectSdk(): Promise<Assistant> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`;
  const kept = {};
  const authProvider = {
    redirectUrl,
    clientMetadata: { client_name: "An assistant", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (address) => console.error(address.href),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
  };
  const newTransport = () => new StreamableHTTPClientTransport(new URL(`${API_URL}/mcp`), { authProvider });
  const refused = newTransport();
  const error = await newClient()
    .connect(refused)
    .catch((reason) => reason);
  if (!(error instanceof UnauthorizedError)) throw error ?? new Error("connected without approval");
  const [callback, page] = await once(listener, "request");
  page.end();
  await refused.finishAuth(new URL(callback.url, redirectUrl).searchParams.get("code"));
  const client = newClient();
  await client.connect(newTransport());
  return { ...assistantOf(client), expire: () => void (kept.tokens = { ...kept.tokens, access_token: "expired" }) };
}

/** mcp-remote, through which an assistant that can only start programs reaches a server. */
async function connectRemote(): Promise<Assistant> {
  const client = newClient();
  const args = ["node_modules/.bin/mcp-remote", `${API_URL}/mcp`];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { PATH, HOME, BROWSER } }));
  return assistantOf(client);
}

/** The command line of the MCP Inspector: a process for each call, with the tokens of the one before. */
async function openInspector(): Promise<Assistant> {
  const { tools } = await inspect("--method", "tools/list");
  return {
    tools: async () => tools,
    call: (name, values) => inspect("--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(values)),
  };
}

async function inspect(...words) {
  const args = ["node_modules/.bin/mcp-inspector", "--cli", `${API_URL}/mcp`, "--quiet", "--format", "json", ...words];
  const env = { ...process.env, MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "file" };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (part) => (text += part));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`exit code ${code} ${text}`);
  return JSON.parse(text).result ?? JSON.parse(text);
}
